// Reads the table of carriers: a row becomes what client and server send, with a secret in place of each mark. Knows the words of the table.

import { gzipSync } from 'node:zlib';
import type { Table } from '../../../src/protobuf/table.js';
import { criTable, etcdTable, kubernetesTable } from '../../../src/protobuf/tables.js';
import { encodeCbor, encodeMessage, encodeObject, lengthed } from '../encode.js';
import { headers, literals, PREFACE, settings, settingsAck } from '../http2-kit.js';
import type { Turn } from '../packetiser.js';
import { CARRIERS } from './carriers.js';

/** Where the server of a row listens, and so who it is taken for; of `late` the first half is not captured. */
export const PORTS = {
  ...{ api: 8080, docker: 2375, registry: 5000, webhook: 9443, gateway: 2379, kubelet: 10255, application: 8200 },
  ...{ etcd: 2379, cri: 3500, late: 6443 },
} as const;
export type Door = keyof typeof PORTS;

export interface Row {
  readonly family: string;
  readonly door: Door;
  readonly text: string;
}

export function rows(): Row[] {
  let family = '';
  const joined = CARRIERS.trim()
    .replace(/\n\s+/g, ' ')
    .replace(/⟪([^⟫]+)⟫/g, '{"‹$1: key›":"‹$1: value›"}');
  return joined.split('\n').flatMap((line): Row[] => {
    if (line.startsWith('# ')) {
      family = line.slice(2);
      return [];
    }
    const [, door = 'api', text] = /^(?:([a-z]+): )?(.*)$/.exec(line) ?? [];
    return [{ family, door: door as Door, text }];
  });
}

/** What is said of a secret behind its name: `shown` and `label` for a rule that shows it, always or where it is plain words. */
export interface Mark {
  readonly carrier: string;
  readonly hows: readonly string[];
}

export function marksOf(text: string): Mark[] {
  return [...text.matchAll(MARK)].map(([, carrier, hows]) => ({ carrier, hows: hows?.split(',') ?? [] }));
}
const MARK = /‹([^›|]+)(?:\|([^›]+))?›/g;

/** Makes the secret of a mark. */
export type Make = (mark: Mark) => string;

