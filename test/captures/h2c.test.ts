// A client that asks for HTTP/2 with a request that is not its first (RFC 7540, section 3.2): what it asked then is answered on
// stream 1, whatever number it has on its connection.

import { expect, it } from 'vitest';
import { observed } from '../kit/observed.js';
import { bytes, conversation, packets, pcap, type Turn } from '../kit/packetiser.js';

const SETTINGS = '000000040000000000';
const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n').toString('hex');
const HELLO: readonly Turn[] = [
  { from: 'client', bytes: 'GET /healthz HTTP/1.1\r\nHost: k\r\n\r\n' },
  { from: 'server', bytes: 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok' },
];
const ASKED =
  'GET /version HTTP/1.1\r\nHost: k\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAAA\r\n\r\n';
const SWITCHED = 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n';

/** `GET /` and `:status: 204` from the static table, END_STREAM and END_HEADERS (RFC 7541, appendix A). */
const get = (stream: number): string => `0000030105 0000000${stream} 828486`;
const answer = (stream: number): string => `0000010105 0000000${stream} 89`;

it.each([0, 1, 2, 3])('behind %d requests', async (before) => {
  const turns: Turn[] = [
    ...Array.from({ length: before }, () => HELLO).flat(),
    { from: 'client', bytes: ASKED },
    { from: 'server', bytes: SWITCHED },
    { from: 'client', bytes: bytes(PREFACE + SETTINGS + get(3)) },
    { from: 'server', bytes: bytes(SETTINGS + answer(3) + answer(1)) },
  ];
  const { messages, notices } = await observed([pcap(packets(conversation(turns)))]);
  expect(notices).toEqual([]);
  expect(messages.slice(2 * before).map(({ label, stream, exchange }) => [label, stream, exchange - before])).toEqual([
    ['[REQ] GET /version', null, 1],
    ['[REQ] GET /', 3, 2],
    ['[RESP] 204 No Content', 3, 2],
    ['[RESP] 204 No Content', null, 1],
  ]);
});
