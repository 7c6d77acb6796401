// Connections that speak something other than HTTP, seen from any place on: no exchange, request or answer is made up of
// them, and nobody says that they were read.

import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { observe } from '../../src/index.js';
import { foreign } from '../kit/foreign.js';
import { inPieces, recordsOf, withRecords } from '../kit/observed.js';
import { CLIENT, conversation, packets, pcap, SERVER, type Sent, type Turn } from '../kit/packetiser.js';
import { BINARY } from '../kit/protocols/binary.js';
import { DATABASES } from '../kit/protocols/databases.js';
import type { Spoken } from '../kit/protocols/kit.js';
import { TEXT } from '../kit/protocols/text.js';

/** What was told and what each connection is said to speak. */
async function heard(capture: Uint8Array): Promise<{ told: string[]; protocols: string[] }> {
  const told: string[] = [];
  const protocols: string[] = [];
  for await (const batch of observe([inPieces(capture)])) {
    for (const item of batch) {
      if (item.kind === 'message') told.push(`${item.message.connection}: ${item.message.label}`);
      else if (item.kind === 'protocol') protocols.push(`${item.connection.name}: ${item.protocol}`);
    }
  }
  return { told, protocols };
}

interface Variant {
  readonly name: string;
  readonly turns: readonly Turn[];
  readonly segmentSize?: number;
  /** Its beginning was captured. */
  readonly open?: boolean;
}

/** One conversation as captures may have it. */
function variantsOf(turns: readonly Turn[]): Variant[] {
  const cut = (skip: number): Turn[] => {
    let left = skip;
    return turns.flatMap(({ from, bytes }) => {
      const all = Buffer.from(bytes as Uint8Array);
      const rest = all.subarray(Math.min(left, all.length));
      left -= all.length - rest.length;
      return rest.length === 0 ? [] : [{ from, bytes: new Uint8Array(rest) }];
    });
  };
  const of = (from: Turn['from']) => turns.filter((turn) => turn.from === from);
  // What waits is sent together.
  const joined = (list: readonly Turn[]): Turn[] =>
    list.length === 0
      ? []
      : [{ from: list[0].from, bytes: new Uint8Array(Buffer.concat(list.map(({ bytes }) => bytes as Uint8Array))) }];
  return [
    { name: 'from its first byte', turns, open: true },
    ...[0, 1, 2, 3, 5].map((at) => ({ name: `from turn ${at}`, turns: turns.slice(at) })),
    ...[1, 2, 3, 4, 5, 7, 9, 11, 13].map((at) => ({ name: `from byte ${at}`, turns: cut(at) })),
    { name: 'only the client', turns: of('client') },
    { name: 'only the server', turns: of('server') },
    { name: 'in one piece of each side', turns: [...joined(of('client')), ...joined(of('server'))] },
    { name: 'in small segments', turns, segmentSize: 11 },
    { name: 'the last turns', turns: turns.slice(-3) },
    { name: 'the last turn', turns: turns.slice(-1) },
  ];
}

const PROTOCOLS: readonly Spoken[] = [...DATABASES, ...BINARY, ...TEXT];

describe('other protocols', () => {
  it('are at least forty', () => {
    expect(new Set(PROTOCOLS.map(({ name }) => name)).size).toBe(PROTOCOLS.length);
    expect(PROTOCOLS.length).toBeGreaterThanOrEqual(40);
  });

  it.each(PROTOCOLS.map((spoken) => [spoken.name, spoken] as const))('%s', async (_, { port, turns }) => {
    const variants = variantsOf(turns);
    const sent: Sent[] = variants.flatMap(({ turns: some, segmentSize, open = false }, i) =>
      conversation(some, {
        client: { ...CLIENT, port: 40_000 + i },
        server: { ...SERVER, port },
        segmentSize,
        open,
        close: i % 2 === 0,
        // One connection after the other.
        start: 1_700_000_000_000_000_000n + BigInt(i) * 1_000_000_000n,
      }),
    );
    const { told, protocols } = await heard(pcap(packets(sent)));
    const named = (line: string) =>
      line.replace(
        /^192\.0\.2\.[12]:(\d+)-192\.0\.2\.[12]:(\d+)/,
        (_all, a, b) => variants[(Number(a) >= 40_000 && Number(a) < 40_100 ? Number(a) : Number(b)) - 40_000].name,
      );
    expect(told.map(named)).toEqual([]);
    expect(protocols.map(named).filter((line) => / http\/[12]$/.test(line))).toEqual([]);
  });
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
      for (let from = 1; from < records.length; from += step) {
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