/** How a secret is written where it stands. */
const WRITTEN: Readonly<Record<string, (text: string) => string>> = {
  base64: (text) => Buffer.from(text).toString('base64'),
  pointer: (text) => text.replaceAll('/', '~1'),
  percent: encodeURIComponent,
  // A name of a header field (RFC 9110, section 5.6.2).
  token: (text) => text.replace(/[^\w+#.-]/g, '-'),
};

function filled(text: string, make: Make, usual = 'raw'): string {
  return text.replace(MARK, (_, carrier: string, hows?: string) => {
    const mark = { carrier, hows: hows?.split(',') ?? [] };
    const how = mark.hows.find((one) => one === 'raw' || WRITTEN[one] !== undefined) ?? usual;
    if (!mark.hows.includes('numbers')) return (WRITTEN[how] ?? String)(make(mark));
    const number = (name: string): string => make({ carrier: carrier.replace('*', name), hows: ['number'] });
    return NUMBER_FIELDS.map((name) => `"${name}":${number(name)}`).join();
  });
}

/** Fields whose numbers are secrets, by names that no list of words has all of. */
const NUMBER_FIELDS = [
  ...['adminPassword', 'adminpassword', 'dbpassword', 'rootpw', 'pw', 'smtppass', 'clientsecret', 'sharedsecret'],
  ...['accesskey', 'pinNumber', 'mfaCode', 'puk', 'pin', 'code', 'otp', 'seed', 'card', 'iban', 'ssn', 'value', 'id'],
  ...['license', 'phone', 'account', 'number', 'x', 'passcode', 'unlock', 'salt', 'totp', 'cvv', 'taxId', 'hash'],
];

type Json = Readonly<Record<string, unknown>>;
const METADATA = '{"metadata":{';
const UID = '3f0c6a1e-7b52-4c0e-9d55-0a6f2f1f0c11';
let versions = 0;

/** One exchange of HTTP/1.1. */
export function exchange(row: Row, make: Make): Turn[] {
  const [asked, answered = '200 OK json {}'] = spelt(row.text).split(' → ');
  const [, first, fields, kind, body] = SIDE.exec(asked) ?? [];
  const [, status, answerFields, answerKind, answer] = SIDE.exec(answered) ?? [];
  const target = filled(
    first.replace(/ (THINGS|PODS|SECRETS|APP)/, (_, name: string) => ` ${PATHS[name]}`),
    make,
    'percent',
  );
  const request = bodyOf(kind, body, make);
  const said = fieldsOf(fields, make);
  const own = said.some(([name]) => name === 'User-Agent') ? [] : [['User-Agent', 'kubectl/v1.34.4']];
  const host = said.some(([name]) => name === 'Host') ? [] : [['Host', 'x']];
  // Made last, so that a created object is the one that was asked for.
  const response = answer === 'the same' ? request : bodyOf(answerKind, answer, make);
  return [
    {
      from: 'client',
      bytes: http1(`${target} HTTP/1.1`, [...host, ...own, ...said, ...request.fields], request.bytes),
    },
    {
      from: 'server',
      bytes: http1(`HTTP/1.1 ${status}`, [...fieldsOf(answerFields, make), ...response.fields], response.bytes),
    },
  ];
}

const SIDE =
  /^(.*?)((?: «[^»]*»)*)(?: (json|raw|merge|strategic|jsonpatch|apply|yaml|proto|cbor|gzip|text|octets|watch) (.*))?$/s;
const APP = '/api/v1/namespaces/app';
const PATHS: Readonly<Record<string, string>> = {
  ...{ APP, PODS: `${APP}/pods`, SECRETS: `${APP}/secrets`, THINGS: '/apis/example.com/v1/namespaces/app/things' },
};

/** Rows that say less: `create KIND OBJECT`, `thing OBJECT`, `event MESSAGE`, `fail CODE REASON MESSAGE ¦ DETAILS`. */
function spelt(text: string): string {
  const [, word, rest] = /^(create|thing|event|fail) (.*)$/s.exec(text) ?? [];
  if (word === 'thing') return spelt(`create example.com/v1/Thing ${rest}`);
  if (word === 'event') {
    const event = { involvedObject: { kind: 'Pod', name: 't' }, type: 'Warning', reason: 'Failed', message: rest };
    return spelt(`create v1/Event ${JSON.stringify(event)}`);
  }
  if (word === 'create') {
    const [, apiVersion, kind, given] = /^(\S+)\/(\w+) (.*)$/s.exec(rest) ?? [];
    versions += 1;
    const meta = `"metadata":{"uid":"${UID}","resourceVersion":"${versions}","name":"t","namespace":"app"`;
    // Of two members of one name the last one counts.
    const others = given.startsWith(METADATA) ? `,${given.slice(METADATA.length)}` : `},${given.slice(1)}`;
    const object = `{"apiVersion":"${apiVersion}","kind":"${kind}",${meta}${others}`;
    const root = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
    return `POST ${root}/namespaces/app/${kind.toLowerCase()}s json ${object} → 201 Created json the same`;
  }
  if (word === 'fail') {
    const [, code, reason, message, details = '{}'] = /^(\d+) (\w+) (.*?)(?: ¦ (.*))?$/s.exec(rest) ?? [];
    const status = `"kind":"Status","apiVersion":"v1","status":"Failure","reason":"${reason}","code":${code}`;
    return `POST THINGS json {} → ${code} ${reason} json {${status},"message":${JSON.stringify(message)},"details":${details}}`;
  }
  return text;
}

const TYPES: Readonly<Record<string, string>> = {
  ...{ merge: 'merge-patch+json', strategic: 'strategic-merge-patch+json', jsonpatch: 'json-patch+json' },
  ...{
    apply: 'apply-patch+yaml',
    yaml: 'yaml',
    proto: 'vnd.kubernetes.protobuf',
    cbor: 'cbor',
    octets: 'octet-stream',
  },
  watch: 'vnd.kubernetes.protobuf;stream=watch',
};

interface Sent {
  readonly fields: readonly (readonly string[])[];
  readonly bytes: Uint8Array;
}

function bodyOf(kind: string | undefined, text = '', make: Make): Sent {
  const type = kind === 'text' ? 'text/plain' : `application/${TYPES[kind ?? 'json'] ?? 'json'}`;
  const bytes = Buffer.from(bytesOf(kind, filled(text, make)));
  const encoded = kind === 'gzip' ? [['Content-Encoding', 'gzip']] : [];
  return { fields: [...encoded, ['Content-Type', type], ['Content-Length', String(bytes.length)]], bytes };
}

function bytesOf(kind: string | undefined, text: string): string | Uint8Array {
  switch (kind) {
    case undefined:
    case 'raw':
    case 'text':
      return text;
    case 'octets':
      return `\u0001${text}`;
    case 'apply':
    case 'yaml':
      return text.replaceAll('⏎', '\n');
  }
  const value = opened(JSON.parse(text));
  switch (kind) {
    case 'proto':
      return protobuf(value as Json);
    case 'cbor':
      return encodeCbor(value);
    case 'gzip':
      return gzipSync(JSON.stringify(value));
    case 'watch':
      return watchFrame(protobuf(value as Json));
    default:
      return `${JSON.stringify(value)}${(value as Json)['type'] === 'ADDED' ? '\n' : ''}`;
  }
}

/** With what is encoded inside of a text. */
function opened(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(opened);
  const [[word, inner] = [], ...more] = Object.entries(value as Json);
  const text = (): string => (typeof inner === 'string' ? inner : JSON.stringify(opened(inner)));
  if (more.length === 0 && word === '$json') return text();
  if (more.length === 0 && word === '$base64') return Buffer.from(text()).toString('base64');
  if (more.length === 0 && word === '$proto') return protobuf(opened(inner) as Json);
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, opened(one)]));
}

