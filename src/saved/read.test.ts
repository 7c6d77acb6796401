import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { redactionOf } from '../redaction/redaction.js';
import { savedReader } from './read.js';

type Item = ReturnType<ReturnType<typeof savedReader>['feed']>[number];

const REQUEST = {
  seq: 7,
  time: '2026-11-21T04:13:27.781628Z',
  kind: 'request',
  protocol: 'kubernetes',
  from: 'deployment-controller',
  to: 'kube-apiserver',
  label: '[REQ] GET /api/v1/pods',
  exchange: 3,
  connection: '192.0.2.10:55904-192.0.2.10:8080',
  stream: null,
  frames: [4, 5],
  complete: true,
  method: 'GET',
  userAgent:
    'kube-controller-manager/v1.34.4 (linux/amd64) kubernetes/x/system:serviceaccount:kube-system:deployment-controller',
};
const HEAD = { kubeseq: '0.1.0', kind: 'export', format: 1, redacted: true, captures: ['a.pcap'], first: null };

function read(text: string | readonly object[], size = 1_000_000): Item[] {
  const reader = savedReader({ capture: 0, nextCapture: () => 1, redaction: redactionOf(), bodies: true });
  const bytes = Buffer.from(typeof text === 'string' ? text : text.map((one) => JSON.stringify(one)).join('\n'));
  const out: Item[] = [];
  for (let at = 0; at < bytes.length; at += size) {
    const piece = Uint8Array.from(bytes.subarray(at, at + size));
    out.push(...reader.feed(piece));
    piece.fill(0);
  }
  return [...out, ...reader.end()];
}

const messages = (items: readonly Item[]) => items.flatMap((item) => (item.kind === 'message' ? [item.message] : []));
const notices = (items: readonly Item[]) =>
  items.flatMap((item) => (item.kind === 'notice' ? [`${item.code} ${item.detail}`] : []));

describe('a line of messages -o ndjson', () => {
  it('is a message again, with its digits', () => {
    const items = read([REQUEST]);
    const [message] = messages(items);
    expect(message).toMatchObject({
      seq: 7,
      time: 1_795_234_407_781_628_000n,
      started: 1_795_234_407_781_628_000n,
      kind: 'request',
      label: '[REQ] GET /api/v1/pods',
      exchange: 3,
      frames: [4, 5],
      complete: true,
      method: 'GET',
    });
    expect(items.map((item) => item.kind)).toEqual(['saved-capture', 'message', 'capture-report']);
    expect(items[0]).toMatchObject({ digits: 6, file: null });
    const [nano] = read([{ ...REQUEST, time: '2026-11-21T04:13:27.781628001Z' }]);
    expect(nano).toMatchObject({ digits: 9, first: 1_795_234_407_781_628_001n });
  });

  it('distinguishes participants by their names and User-Agents', () => {
    const [message] = messages(read([REQUEST]));
    expect(message.from).toMatchObject({ name: 'deployment-controller', tier: 'controllers', shortId: null });
    expect(message.from.process.name).toBe('kube-controller-manager');
    expect(message.to).toMatchObject({ name: 'kube-apiserver', shortId: 'AS', tier: 'apiserver' });
    const [kubelet] = messages(read([{ ...REQUEST, from: 'kubelet (node-1)', userAgent: undefined }]));
    expect(kubelet.from).toMatchObject({ component: 'kubelet', shortId: 'L', perNode: true });
  });

  it('is named by a rule of the user', () => {
    const naming = [{ name: 'the boss', matches: (address: string) => address === '192.0.2.10' }];
    const reader = savedReader({ capture: 0, nextCapture: () => 1, redaction: redactionOf(), naming });
    const [message] = messages([...reader.feed(Buffer.from(`${JSON.stringify(REQUEST)}\n`)), ...reader.end()]);
    expect([message.from.name, message.fromName]).toEqual(['the boss', 'the boss']);
  });

  it('has bodies only where they are requested', () => {
    const line = { ...REQUEST, target: '/api/v1/pods', headers: [['Accept', '*/*']], body: { a: 1 } };
    const [message, unknown] = messages(read([line, { ...line, seq: 8, exchange: 4, target: undefined }]));
    expect([message.details?.fields(), message.details?.body()]).toEqual([[['Accept', '*/*']], { a: 1 }]);
    // What was asked for is not known: a Pod may have been told that.
    expect(unknown.details?.body()).toBe(null);
    const reader = savedReader({ capture: 0, nextCapture: () => 1, redaction: redactionOf() });
    const [bare] = messages([...reader.feed(Buffer.from(`${JSON.stringify(line)}\n`))]);
    expect(bare.details).toBe(undefined);
  });
});

