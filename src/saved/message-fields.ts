// The fields of a saved message, taken from a line that anybody may have written: each is what the contract says or is
// left out. Knows names and types of fields; what of their texts may be shown is shown-message.ts's.

import type { Draft } from '../kubernetes/messages/draft.js';
import type {
  AppliedFor,
  K8sEventInfo,
  Message,
  MessageKind,
  ObjectField,
  Protocol,
  Release,
  StatusProblem,
  TranslatedCopy,
  UserEvidence,
} from '../kubernetes/messages/message.js';

export type SavedLine = Readonly<Record<string, unknown>>;

/** What every message has; the rest of a message is optional. */
export interface Basics {
  readonly seq: number;
  readonly time: bigint;
  readonly started: bigint;
  readonly digits: 6 | 9;
  readonly kind: MessageKind;
  readonly protocol: Protocol;
  readonly from: string;
  readonly to: string;
  readonly label: string;
  readonly exchange: number;
  readonly connection: string;
  readonly stream: number | null;
  readonly frames: readonly [number, number];
  readonly complete: boolean;
}

/** @returns null where the line is no message. */
export function basicsOf(line: SavedLine): Basics | null {
  const { seq, kind, protocol, from, to, label, exchange, connection } = line;
  const time = timeOf(line['time']);
  const started = line['started'] === undefined ? time : timeOf(line['started']);
  if (time === null || started === null || !isCount(seq) || !isCount(exchange)) return null;
  if (!isOneOf(KINDS, kind) || !isOneOf(PROTOCOLS, protocol)) return null;
  if (typeof from !== 'string' || typeof to !== 'string' || from === '' || to === '') return null;
  if (typeof label !== 'string' || typeof connection !== 'string' || !CONNECTION.test(connection)) return null;
  const { stream, frames, complete } = line;
  return {
    seq,
    time,
    started,
    digits: (line['time'] as string).length === MICRO_LENGTH ? 6 : 9,
    kind,
    protocol,
    from,
    to,
    label,
    exchange,
    connection,
    stream: isCount(stream) ? stream : null,
    frames: isFrames(frames) ? frames : [1, 1],
    complete: complete === true,
  };
}

/** What reading a line makes of numbers and names: see messages.ts. */
type Joined =
  | 'capture'
  | 'lastCapture'
  | 'causedBy'
  | 'details'
  | 'fromName'
  | 'toName'
  | 'via'
  | 'viaNames'
  | 'translated'
  | 'target'
  | 'userAgent'
  | 'patch';
type Optional = Exclude<keyof Message, keyof Basics | Joined>;
type Take<T> = (value: unknown) => T | undefined;

const words: Take<string> = (value) => (typeof value === 'string' ? value : undefined);
const texts: Take<readonly string[]> = (value) =>
  Array.isArray(value) ? value.filter((one) => typeof one === 'string') : undefined;
const number: Take<number> = (value) => (Number.isFinite(value) ? (value as number) : undefined);
const flag: Take<boolean> = (value) => (typeof value === 'boolean' ? value : undefined);

/** One row for each optional field of a message: a new field without a row does not compile. */
const TAKES: { readonly [K in Optional]-?: Take<Draft[K]> } = {
  inferred: (value) => (Array.isArray(value) && value.every((one) => typeof one === 'string') ? value : undefined),
  method: words,
  user: words,
  userFrom: (value) => (isOneOf(USER_EVIDENCE, value) ? value : undefined),
  verb: words,
  apiGroup: words,
  apiVersion: words,
  resource: words,
  subresource: words,
  namespace: words,
  name: words,
  status: number,
  auditId: words,
  latencyMs: number,
  reason: words,
  object: objectOf,
  type: words,
  initial: flag,
  k8sEvent: k8sEventOf,
  dryRun: flag,
  claims: texts,
  missing: texts,
  warnings: texts,
  problems: problemsOf,
  appliedFor: appliedForOf,
  release: releaseOf,
  statusMessage: words,
  service: words,
  rpcMethod: (value) => (value === null ? null : words(value)),
  grpcStatus: number,
  key: words,
  revision: (value) => (typeof value === 'number' ? String(value) : words(value)),
  succeeded: flag,
  podSandboxId: words,
  containerId: words,
  image: words,
  channel: words,
  bytes: number,
  exitCode: number,
};
const OPTIONAL = Object.entries(TAKES) as readonly (readonly [Optional, Take<unknown>])[];

/** The optional fields of a line, by the names of a message. */
export function optionalsOf(line: SavedLine): Partial<Draft> {
  const out: Record<string, unknown> = {};
  for (const [name, take] of OPTIONAL) if (line[name] !== undefined) out[name] = take(line[name]);
  return out as Partial<Draft>;
}

