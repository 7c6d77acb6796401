import { describe, expect, it } from 'vitest';
import {
  type HandMade,
  handMade,
  kinds,
  plaintext,
  recut,
  streamEvents,
  type Turn,
  turn,
} from '../../test/kit/tls-peers.js';
import { secretStore } from './key-log.js';
import { tlsStage } from './tls-stage.js';

const CONNECT = turn('client', Buffer.from('CONNECT 192.0.2.10:6443 HTTP/1.1\r\nHost: 192.0.2.10:6443\r\n\r\n'));
const ESTABLISHED_TEXT = 'HTTP/1.1 200 Connection established\r\n\r\n';
const ESTABLISHED = turn('server', Buffer.from(ESTABLISHED_TEXT));
const inner = handMade();
const PING = [turn('client', inner.client.data('ping')), turn('server', inner.server.data('pong'))];
const TUNNEL = [...inner.handshake, ...PING];

function read(turns: readonly Turn[], ...keys: readonly HandMade[]) {
  const secrets = secretStore();
  for (const { keyLog } of keys) secrets.add(keyLog);
  secrets.final = true;
  const stage = tlsStage(secrets);
  const out = streamEvents(turns).flatMap((event) => [...stage.feed(event)]);
  return [...out, ...stage.end()];
}

const textOf = (turns: readonly Turn[], ...keys: readonly HandMade[]) => {
  const { client, server } = plaintext(read(turns, ...keys));
  return [client.toString('latin1'), server.toString('latin1')];
};
const HEADS = [CONNECT, ESTABLISHED].map(({ bytes }) => Buffer.from(bytes).toString('latin1'));

describe('TLS inside a tunnel', () => {
  it('is decrypted, behind the heads that requested it', () => {
    const turns = [CONNECT, ESTABLISHED, ...TUNNEL];
    expect(textOf(turns, inner)).toEqual([`${HEADS[0]}ping`, `${HEADS[1]}pong`]);
    expect(kinds(read(turns, inner))).toBe('established data tls-established data closed');
  });

  it.each([1, 2, 7])('in pieces of %i bytes', (size) => {
    const turns = recut([CONNECT, ESTABLISHED, ...TUNNEL], () => size);
    expect(textOf(turns, inner)).toEqual([`${HEADS[0]}ping`, `${HEADS[1]}pong`]);
  });

  it('without its keys becomes opaque, and the heads are read', () => {
    const turns = [CONNECT, ESTABLISHED, ...TUNNEL];
    expect(textOf(turns)).toEqual(HEADS);
    expect(kinds(read(turns))).toBe('established data tls-established opaque tls.no-secret closed');
  });

  it('whose keys come later is read then', () => {
    const secrets = secretStore();
    const stage = tlsStage(secrets);
    const out = streamEvents([CONNECT, ESTABLISHED, ...TUNNEL]).flatMap((event) => [...stage.feed(event)]);
    expect(stage.heldSince()).toBeDefined();
    secrets.add(inner.keyLog);
    out.push(...stage.wake());
    expect(plaintext(out).client.toString('latin1')).toBe(`${HEADS[0]}ping`);
    expect([stage.heldSince(), [...stage.end()]]).toEqual([undefined, []]);
  });

  it('of a proxy that is itself reached through TLS', () => {
    const outer = handMade();
    const wrapped = [CONNECT, ESTABLISHED, ...TUNNEL].map(({ from, bytes }) =>
      turn(from, (from === 'client' ? outer.client : outer.server).data(Buffer.from(bytes))),
    );
    expect(textOf([...outer.handshake, ...wrapped], inner, outer)).toEqual([`${HEADS[0]}ping`, `${HEADS[1]}pong`]);
  });
});

describe('a CONNECT that is not the first request', () => {
  const sent = (text: string) => turn('server', Buffer.from(text));
  const WITH_CREDENTIALS = turn(
    'client',
    Buffer.from('CONNECT 192.0.2.10:6443 HTTP/1.1\r\nProxy-Authorization: x\r\n\r\n'),
  );
  const GET = turn('client', Buffer.from('GET http://192.0.2.1/ HTTP/1.1\r\n\r\n'));

  it.each<[string, Turn[]]>([
    ['refused before', [CONNECT, sent('HTTP/1.1 407 No\r\nContent-Length: 0\r\n\r\n'), WITH_CREDENTIALS, ESTABLISHED]],
    [
      'with a reason',
      [CONNECT, sent('HTTP/1.1 407 No\r\nContent-Length: 4\r\n\r\nwhy?'), WITH_CREDENTIALS, ESTABLISHED],
    ],
    [
      'in chunks',
      [CONNECT, sent('HTTP/1.1 407 No\r\nTransfer-Encoding: chunked\r\n\r\n'), sent('4\r\nHTTP\r\n0\r\n\r\n')].concat(
        WITH_CREDENTIALS,
        ESTABLISHED,
      ),
    ],
    ['after another method', [GET, sent('HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nC'), CONNECT, ESTABLISHED]],
    ['after an interim answer', [CONNECT, sent('HTTP/1.1 100 Continue\r\n\r\n'), ESTABLISHED]],
    ['after one in the same segment', [CONNECT, sent(`HTTP/1.1 103 Early Hints\r\n\r\n${ESTABLISHED_TEXT}`)]],
  ])('%s', (_, before) => {
    const expected = ['client', 'server'].map((side) =>
      before.flatMap(({ from, bytes }) => (from === side ? [Buffer.from(bytes).toString('latin1')] : [])).join(''),
    );
    for (const size of [1, 7, 10_000]) {
      const turns = recut([...before, ...TUNNEL], () => size);
      expect(textOf(turns, inner)).toEqual([`${expected[0]}ping`, `${expected[1]}pong`]);
    }
  });
});

describe('no tunnel', () => {
  const asIs = (turns: readonly Turn[]): void => {
    const sent = (side: string) =>
      Buffer.concat(turns.filter(({ from }) => from === side).map(({ bytes }) => Buffer.from(bytes))).toString(
        'latin1',
      );
    expect(textOf(turns, inner)).toEqual([sent('client'), sent('server')]);
  };

  it('is a refused CONNECT', () => asIs([CONNECT, turn('server', Buffer.from('HTTP/1.1 407 No\r\n\r\n')), ...TUNNEL]));
  it('is another method', () =>
    asIs([turn('client', Buffer.from('CONNECTION / HTTP/1.1\r\n\r\n')), ESTABLISHED, ...TUNNEL]));
  it('is a client that does not wait for the answer', () =>
    asIs([CONNECT, TUNNEL[0], ESTABLISHED, ...TUNNEL.slice(1)]));
  it('is a response before its request', () => asIs([ESTABLISHED, CONNECT, ...TUNNEL]));
  it('is a head without an end', () =>
    asIs([
      turn('client', Buffer.from(`CONNECT h:1 HTTP/1.1\r\nA: ${'x'.repeat(20_000)}\r\n\r\n`)),
      ESTABLISHED,
      ...TUNNEL,
    ]));
});
