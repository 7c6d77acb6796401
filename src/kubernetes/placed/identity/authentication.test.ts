import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RequestHead } from '../../../http/http-event.js';
import type { PeerCertificate, TlsEstablished } from '../../../tcp/stream-event.js';
import { readUserAgent } from '../../participants/components.js';
import { ClientAuthentication } from './authentication.js';

const K3S = 'k3s/v1.34.4+k3s1 (linux/amd64) kubernetes/0123456';
const GO = 'Go-http-client/2.0';

const on = (id: number) => ({ connection: { id } }) as unknown as Pick<TlsEstablished, 'connection'>;
const head = (...fields: readonly string[]): RequestHead => ({ fields }) as unknown as RequestHead;
const bearer = (payload: string): RequestHead =>
  head(
    ':authority',
    'x',
    'Authorization',
    `Bearer eyJhbGciOiJSUzI1NiJ9.${Buffer.from(payload).toString('base64url')}.c2ln`,
  );
const secured = (id: number, sni: string | null): TlsEstablished =>
  ({ kind: 'tls-established', ...on(id), sni }) as TlsEstablished;
const shows = (id: number, commonName: string): PeerCertificate =>
  ({ kind: 'certificate', ...on(id), of: 'client', commonName }) as PeerCertificate;

function certified(commonName: string, userAgent: string) {
  const authentication = new ClientAuthentication();
  authentication.onCertificate(shows(1, commonName));
  return authentication.of(1, head(), readUserAgent(userAgent));
}

describe('a client with a certificate', () => {
  it.each([
    ['system:kube-scheduler', 'kube-scheduler', null],
    ['system:kube-controller-manager', 'kube-controller-manager', null],
    ['system:kube-proxy', 'kube-proxy', null],
    ['system:node:node-1', 'kubelet', 'node-1'],
    ['system:apiserver', 'kube-apiserver', null],
    ['kube-apiserver-kubelet-client', 'kube-apiserver', null],
    ['k3s-cloud-controller-manager', 'cloud-controller-manager', null],
    ['system:k3s-controller', 'k3s-controller', null],
    ['system:admin', 'User system:admin', null],
    ['kubernetes-admin', 'User kubernetes-admin', null],
    ['system:node:', 'User system:node:', null],
    ['system:node:a b', 'User system:node:a b', null],
    ['system:kube-<b>', 'User system:kube-<b>', null],
    // A user may be called like a controller, and is none.
    ['my-controller', 'User my-controller', null],
    ['constructor', 'User constructor', null],
  ])('%s', (commonName, component, node) => {
    expect(certified(commonName, GO)).toMatchObject({ component, node });
    // Of a process that is several components, it is not whose it is but which of them.
    expect(certified(commonName, K3S)).toEqual(component.startsWith('User ') ? null : certified(commonName, GO));
  });

  it('is not named by a user’s certificate where its User-Agent names a library', () => {
    const python = 'OpenAPI-Generator/31.0.0/python';
    expect(certified('kubernetes-admin', python)).toBeNull();
    expect(certified('system:kube-proxy', python)?.component).toBe('kube-proxy');
  });

  it('is named by its User-Agent where that names a program', () => {
    for (const userAgent of ['kubectl/v1', 'my-operator', `${K3S}/scheduler`, 'kubelet/v1'])
      expect(certified('system:kube-scheduler', userAgent)).toBeNull();
  });

  it('is not the client that presented one to a proxy before', () => {
    const authentication = new ClientAuthentication();
    authentication.onCertificate(shows(1, 'system:node:node-1'));
    authentication.onTlsEstablished(secured(1, 'kubernetes'));
    expect(authentication.of(1, head(), readUserAgent(GO))).toBeNull();
    expect(authentication.of(2, head(), readUserAgent(GO))).toBeNull();
  });

  it('has a name without what is to be hidden', () => {
    const authentication = new ClientAuthentication();
    authentication.onCertificate(shows(1, 'Bearer hunter2hunter2'));
    expect(authentication.of(1, head(), readUserAgent(GO))?.component).toBe('User Bearer REDACTED');
    expect(authentication.of(1, head(), readUserAgent(GO))?.why).not.toContain('hunter2');
  });
});

