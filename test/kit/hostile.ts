// A capture in which everything that somebody chose says something evil: for terminals, for mermaid, for pages, for
// spreadsheets, for whoever reads. Knows where captured text comes from; nothing of how it is written.

import { X509Certificate } from 'node:crypto';
import { criTable, etcdTable } from '../../src/protobuf/tables.js';
import { selfSigned } from './certificates.js';
import { encodeMessage } from './encode.js';
import { frame, headers, integer, PREFACE, settings, settingsAck } from './http2-kit.js';
import { be16, conversation, packets, pcap, START, type Turn } from './packetiser.js';
import { certificateMessage, clear, extension, hello, turn } from './tls-peers.js';

/** What is put everywhere. */
export const HOSTILE: readonly string[] = [
  '<script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '"><svg/onload=alert(1)>',
  '</script><script>alert(1)//',
  '</pre><iframe src=//evil.example>',
  "' onmouseover='alert(1)",
  'javascript:alert(1)',
  '<!--',
  '--> ]]>',
  '&lt;b&gt; &#60;i&#62; #35;lt;',
  '%%{init: {"theme":"dark"}}%%',
  '%% never: A->>B: x',
  'a; A->>B: forged',
  'a\nA->>B: forged',
  'end',
  'participant evil as kubectl',
  'loop evil',
  'wrap: evil',
  ' nowrap:evil',
  'Note over C: evil',
  'a<br>b<br/>c',
  '#35; #quot; #59;',
  ':::class{x}',
  '```\n# heading\n```mermaid',
  '| a | b |',
  '![x](http://evil.example/x.png) [y](javascript:1)',
  '@enduml',
  '!include /etc/passwd',
  '=HYPERLINK("http://evil.example","x")',
  '+1+1',
  '-2+3',
  '@SUM(A1:A9)',
  'a,b"c\'d',
  'a\r\nb\tc',
  '::error file=x::evil',
  '%0A::error::evil',
  '::add-mask::evil',
  ' ::Set-Output name=x::evil',
  'a, ::stop-commands::evil ::debug::evil',
  '##vso[task.setvariable variable=x]evil',
  'a ##[set-output name=x]evil',
  '###[add-mask]evil',
  "##teamcity[setParameter name='x' value='evil']",
  'section_start:1:x\r\u001b[0Kevil',
  '::ffff:192.0.2.1',
  '\u001b[2J\u001b[1;31mred',
  '\u001b]0;title\u0007',
  '\u001b]8;;http://evil.example\u001b\\link',
  '\u001b[6n\u001b[c',
  '\u009b31mred\u009c',
  '\u0000\u0001\u0008\u007f',
  '\u202egnp.exe\u202c',
  'pass\u200bword\u2060\ufeff',
  'a\u2028b\u2029c',
  '\u{e0041}\u{e0042}tags',
  '{{7*7}} `id` $(id) $((7*7))',
  '__proto__',
  'constructor',
  '../../etc/passwd',
  'ünïcödé 漢字 🤖',
];

/** @param strings one after another in every place; harmless ones give the same capture without evil. */
export function hostileCapture(strings: readonly string[]): Uint8Array {
  const api = strings.flatMap((evil, i) => apiTurns(evil, 2 * i + 1));
  const etcd = strings.flatMap((evil, i) => etcdTurns(evil, 2 * i + 1));
  const cri = strings.flatMap((evil, i) => criTurns(evil, 2 * i + 1));
  const plain = strings.flatMap((evil, i) => http1Turns(evil, i));
  const opening: Turn[] = [
    { from: 'client', bytes: Buffer.concat([PREFACE, settings]) },
    { from: 'server', bytes: Buffer.concat([settings, settingsAck]) },
  ];
  const doors: [Turn[], number][] = [
    [[...opening, ...api], 8080],
    [[...opening, ...etcd], 2379],
    [[...opening, ...cri], 3500],
    [plain, 8080],
  ];
  const sent = doors.flatMap(([turns, port], i) =>
    conversation(turns, {
      client: { address: '192.0.2.1', port: 40_000 + i },
      server: { address: '192.0.2.2', port },
      start: START + BigInt(i) * 100_000_000_000n,
    }),
  );
  const failing = strings.flatMap((evil, i) =>
    conversation(refusedTurns(evil), {
      client: { address: '192.0.2.1', port: 41_000 + i },
      server: { address: '192.0.2.2', port: 6443 },
      start: START + BigInt(doors.length) * 100_000_000_000n + BigInt(i) * 1_000_000_000n,
    }),
  );
  return pcap(packets([...sent, ...failing]));
}

/** RFC 6066, 3. */
function serverName(evil: string): Uint8Array {
  const name = Buffer.from(evil);
  return extension(0, Buffer.concat([be16(name.length + 3), Buffer.of(0), be16(name.length), name]));
}

/** A server that is asked for by such a name, whose certificate has it, in TLS 1.2, which is in clear, and a client that does not accept it. */
function refusedTurns(evil: string): Turn[] {
  const random = Buffer.alloc(32, 7);
  const der = new X509Certificate(selfSigned('ec', evil).cert).raw;
  return [
    turn('client', clear(hello(1, random, Buffer.from([0, 2, 0xc0, 0x2b, 1, 0]), [serverName(evil)]))),
    turn('server', clear(hello(2, random, Buffer.from([0xc0, 0x2b, 0]), [])), clear(certificateMessage(der))),
    turn('client', Buffer.from([21, 3, 3, 0, 2, 2, 42])),
  ];
}

