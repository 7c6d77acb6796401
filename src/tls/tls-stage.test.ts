import { describe, expect, it } from 'vitest';
import { finished, handMade, kinds, plaintext, streamEvents, turn } from '../../test/kit/tls-peers.js';
import { secretStore } from './key-log.js';
import { tlsStage } from './tls-stage.js';
import { UNDECRYPTED_LIMIT } from './undecrypted-records.js';

function feedAll(stage: ReturnType<typeof tlsStage>, events: ReturnType<typeof streamEvents>) {
  return events.flatMap((event) => [...stage.feed(event)]);
}

describe('keys that come later', () => {
  const h = handMade();
  const turns = [...h.handshake, turn('client', h.client.data('ping')), turn('server', h.server.data('pong'))];
  const events = streamEvents(turns);
  const others = streamEvents([turn('client', Buffer.from('GET / HTTP/1.1\r\n\r\n'))], { id: 2, name: 'other' });

  it.each([2, 3, 4, 5, 6, 8])('after %i events: nothing is lost, frames and order are kept', (count) => {
    const secrets = secretStore();
    const stage = tlsStage(secrets);
    const out = feedAll(stage, events.slice(0, count));
    secrets.add(h.keyLog);
    out.push(...feedAll(stage, events.slice(count)));
    expect(kinds(out)).toBe('established tls-established data closed');
    const frames = out.map((item) => [item.kind, item.origin?.frame]);
    expect(frames.filter(([kind]) => kind === 'data')).toEqual([
      ['data', 6],
      ['data', 7],
    ]);
    expect(plaintext(out)).toEqual({ client: Buffer.from('ping'), server: Buffer.from('pong') });
    expect([...stage.end()]).toEqual([]);
  });

  it('of a connection that closed already come out with whatever is fed next', () => {
    const secrets = secretStore();
    const stage = tlsStage(secrets);
    expect(kinds(feedAll(stage, events))).toBe('established');
    secrets.add(h.keyLog);
    const out = [...stage.feed(others[0])];
    expect(kinds(out)).toBe('tls-established data closed established');
    expect(plaintext(out).server.toString()).toBe('pong');
    expect(feedAll(stage, others.slice(1)).every((item) => item.kind !== 'notice')).toBe(true);
  });

  it('are emitted at the end, or reported as missing there', () => {
    const secrets = secretStore();
    const stage = tlsStage(secrets);
    feedAll(stage, events);
    expect(kinds([...stage.end()])).toBe('tls-established opaque tls.no-secret closed');
    const late = tlsStage(secrets);
    feedAll(late, events);
    secrets.add(h.keyLog);
    expect(kinds([...late.end()])).toBe('tls-established data closed');
  });

  it('do not make a connection wait if all are known', () => {
    const stage = tlsStage(finished(secretStore()));
    expect(kinds(feedAll(stage, events.slice(0, 4)))).toBe('established tls-established opaque tls.no-secret');
  });

  it('a connection older than the capture waits too', () => {
    const secrets = secretStore();
    const stage = tlsStage(secrets);
    const late = streamEvents(turns.slice(4), { roles: 'port' });
    expect(kinds(feedAll(stage, late))).toBe('established');
    secrets.add(h.keyLog);
    const out = [...stage.feed(others[0])];
    expect(kinds(out)).toBe('tls-established data closed tls.mid-session closed established');
    expect(plaintext(out)).toEqual({ client: Buffer.from('ping'), server: Buffer.from('pong') });
  });

  it('wait within a limit', () => {
    const stage = tlsStage(secretStore());
    const many = Array.from({ length: 80 }, () => turn('server', h.server.data(Buffer.alloc(16_000))));
    const out = feedAll(stage, streamEvents([...turns, ...many]));
    expect(kinds(out)).toBe('established limit.undecrypted tls-established opaque tls.no-secret closed');
    const [limit] = out.filter((item) => item.kind === 'notice');
    expect(Number(/^\d+/.exec(limit.detail))).toBeLessThan(UNDECRYPTED_LIMIT + 20_000);
  });
});

describe('many connections', () => {
  it('are separated', () => {
    const secrets = secretStore();
    const stage = tlsStage(secrets);
    const all = Array.from({ length: 5 }, (_, i) => {
      const h = handMade();
      secrets.add(h.keyLog);
      return streamEvents([...h.handshake, turn('client', h.client.data(`from ${i}`))], { id: i, name: `c${i}` });
    });
    const out: ReturnType<typeof feedAll> = [];
    for (let step = 0; step < all[0].length; step += 1) for (const events of all) out.push(...stage.feed(events[step]));
    expect([...stage.end()]).toEqual([]);
    const texts = out.flatMap((item) => (item.kind === 'data' ? [Buffer.from(item.bytes).toString()] : []));
    expect(texts).toEqual(['from 0', 'from 1', 'from 2', 'from 3', 'from 4']);
  });
});

describe('what passes through', () => {
  it('is in one list for all connections: none keeps the bytes alive in which it sent last', () => {
    const stage = tlsStage(secretStore());
    const request = Buffer.from('GET / HTTP/1.1\r\n\r\n');
    const [one, other] = [1, 2].map((id) => streamEvents([turn('client', request), turn('client', request)], { id }));
    feedAll(stage, [...one.slice(0, 2), ...other.slice(0, 2)]);
    const first = stage.feed(one[2]);
    expect(first).toEqual([one[2]]);
    expect(stage.feed(other[2])).toBe(first);
    expect(first).toEqual([other[2]]);
  });
});
