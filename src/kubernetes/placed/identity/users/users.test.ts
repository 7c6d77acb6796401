import { describe, expect, it } from 'vitest';
import type { Body } from '../../../../http/exchange-event.js';
import type { RequestHead } from '../../../../http/http-event.js';
import type { PeerCertificate, TlsEstablished } from '../../../../tcp/stream-event.js';
import { requestInfo } from '../../../api/request-info.js';
import { refusedByKubelet, refusedIn, userIn } from './answers.js';
import { Users } from './users.js';

const on = (id: number) => ({ connection: { id } }) as unknown as Pick<TlsEstablished, 'connection'>;
const secured = (id: number, sni: string | null = null): TlsEstablished =>
  ({ kind: 'tls-established', ...on(id), sni }) as TlsEstablished;
const shows = (id: number, commonName: string, isCurrent = true): PeerCertificate =>
  ({ kind: 'certificate', ...on(id), of: 'client', commonName, isCurrent }) as PeerCertificate;
const head = (...fields: readonly string[]): RequestHead => ({ fields, partial: [] }) as unknown as RequestHead;
const jwt = (subject: string): string =>
  `e30.${Buffer.from(JSON.stringify({ iss: 'x', sub: subject })).toString('base64url')}.c2ln`;
const bearer = (token: string): readonly string[] => ['Authorization', `Bearer ${token}`];
const body = (text: string): Body =>
  ({
    length: text.length,
    contentType: 'application/json',
    complete: true,
    read: () => ({ bytes: Buffer.from(text), complete: true }),
  }) as unknown as Body;

const ROBOT = 'system:serviceaccount:shop:robot';

describe('a request presents', () => {
  const users = new Users();
  users.onTlsEstablished(secured(1));
  users.onCertificate(shows(1, 'kubernetes-admin'));
  users.onTlsEstablished(secured(2, 'apiserver-loopback-client'));
  users.onTlsEstablished(secured(3));
  users.onCertificate(shows(3, 'late', false));
  users.onCertificate({ ...shows(4, 'server'), of: 'server' });
  users.onCertificate(shows(5, 'a\\0ACN=b'));

  it.each([
    ['a certificate', 1, head(), { name: 'kubernetes-admin', from: 'certificate' }],
    ['a token', 0, head(...bearer(jwt(ROBOT))), { name: ROBOT, from: 'token' }],
    ['both', 1, head(...bearer(jwt(ROBOT))), { name: 'kubernetes-admin', from: 'certificate' }],
    [
      'an impersonated user',
      1,
      head('Impersonate-User', 'jane', ...bearer(jwt(ROBOT))),
      { name: 'jane', from: 'impersonation' },
    ],
    ['the name of an API server itself', 2, head(), { name: 'system:apiserver', from: 'loopback' }],
    ['a certificate that has expired', 3, head(), null],
    ['the other side’s certificate', 4, head(), null],
    ['a name that is none', 5, head(), null],
    ['a token of another issuer', 0, head(...bearer(jwt('jane'))), null],
    ['a token without words', 0, head(...bearer('abcdef.0123456789abcdef')), null],
    ['what no front proxy sends', 1, head('X-Remote-User', 'root'), { name: 'kubernetes-admin', from: 'certificate' }],
    ['nothing', 0, head(), null],
  ])('%s', (_, connection, request, known) => {
    expect(users.of(connection, request, false).known).toEqual(known);
  });

  it('a token among the subprotocols of a WebSocket', () => {
    const encoded = Buffer.from(jwt(ROBOT)).toString('base64url');
    const protocols = `v5.channel.k8s.io, base64url.bearer.authorization.k8s.io.${encoded}`;
    expect(users.of(0, head('sec-websocket-protocol', protocols), false).known?.name).toBe(ROBOT);
  });

  it('the user that a front proxy authenticated, where an API server forwards the request', () => {
    expect(users.of(1, head('X-Remote-User', 'jane'), true).known).toEqual({ name: 'jane', from: 'front proxy' });
  });

  it('a session that begins proves nothing of the one before', () => {
    const again = new Users();
    again.onCertificate(shows(1, 'jane'));
    again.onTlsEstablished(secured(1));
    expect(again.of(1, head(), false).known).toBeNull();
  });
});

