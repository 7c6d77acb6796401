// The clock of the capturing host is set back in the middle: an answer stays behind its request.

import { expect, it } from 'vitest';
import { buildSequence, type Message, renderMermaid } from '../../src/index.js';
import { parseMermaid } from '../kit/mermaid.js';
import { observed } from '../kit/observed.js';
import { conversation, MILLISECOND, packets, pcap, START } from '../kit/packetiser.js';

const WEB = '{"kind":"Pod","apiVersion":"v1","metadata":{"name":"web"}}';
const asked = conversation([
  { from: 'client', bytes: 'GET /api/v1/namespaces/default/pods/web HTTP/1.1\r\nHost: k\r\n\r\n' },
  { from: 'server', bytes: `HTTP/1.1 200 OK\r\nContent-Length: ${WEB.length}\r\n\r\n${WEB}` },
]);

it.each([
  ['some of a millisecond', MILLISECOND / 2n],
  ['30 ms', 30n * MILLISECOND],
  ['an hour', 3_600_000n * MILLISECOND],
])('by %s', async (_, back) => {
  const set = asked.map((one, i) => (i > 4 ? { ...one, time: (one.time ?? START) - MILLISECOND - back } : one));
  const { messages, notices } = await observed([pcap(packets(set))]);
  expect(messages.map(({ kind, exchange, frames }: Message) => [kind, exchange, frames[0]])).toEqual([
    ['request', 1, 4],
    ['response', 1, 6],
  ]);
  // How long it took, nobody knows.
  expect(messages[1].latencyMs ?? 0).toBeGreaterThanOrEqual(0);
  expect(messages[1].latencyMs === undefined).toBe(back > MILLISECOND);
  // Times that are told are those of the frames.
  expect(messages[1].time).toBe(set[5].time);
  expect((await parseMermaid(renderMermaid(buildSequence({ messages, notices })))).messages).toHaveLength(2);
});
