// Captures that begin in the middle: whatever is told then the whole capture tells too, in the same words, and nobody is
// called by another name than there. What is not known is left out, who is not known is called by an address. The same of what is
// told where packets are missing anywhere.

import { beforeAll, describe, expect, it } from 'vitest';
import { type Message, observe } from '../../src/index.js';
import { fixture } from '../kit/fixtures.js';
import { filtered, lookedAt, lossy, recordsOf } from '../kit/observed.js';
import { TRIES_ALL } from '../kit/runs.js';
import { observeWhole } from '../kit/whole-fixtures.js';

interface Case {
  readonly folder: string;
  readonly captures: readonly string[];
  readonly keys?: string;
  /** Parts of the time that are left out at the beginning. */
  readonly cuts: readonly number[];
}

const CASES: readonly Case[] = [
  { folder: 'run-nginx-http1', captures: ['capture'], cuts: [0.1, 0.3, 0.5, 0.7, 0.9] },
  { folder: 'late-start-mixed', captures: ['capture'], cuts: [0.1, 0.2, 0.3, 0.5, 0.7, 0.9] },
  { folder: 'deployment-tls', captures: ['control-plane', 'node-1'], keys: 'keys.log', cuts: [0.2, 0.4, 0.6, 0.8] },
  { folder: 'exec-logs-portforward-tls', captures: ['capture'], keys: 'keys.log', cuts: [0.2, 0.4, 0.7, 0.8, 0.9] },
  { folder: 'trouble-tls', captures: ['capture'], keys: 'keys.log', cuts: [0.03, 0.08, 0.13, 0.18] },
  {
    folder: 'attach-aggregated-tls',
    captures: ['aggregated', 'control-plane', 'node-1'],
    keys: 'keys.log',
    cuts: [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9],
  },
  {
    folder: 'balanced-tls',
    captures: ['client', 'load-balancer'],
    keys: 'keys.log',
    cuts: [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9],
  },
  {
    folder: 'one-process-tls',
    captures: ['control-plane', 'node-2'],
    keys: 'keys.log',
    cuts: [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9],
  },
  {
    folder: 'not-starting-tls',
    captures: ['control-plane', 'node-1'],
    keys: 'keys.log',
    cuts: [0.15, 0.2, 0.25, 0.4, 0.6, 0.8],
  },
  { folder: 'operator-tls', captures: ['control-plane'], keys: 'keys.log', cuts: [0.2, 0.3, 0.4, 0.6, 0.8, 0.9] },
  { folder: 'lacks-tls', captures: ['control-plane'], keys: 'keys.log', cuts: [0.1, 0.2, 0.28, 0.35, 0.45, 0.6, 0.8] },
  { folder: 'connections-tls', captures: ['control-plane'], keys: 'keys.log', cuts: [0.1, 0.3, 0.5, 0.6, 0.75, 0.9] },
  { folder: 'volumes-tls', captures: ['control-plane'], keys: 'keys.log', cuts: [0.1, 0.2, 0.3, 0.5, 0.7] },
  { folder: 'bootstrap-tls', captures: ['control-plane'], keys: 'keys.log', cuts: [0.2, 0.4, 0.6, 0.8, 0.9] },
  { folder: 'autoscaled-tls', captures: ['control-plane'], keys: 'keys.log', cuts: [0.1, 0.2, 0.3, 0.5, 0.6, 0.8] },
  { folder: 'gitops-tls', captures: ['control-plane'], keys: 'keys.log', cuts: [0.1, 0.3, 0.5, 0.7, 0.9] },
  { folder: 'argocd-tls', captures: ['control-plane'], keys: 'keys.log', cuts: [0.1, 0.3, 0.5, 0.8] },
  { folder: 'helm-tls', captures: ['control-plane'], keys: 'keys.log', cuts: [0.1, 0.3, 0.5, 0.6, 0.75, 0.9] },
  { folder: 'workloads-tls', captures: ['control-plane'], keys: 'keys.log', cuts: [0.1, 0.2, 0.4, 0.5, 0.6, 0.8] },
];

/** Of each capture every third cut, of one another first one than of the next; with RUNS=full all. */
const TRIED = CASES.map((one, i) => ({
  ...one,
  cuts: one.cuts.filter((_, j) => TRIES_ALL || j % 3 === i % 3),
}));

/** What a message is about. */
const WHAT = [
  ...(['method', 'verb', 'apiGroup', 'resource', 'subresource', 'namespace', 'name', 'status'] as const),
  ...(['service', 'rpcMethod', 'key', 'podSandboxId', 'containerId', 'reason', 'type'] as const),
];

/** A message and who spoke, as it was called when it was told. */
interface Told {
  readonly message: Message;
  readonly from: string;
  readonly to: string;
}

async function told(captures: readonly Uint8Array[], keyLogs: readonly string[]): Promise<Told[]> {
  const all: Told[] = [];
  const open = async function* (bytes: Uint8Array) {
    yield bytes;
  };
  const { hosts } = await lookedAt(captures);
  for await (const batch of observe(captures.map(open), { keyLogs, hosts })) {
    for (const item of batch) {
      if (item.kind !== 'message') continue;
      const { message } = item;
      all.push({ message, from: message.from.name, to: message.to.name });
    }
  }
  return all;
}

/** What was captured from a time on; ns since the epoch. */
function cut(file: Uint8Array, since: bigint): Uint8Array {
  return filtered(file, (record) => timeOf(record, file) >= since);
}