describe('what a server reports of a request', () => {
  const known = (users: Users, connection: number, ...fields: readonly string[]) =>
    users.of(connection, head(...fields), false).known?.name;
  const says = (users: Users, name: string, connection: number, ...fields: readonly string[]) =>
    users.reviewed(users.of(connection, head(...fields), false), name);

  it('holds for the same token over any connection', () => {
    const users = new Users();
    says(users, 'jane', 1, ...bearer('t1'));
    expect([known(users, 2, ...bearer('t1')), known(users, 1, ...bearer('t2')), known(users, 1)]).toEqual([
      'jane',
      undefined,
      undefined,
    ]);
  });

  it('holds for what comes without a token over the same TLS connection', () => {
    const users = new Users();
    users.onTlsEstablished(secured(1));
    users.onTlsEstablished(secured(2));
    says(users, 'jane', 1);
    says(users, 'jane', 3);
    expect([known(users, 1), known(users, 2), known(users, 3), known(users, 1, ...bearer('t'))]).toEqual([
      'jane',
      undefined,
      undefined,
      undefined,
    ]);
  });

  it('holds for no other request where a proxy sends requests of many users, or a head was read in part', () => {
    const users = new Users();
    users.onTlsEstablished(secured(1));
    says(users, 'jane', 1, 'X-Remote-User', 'jane');
    const part = { ...head(), partial: [{}] } as unknown as RequestHead;
    users.reviewed(users.of(1, part, false), 'jane');
    expect(known(users, 1)).toBeUndefined();
  });

  it("with an impersonated user does not show the client's own user", () => {
    const users = new Users();
    says(users, 'jane', 1, 'Impersonate-User', 'jane', ...bearer('t'));
    expect(known(users, 1, ...bearer('t'))).toBeUndefined();
    users.refused(users.of(1, head('Impersonate-User', 'root', ...bearer('t')), false), {
      name: 'jane',
      impersonates: true,
    });
    expect(known(users, 1, ...bearer('t'))).toBe('jane');
  });

  it('goes before what the request presents: a certificate that was not taken, a token that was not', () => {
    const users = new Users();
    users.onTlsEstablished(secured(1));
    users.onCertificate(shows(1, 'somebody'));
    says(users, 'jane', 1, ...bearer('t'));
    expect([known(users, 1, ...bearer('t')), known(users, 1)]).toEqual(['jane', undefined]);
    users.unauthorized(users.of(2, head(...bearer(jwt(ROBOT))), false));
    expect(known(users, 2, ...bearer(jwt(ROBOT)))).toBeUndefined();
  });

  it('of a token in a review', () => {
    const users = new Users();
    const review = { spec: { token: 't' }, status: { authenticated: true, user: { username: 'jane' } } };
    const info = requestInfo('POST', '/apis/authentication.k8s.io/v1/tokenreviews')!;
    users.answered(users.of(1, head(), false), userIn(info, body(JSON.stringify(review)))!);
    expect(known(users, 2, ...bearer('t'))).toBe('jane');
  });
});

describe('words', () => {
  it.each([
    // k8s.io/apiserver: forbiddenMessage, in a Status of apierrors.NewForbidden.
    ['pods is forbidden: User "jane" cannot list resource "pods" in API group "" in the namespace "a"', 'jane'],
    ['pods "x" is forbidden: User "a \\"b\\" c" cannot get resource "pods/log" in API group "" in the n', 'a "b" c'],
    ['nodes.metrics.k8s.io "n" is forbidden: User "j@x.example" cannot get resource "nodes" at', 'j@x.example'],
    ['forbidden: User "system:anonymous" cannot get path "/version"', 'system:anonymous'],
    ['pods "a" is forbidden: exceeded quota: q', undefined],
    ['admission webhook "w" denied the request: User "root" cannot get resource "pods"', undefined],
    ['pods "User \\"root\\" cannot get resource \\"x\\"" is forbidden: no', undefined],
    ['forbidden: User "" cannot get path "/"', undefined],
  ])('%s', (message, name) => {
    expect(refusedIn(message)?.name).toBe(name);
  });

  it('of a user without the right to impersonate', () => {
    const message = 'users "root" is forbidden: User "jane" cannot impersonate resource "users" in API group "" at';
    expect(refusedIn(message)).toEqual({ name: 'jane', impersonates: true });
  });

  it('of a kubelet', () => {
    const line = 'Forbidden (user=system:anonymous, verb=get, resource=nodes, subresource(s)=[metrics])\n';
    expect(refusedByKubelet(body(line))?.name).toBe('system:anonymous');
    expect(refusedByKubelet(body('Forbidden'))).toBeNull();
  });

  it.each([
    ['authentication.k8s.io/v1/selfsubjectreviews', { status: { userInfo: { username: 'jane' } } }, 'jane'],
    ['certificates.k8s.io/v1/certificatesigningrequests', { spec: { username: 'jane' } }, 'jane'],
    ['authentication.k8s.io/v1/tokenreviews', { spec: { token: 't' }, status: { user: { username: 'x' } } }, undefined],
    ['example.com/v1/selfsubjectreviews', { status: { userInfo: { username: 'jane' } } }, undefined],
    ['certificates.k8s.io/v1/certificatesigningrequests', {}, undefined],
    ['apps/v1/constructor', { spec: { username: 'jane' } }, undefined],
  ])('of an answer to a create: %s', (path, object, name) => {
    expect(userIn(requestInfo('POST', `/apis/${path}`)!, body(JSON.stringify(object)))?.name).toBe(name);
  });
});
