// The header by which distributed tracing follows a request (W3C Trace Context, section 3.2) is a field of its message.

import { expect, it } from 'vitest';
import type { Message } from '../../src/index.js';
import { messageJson } from '../../src/render/messages/message-json.js';
import { observed } from '../kit/observed.js';
import { conversation, packets, pcap } from '../kit/packetiser.js';

const TRACE = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';

async function exchangeWith(header: string): Promise<readonly Message[]> {
  const turns = [
    { from: 'client', bytes: `GET /api/v1/pods HTTP/1.1\r\nHost: k\r\n${header}\r\n\r\n` },
    { from: 'server', bytes: `HTTP/1.1 200 OK\r\nContent-Length: 0\r\n${header}\r\n\r\n` },
  ] as const;
  return (await observed([pcap(packets(conversation(turns)))])).messages;
}

const lineOf = (message: Message): Record<string, unknown> => messageJson(message, { digits: () => 6 });

it.each(['traceparent', 'Traceparent'])('of a request in the field %s', async (name) => {
  const [request, response] = (await exchangeWith(`${name}: ${TRACE}`)).map(lineOf);
  expect(request).toMatchObject({ kind: 'request', traceparent: TRACE });
  expect(response).toMatchObject({ kind: 'response', status: 200 });
  expect(response).not.toHaveProperty('traceparent');
});

it.each([
  ['another version', TRACE.replace('00-', '01-')],
  ['more than version 00 has', `${TRACE}-secret`],
  ['letters in upper case', TRACE.toUpperCase()],
  ['something else', 'Bearer abcdefghijklmnopqrstuvwxyz'],
  ['a trace of zeros', '00-00000000000000000000000000000000-00f067aa0ba902b7-01'],
  ['a parent of zeros', '00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01'],
  ['nothing', ''],
])('not with %s', async (_, value) => {
  const [request] = (await exchangeWith(`Traceparent: ${value}`)).map(lineOf);
  expect(request).toMatchObject({ kind: 'request', method: 'GET' });
  expect(request).not.toHaveProperty('traceparent');
});
