// Watches as the API server's own code sends them: in JSON, protobuf and CBOR, over HTTP and over WebSockets. Every event
// that was sent is told, in its order, and where packets are missing none that was not.

import { describe, expect, it } from 'vitest';
import type { Message } from '../../src/index.js';
import { fixture, fixtureLines } from '../kit/fixtures.js';
import { observed, recordEnds } from '../kit/observed.js';

interface Sent {
  readonly accept: string;
  readonly webSocket: boolean;
  readonly type: string;
  readonly kind: string;
  readonly name?: string;
  readonly resourceVersion?: string;
}

const CAPTURE = fixture('watch-server/capture.pcap');
const SENT = fixtureLines('watch-server/truth.jsonl') as unknown as Sent[];
/** Frame i + 1 stands from ENDS[i] to ENDS[i + 1]. */
const ENDS = recordEnds(CAPTURE);
const FRAMES = ENDS.length - 1;

describe('watch-server', async () => {
  const { messages, notices } = await observed([CAPTURE]);

  it('emits every event that was sent, and no other', () => {
    expect(messages.filter(({ kind }) => kind === 'event').map(told)).toEqual(SENT.map(asTold));
    expect(SENT).toHaveLength(36);
    expect(messages.filter(({ kind }) => kind === 'data')).toEqual([]);
    expect(notices).toEqual([]);
  });

  it('emits the response of each watch', () => {
    const labels = messages.filter(({ kind }) => kind === 'response').map(({ label }) => label);
    const over = ['[RESP] 200 OK, chunked, wait for chunks...', '[RESP] 101 Switching Protocols'];
    expect(labels).toEqual([...over, ...over, ...over]);
    expect(messages.flatMap(({ verb }) => verb ?? [])).toEqual(Array.from({ length: 6 }, () => 'watch'));
  });

  it('emits the same in pieces of one byte', async () => {
    const whole = messages.map(told);
    expect((await observed([CAPTURE], {}, 1)).messages.map(told)).toEqual(whole);
  });

  it.each([
    ['JSON', 2],
    ['CBOR', 6],
  ])('reads a WebSocket that was opened before the capture from its next event on: %s', async (_, exchange) => {
    const events = messages.filter((message) => message.exchange === exchange && message.kind === 'event');
    expect(events).toHaveLength(6);
    // From behind the answer to behind the last event, which may need several packets.
    const { connection } = events[0];
    for (let cut = events[0].frames[0] - 1; cut <= events[5].frames[1]; cut++) {
      const late = await observed([Buffer.concat([CAPTURE.subarray(0, ENDS[0]), CAPTURE.subarray(ENDS[cut])])]);
      const found = late.messages.filter((message) => message.connection === connection);
      const expected = events.filter(({ frames }) => frames[0] > cut);
      expect(found.map(told)).toEqual(expected.map(told));
      expect(found.map(({ frames }) => frames.map((frame) => frame + cut))).toEqual(
        expected.map(({ frames }) => frames),
      );
    }
  });

  it('emits nothing that was not sent where a packet is missing', async () => {
    const sent = new Set(SENT.map(asTold));
    let lost = 0;
    for (let i = 0; i < FRAMES; i += 3) {
      const without = Buffer.concat([CAPTURE.subarray(0, ENDS[i]), CAPTURE.subarray(ENDS[i + 1])]);
      const found = await observed([without]);
      const events = found.messages.filter(({ kind, complete }) => kind === 'event' && complete).map(told);
      expect(events.filter((event) => !sent.has(event))).toEqual([]);
      lost += SENT.length - events.length;
    }
    // Some packets carry an event, and the watch goes on behind it.
    expect(lost).toBeGreaterThan(10);
    expect(lost).toBeLessThan(FRAMES * 2);
  }, 60_000);
});

function told({ type, object }: Message): string {
  return [type, object?.kind, object?.name ?? '', object?.resourceVersion ?? ''].join(' ');
}

function asTold({ type, kind, name, resourceVersion }: Sent): string {
  return [type, kind, name ?? '', resourceVersion ?? ''].join(' ');
}