function objectOf(value: unknown): ObjectField | undefined {
  if (!isRecord(value) || typeof value['kind'] !== 'string') return undefined;
  const out: Record<string, unknown> = { kind: value['kind'] };
  for (const name of ['apiVersion', 'namespace', 'name', 'uid', 'resourceVersion'])
    if (value[name] === null || typeof value[name] === 'string') out[name] = value[name];
  if (typeof value['deletionTimestamp'] === 'string') out['deletionTimestamp'] = value['deletionTimestamp'];
  for (const name of ['generation', 'items', 'rows']) if (Number.isFinite(value[name])) out[name] = value[name];
  if (Array.isArray(value['owners'])) {
    out['owners'] = value['owners'].filter(isRecord).map(({ kind, name, uid }) => ({
      kind: wordOf(kind),
      name: wordOf(name),
      uid: wordOf(uid),
    }));
  }
  const { row } = value;
  if (isRecord(row) && typeof row['name'] === 'string') {
    const [namespace, name, uid] = [row['namespace'], row['name'], row['uid']].map((one) =>
      typeof one === 'string' ? one : undefined,
    );
    out['row'] = { namespace, name, uid };
  }
  return out as unknown as ObjectField;
}

function k8sEventOf(value: unknown): K8sEventInfo | undefined {
  if (!isRecord(value)) return undefined;
  return {
    type: wordOf(value['type']),
    reason: wordOf(value['reason']),
    message: wordOf(value['message']),
    kind: wordOf(value['kind']),
    namespace: wordOf(value['namespace']),
    name: wordOf(value['name']),
    uid: wordOf(value['uid']),
    component: wordOf(value['component']),
  };
}

function problemsOf(value: unknown): readonly StatusProblem[] | undefined {
  if (!Array.isArray(value)) return undefined;
  return value.filter(isRecord).map(({ of, state, reason, exitCode }) => ({
    of: wordOf(of),
    state: wordOf(state),
    reason: wordOf(reason),
    ...(typeof exitCode === 'number' && Number.isFinite(exitCode) ? { exitCode } : null),
  }));
}

function appliedForOf(value: unknown): AppliedFor | undefined {
  if (!isRecord(value)) return undefined;
  const [resource, apiGroup, namespace, name] = ['resource', 'apiGroup', 'namespace', 'name'].map((field) =>
    wordOf(value[field]),
  );
  return { resource, apiGroup, namespace, name };
}

function releaseOf(value: unknown): Release | undefined {
  if (!isRecord(value) || !Number.isSafeInteger(value['revision'])) return undefined;
  const { name, revision, status } = value;
  return { name: wordOf(name), revision: revision as number, status: wordOf(status) };
}

function wordOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** RFC 3339 in UTC with six or nine digits, as the contract has it. @returns ns since the epoch. */
export function timeOf(value: unknown): bigint | null {
  if (typeof value !== 'string') return null;
  const match = TIME.exec(value);
  if (match === null) return null;
  if (match[1] !== lastSecond) {
    const ms = Date.parse(`${match[1]}Z`);
    if (Number.isNaN(ms)) return null;
    lastSecond = match[1];
    lastNs = BigInt(ms) * 1_000_000n;
  }
  return lastNs + BigInt(match[2].padEnd(9, '0'));
}

/** Names of those whose addresses were translated. */
export function viaOf(line: SavedLine): readonly string[] | undefined {
  const via = line['via'];
  const isList = Array.isArray(via) && via.length > 0 && via.every((one) => typeof one === 'string' && one !== '');
  return isList ? (via as readonly string[]) : undefined;
}

/** @param captureOf index of a capture by its name; null: the line names none. */
export function translatedOf(
  line: SavedLine,
  captureOf: (name: string | null) => number,
): readonly TranslatedCopy[] | undefined {
  const copies = line['translated'];
  if (!Array.isArray(copies)) return undefined;
  const read = copies.filter(isRecord).flatMap(({ connection, frames, capture }): TranslatedCopy[] => {
    if (typeof connection !== 'string' || !CONNECTION.test(connection) || !isFrames(frames)) return [];
    return [{ connection, capture: captureOf(typeof capture === 'string' ? capture : null), frames }];
  });
  return read.length === 0 ? undefined : read;
}

export function isRecord(value: unknown): value is SavedLine {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) > 0;
}

function isFrames(value: unknown): value is readonly [number, number] {
  return Array.isArray(value) && value.length === 2 && value.every(isCount);
}

function isOneOf<T extends string>(known: ReadonlySet<T>, value: unknown): value is T {
  return known.has(value as T);
}

const KINDS: ReadonlySet<MessageKind> = new Set(['request', 'response', 'event', 'data']);
const PROTOCOLS: ReadonlySet<Protocol> = new Set<Protocol>([
  'kubernetes',
  'kubelet',
  'etcd',
  'cri',
  'registry',
  'docker',
  'http',
  'grpc',
]);
const USER_EVIDENCE: ReadonlySet<UserEvidence> = new Set<UserEvidence>([
  'certificate',
  'token',
  'impersonation',
  'front proxy',
  'loopback',
  'refusal',
  'admission review',
  'token review',
  'self subject review',
  'certificate signing request',
]);
/** As connections are named: `CLIENTIP:PORT-SERVERIP:PORT`. */
export const CONNECTION = /^[0-9a-f.:]{1,60}:\d{1,5}-[0-9a-f.:]{1,60}:\d{1,5}$/;
const TIME = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2})\.(\d{6}|\d{9})Z$/;
const MICRO_LENGTH = '2026-11-21T04:13:27.123456Z'.length;
// Messages of one second come together: its text is read once.
let lastSecond = '';
let lastNs = 0n;
