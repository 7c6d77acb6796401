// Connections that speak something other than HTTP, seen from any place on: no exchange, request or answer is made up of
// them, and nobody says that they were read.

import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { httpDetect } from '../../src/http/detect.js';
import { PROTOCOLS } from '../../src/http/protocols.js';
import { observe } from '../../src/index.js';
import { foreign } from '../kit/foreign.js';
import { C, context, LATE, S, said } from '../kit/http1-kit.js';
import { inPieces, recordsOf, withRecords } from '../kit/observed.js';
import { bytesOf, cutOff, OTHER_PROTOCOLS, type OtherProtocol, type SpokenTurn } from '../kit/other-protocols.js';
import { CLIENT, conversation, packets, pcap, SERVER } from '../kit/packetiser.js';
import { HAS_TSHARK, tshark } from '../kit/tshark.js';

/** What was told and what each connection is said to speak. */
async function heard(capture: Uint8Array): Promise<{ told: string[]; protocols: string[] }> {
  const told: string[] = [];
  const protocols: string[] = [];
  for await (const batch of observe([inPieces(capture)])) {
    for (const item of batch) {
      if (item.kind === 'message') told.push(`${item.message.connection}: ${item.message.label}`);
      else if (item.kind === 'protocol')
        protocols.push(`${item.connection.name}: ${item.protocol}${item.why === undefined ? '' : `, ${item.why}`}`);
    }
  }
  return { told, protocols };
}

const detect = httpDetect(PROTOCOLS);

/** What is read of a conversation whose beginning is not there, and which protocols are said to be spoken. */
function foundIn(turns: readonly SpokenTurn[]): { read: string[]; spoken: string[] } {
  const drafts = turns.map(({ from, bytes }) => (from === 'client' ? C(bytes) : S(bytes)));
  const items = said(detect(LATE), context(drafts, LATE));
  return {
    read: items.map(({ kind }) => kind).filter((kind) => !['protocol', 'notice', 'unread'].includes(kind)),
    spoken: items.flatMap((item) => (item.kind === 'protocol' && item.protocol !== 'unknown' ? [item.protocol] : [])),
  };
}

/** What may begin a protocol that is read, whatever follows: a request or status line, TLS, an HTTP/2 GOAWAY of 73 bytes. */
const BEGINS_LIKE: readonly [string, RegExp][] = [
  ['http/1', /^\r?\n?(?:GET \/|HTTP\/1\.1)/],
  ['encrypted', /^[\x16\x17]\x03[\0-\x03]/],
  ['http/2', /^\0\0I\x07\0{5}/],
];

const swapped = (turns: readonly SpokenTurn[]): SpokenTurn[] =>
  turns.map(({ from, bytes }) => ({ from: from === 'client' ? 'server' : 'client', bytes }));

describe.each(OTHER_PROTOCOLS)('$protocol', ({ protocol, turns }) => {
  const joined = (['client', 'server'] as const).map((from) => ({ from, bytes: bytesOf(turns, from) }));
  const directions: [string, readonly SpokenTurn[], number][] = [
    ['both sides, from any byte on', turns, 1],
    ['the client alone, from any byte on', turns.filter(({ from }) => from === 'client'), 1],
    ['the server alone, from any byte on', turns.filter(({ from }) => from === 'server'), 1],
    ['each side in one piece', joined, 5],
    ['the ends taken for each other', swapped(turns), 5],
  ];

  // Of some one side alone is recorded.
  it.each(directions.filter(([, some]) => some.length > 0))('%s: no request and no answer', (_, some, step) => {
    const length = some.reduce((sum, { bytes }) => sum + bytes.length, 0);
    for (let at = 0; at < length; at += step) {
      const rest = cutOff(some, at);
      // The same again: a protocol that is read is found by several messages in a row.
      const { read, spoken } = foundIn([...rest, ...some]);
      const begins = Buffer.from(rest[0].bytes).toString('latin1');
      const may = BEGINS_LIKE.filter(([, first]) => first.test(begins)).map(([name]) => name);
      if (protocol === 'TLS') may.push('encrypted');
      const wrong = spoken.filter((name) => !may.includes(name));
      expect([at, read, wrong]).toEqual([at, [], []]);
    }
  });
});

const UNKNOWN = 'unknown, neither HTTP/1 nor HTTP/2 was recognised in its first bytes';