function timeOf(record: Uint8Array, file: Uint8Array): bigint {
  const isNano = viewOf(file).getUint32(0, true) === 0xa1b23c4d;
  const view = viewOf(record);
  return BigInt(view.getUint32(0, true)) * 1_000_000_000n + BigInt(view.getUint32(4, true) * (isNano ? 1 : 1000));
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset);
}

/** Of a stream there is one request, which is told later where its head was before. */
const placeOf = ({ kind, connection, stream, time, type, channel }: Message): string =>
  [kind, connection, stream, kind === 'request' && stream !== null ? '' : time, type, channel].join(' ');

/**
 * `kubelet` is no other than `kubelet (node-1)`, as `kubelet (node-2)` is, and the controller manager sends what its
 * controllers do.
 */
function isAnother(late: string, whole: Message['from']): boolean {
  if (late.startsWith('client ') || /^webhook [\d.:]+$/.test(late)) return false;
  const nodes = [late, whole.name].map((name) => / \((?![\d.]+\)|[0-9a-f:]+\))(.+)\)$/.exec(name)?.[1]);
  if (nodes.every((node) => node !== undefined) && nodes[0] !== nodes[1]) return true;
  const plain = late.replace(/ \(.*\)$/, '');
  return plain !== whole.name.replace(/ \(.*\)$/, '') && plain !== whole.process.name.replace(/ \(.*\)$/, '');
}

function fieldsOtherwise(message: Message, same: Message): string[] {
  return WHAT.flatMap((field) => {
    const [now, then] = [message[field], same[field]];
    const isOther = now != null && then != null && now !== then;
    return isOther ? [`${field} ${then} is called ${now}: ${message.label}`] : [];
  });
}

/** What is told otherwise than of the same message in the whole capture. */
function differencesOf({ message, from, to }: Told, same: Message): string[] {
  const found = fieldsOtherwise(message, same);
  if (isAnother(from, same.from)) found.push(`${same.from.name} is called ${from}: ${message.label}`);
  if (isAnother(to, same.to)) found.push(`${same.to.name} is called ${to}: ${message.label}`);
  return found;
}

describe.each(TRIED)('$folder', ({ folder, captures, keys, cuts }) => {
  const files = captures.map((name) => fixture(`${folder}/${name}.pcap`));
  const keyLogs = keys === undefined ? [] : [Buffer.from(fixture(`${folder}/${keys}`)).toString('utf8')];
  const whole = new Map<string, Message[]>();
  const times = files.flatMap((file) => recordsOf(file).map((record) => timeOf(record, file)));
  const [first, last] = [times, times].map((all, i) => all.reduce((a, b) => ((i === 0 ? a < b : a > b) ? a : b)));

  beforeAll(async () => {
    for (const message of (await observeWhole(folder)).messages) {
      const place = placeOf(message);
      whole.set(place, [...(whole.get(place) ?? []), message]);
    }
  });

  it.each(cuts)('without the first %d of its time', async (part) => {
    const since = first + BigInt(Math.round(Number(last - first) * part));
    const late = await told(
      files.map((file) => cut(file, since)),
      keyLogs,
    );
    const strange: string[] = [];
    let named = 0;
    for (const one of late) {
      const { message, from, to } = one;
      // Several of one frame are told apart by what they say.
      const same = whole.get(placeOf(message)) ?? [];
      const differences = same.map((other) => differencesOf(one, other));
      if (same.length > 0 && !differences.some((found) => found.length === 0)) strange.push(...differences[0]);
      if (same.length === 0 && (message.kind === 'request' || message.kind === 'event'))
        strange.push(`only when cut: ${message.label}`);
      if (!from.startsWith('client ') && !to.startsWith('client ')) named += 1;
    }
    expect(strange).toEqual([]);
    expect(named).toBeGreaterThan(0);
  });
});

const LOSSY = [
  'deployment-tls',
  'run-nginx-tls',
  ...(TRIES_ALL ? ['boot-etcd-tls', 'pod-network-tls', 'trouble-tls'] : []),
];

describe.each(LOSSY)('%s', (folder) => {
  const name = folder === 'deployment-tls' || folder === 'pod-network-tls' ? 'control-plane' : 'capture';
  const file = fixture(`${folder}/${name}.pcap`);
  const keyLogs = [Buffer.from(fixture(`${folder}/keys.log`)).toString('utf8')];

  it('without one packet in ten, of one in fifty', async () => {
    const whole = new Map((await streams(file, keyLogs)).map((one) => [placeOf(one), one]));
    for (const every of [10, 50]) {
      const left = await streams(lossy(file, every), keyLogs);
      const strange = left.flatMap((one) => {
        const same = whole.get(placeOf(one));
        return same === undefined ? [] : fieldsOtherwise(one, same);
      });
      expect(strange).toEqual([]);
      expect(left.length).toBeGreaterThan(whole.size / 4);
    }
  });
});

/** Requests to an API server over HTTP/2: each has a stream of its own. */
async function streams(file: Uint8Array, keyLogs: readonly string[]): Promise<Message[]> {
  const all = await told([file], keyLogs);
  const isOne = ({ kind, protocol, stream }: Message): boolean =>
    kind === 'request' && protocol === 'kubernetes' && stream !== null;
  return all.map(({ message }) => message).filter(isOne);
}
