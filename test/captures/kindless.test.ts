// Bodies that do not say of which kind they are, as clients in other languages than Go send them: what the API server
// takes from the path of the request is told as if the body said it.

import { describe, expect, it } from 'vitest';
import { type Message, messageJson } from '../../src/index.js';
import { fixture } from '../kit/fixtures.js';
import { observed } from '../kit/observed.js';
import { conversation, packets, pcap } from '../kit/packetiser.js';

const KIND = /"kind":"[A-Za-z]+","apiVersion":"[^"]+",/;

describe.each([
  ['run-nginx-http1', 1],
  ['errors-http1', 5],
])('%s without kinds in its requests', (name, count) => {
  const capture = fixture(`${name}/capture.pcap`);
  const { without, blanked } = withoutKinds(capture);

  it('has as many bodies to take the kind from as are known', () => expect(blanked).toBe(count));

  it('is shown as with them', async () => {
    const expected = await told(capture);
    expect(await told(without)).toEqual(expected);
    expect(expected.length).toBeGreaterThan(20);
  });
});

it('a body that is broken or has no name is no object', async () => {
  // errors-http1 has such a one: nine bytes that begin as JSON, which the API server refused.
  const all = await told(fixture('errors-http1/capture.pcap'));
  const refused = all.filter(({ status }) => status === 400);
  expect(refused.length).toBeGreaterThan(0);
  for (const { causedBy } of refused) expect(all.find(({ seq }) => seq === causedBy)).not.toHaveProperty('object');
});

async function told(capture: Uint8Array): Promise<Record<string, unknown>[]> {
  const { messages } = await observed([capture]);
  return messages.map((message) => messageJson(message, { digits: () => 6 }));
}

/** JSON takes spaces where a member stood: no length changes. */
function withoutKinds(capture: Uint8Array): { without: Uint8Array; blanked: number } {
  let text = Buffer.from(capture).toString('latin1');
  let blanked = 0;
  for (const { index } of [...text.matchAll(/(?:POST|PUT) \S+ HTTP\/1\.1\r\n/g)]) {
    const found = KIND.exec(text.slice(index, index + 900));
    if (found === null) continue;
    const at = index + found.index;
    text = text.slice(0, at) + ' '.repeat(found[0].length) + text.slice(at + found[0].length);
    blanked += 1;
  }
  return { without: Buffer.from(text, 'latin1'), blanked };
}

it('a failure that an API server sends without a kind is one', async () => {
  // As Kubernetes 1.37 answers where its own time is over (apiserver, endpoints/filters: timeout.go); recorded.
  const body =
    '{"metadata":{},"status":"Failure","message":"Timeout: request did not complete within the allotted timeout","reason":"Timeout","details":{},"code":504}';
  const answered = async (text: string): Promise<Message> => {
    const head = `HTTP/1.1 504 Gateway Timeout\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: ${text.length}\r\n\r\n`;
    const turns = [
      { from: 'client', bytes: 'GET /api/v1/nodes/node-1 HTTP/1.1\r\nHost: x\r\nUser-Agent: kubelet/v1.37.2\r\n\r\n' },
      { from: 'server', bytes: head + text },
    ] as const;
    const { messages: all } = await observed([pcap(packets(conversation(turns)))]);
    return all.find(({ kind }) => kind === 'response')!;
  };
  expect(await answered(body)).toMatchObject({
    reason: 'Timeout',
    statusMessage: 'Timeout: request did not complete within the allotted timeout',
  });
  expect((await answered('{"metadata":{},"message":"password"}')).statusMessage).toBeUndefined();
});
