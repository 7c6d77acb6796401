// What the page keeps of captures between its workers, held against the messages that were read: equal to the byte, and clones too.

import { describe, expect, it } from 'vitest';
import { type Details, type Message, messageLineWithBody } from '../../src/index.js';
import { type KeptMessages, MAX_MESSAGES, MessageKeeper, unpacked } from '../../src/opener/kept-captures.js';
import { MAX_DETAILS_BYTES, MAX_MESSAGES_WITH_DETAILS } from '../../src/opener/kept-details.js';
import { limitRemarks } from '../../src/opener/read-captures.js';
import { message } from '../kit/messages.js';
import { observeWhole } from '../kit/whole-fixtures.js';

const OPTIONS = { digits: () => 9 };

async function keptOf(messages: Iterable<Message>): Promise<{ keeper: MessageKeeper; read: Message[] }> {
  const keeper = new MessageKeeper();
  for (const one of messages) keeper.add(one);
  const kept: KeptMessages = keeper.end();
  // As postMessage does, but for Blobs, which stay as they are.
  const { heads, bodies } = kept.details;
  const cloned = structuredClone({ index: kept.index, heads: heads.ends, bodies: bodies.ends });
  const details = { heads: { ...heads, ends: cloned.heads }, bodies: { ...bodies, ends: cloned.bodies } };
  return { keeper, read: [...(await unpacked({ ...kept, index: cloned.index, details }))()] };
}

describe('messages that are kept', () => {
  it.each([
    'run-nginx-http1',
    'exec-logs-portforward-tls',
    'docker-engine-api',
    'helm-tls',
    'pod-network-tls',
    'fuzz',
    'planted',
  ])('are those that were read, with their heads and bodies: %s', async (fixture) => {
    const { messages } = await observeWhole(fixture);
    const { read, keeper } = await keptOf(messages);
    expect(read.map((one) => messageLineWithBody(one, OPTIONS))).toEqual(
      messages.map((one) => messageLineWithBody(one, OPTIONS)),
    );
    expect(read.map(({ details }) => details?.bodyBytes())).toEqual(
      messages.map(({ details }) => details?.bodyBytes()),
    );
    // Each has the one that came out, not that which was kept.
    expect(read.map(({ request }) => request && read.indexOf(request))).toEqual(
      messages.map(({ request }) => request && messages.indexOf(request)),
    );
    expect(messages.some(({ details }) => details?.body() !== undefined)).toBe(true);
    expect(keeper).toMatchObject({ count: messages.length, leftOut: 0, withoutBodies: 0 });
    for (const [i, { from, to }] of read.entries()) {
      const { from: sender, to: receiver } = messages[i];
      for (const [one, other] of [
        [from, sender],
        [to, receiver],
      ])
        expect({ ...one, process: one.process.name }).toEqual({
          id: other.id,
          component: other.component,
          name: other.name,
          tier: other.tier,
          shortId: other.shortId,
          perNode: other.perNode,
          evidence: other.evidence,
          process: other.process.name,
        });
    }
  });
});

describe('beyond its limits', () => {
  const details = (length: number, filling = 'x'): Details => ({
    fields: () => [['Content-Type', 'text/plain']] as unknown as ReturnType<Details['fields']>,
    body: () => filling.repeat(length) as unknown as ReturnType<Details['body']>,
    bodyBytes: () => length,
  });

  it('messages are counted alone', async () => {
    const one = message({});
    const { keeper, read } = await keptOf(Array.from({ length: MAX_MESSAGES + 2 }, () => one));
    expect(read).toHaveLength(MAX_MESSAGES);
    expect(keeper).toMatchObject({ count: MAX_MESSAGES + 2, leftOut: 2, withoutBodies: 0 });
  });

  it('is said', () => {
    expect(limitRemarks({ leftOut: 0, withoutBodies: 0 })).toEqual([]);
    expect(limitRemarks({ leftOut: 0, withoutBodies: 1 })[0]).toMatch(/^The body of one message is not shown: /);
    const [messages, bodies] = limitRemarks({ leftOut: 2, withoutBodies: 3 });
    expect(messages).toMatch(/^This page keeps the first 200000 messages.* 2 later ones are counted alone/);
    expect(bodies).toBe(
      'Bodies of 3 messages are not shown: this page keeps those of 20000 messages, 16 MiB of them, and none over 1 MiB.',
    );
  });

  it('a long body is left out, its head is kept', async () => {
    const long = message({ details: details(1024 ** 2 + 1) });
    const { keeper, read } = await keptOf([long, message({ details: details(5) })]);
    expect(read.map((one) => [one.details?.fields(), one.details?.body(), one.details?.bodyBytes()])).toEqual([
      [[['Content-Type', 'text/plain']], undefined, 1024 ** 2 + 1],
      [[['Content-Type', 'text/plain']], 'xxxxx', 5],
    ]);
    expect(keeper.withoutBodies).toBe(1);
  });

  it('equal bodies count once', async () => {
    const given = Array.from({ length: 40 }, () => message({ details: details(1024 ** 2) }));
    const { keeper, read } = await keptOf(given);
    expect(keeper.withoutBodies).toBe(0);
    expect(keeper.end().details.bodies.blob.size).toBe(1024 ** 2 + 2);
    for (const one of read) expect(one.details?.body()).toHaveLength(1024 ** 2);
  });

  it('of no more than so many messages', async () => {
    const one = message({ details: details(5) });
    const { keeper, read } = await keptOf(Array.from({ length: MAX_MESSAGES_WITH_DETAILS + 2 }, () => one));
    expect(keeper).toMatchObject({ leftOut: 0, withoutBodies: 2 });
    expect(read.filter((each) => each.details?.body() !== undefined)).toHaveLength(MAX_MESSAGES_WITH_DETAILS);
  });

  it('bodies after the first that does not fit are counted, those that there are', async () => {
    const fitting = Math.floor(MAX_DETAILS_BYTES / (1024 ** 2 + 100));
    const given = Array.from({ length: fitting }, (_, i) =>
      message({ details: details(1024 ** 2, String.fromCharCode(0x61 + i)) }),
    );
    const { keeper, read } = await keptOf([
      ...given,
      message({ details: details(1024 ** 2, 'y') }),
      message({ details: details(5) }),
      message({ details: details(0) }),
    ]);
    expect(read.map((one) => one.details?.bodyBytes())).toEqual([
      ...given.map(() => 1024 ** 2),
      undefined,
      undefined,
      undefined,
    ]);
    expect(keeper.withoutBodies).toBe(2);
  });
});