describe('in a capture', async () => {
  /** A connection of each: from its first byte, from the middle of its first message, in small segments. */
  const ways = [
    { skipped: 0, open: true, segmentSize: 1448 },
    { skipped: 0, open: true, segmentSize: 11 },
    { skipped: 3, open: false, segmentSize: 1448 },
    { skipped: 9, open: false, segmentSize: 11 },
  ];
  const rows = ways.flatMap((way, i) => OTHER_PROTOCOLS.map((row, j) => ({ row, way, port: 40_000 + 100 * i + j })));
  const sent = rows.flatMap(({ row, way, port }) =>
    conversation(cutOff(row.turns, way.skipped), {
      ...{ open: way.open, segmentSize: way.segmentSize, close: port % 2 === 0 },
      client: { ...CLIENT, port },
      server: { ...SERVER, port: row.port },
      start: 1_700_000_000_000_000_000n + BigInt(port) * 1_000_000_000n,
    }),
  );
  const { told, protocols } = await heard(pcap(packets(sent)));
  const says = (port: number): string[] =>
    protocols.flatMap((line) => (line.includes(`192.0.2.1:${port}`) ? [line.slice(line.indexOf(': ') + 2)] : []));

  it('nothing is told, and nobody says that it was read', () => {
    expect(told).toEqual([]);
    expect(protocols.filter((line) => /: http\/[12]/.test(line))).toEqual([]);
  });

  it.each(OTHER_PROTOCOLS.map((row, j): [string, OtherProtocol, number] => [row.protocol, row, j]))(
    '%s is named by its first bytes, and only by them',
    (_, { protocol, named }, j) => {
      const name =
        protocol === 'TLS' ? /^encrypted, TLS/ : named === null ? UNKNOWN : `unknown, ${named}, which is not read`;
      expect(says(40_000 + j).at(-1)).toMatch(name);
      // Its first segment may be too short for a name, or for a version.
      const short = named === null ? UNKNOWN : `unknown, ${named.replace(/ \(.*/, '')}`;
      const slow = says(40_100 + j).filter((one) => one !== UNKNOWN && !one.startsWith(short));
      expect(slow.filter((one) => protocol !== 'TLS' || !one.startsWith('encrypted'))).toEqual([]);
      // Without its beginning nothing is known but TLS.
      for (const cut of [40_200 + j, 40_300 + j])
        expect(says(cut).filter((one) => one !== UNKNOWN && !one.startsWith('encrypted'))).toEqual([]);
    },
  );
});

describe.skipIf(!HAS_TSHARK)('beside tshark', () => {
  it('the rows are what they say they are: it knows each protocol, and finds nothing malformed', () => {
    const known = OTHER_PROTOCOLS.filter(({ dissector }) => dissector !== null);
    const sent = known.flatMap(({ turns, port }, i) =>
      conversation(turns, {
        client: { ...CLIENT, port: 40_000 + i },
        server: { ...SERVER, port },
        start: 1_700_000_000_000_000_000n + BigInt(i) * 1_000_000_000n,
      }),
    );
    // Ports that are not the usual ones.
    const as = known.flatMap(({ port, dissector }) =>
      TOLD.has(dissector!) ? ['-d', `tcp.port==${port},${dissector}`] : [],
    );
    const frames = tshark(
      pcap(packets(sent)),
      ['tcp.port', 'frame.protocols', '_ws.malformed'],
      [...as, '-Y', 'tcp.len>0'],
    );
    for (const { port, dissector, protocol } of known) {
      const its = frames.filter(([ports]) => ports.split(',').includes(`${port}`));
      const layers = its.flatMap(([, names]) => names.split(':'));
      expect([protocol, layers.includes(dissector!)]).toEqual([protocol, true]);
      expect([protocol, its.map(([, , malformed]) => malformed ?? '').join('')]).toEqual([protocol, '']);
    }
  });

  /** Dissectors of which more than one port is used, or that have none of their own. */
  const TOLD = new Set(['amqp', 'jdwp', 'mbtcp', 'memcache', 'mongo', 'resp', 'tls']);
});

const folder = foreign('tcp-and-http');

describe.skipIf(folder === null)('captures of others, from any frame on', () => {
  it.each(folder === null ? [] : readdirSync(folder))(
    '%s: nothing of connections without HTTP when they are captured whole',
    async (file) => {
      const whole = readFileSync(`${folder}/${file}`);
      if (whole.readUInt32LE(0) !== PCAP) return;
      const spoken = new Map((await heard(whole)).protocols.map((line) => line.split(': ') as [string, string]));
      const records = recordsOf(whole);
      const step = Math.ceil(records.length / MAX_CUTS);
      for (let from = Math.min(1, records.length - 1); from < records.length; from += step) {
        const { told } = await heard(withRecords(whole, records.slice(from)));
        // Without its beginning the ends may be taken for each other.
        const invented = told.filter((line) => {
          const [client, server] = line.slice(0, line.indexOf(': ')).split('-');
          return !/^http/.test(spoken.get(`${client}-${server}`) ?? spoken.get(`${server}-${client}`) ?? '');
        });
        expect([from, invented]).toEqual([from, []]);
      }
    },
  );
});

/** Little-endian, times in µs. */
const PCAP = 0xa1b2c3d4;
const MAX_CUTS = 12;
