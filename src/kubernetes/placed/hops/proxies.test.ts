import { beforeEach, describe, expect, it } from 'vitest';
import { message } from '../../../../test/kit/messages.js';
import type { RequestHead } from '../../../http/http-event.js';
import type { Connection } from '../../../tcp/stream-event.js';
import type { ExchangeContext } from '../../messages/exchange-context.js';
import { ParticipantRegistry } from '../identity/participant-registry.js';
import { Proxies } from './proxies.js';
import { ServedRequests } from './served-requests.js';

let known = new ParticipantRegistry();
let served = new ServedRequests();
let proxies = new Proxies(known, served);
let seq = 0;
beforeEach(() => {
  known = new ParticipantRegistry();
  served = new ServedRequests();
  proxies = new Proxies(known, served);
});

function connection(id: number, client: string, server: string, port = 6443): Connection {
  const ends = { client: { address: client, port: 50_000 + id }, server: { address: server, port } };
  return { id, ...ends, name: `${client}-${server}`, roles: 'handshake' };
}

const PODS = '/api/v1/namespaces/default/pods';
const LOCAL = connection(1, '127.0.0.1', '127.0.0.1', 8001);
const UP = connection(2, '192.0.2.30', '192.0.2.10');

function head(forwardedFor?: string, target = PODS): RequestHead {
  const fields = forwardedFor === undefined ? [] : ['X-Forwarded-For', forwardedFor];
  return { kind: 'request-head', version: '1.1', method: 'GET', target, fields, partial: [] };
}

function ask(over: Connection, target = PODS): ExchangeContext {
  seq += 1;
  const context = { connection: over, requestSeq: seq } as ExchangeContext;
  proxies.observeRequest(context, { ...message({}), seq }, head(undefined, target));
  return context;
}

const serverAt = (over: Connection) =>
  proxies.serverAt(over.server, known.server('kube-apiserver', over.server.address, over.server.port, 1));

describe('what a proxy hands on', () => {
  it("is requested by it, because of the client's request", () => {
    const server = serverAt(LOCAL);
    expect(server.name).toBe('kube-apiserver');
    const first = ask(LOCAL);
    const hop = proxies.forwardedRequestOf(head('127.0.0.1'), UP, 5);
    expect([hop?.from.name, hop?.seq]).toEqual(['proxy 192.0.2.30', first.requestSeq]);
    // What answers on loopback was taken for the API server until then.
    expect(server.name).toBe('proxy 192.0.2.30');
    expect(serverAt(LOCAL)).toBe(hop?.from);
    expect(server.evidence).toEqual([
      'forwards what it receives on 127.0.0.1 port 8001, with the address of the client (frame 5)',
      'answers as an API server on 127.0.0.1 port 8001 (frame 5)',
    ]);
  });

  it('each request once, in their order', () => {
    const [first, second] = [ask(LOCAL), ask(LOCAL)];
    const hops = [5, 6, 7].map((frame) => proxies.forwardedRequestOf(head('127.0.0.1'), UP, frame));
    expect(hops.map((hop) => hop?.seq)).toEqual([first.requestSeq, second.requestSeq, undefined]);
    // The connection stays the proxy's.
    expect(hops[2]?.from.name).toBe('proxy 192.0.2.30');
  });

  it('by a server elsewhere, from the second on', () => {
    const front = connection(3, '192.0.2.7', '192.0.2.20');
    const back = connection(4, '192.0.2.20', '192.0.2.10');
    const server = serverAt(front);
    ask(front);
    expect(proxies.forwardedRequestOf(head('192.0.2.7'), back, 5)).toBeNull();
    const second = ask(front);
    const hop = proxies.forwardedRequestOf(head('198.51.100.1, 192.0.2.7'), back, 6);
    expect([hop?.from.name, hop?.seq]).toEqual(['proxy 192.0.2.20', second.requestSeq]);
    expect(server.name).toBe('proxy 192.0.2.20');
  });
});

describe('requests that no proxy forwarded', () => {
  it.each([
    ['another client', '192.0.2.9', PODS],
    ['another request', '127.0.0.1', `${PODS}/a`],
  ])('for %s', (_, client, target) => {
    ask(LOCAL);
    expect(proxies.forwardedRequestOf(head(client, target), UP, 5)).toBeNull();
    expect(serverAt(LOCAL).name).toBe('kube-apiserver');
  });

  it('over the same connection, without the header, or after it was answered', () => {
    const context = ask(LOCAL);
    expect(proxies.forwardedRequestOf(head('127.0.0.1'), LOCAL, 5)).toBeNull();
    expect(proxies.forwardedRequestOf(head(), UP, 5)).toBeNull();
    served.exchangeEnded(context);
    expect(proxies.forwardedRequestOf(head('127.0.0.1'), UP, 5)).toBeNull();
  });

  it('a user’s own name stays', () => {
    known = new ParticipantRegistry([{ name: 'mine', matches: (address) => address === '127.0.0.1' }]);
    proxies = new Proxies(known, served);
    expect(serverAt(LOCAL).name).toBe('mine');
  });
});

describe('what an API server reroutes to its peer', () => {
  // k8s.io/apiserver v0.37.2, pkg/util/peerproxy/peerproxy_handler.go: the request again, with PeerProxiedHeader, and the user in
  // X-Remote-User; built from the source, as no recording has two versions.
  const FIRST = connection(11, '192.0.2.30', '192.0.2.10');
  const PEER = connection(12, '192.0.2.10', '192.0.2.11');
  const rerouted: RequestHead = {
    ...head('192.0.2.30', '/apis/example.org/v2/things'),
    fields: ['X-Forwarded-For', '192.0.2.30', 'X-Remote-User', 'jane', 'x-kubernetes-peer-proxied', 'true'],
  };

  it('is requested by it, because of the client that asked it', () => {
    const server = serverAt(FIRST);
    serverAt(PEER);
    const first = { connection: FIRST, server } as ExchangeContext;
    proxies.observeRequest(first, { ...message({}), seq: 7 }, head(undefined, '/apis/example.org/v2/things'));
    const hop = proxies.forwardedRequestOf(rerouted, PEER, 5);
    expect(hop).toEqual({ from: server, seq: 7, isToPeer: true });
    expect(server.name).toBe('kube-apiserver');
    expect(proxies.serverAt(PEER.server, known.server('kube-apiserver', '192.0.2.11', 6443, 1)).component).toBe(
      'kube-apiserver',
    );
  });

  it('is an API server, where the first request was not seen', () => {
    const hop = proxies.forwardedRequestOf(rerouted, PEER, 5);
    expect([hop?.from.component, hop?.seq]).toEqual(['kube-apiserver', undefined]);
  });
});
