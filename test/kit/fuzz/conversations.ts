// What the fixtures' connections said, decrypted, as turns that can be changed and put into packets again. Knows where
// connections begin and end; what they say is only bytes here.

import { captureReader } from '../../../src/capture/capture-reader.js';
import { duplicateFilter } from '../../../src/packet/duplicates.js';
import { packetDecoder } from '../../../src/packet/packet-decoder.js';
import { tcpReassembler } from '../../../src/tcp/reassembler.js';
import type { Connection, Side, StreamEvent } from '../../../src/tcp/stream-event.js';
import { secretStore } from '../../../src/tls/key-log.js';
import { tlsStage } from '../../../src/tls/tls-stage.js';
import { fixture } from '../fixtures.js';
import { madeCorpus } from '../planted/corpus.js';

export interface Conversation {
  readonly serverPort: number;
  /** false: its beginning is not in the capture. */
  readonly open: boolean;
  readonly turns: readonly { readonly from: Side; readonly bytes: Uint8Array }[];
}

/** Conversations of all fixtures, each cut to its first bytes: a parser's states are met at the beginning. */
export function conversations(): Conversation[] {
  const plain = PLAIN.flatMap((name) => read(fixture(name), ''));
  const tls = TLS.flatMap(([name, keys]) => read(fixture(name), Buffer.from(fixture(keys)).toString('latin1')));
  return [...plain, ...tls, ...read(madeCorpus(['letters']).capture, '', 60_000)];
}

function read(capture: Uint8Array, keyLog: string, most = MOST_BYTES): Conversation[] {
  const secrets = secretStore();
  secrets.add(keyLog, 'key log');
  const [packets, unique, tcp, tls] = [packetDecoder(), duplicateFilter(), tcpReassembler(), tlsStage(secrets)];
  const found = new Map<Connection, { turns: { from: Side; bytes: Uint8Array }[]; size: number }>();
  const take = (items: readonly { kind: string }[]): void => {
    for (const item of items as StreamEvent[]) {
      if (item.kind !== 'data') continue;
      const one = found.get(item.connection) ?? { turns: [], size: 0 };
      found.set(item.connection, one);
      if (one.size > most) continue;
      one.size += item.bytes.length;
      const last = one.turns.at(-1);
      if (last?.from === item.from) last.bytes = Buffer.concat([last.bytes, item.bytes]);
      else one.turns.push({ from: item.from, bytes: Uint8Array.from(item.bytes) });
    }
  };
  const stream = (items: readonly { kind: string }[]): void => {
    for (const item of items) if (item.kind !== 'notice') take(tls.feed(item as StreamEvent));
  };
  for (const item of captureReader({ capture: 0 }).feed(capture)) {
    if (item.kind !== 'frame') continue;
    for (const segment of packets.feed(item)) {
      if (segment.kind !== 'segment') continue;
      for (const one of unique.feed(segment)) if (one.kind === 'segment') stream(tcp.feed(one));
    }
  }
  stream(tcp.end());
  take([...tls.end()]);
  const all = [...found].map(([connection, { turns }]) => ({
    serverPort: connection.server.port,
    open: connection.roles === 'handshake',
    turns,
  }));
  return spread(all.filter(({ turns }) => turns.length > 0));
}

/** At most so many of one capture, from all over it. */
function spread(all: readonly Conversation[]): Conversation[] {
  if (all.length <= MOST_CONNECTIONS) return [...all];
  return Array.from({ length: MOST_CONNECTIONS }, (_, i) => all[Math.floor((i * all.length) / MOST_CONNECTIONS)]);
}

const PLAIN = [
  'run-nginx-http1/capture.pcap',
  'errors-http1/capture.pcap',
  'late-start-mixed/capture.pcap',
  'docker-engine-api/capture.pcap',
  'watch-server/capture.pcap',
  'deployment-tls/node-1.pcap',
];
const TLS = [
  ['exec-logs-portforward-tls/capture.pcap', 'exec-logs-portforward-tls/keys.log'],
  ['clients-tls/capture.pcap', 'clients-tls/keys.log'],
  ['boot-etcd-tls/capture.pcap', 'boot-etcd-tls/keys.log'],
] as const;
const MOST_BYTES = 6000;
const MOST_CONNECTIONS = 40;