function protobuf({ apiVersion, kind, ...rest }: Json): Buffer {
  const gvk = `${String(apiVersion).includes('/') ? '' : '/'}${apiVersion}/${kind}`;
  const type = kubernetesTable().section<Record<string, string>>('gvk')[gvk];
  return encodeObject(kubernetesTable(), String(apiVersion), String(kind), type, rest);
}

/** WatchEvent { type = 1, object = 2 RawExtension { raw = 1 } } behind its length. */
function watchFrame(object: Uint8Array): Buffer {
  const event = Buffer.concat([lengthed(1, Buffer.from('ADDED')), lengthed(2, lengthed(1, object))]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(event.length);
  return Buffer.concat([length, event]);
}

function fieldsOf(text: string, make: Make): string[][] {
  return [...text.matchAll(/«([^»]*)»/g)].map(([, field]) => filled(field, make).split(/: (.*)/s, 2));
}

function http1(first: string, fields: readonly (readonly string[])[], body: Uint8Array): Buffer {
  const head = `${first}\r\n${fields.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`;
  return Buffer.concat([Buffer.from(head, 'latin1'), body]);
}

/** One call of gRPC, on a stream of its own: `Service/Method {…} → {…}`, or a whole path. */
export function call({ door, text }: Row, index: number, make: Make): Turn[] {
  const [asked, answered = '{}'] = text.split(' → ');
  const [, name, fields, raw, body = '{}'] = /^(\S+)((?: «[^»]*»)*)(?: (text )?(.*))?$/s.exec(asked) ?? [];
  const table = door === 'etcd' ? etcdTable() : criTable();
  const root = door === 'etcd' ? 'etcdserverpb' : 'runtime.v1';
  const [service, method] = name.split('/');
  const types = table.method(`${root}.${service}`, method);
  const path = filled(name.startsWith('/') ? name : `/${root}.${name}`, make);
  const said = fieldsOf(fields, make).flat();
  const request =
    raw === undefined ? message(table, types?.request, filled(body, make)) : Buffer.from(filled(body, make));
  const response = message(table, types?.response, filled(answered, make));
  const stream = 2 * index + 1;
  const [kind, status] = [
    ['content-type', 'application/grpc'],
    ['grpc-status', '0'],
  ];
  const head = [':method', 'POST', ':scheme', 'http', ':path', path, ':authority', 'x', ...kind, ...said];
  const parts = [
    headers(stream, literals(':status', '200', ...kind)),
    data(stream, response),
    headers(stream, literals(...status), true),
  ];
  return [
    { from: 'client', bytes: Buffer.concat([headers(stream, literals(...head)), data(stream, request, true)]) },
    { from: 'server', bytes: Buffer.concat(parts) },
  ];
}

/** What opens a connection of calls. */
export const OPENING: readonly Turn[] = [
  { from: 'client', bytes: Buffer.concat([PREFACE, settings]) },
  { from: 'server', bytes: Buffer.concat([settings, settingsAck]) },
];

function message(table: Table, type: string | undefined, text: string): Uint8Array {
  return type === undefined ? Buffer.alloc(0) : encodeMessage(table, type, opened(JSON.parse(text)) as Json);
}

/** A message of gRPC in a DATA frame. */
function data(stream: number, bytes: Uint8Array, end = false): Buffer {
  const head = Buffer.alloc(14);
  head.writeUIntBE(bytes.length + 5, 0, 3);
  head[4] = end ? 1 : 0;
  head.writeUInt32BE(stream, 5);
  head.writeUInt32BE(bytes.length, 10);
  return Buffer.concat([head, bytes]);
}