/** HTTP/2 carries anything in a field's value. */
function apiTurns(evil: string, stream: number): Turn[] {
  const object = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: evil,
      namespace: evil,
      uid: evil,
      resourceVersion: evil,
      ownerReferences: [{ kind: evil, name: evil, uid: evil }],
      managedFields: [{ manager: evil, operation: 'Update' }],
    },
    spec: { nodeName: evil },
    status: { phase: evil },
  };
  const refused = { apiVersion: 'v1', kind: 'Status', status: 'Failure', reason: evil, message: evil, code: 409 };
  const event = {
    type: 'ADDED',
    object: { ...object, kind: 'Event', reason: evil, message: evil, involvedObject: { kind: evil, name: evil } },
  };
  const asked = (path: string, ...more: string[]): string[] => [
    ':method',
    'POST',
    ':scheme',
    'http',
    ':path',
    path,
    ':authority',
    evil,
    'user-agent',
    evil,
    'content-type',
    'application/json',
    ...more,
  ];
  return [
    ask(
      stream * 4 + 1,
      asked(`/api/v1/namespaces/${evil}/pods/${evil}?fieldSelector=metadata.name=${evil}`, evil, evil),
      JSON.stringify(object),
    ),
    answer(
      stream * 4 + 1,
      [':status', '201', 'content-type', 'application/json', 'audit-id', evil],
      JSON.stringify(object),
    ),
    ask(stream * 4 + 3, asked(`/apis/${evil}/v1/${evil}`), JSON.stringify({ ...object, kind: evil, apiVersion: evil })),
    answer(stream * 4 + 3, [':status', '409', 'content-type', 'application/json'], JSON.stringify(refused)),
    ask(
      stream * 4 + 5,
      [
        ':method',
        'GET',
        ':scheme',
        'http',
        ':path',
        `/api/v1/pods?watch=true&labelSelector=${evil}`,
        'user-agent',
        evil,
      ],
      '',
    ),
    answer(
      stream * 4 + 5,
      [':status', '200', 'content-type', 'application/json'],
      `${JSON.stringify({ type: 'ADDED', object })}\n${JSON.stringify(event)}\n${JSON.stringify({ type: evil, object })}\n`,
    ),
  ];
}

function etcdTurns(evil: string, stream: number): Turn[] {
  const key = Buffer.from(`/registry/pods/${evil}/${evil}`);
  const request = encodeMessage(etcdTable(), 'etcdserverpb.PutRequest', { key, value: Buffer.from(evil) });
  return call(stream, '/etcdserverpb.KV/Put', evil, request);
}

function criTurns(evil: string, stream: number): Turn[] {
  const request = encodeMessage(criTable(), 'runtime.v1.PullImageRequest', { image: { image: evil } });
  return [
    ...call(stream * 2 + 1, '/runtime.v1.ImageService/PullImage', evil, request),
    ...call(stream * 2 + 3, `/${evil}/${evil}`, evil, Buffer.from(evil)),
  ];
}

function call(stream: number, path: string, evil: string, request: Uint8Array): Turn[] {
  const asked = [
    ':method',
    'POST',
    ':scheme',
    'http',
    ':path',
    path,
    'user-agent',
    evil,
    'content-type',
    'application/grpc',
  ];
  const prefixed = Buffer.concat([Buffer.from([0, 0, 0, 0, request.length]), request]);
  const trailers = headers(stream, fields(['grpc-status', '5', 'grpc-message', evil]), true);
  return [
    ask(stream, asked, prefixed),
    {
      from: 'server',
      bytes: Buffer.concat([headers(stream, fields([':status', '200', 'content-type', 'application/grpc'])), trailers]),
    },
  ];
}

function http1Turns(evil: string, index: number): Turn[] {
  const line = evil.replaceAll(/[\r\n\0]/g, '');
  const body = JSON.stringify({
    kind: 'Pod',
    apiVersion: 'v1',
    metadata: { name: `${evil}${index}`, namespace: evil },
  });
  const head = `POST /api/v1/namespaces/a/pods?x=${encodeURIComponent(evil)} HTTP/1.1\r\nHost: ${line}\r\nUser-Agent: ${line}\r\n`;
  const reply = `HTTP/1.1 404 ${line}\r\nContent-Type: ${line}\r\nContent-Length: 0\r\n\r\n`;
  const typed = `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n`;
  return [
    { from: 'client', bytes: Buffer.from(`${head}${typed}${body}`) },
    { from: 'server', bytes: Buffer.from(reply) },
  ];
}

function ask(stream: number, names: readonly string[], body: string | Uint8Array): Turn {
  return {
    from: 'client',
    bytes: Buffer.concat([headers(stream, fields(names)), frame(0, 1, stream, Buffer.from(body))]),
  };
}

function answer(stream: number, names: readonly string[], body: string): Turn {
  return {
    from: 'server',
    bytes: Buffer.concat([headers(stream, fields(names)), frame(0, 1, stream, Buffer.from(body))]),
  };
}

/** Literals without indexing (RFC 7541, 6.2.2), in UTF-8, of any length. */
function fields(names: readonly string[]): Buffer {
  const out: Buffer[] = [];
  for (const [i, one] of names.entries()) {
    const bytes = Buffer.from(one);
    if (i % 2 === 0) out.push(Buffer.of(0));
    out.push(integer(bytes.length, 7), bytes);
  }
  return Buffer.concat(out);
}
