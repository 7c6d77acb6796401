// Beside programs that others trust: tshark on every fixture, protobufjs on random messages. Who differs must have a reason
// that stands here.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import protobuf from 'protobufjs';
import { afterAll, describe, expect, it } from 'vitest';
import { decode } from '../../src/protobuf/decode.js';
import type { Table } from '../../src/protobuf/table.js';
import { criTable, etcdTable, kubernetesTable } from '../../src/protobuf/tables.js';
import { kubeseq } from '../kit/command.js';
import { fixture, fixturePath } from '../kit/fixtures.js';
import { HAS_TSHARK, tshark } from '../kit/tshark.js';

const FOLDER = mkdtempSync(join(tmpdir(), 'kubeseq-differential-'));
afterAll(() => rmSync(FOLDER, { recursive: true }));

/** Capture, its truth, its key log; the ports of plaintext HTTP/1.1 and HTTP/2. */
const FIXTURES: readonly { name: string; keys?: string; http1?: readonly number[]; http2?: readonly number[] }[] = [
  { name: 'run-nginx-http1/capture', http1: [8080] },
  { name: 'errors-http1/capture', http1: [8080] },
  { name: 'run-nginx-tls/capture', keys: 'run-nginx-tls/keys.log' },
  { name: 'clients-tls/capture', keys: 'clients-tls/keys.log' },
  { name: 'throttle-tls/capture', keys: 'throttle-tls/keys.log' },
  { name: 'late-start-tls/capture', keys: 'late-start-tls/keys.log' },
  { name: 'late-start-mixed/capture', http1: [8080] },
  { name: 'boot-etcd-tls/capture', keys: 'boot-etcd-tls/keys.log', http2: [2379] },
  { name: 'exec-logs-portforward-tls/capture', keys: 'exec-logs-portforward-tls/keys.log' },
  { name: 'deployment-tls/control-plane', keys: 'deployment-tls/keys.log' },
  { name: 'deployment-tls/node-1', keys: 'deployment-tls/keys.log', http1: [5000] },
];

function keyLogOf(keys: string | undefined): string[] {
  if (keys === undefined) return [];
  const path = join(FOLDER, keys.replace('/', '-'));
  writeFileSync(path, fixture(keys));
  return ['--keylog', path];
}

interface Line {
  readonly kind: string;
  readonly frames: readonly [number, number];
  readonly method?: string;
  readonly target?: string;
  readonly userAgent?: string;
  readonly stream: number | null;
  readonly inferred?: readonly string[];
}

function requestsOf(name: string, keys: string | undefined): Line[] {
  const { stdout } = kubeseq([
    'messages',
    '-o',
    'ndjson',
    '--show-secrets',
    ...keyLogOf(keys),
    fixturePath(`${name}.pcap.gz`),
  ]);
  const lines = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
  return lines.filter(({ kind, method, target }) => kind === 'request' && method !== undefined && target !== undefined);
}

describe.skipIf(!HAS_TSHARK)('request heads are those that tshark finds (skipped where tshark is missing)', () => {
  it.each(FIXTURES.filter(({ http1 }) => http1 !== undefined))(
    'HTTP/1.1, $name: frame, method, target, user agent',
    ({ name, keys, http1 = [] }) => {
      const fields = ['frame.number', 'tcp.port', 'http.request.method', 'http.request.uri', 'http.user_agent'];
      const rows = tshark(fixture(`${name}.pcap`), fields, [
        ...http1.flatMap((port) => ['-d', `tcp.port==${port},http`]),
        ...[
          '-Y',
          `http.request && (${http1.map((port) => `tcp.port == ${port}`).join(' || ')})`,
          '-E',
          'separator=/t',
          '-E',
          'occurrence=a',
          '-E',
          'aggregator=|',
        ],
      ]);
      const expected = rows.flatMap(([frame, , methods, targets, agents]) => {
        const agent = (agents ?? '').split('|');
        return methods.split('|').map((method, i) => [frame, method, targets.split('|')[i], agent[i] ?? ''].join(' '));
      });
      const got = requestsOf(name, keys)
        .filter(({ stream }) => stream === null)
        .map(({ frames, method, target, userAgent = '' }) => [headFrame(frames), method, target, userAgent].join(' '));
      const found = new Set(got.map((one) => one.replace(/^\d+ /, '')));
      // Every request of tshark's is ours, and of every frame in which a request ends we have as many.
      expect(expected.length).toBeGreaterThan(3);
      expect(expected.filter((one) => !found.has(one.replace(/^\d+ /, '')))).toEqual([]);
      expect(got.length).toBe(expected.length);
    },
  );

  it.each(FIXTURES.filter(({ keys, name }) => keys !== undefined && !name.startsWith('deployment-tls')))(
    'HTTP/2 in TLS, $name: method, target',
    ({ name, keys }) => {
      const path = keyLogOf(keys)[1];
      const rows = tshark(
        fixture(`${name}.pcap`),
        ['http2.headers.method', 'http2.headers.path'],
        [
          ...['-o', `tls.keylog_file:${path}`, '-d', 'tcp.port==6443,tls', '-d', 'tcp.port==10250,tls'],
          ...['-Y', 'http2.headers.path && tls', '-E', 'separator=/t', '-E', 'occurrence=a', '-E', 'aggregator=|'],
        ],
      );
      const expected = rows.flatMap(([methods, targets]) =>
        methods.split('|').map((method, i) => `${method} ${targets.split('|')[i]}`),
      );
      const ours = requestsOf(name, keys).map(({ method, target }) => `${method} ${target}`);
      const left = new Map<string, number>();
      for (const one of ours) left.set(one, (left.get(one) ?? 0) + 1);
      const missing = expected.filter((one) => {
        const count = left.get(one) ?? 0;
        left.set(one, count - 1);
        return count === 0;
      });
      expect(expected.length).toBeGreaterThan(name.startsWith('late-start') ? 0 : 5);
      expect(missing).toEqual([]);
    },
  );
});

