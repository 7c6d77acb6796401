import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CAUSE_KINDS, FIELD_ROWS, KINDS, PROTOCOLS } from '../kubernetes/messages/fields.js';
import { redactionOf } from '../redaction/redaction.js';
import { messageLineWithBody } from '../render/messages/details-json.js';
import { SavedLineParser } from './line-parser.js';
import { readFields, type SavedLine } from './message-fields.js';
import { savedReader } from './read.js';
import { SavedFields } from './saved-fields.js';

const TEXT = fc.oneof(
  fc.constantFrom('', 'nginx', 'default', '/api/v1/pods?watch=true', '[REQ] GET /', '{"seq":1', ',"body":', 'ü', '\\'),
  fc.string({ unit: 'binary' }),
);
const COUNT = fc.oneof(
  { weight: 50, arbitrary: fc.integer({ min: 1, max: 400_000 }) },
  { weight: 1, arbitrary: fc.maxSafeNat() },
);
const NUMBER = fc.oneof(
  fc.nat(),
  fc.integer(),
  fc.double(),
  fc.nat(999).map((one) => one / 1000),
  fc.constant(0),
);
const TIME = fc
  .tuple(
    fc.constantFrom('2026-11-21T04:13:27.', '2026-11-21T04:13:28.', '1969-12-31T23:59:59.'),
    fc.nat(999_999_999),
    fc.boolean(),
  )
  .map(
    ([second, ns, isMicro]) =>
      `${second}${String(ns)
        .padStart(9, '0')
        .slice(0, isMicro ? 6 : 9)}Z`,
  );
const CONNECTION = fc.constantFrom('192.0.2.10:55904-192.0.2.10:8080', '2001:db8::1:1-2001:db8::2:6443');
const FRAMES = fc.tuple(COUNT, COUNT);
const ANY = fc.jsonValue({ maxDepth: 3 });
const TEXTS = fc.array(TEXT, { maxLength: 3 });
const NULLABLE = fc.oneof(TEXT, fc.constant(null));
const some = (fields: Readonly<Record<string, fc.Arbitrary<unknown>>>, requiredKeys: string[] = []) =>
  fc.record(fields, { requiredKeys });
const IDENTITY = { kind: TEXT, name: TEXT, uid: TEXT, namespace: TEXT };
const OBJECT = some(
  {
    ...{ kind: TEXT, apiVersion: TEXT, namespace: NULLABLE, name: NULLABLE, uid: NULLABLE, resourceVersion: NULLABLE },
    ...{ generation: NUMBER, deletionTimestamp: TEXT, owners: fc.array(some(IDENTITY)), items: NUMBER, rows: NUMBER },
    row: some(IDENTITY, ['name']),
  },
  ['kind'],
);
/** Values of the types that fields have; of the others any value. */
const VALUES: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  ...{
    seq: COUNT,
    time: TIME,
    started: TIME,
    kind: fc.constantFrom(...KINDS),
    protocol: fc.constantFrom(...PROTOCOLS),
  },
  ...{ from: TEXT, to: fc.constant('kubelet (node-1)'), label: TEXT, exchange: COUNT, connection: CONNECTION },
  ...{ stream: fc.oneof(COUNT, fc.constant(null)), frames: FRAMES, complete: fc.boolean(), inferred: TEXTS },
  causedBy: fc.constantFrom(1, 2),
  cause: some(
    {
      seq: fc.constantFrom(1, 2),
      how: fc.constantFrom(...CAUSE_KINDS),
      certain: fc.boolean(),
      others: fc.array(COUNT),
    },
    ['seq', 'how', 'certain'],
  ),
  ...{ status: NUMBER, latencyMs: NUMBER, bytes: NUMBER, exitCode: NUMBER, grpcStatus: NUMBER, object: OBJECT },
  ...{ initial: fc.boolean(), dryRun: fc.boolean(), succeeded: fc.boolean(), claims: TEXTS, missing: TEXTS },
  ...{ warnings: TEXTS, rpcMethod: NULLABLE, via: TEXTS, k8sEvent: ANY, problems: ANY, appliedFor: ANY, release: ANY },
  ...{ patch: ANY, translated: fc.array(some({ connection: CONNECTION, frames: FRAMES, capture: TEXT })) },
};
const NAMES = FIELD_ROWS.map(([name]) => name);
const REQUIRED = [
  ...[
    'seq',
    'time',
    'kind',
    'protocol',
    'from',
    'to',
    'label',
    'exchange',
    'connection',
    'stream',
    'frames',
    'complete',
  ],
];
const EXPORTED = {
  participants: fc.oneof(fc.array(COUNT, { minLength: 2, maxLength: 4 }), ANY),
  headers: fc.oneof(fc.array(fc.tuple(TEXT, TEXT)), ANY),
  body: ANY,
};
const ORDER = [...NAMES, ...Object.keys(EXPORTED)];
/** A line in the form of the writer, of a message with a few fields beside the required ones. */
const LINE = fc
  .subarray(
    ORDER.filter((name) => !REQUIRED.includes(name)),
    { maxLength: 8 },
  )
  .chain((more) => {
    const names = ORDER.filter((name) => REQUIRED.includes(name) || more.includes(name));
    const values: Readonly<Record<string, fc.Arbitrary<unknown>>> = { ...VALUES, ...EXPORTED };
    return fc.record(Object.fromEntries(names.map((name) => [name, values[name] ?? TEXT])));
  })
  .map((record) => JSON.stringify(record));