describe('a client with a token', () => {
  const authentication = new ClientAuthentication();
  const sub = (subject: string): string => JSON.stringify({ iss: 'https://kubernetes.default.svc', sub: subject });

  it('of a service account', () => {
    const coredns = bearer(sub('system:serviceaccount:kube-system:coredns'));
    const asker = { component: 'ServiceAccount kube-system/coredns', is: 'account' };
    expect(authentication.of(1, coredns, readUserAgent(GO))).toMatchObject(asker);
    expect(authentication.of(1, coredns, readUserAgent(''))).toMatchObject(asker);
    expect(authentication.of(1, coredns, readUserAgent('OpenAPI-Generator/31.0.0/python'))).toMatchObject(asker);
    expect(authentication.of(1, coredns, readUserAgent('coredns'))).toBeNull();
    const own = authentication.of(1, bearer(sub('system:serviceaccount:default:prometheus')), readUserAgent(GO));
    expect(own).toMatchObject({
      component: 'ServiceAccount prometheus',
      why: expect.stringContaining('default/prometheus'),
    });
  });

  it('and a certificate: is named by the certificate, as in an API server', () => {
    const both = new ClientAuthentication();
    both.onCertificate(shows(1, 'kubernetes-admin'));
    expect(both.of(1, bearer(sub('system:serviceaccount:default:a')), readUserAgent(GO))?.component).toBe(
      'User kubernetes-admin',
    );
  });

  it.each([
    ['of a user that is no service account', bearer(sub('alice@example.com'))],
    ['with a name that no account has', bearer(sub('system:serviceaccount:kube-system:<b>"'))],
    ['that is no JWT', head('Authorization', 'Bearer abc.def')],
    ['of a bootstrap', head('Authorization', 'Bearer 07401b.f395accd246ae52d')],
    ['that is too long', bearer(`${sub('system:serviceaccount:a:b')}${' '.repeat(9000)}`)],
    ['of another scheme', head('Authorization', 'Basic YTpi.YTpi.YTpi')],
  ])('%s: is not named', (_, request) => expect(authentication.of(1, request, readUserAgent(GO))).toBeNull());

  it('whatever it holds: no exception, and no word of it but names', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const asker = authentication.of(1, head('Authorization', `Bearer ${text}`), readUserAgent(GO));
        expect(asker === null || /^ServiceAccount [a-z0-9./-]+$/.test(asker.component)).toBe(true);
      }),
    );
  });
});

describe('a kubelet as a server', () => {
  const serving = (commonName: string) => {
    const authentication = new ClientAuthentication();
    authentication.onCertificate({ ...shows(1, commonName), of: 'server' });
    expect(authentication.of(1, head(), readUserAgent(GO))).toBeNull();
    return authentication.nodeServing(1)?.node ?? null;
  };

  it('shows whose it is: by the cluster’s authority, or made by itself', () => {
    expect(serving('system:node:node-1')).toBe('node-1');
    expect(serving('node-1.example.com@1763804520')).toBe('node-1.example.com');
  });

  it.each(['kube-apiserver', 'etcd', 'system:node:', 'me@example.com', 'Node 1@1763804520'])('%s is no node', (name) =>
    expect(serving(name)).toBeNull(),
  );
});

it('an API server sends requests to itself under a name of its own', () => {
  const authentication = new ClientAuthentication();
  authentication.onTlsEstablished(secured(3, 'apiserver-loopback-client'));
  expect(authentication.of(3, head('Authorization', 'Bearer 0b4e2bd3-5a4c-4b8d'), readUserAgent(K3S))).toMatchObject({
    component: 'kube-apiserver',
    why: 'sends requests to apiserver-loopback-client',
  });
});
