// The planted corpus: secrets of a real capture, and those of the table of carriers, each in every look. Knows what was planted and where;
// nothing of how it is redacted.

import { secret } from '../../../lab/planted/secrets.js';
import { fixture } from '../fixtures.js';
import { conversation, packets, pcap, START } from '../packetiser.js';
import { call, type Door, exchange, type Mark, marksOf, OPENING, PORTS, type Row, rows } from './rows.js';

export interface Planted {
  readonly family: string;
  /** Where it stands, in words; of the table's with the look behind ` | `. */
  readonly carrier: string;
  /** How it looks: see lab/planted/secrets.js. */
  readonly form: string;
  readonly text: string;
  /** Not even `--show secrets` brings it back: payloads, and bytes of no known encoding. */
  readonly isLost?: boolean;
  /** A rule shows it: it stands where names do, or plain words. */
  readonly isShown?: boolean;
}

/** `family: carrier`. */
export function nameOf({ family, carrier }: Planted): string {
  return `${family}: ${carrier}`;
}

/** How each secret of the table looks. */
export const LOOKS = ['letters', 'words', 'uuid', 'number', 'reserved', 'hex'] as const;

/** Payloads of streams and commands, forms, metrics, and bytes that no table knows. */
const LOST: ReadonlySet<string> = new Set([
  'secrets and config maps: broken JSON',
  ...['paths: form of an application', 'registry: OAuth2, password', 'applications: HTML'],
  ...['docker engine: logs', 'docker engine: progress, error detail'],
  ...['etcd: Put of another application', 'etcd: encrypted by the API server'],
  ...['container runtime: ExecSync, stdout', 'container runtime: ExecSync, stderr'],
  'container runtime: CSI, secrets of a call',
  ...['kubelet: run, output', 'kubelet: containerLogs', 'kubelet: log of a node', 'kubelet: label of a metric'],
]);

/** Secrets of the real capture, `fixtures/planted`. */
export const REAL: readonly Planted[] = (
  JSON.parse(Buffer.from(fixture('planted/secrets.json')).toString()) as Planted[]
).map((one) => ({ ...one, isLost: LOST.has(nameOf(one)) }));

export interface Corpus {
  readonly planted: readonly Planted[];
  readonly capture: Uint8Array;
}

export type LookName = (typeof LOOKS)[number];
const MADE = new Map<string, Corpus>();

/** The secrets of the table in these looks, and the capture that holds them. Number fields have theirs in the look of numbers alone. */
export function madeCorpus(looks: readonly LookName[] = LOOKS): Corpus {
  const made = MADE.get(looks.join()) ?? make(looks);
  MADE.set(looks.join(), made);
  return made;
}

const TEXTS = new Map<string, string>();

/** One in 170 words of random letters reads as a word, which is shown: none of these does. */
function textOf(family: string, carrier: string, look: LookName): string {
  const key = `${family}: ${carrier}`;
  const text = TEXTS.get(key) ?? secret(`rows: ${family}`, carrier, look);
  TEXTS.set(key, text);
  return text;
}

function make(looks: readonly LookName[]): Corpus {
  const planted: Planted[] = [];
  const all = rows();
  const sent = looks
    .flatMap((look) => {
      const plant =
        ({ family }: Row) =>
        ({ carrier, hows }: Mark): string => {
          const one = `${carrier} | ${look}`;
          const text = textOf(family, one, look);
          const isShown = hows.includes('shown') || (hows.includes('label') && look === 'words');
          planted.push({ family, carrier: one, form: look, text, isLost: hows.includes('lost'), isShown });
          return text;
        };
      const here = all.filter((row) => look === 'number' || !marksOf(row.text).some(isNumber));
      // A connection for each family and server.
      const connections = new Set(here.map(({ family, door }) => `${family}:${door}`));
      return [...connections].map((one) => {
        const some = here.filter(({ family, door }) => `${family}:${door}` === one);
        const { door } = some[0];
        const turns = isCall(door)
          ? [...OPENING, ...some.flatMap((row, i) => call(row, i, plant(row)))]
          : some.flatMap((row) => exchange(row, plant(row)));
        return { door, turns };
      });
    })
    .flatMap(({ door, turns }, i) =>
      conversation(turns, {
        client: { address: '192.0.2.1', port: 40_000 + i },
        server: { address: '192.0.2.2', port: PORTS[door] },
        start: START + BigInt(i) * 10_000_000_000n,
      }).slice(door === 'late' ? HANDSHAKE_AND_REQUEST : 0),
    );
  return { planted, capture: pcap(packets(sent)) };
}

const isCall = (door: Door): boolean => door === 'etcd' || door === 'cri';
const isNumber = ({ hows }: Mark): boolean => hows.includes('number') || hows.includes('numbers');
/** Packets. */
const HANDSHAKE_AND_REQUEST = 4;