/** undefined: it is no such line. */
function fast(line: string | Uint8Array, bodies = true): Partial<SavedFields> | undefined {
  const bytes = Buffer.concat([Buffer.from('x\n'), Buffer.from(line), Buffer.from('\n')]);
  const fields = new SavedFields();
  return new SavedLineParser(bodies).parse(bytes, 2, fields) === bytes.length - 1 ? { ...fields } : undefined;
}

function slow(line: string | Uint8Array): Partial<SavedFields> | undefined {
  const fields = new SavedFields();
  try {
    const record = JSON.parse(Buffer.from(line).toString()) as SavedLine;
    return readFields(record, fields) ? { ...fields } : undefined;
  } catch {
    return undefined;
  }
}

const without = ({ headers: _, body: __, ...fields }: Partial<SavedFields>) => fields;

const USUAL =
  '{"seq":2,"time":"2026-11-21T04:13:27.783634Z","started":"2026-11-21T04:13:27.783000Z","kind":"response","protocol":"kubernetes","from":"kube-apiserver","to":"kube-scheduler","label":"[RESP] 404 Not Found","exchange":1,"connection":"192.0.0.10:55904-192.0.0.10:8080","stream":null,"frames":[6,6],"complete":true,"causedBy":1,"cause":{"seq":1,"how":"response","certain":true},"status":404,"reason":"NotFound","statusMessage":"configmaps \\"a\\" not found","auditId":"0a57b213-f9eb-4eb0-b26e-85f603579989","latencyMs":2.006,"object":{"kind":"Status","apiVersion":"v1","namespace":null,"name":null,"uid":null,"resourceVersion":"12"},"participants":[2,1],"headers":[["Audit-Id","x"]],"body":{"kind":"Status","metadata":{},"list":[],"code":404,"more":[1.5e3,true,null,"\\u00e4"]}}';

describe('the parser of lines', () => {
  it('takes what this project writes', () => {
    expect(fast(USUAL)).toEqual(slow(USUAL));
    expect(fast(USUAL)).toMatchObject({
      status: 404,
      latencyMs: 2.006,
      fromId: 2,
      digits: 6,
      cause: { how: 'response' },
    });
  });

  it.each([
    ['blanks', USUAL.replace('"seq":2', '"seq": 2')],
    ['another order', USUAL.replace('"status":404,"reason":"NotFound"', '"reason":"NotFound","status":404')],
    ['a field twice', USUAL.replace('"status":404', '"status":404,"status":200')],
    ['an unknown field', USUAL.replace('"status":404', '"status":404,"new":200')],
    ['a field behind the body', `${USUAL.slice(0, -1)},"label":"x"}`],
    ['a damaged body', USUAL.replace('"list":[]', '"list":[}')],
    ['a line feed in a body', USUAL.replace('\\u00e4', '\n')],
    ['no end', USUAL.slice(0, -1)],
    ['more behind its end', `${USUAL}}`],
    ['zeros before a number', USUAL.replace('"exchange":1', '"exchange":01')],
    ['an empty name', USUAL.replace('"from":"kube-apiserver"', '"from":""')],
    ['another cause', USUAL.replace('"causedBy":1', '"causedBy":2')],
  ])('leaves %s to JSON.parse', (_, line) => {
    expect(line).not.toBe(USUAL);
    expect([fast(line, true), fast(line, false)]).toEqual([undefined, undefined]);
  });

  it('keeps heads and bodies only where they are requested', () => {
    expect(fast(USUAL, false)).toEqual({ ...slow(USUAL), headers: undefined, body: undefined });
  });

  it('reads what JSON.parse reads', () => {
    let taken = 0;
    fc.assert(
      fc.property(LINE, (line) => {
        const read = fast(line);
        if (read === undefined) return;
        taken += 1;
        expect(read).toEqual(slow(line));
        expect(fast(line, false)).toEqual({ ...read, headers: undefined, body: undefined });
      }),
      { numRuns: 1000 },
    );
    expect(taken).toBeGreaterThan(100);
  });

  it('takes every line that is written of a message', () => {
    let written = 0;
    fc.assert(
      fc.property(LINE, (line) => {
        const reader = savedReader({ capture: 0, nextCapture: () => 1, redaction: redactionOf(), bodies: true });
        for (const item of reader.feed(Buffer.from(`${line}\n`))) {
          if (item.kind !== 'message') continue;
          const again = messageLineWithBody(item.message, { digits: () => 9 });
          // Longer numbers of messages are left to JSON.parse.
          if (/\d{10}/.test(again.replaceAll(/"(?:[^"\\]|\\.)*"/g, ''))) continue;
          written += 1;
          expect(fast(again), again).toEqual(slow(again));
        }
      }),
      { numRuns: 1000 },
    );
    expect(written).toBeGreaterThan(100);
  });

  it('takes no damaged line for another one', () => {
    const byte = fc.oneof(fc.constantFrom(...Buffer.from('"\\,:{}[]019-.eu \n')), fc.nat(255));
    const change = fc.tuple(fc.nat(), fc.nat(12), fc.array(byte, { maxLength: 3 }));
    fc.assert(
      fc.property(fc.oneof(fc.constant(USUAL), LINE), fc.array(change, { maxLength: 3 }), (line, changes) => {
        let bytes: Buffer = Buffer.from(line);
        for (const [place, out, put] of changes) {
          const at = place % bytes.length;
          bytes = Buffer.concat([bytes.subarray(0, at), Buffer.from(put), bytes.subarray(at + (out % 4))]);
        }
        // The bytes hold the lines that a file would be cut into.
        const [first] = bytes.toString('latin1').split('\n');
        const whole = Buffer.from(first, 'latin1');
        const read = fast(whole, false);
        if (read !== undefined) expect(without(read)).toEqual(without(slow(whole) ?? {}));
      }),
      { numRuns: 3000 },
    );
  });
});