/** tshark names the frame in which a request is complete. */
const headFrame = ([, last]: readonly [number, number]): number => last;

// --- protobuf ---

const TYPES: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  bool: fc.boolean(),
  bytes: fc.uint8Array({ maxLength: 20 }).map((bytes) => Buffer.from(bytes)),
  double: fc.double({ noNaN: true }),
  int32: fc.integer(),
  int64: fc.maxSafeInteger(),
  string: fc.string({ unit: 'grapheme', maxLength: 20 }),
  uint32: fc.nat(),
  uint64: fc.maxSafeNat(),
};

/** The tables once more, as protobufjs wants them. */
function rootOf(table: Table, name: string, root = new protobuf.Root(), done = new Set<string>()): protobuf.Root {
  if (done.has(name)) return root;
  done.add(name);
  const type = new protobuf.Type(flat(name));
  for (const field of table.message(name)?.fields ?? []) {
    const of = field.kind === 'enum' ? 'int32' : field.kind === 'message' ? flat(field.type) : field.type;
    if (field.label === 'map') type.add(new protobuf.MapField(field.name, field.number, 'string', of));
    else
      type.add(new protobuf.Field(field.name, field.number, of, field.label === 'repeated' ? 'repeated' : undefined));
    if (field.kind === 'message') rootOf(table, field.type, root, done);
  }
  root.add(type);
  return root;
}

const flat = (name: string): string => name.replaceAll('.', '_');

/** Any message of a type, not deeper than `depth`. */
function anyOf(table: Table, name: string, depth: number): fc.Arbitrary<Record<string, unknown>> {
  const fields = (table.message(name)?.fields ?? []).filter(({ kind }) => kind !== 'message' || depth > 0);
  const shape = Object.fromEntries(
    fields.map(({ name: field, kind, type, label }) => {
      const one =
        kind === 'message' ? anyOf(table, type, depth - 1) : kind === 'enum' ? fc.constant(1000) : TYPES[type];
      if (label === 'repeated') return [field, fc.array(one, { minLength: 1, maxLength: 3 })];
      if (label === 'map')
        return [
          field,
          fc.dictionary(
            fc.string({ maxLength: 6 }).filter((key) => key !== '__proto__'),
            one,
            { minKeys: 1, maxKeys: 3, noNullPrototype: true },
          ),
        ];
      return [field, one];
    }),
  );
  return fc.record(shape, { requiredKeys: [] });
}

/** Integers that are not safe come as texts; bytes and views of them are the same; what is unset is not there. */
function plain(value: unknown): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex');
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, plain(one)]));
  return Object.is(value, -0) ? 0 : value;
}

describe('protobuf: what protobufjs writes is what is read', () => {
  it.each([
    ['etcdserverpb.TxnRequest', etcdTable],
    ['etcdserverpb.WatchResponse', etcdTable],
    ['etcdserverpb.RangeResponse', etcdTable],
    ['runtime.v1.CreateContainerRequest', criTable],
    ['runtime.v1.ContainerStatusResponse', criTable],
    ['k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta', kubernetesTable],
    ['k8s.io.api.core.v1.Pod', kubernetesTable],
    ['k8s.io.api.core.v1.Secret', kubernetesTable],
    ['k8s.io.api.coordination.v1.Lease', kubernetesTable],
  ])('%s', (name, table) => {
    expect(table().message(name)).toBeDefined();
    const type = rootOf(table(), name).lookupType(flat(name));
    fc.assert(
      fc.property(anyOf(table(), name, 2), (value) => {
        const bytes = type.encode(type.fromObject(value)).finish();
        const read = decode(table(), name, bytes);
        expect([read.complete, read.unknownFields]).toEqual([true, 0]);
        expect(plain(read.value)).toEqual(plain(value));
      }),
      { numRuns: 60 },
    );
  });
});
