import { beforeEach, describe, expect, it } from 'vitest';
import { message } from '../../../../test/kit/messages.js';
import type { RequestHead } from '../../../http/http-event.js';
import type { Connection } from '../../../tcp/stream-event.js';
import { requestInfo } from '../../api/request-info.js';
import type { ExchangeContext } from '../../messages/exchange-context.js';
import type { Participant } from '../../messages/message.js';
import { ParticipantRegistry } from '../identity/participant-registry.js';
import { Aggregation } from './aggregation.js';
import { ServedRequests } from './served-requests.js';

const FLUNDERS = '/apis/wardle.example.com/v1alpha1/flunders';
const USER = ['x-remote-user', 'jane'];

let known: ParticipantRegistry;
let aggregation: Aggregation;
let apiServer: Participant;
beforeEach(() => {
  known = new ParticipantRegistry();
  aggregation = new Aggregation(known, new ServedRequests());
  apiServer = known.server('kube-apiserver', '192.0.2.10', 6443, 1);
});

function connection(id: number, client: string, server: string, port: number): Connection {
  const ends = { client: { address: client, port: 40_000 + id }, server: { address: server, port } };
  return { id, ...ends, name: `${client}-${server}`, roles: 'handshake' };
}

const TO_API = connection(1, '192.0.2.7', '192.0.2.10', 6443);
const TO_AGGREGATED = connection(2, '192.0.2.10', '192.0.2.12', 17443);

function head(target: string | null, fields: readonly string[] = [], isPartial = false): RequestHead {
  const partial = isPartial ? [{ name: null, value: null, slot: 1 }] : [];
  return { kind: 'request-head', method: 'GET', target, fields, partial } as unknown as RequestHead;
}

function ask(target: string, over = TO_API): number {
  const context = { info: requestInfo('GET', target), server: apiServer, connection: over } as ExchangeContext;
  const draft = { ...message({}) };
  aggregation.observeRequest(context, draft, head(target));
  return draft.seq;
}

describe('a second hop', () => {
  it("names the user, and is caused by the client's request", () => {
    const seq = ask(FLUNDERS);
    const hop = aggregation.forwardedRequestOf(head(FLUNDERS, USER), TO_AGGREGATED, 5);
    expect(hop).toEqual({ from: apiServer, seq });
    expect(aggregation.serverAt(TO_AGGREGATED.server)?.name).toBe('aggregated-apiserver wardle.example.com');
    expect(aggregation.keeperOf('wardle.example.com')).toBe(aggregation.serverAt(TO_AGGREGATED.server));
  });

  it('is one where no client was seen', () => {
    const hop = aggregation.forwardedRequestOf(head(FLUNDERS, USER), TO_AGGREGATED, 5);
    expect(hop).toEqual({ from: apiServer, seq: undefined });
  });

  it("with a head that was not captured comes from the address of the original request's server", () => {
    const seq = ask(FLUNDERS);
    expect(aggregation.forwardedRequestOf(head(FLUNDERS, [], true), TO_AGGREGATED, 5)?.seq).toBe(seq);
  });

  it('is every request of a connection that one was sent over', () => {
    aggregation.forwardedRequestOf(head(FLUNDERS, USER), TO_AGGREGATED, 5);
    expect(aggregation.forwardedRequestOf(head('/healthz'), TO_AGGREGATED, 6)?.from).toBe(apiServer);
    expect(aggregation.forwardedRequestOf(head(null), TO_AGGREGATED, 7)?.from).toBe(apiServer);
  });

  it('is discovery of its own', () => {
    const own = ['x-remote-user', 'system:kube-aggregator'];
    expect(aggregation.forwardedRequestOf(head('/apis', own), TO_AGGREGATED, 5)?.from).toBe(apiServer);
    expect(aggregation.serverAt(TO_AGGREGATED.server)?.name).toBe('aggregated-apiserver');
    aggregation.forwardedRequestOf(head(FLUNDERS, USER), TO_AGGREGATED, 6);
    expect(aggregation.serverAt(TO_AGGREGATED.server)?.name).toBe('aggregated-apiserver wardle.example.com');
  });
});

describe('no second hop is', () => {
  it.each([
    ['a request without a user', head(FLUNDERS)],
    ['one about a group that is built in', head('/apis/apps/v1/deployments', USER)],
    ['discovery for another user', head('/apis', USER)],
  ])('%s', (_, request) => {
    ask(request.target ?? '');
    expect(aggregation.forwardedRequestOf(request, TO_AGGREGATED, 5)).toBeNull();
    expect(aggregation.serverAt(TO_AGGREGATED.server)).toBeNull();
  });

  it('one with a header that was not seen, from another address or to the same server', () => {
    ask(FLUNDERS);
    const elsewhere = connection(3, '192.0.2.99', '192.0.2.12', 17443);
    expect(aggregation.forwardedRequestOf(head(FLUNDERS, [], true), elsewhere, 5)).toBeNull();
    const again = connection(4, '192.0.2.10', '192.0.2.10', 6443);
    expect(aggregation.forwardedRequestOf(head(FLUNDERS, [], true), again, 5)).toBeNull();
  });

  it("one through a proxy that passes the client's name to the API server", () => {
    const proxied = connection(5, '192.0.2.20', '192.0.2.10', 6443);
    ask('/api/v1/pods', proxied);
    expect(aggregation.forwardedRequestOf(head(FLUNDERS, USER), proxied, 5)).toBeNull();
  });
});

it("an API server that receives a proxy's requests with the clients' names is recognised", () => {
  const proxied = connection(6, '192.0.2.20', '192.0.2.30', 6443);
  expect(aggregation.forwardedRequestOf(head(FLUNDERS, USER), proxied, 5)).not.toBeNull();
  expect(aggregation.forwardedRequestOf(head('/api/v1/namespaces/default/pods', USER), proxied, 6)).toBeNull();
  expect(aggregation.serverAt(proxied.server)).toBeNull();
  // From now on, on every connection to it.
  expect(
    aggregation.forwardedRequestOf(head(FLUNDERS, USER), connection(7, '192.0.2.20', '192.0.2.30', 6443), 7),
  ).toBeNull();
});

describe('what was taken for an API server', () => {
  it('is called what it turns out to be', () => {
    const taken = known.server('kube-apiserver', '192.0.2.12', 17443, 2);
    expect(taken.name).toBe('kube-apiserver (192.0.2.12)');
    aggregation.forwardedRequestOf(head(FLUNDERS, USER), TO_AGGREGATED, 5);
    expect(taken.name).toBe('aggregated-apiserver wardle.example.com');
    expect(known.all()).not.toContain(taken);
  });

  it.each([
    ['answers on another port, too', (it: ParticipantRegistry) => it.server('kube-apiserver', '192.0.2.12', 6443, 3)],
    ['sends requests as one', (it: ParticipantRegistry) => it.client('192.0.2.12', 'kube-apiserver/v1.34.4', 3)],
  ])('stays one if it %s', (_, also) => {
    const taken = known.server('kube-apiserver', '192.0.2.12', 17443, 2);
    also(known);
    aggregation.forwardedRequestOf(head(FLUNDERS, USER), TO_AGGREGATED, 5);
    expect(taken.name).toBe('kube-apiserver (192.0.2.12)');
  });
});
