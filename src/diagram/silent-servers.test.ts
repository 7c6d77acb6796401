import { describe, expect, it } from 'vitest';
import { APISERVER, type Given, known, message, SCHEDULER } from '../../test/kit/messages.js';
import type { Message } from '../kubernetes/messages/message.js';
import { SilentServers } from './silent-servers.js';

const ETCD = known.server('etcd', '127.0.0.1', 2379, 1);

/** ns: a time in seconds. */
const at = (seconds: number): bigint => BigInt(Math.round(seconds * 1000)) * 1_000_000n;
const on = (port: number): string => `127.0.0.1:${port}-127.0.0.1:2379`;

/** A call of the API server to etcd. */
function asked(seconds: number, port: number, exchange: number, given: Given = {}): Message {
  const call: Given = { protocol: 'etcd', from: APISERVER, to: ETCD, rpcMethod: 'Range' };
  return message({ ...call, connection: on(port), exchange, time: at(seconds), started: at(seconds), ...given });
}

/** Its answer. */
function answered(seconds: number, port: number, exchange: number, given: Given = {}): Message {
  const [time, started] = [at(seconds), at(seconds)];
  const answer: Given = { kind: 'response', protocol: 'etcd', from: ETCD, to: APISERVER, latencyMs: 2 };
  return message({ ...answer, connection: on(port), exchange, time, started, ...given });
}

function silences(...messages: readonly Message[]): string[] {
  const servers = new SilentServers();
  for (const one of messages) servers.add(one);
  return servers.result().map(({ what, time }) => `${Number(time) / 1e9} ${what}`);
}

const ALIVE = [asked(1, 4001, 1), answered(1, 4001, 1), asked(1, 4002, 2), answered(1, 4002, 2)];
const THREE = [asked(2, 4001, 3), asked(2.1, 4002, 4), asked(2.2, 4002, 5)];
const SAID =
  '2 etcd (127.0.0.1:2379): silent: no answer for 12 s while 3 requests of kube-apiserver on 2 connections waited';

describe('a server', () => {
  it('is silent if it answers none of several requests for two seconds', () => {
    expect(silences(...ALIVE, ...THREE, answered(14, 4001, 3))).toEqual([SAID]);
    expect(silences(...ALIVE, ...THREE.slice(1), answered(14, 4002, 4))).toEqual([]);
    expect(silences(...ALIVE, ...THREE, answered(3.9, 4001, 3))).toEqual([]);
  });

  it('has nothing to say where only watches and streams wait', () => {
    const watches = THREE.map((one) => ({ ...one, rpcMethod: 'Watch' }) as Message);
    expect(silences(...ALIVE, ...watches, answered(14, 4001, 3))).toEqual([]);
  });

  it('is not silent while it answers anybody, or an answer is on its way', () => {
    const other = answered(3.5, 4003, 9);
    expect(silences(...ALIVE, ...THREE, other, asked(3.6, 4001, 6), answered(5.4, 4001, 3))).toEqual([]);
    // A long answer began in the time that seemed to be silent; another one before it.
    expect(silences(...ALIVE, ...THREE, answered(14, 4001, 3), answered(15, 4002, 4, { started: at(3) }))).toEqual([]);
    expect(silences(...ALIVE, ...THREE, answered(14, 4001, 2, { started: at(1.5) }))).toEqual([]);
  });

  it('answered before: a capture of one direction shows no silence, nor do answers that are missing', () => {
    expect(silences(...THREE, asked(14, 4001, 6))).toEqual([]);
    const others = [asked(14, 4003, 6), answered(14, 4003, 6)];
    expect(silences(...ALIVE, ...THREE, ...others)).toEqual([]);
    const end: Given = {
      kind: 'end',
      from: APISERVER,
      to: ETCD,
      cut: { by: 'client', how: 'RST_STREAM', afterMs: 5000 },
    };
    const givenUp = asked(7, 4001, 3, end);
    expect(silences(...ALIVE, ...THREE, givenUp, ...others)).toEqual([SAID]);
  });

  it('need not have answered requests whose client left at once', () => {
    const end: Given = { kind: 'end', from: APISERVER, to: ETCD, cut: { by: 'client', how: 'RST_STREAM', afterMs: 3 } };
    expect(silences(...ALIVE, ...THREE, asked(2.3, 4001, 3, end), answered(14, 4002, 4))).toEqual([]);
  });

  it('may answer after the capture, unless requests wait far longer than usual', () => {
    const last = message({ time: at(14), started: at(14) });
    expect(silences(...ALIVE, ...THREE, last)).toEqual([SAID]);
    const slow = answered(1.5, 4001, 2, { latencyMs: 5000 });
    expect(silences(...ALIVE, slow, ...THREE, last)).toEqual([]);
  });

  it('waits itself: its clients wait for what it waits for', () => {
    const api: Given = {
      protocol: 'kubernetes',
      from: SCHEDULER,
      to: APISERVER,
      verb: 'update',
      connection: '192.0.2.9:1-192.0.2.11:8080',
    };
    const back: Given = { ...api, from: APISERVER, to: SCHEDULER };
    const found = silences(
      ...[asked(1, 1, 11, api), answered(1.1, 1, 11, back), ...ALIVE, asked(1.9, 1, 12, api)],
      ...[...THREE, asked(2.5, 1, 13, api), asked(2.5, 1, 14, api), answered(14, 4001, 3), answered(14.1, 1, 12, back)],
    );
    expect(found).toEqual([
      '1.9 kube-apiserver (192.0.2.11:8080): silent: no answer for 12 s while 3 requests of kube-scheduler on 1 connection waited; it waited for etcd (127.0.0.1:2379) itself',
      SAID,
    ]);
  });
});