describe('any cut of the bytes', () => {
  const file = [HEAD, REQUEST, { ...REQUEST, seq: 8 }, { kind: 'notice', code: 'tcp.gap', detail: '5 bytes' }];
  it.each([1, 7, 100])('gives the same in pieces of %d', (size) => {
    const shown = (items: readonly Item[]) => JSON.stringify(items, (_, v) => (typeof v === 'bigint' ? `${v}` : v));
    expect(shown(read(file, size))).toBe(shown(read(file)));
  });
});

describe('damage', () => {
  it('of some lines leaves the others, and is counted', () => {
    const good = JSON.stringify(REQUEST);
    const items = read(`${good}\n{"seq":\nnot json\n[1]\n${good}\n{"kind":"request"}\n\n${good}`);
    expect(messages(items)).toHaveLength(3);
    expect(notices(items)).toEqual([
      'capture.damaged line 2 is no saved message, or is too long; it was left out',
      'capture.damaged 3 more lines of saved messages could not be read',
    ]);
  });

  it('of all is no capture', () => {
    expect(read('{"a":1}\n').at(-1)).toMatchObject({ kind: 'capture-report', format: 'unknown' });
  });

  it('by a cut is reported', () => {
    const items = read([HEAD, REQUEST]);
    expect(notices(items)).toEqual(['capture.truncated the export ends before its reports']);
    expect(items.at(-1)).toMatchObject({ format: 'messages', truncated: true });
  });

  it('by two exports in one file', () => {
    const items = read([HEAD, REQUEST, HEAD, REQUEST]);
    expect(messages(items)).toHaveLength(1);
    expect(notices(items)[0]).toMatch(/^capture.damaged another export begins in line 3/);
  });

  it.each([
    ['time', 'yesterday'],
    ['time', '2026-13-41T99:99:99.000000Z'],
    ['seq', -1],
    ['seq', 1e300],
    ['kind', 'evil'],
    ['protocol', '","x":"'],
    ['connection', 'a-b'],
    ['label', 5],
    ['from', ''],
    ['exchange', '3'],
  ])('a message whose %s is %j is none', (name, value) => {
    expect(messages(read([{ ...REQUEST, [name]: value }]))).toEqual([]);
  });

  it.each(['push', '0', 1, -1, null])('a report of capture %j is none', (capture) => {
    const report = { kind: 'capture', capture, format: 'pcap', linkTypes: [1], frames: 5, bytes: 400, digits: 6 };
    const reports = (records: readonly object[]) => read(records).filter(({ kind }) => kind === 'capture-report');
    expect(reports([HEAD, { ...report, capture: 0 }, REQUEST])).toMatchObject([{ capture: 0, format: 'pcap' }]);
    expect(reports([HEAD, report, REQUEST])).toMatchObject([{ capture: 0, format: 'messages' }]);
  });

  it('an optional field of another type is left out', () => {
    const wrong = {
      method: 5,
      status: 'x',
      object: [],
      inferred: [1],
      initial: 'yes',
      k8sEvent: 7,
      frames: ['a'],
      bytes: {},
    };
    const [message] = messages(read([{ ...REQUEST, ...wrong }]));
    expect(message).toMatchObject({ frames: [1, 1] });
    for (const name of ['method', 'status', 'object', 'inferred', 'initial', 'k8sEvent', 'bytes'] as const)
      expect(message[name], name).toBe(undefined);
  });

  it('an id for diagrams is never taken from a file', () => {
    const participant = {
      kind: 'participant',
      id: 1,
      name: 'x',
      component: 'x',
      process: 1,
      tier: 'people',
      known: true,
    };
    const evil = { ...participant, shortId: 'end\nNote over x: evil' };
    const [message] = messages(read([HEAD, evil, { ...REQUEST, participants: [1, 1] }]));
    expect(message.from.shortId).toBe(null);
  });

  it('names of connections and digests are what they are, or are not there', () => {
    const connection = {
      kind: 'connection',
      connection: REQUEST.connection,
      roles: 'port',
      bytes: { client: 1, server: 2 },
      md5: { client: 'a'.repeat(32), server: 'b'.repeat(32) },
      protocol: 'http/1',
    };
    const evil = '\u001b[2J\n::error::x';
    const streams = (one: object) => read([HEAD, one]).flatMap((item) => (item.kind === 'stream-bytes' ? [item] : []));
    expect(streams(connection)).toMatchObject([{ md5: connection.md5, connection: { name: REQUEST.connection } }]);
    expect(streams({ ...connection, md5: { client: evil, server: evil } })).toMatchObject([{ md5: null }]);
    expect(streams({ ...connection, connection: `${REQUEST.connection}${evil}` })).toEqual([]);
    const damaged = { kind: 'notice', code: 'tcp.gap', detail: 'x', connection: evil };
    const [, said] = read([HEAD, damaged]);
    expect(JSON.stringify(said ?? '')).not.toContain('error::x');
  });

  it.each(['[', '{"a":'])('of a line nested deeply in %s is told, and the others are read', (open) => {
    const deep = open.repeat(200_000);
    const close = (open === '[' ? ']' : '}').repeat(200_000);
    const bodies = [`${deep}1${close}`, deep].map((body) => `${JSON.stringify(REQUEST).slice(0, -1)},"body":${body}}`);
    const items = read(`${bodies.join('\n')}\n${JSON.stringify(REQUEST)}`);
    expect(messages(items)).toHaveLength(2);
    for (const message of messages(items)) message.details?.body();
    expect(notices(items)).toEqual(['capture.damaged line 2 is no saved message, or is too long; it was left out']);
  });

  it('never throws, whatever the lines hold', () => {
    const part = fc.oneof(
      fc.json(),
      fc
        .constantFrom('request', 'participant', 'notice', 'connection', 'capture', 'export')
        .chain((kind) =>
          fc
            .dictionary(
              fc.constantFrom(
                ...Object.keys(REQUEST),
                'participants',
                'id',
                'bytes',
                'md5',
                'body',
                'code',
                'captures',
                'format',
                'linkTypes',
                '__proto__',
              ),
              fc.jsonValue(),
            )
            .map((more) => JSON.stringify({ ...REQUEST, ...more, kind })),
        ),
      fc.string(),
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 8 }), (lines) => {
        for (const message of messages(read(lines.join('\n')))) {
          message.details?.fields();
          message.details?.body();
          expect(message.seq).toBeGreaterThan(0);
        }
      }),
      { numRuns: 2000 },
    );
  });
});

describe('what others wrote into a file', () => {
  it('passes through the redaction', () => {
    const items = read([
      {
        ...REQUEST,
        resource: 'secrets',
        target: '/x?token=verysecret1',
        userAgent: 'tool Bearer verysecret1',
        headers: [['Authorization', 'Bearer verysecret1']],
        body: { data: { a: 'verysecret1' } },
      },
      { ...REQUEST, kind: 'response', seq: 8, body: { stringData: { a: 'verysecret1' } }, status: 200 },
      {
        ...REQUEST,
        kind: 'event',
        seq: 9,
        type: 'ADDED',
        body: { type: 'ADDED', object: { data: { a: 'verysecret1' } } },
      },
    ]);
    const shown = messages(items).map((one) => [one.target, one.userAgent, one.details?.fields(), one.details?.body()]);
    expect(JSON.stringify(shown)).not.toContain('verysecret1');
    expect(shown[2][3]).toEqual({ type: 'ADDED', object: { data: { a: 'REDACTED' } } });
  });
});
