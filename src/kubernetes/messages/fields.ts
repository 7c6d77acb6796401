// The fields of a message, one row each, in the order in which a line of `messages -o ndjson` has them. The type of a message, the
// redaction, JSON, CSV, CEL, the reader of saved messages, docs/messages.md and docs/schema/message.schema.json are made from the rows.

import { shownPlainWord } from '../../redaction/names.js';
import type { Redaction } from '../../redaction/redaction.js';
import type { Shown } from '../../redaction/shown.js';
import type { UserEvidence } from '../participants/user.js';
import * as schema from './field-schemas.js';
import * as value from './field-values.js';

export { CAUSE_KINDS } from './field-values.js';

export const KINDS = ['request', 'response', 'event', 'data', 'end'] as const;
export const PROTOCOLS = ['kubernetes', 'kubelet', 'etcd', 'cri', 'registry', 'docker', 'http', 'grpc'] as const;
const USER_EVIDENCE = [
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
  'audit log',
] as const satisfies readonly UserEvidence[];

const WEBHOOK_VERDICTS = ['allowed', 'allowed with changes', 'denied', 'converted', 'not converted'] as const;
const EVENT_TYPES = ['ADDED', 'MODIFIED', 'DELETED', 'BOOKMARK', 'ERROR', 'PUT', 'DELETE'] as const;
const CHANNELS = ['stdin', 'stdout', 'stderr', 'error', 'resize', 'data', 'log', 'connect', 'end', 'failed'] as const;

/** The heading in docs/messages.md under which a field is explained. */
export type Section =
  | 'Every message'
  | 'Requests'
  | 'Responses'
  | 'Events'
  | 'Whatever carries an object'
  | 'Data'
  | 'Ends'
  | 'Pods and Services'
  | 'Remote calls';

/** How a value is written on a line; `once` is for texts that do not come again, `given` for true alone. */
export type LineForm =
  | 'text'
  | 'once'
  | 'unless empty'
  | 'nullable'
  | 'number'
  | 'given'
  | 'flag'
  | 'json'
  | 'object'
  | 'names'
  | 'copies';

interface FieldBase {
  readonly section: Section;
  /** For docs/messages.md and the schema; empty: that of the row above, which explains both. */
  readonly doc: string;
  /** JSON Schema of the value. */
  readonly schema: Readonly<Record<string, unknown>>;
  /** Every line has it. */
  readonly required?: true;
  /** Type in `--where`; a number without a fraction is an `int`. */
  readonly cel: string;
  /** In `--where` the answers and events of a request have it, too. */
  readonly ofRequest?: true;
  /** Column of the CSV, from 1: a new field takes the next number. */
  readonly csv?: number;
  /** Absent: it is written together with others (render/messages). */
  readonly line?: LineForm;
}

/** A value of its own. What may be shown of a captured one is a rule that no such row goes without. */
interface ReadField extends FieldBase {
  /** Reads it from a saved line. */
  readonly read: (value: unknown) => unknown;
  /** How it passes the redaction; null: it can hold nothing but what identifies a request or an object. */
  readonly show: ((value: never, redaction: Redaction) => unknown) | null;
  /** Header field, in lower case, of a request or response that a message has it from. */
  readonly header?: { readonly of: 'request' | 'response'; readonly name: string };
}

/** A value that is made, and read, together with others. */
interface JoinedField extends FieldBase {
  readonly read?: undefined;
  readonly show?: undefined;
  readonly header?: undefined;
}

export type Field = ReadField | JoinedField;

const name = (text: string, redaction: Redaction): Shown => redaction.name(text);
const storeKey = (text: string, redaction: Redaction): Shown => redaction.storeKey(text);
const names = (texts: readonly string[], redaction: Redaction): readonly Shown[] =>
  texts.map((one) => redaction.name(one));
const word = (text: string, redaction: Redaction): Shown => redaction.word(text);
const text = (one: string, redaction: Redaction): Shown => redaction.text(one);
const texts = (all: readonly string[], redaction: Redaction): readonly Shown[] => all.map((one) => redaction.text(one));
const plainWord = (one: string): Shown => shownPlainWord(one);
const method = (one: string | null): Shown | null => (one === null ? null : shownPlainWord(one));

const COUNT = { schema: { $ref: '#/$defs/count' }, cel: 'int' } as const;
const TIME = { schema: { $ref: '#/$defs/time' }, cel: 'google.protobuf.Timestamp' } as const;
const PARTICIPANT = { schema: { $ref: '#/$defs/word' }, cel: 'string', required: true } as const;
const FILE = { schema: { type: 'string' }, cel: 'string' } as const;

const ASKED = { schema: { type: 'string' }, cel: 'string', read: value.readText } as const;
const TEXT = { ...ASKED, line: 'text' } as const;
const IDENTITY = { ...TEXT, show: null } as const;
const NAME = { ...TEXT, show: name } as const;
const TEXTS = {
  schema: { type: 'array', items: { type: 'string' }, minItems: 1 },
  cel: 'list<string>',
  line: 'json',
  read: value.readTexts,
} as const;
const INTEGER = {
  schema: { type: 'integer' },
  cel: 'int',
  line: 'number',
  read: value.readNumber,
  show: null,
} as const;
const TRUE = { schema: { const: true }, cel: 'bool', line: 'given', read: value.readFlag, show: null } as const;
const FLAG = { schema: { type: 'boolean' }, cel: 'bool', line: 'flag', read: value.readFlag, show: null } as const;

const ALL = { section: 'Every message' } as const;
const REQUEST = { section: 'Requests', ofRequest: true } as const;
const RESPONSE = { section: 'Responses' } as const;
const EVENT = { section: 'Events' } as const;
const OBJECT = { section: 'Whatever carries an object' } as const;
const DATA = { section: 'Data' } as const;
const CALL = { section: 'Remote calls' } as const;
const END = { section: 'Ends' } as const;
const NETWORK = { section: 'Pods and Services' } as const;

// biome-ignore format: a row a field
export const FIELDS = {
  seq: {
    ...ALL, ...COUNT, required: true, csv: 1,
    doc: '1, 2, 3 …, given before any selection. `--where` and its like leave gaps, they do not renumber',
  },
  time: {
    ...ALL, ...TIME, required: true, csv: 2,
    doc: 'when the frame that completed the message was captured. UTC, six digits for microsecond captures, nine for nanosecond ones',
  },
  started: {
    ...ALL, ...TIME, csv: 30,
    doc: 'when its first byte was captured; only where that is another time',
  },
  kind: {
    ...ALL, schema: { enum: KINDS }, cel: 'string', required: true, csv: 3,
    doc: '`request`, `response`, `event` (one watch event), `data` (bytes of a stream: exec, port-forward, gRPC), `end` (one side broke the exchange off: see [broken.md](broken.md))',
  },
  protocol: {
    ...ALL, schema: { enum: PROTOCOLS }, cel: 'string', required: true, csv: 4,
    doc: 'the layer: `kubernetes`, `kubelet`, `etcd`, `cri`, `registry`, `docker`, `http`, `grpc`',
  },
  from: {
    ...ALL, ...PARTICIPANT, csv: 5,
    doc: 'participants, see [below](#participants)',
  },
  to: { ...ALL, ...PARTICIPANT, csv: 6, doc: '' },
  label: {
    ...ALL, schema: { type: 'string', pattern: '^\\[(REQ|RESP|RESP-CHUNK|RPC|RPC-RESP|DATA|END)\\]' }, cel: 'string', required: true, csv: 7,
    doc: 'the text on the arrow, see [below](#labels)',
  },
  exchange: {
    ...ALL, ...COUNT, required: true, csv: 8,
    doc: 'the same number for a request, its response and its events',
  },
  connection: {
    ...ALL, schema: schema.CONNECTION, cel: 'string', required: true, csv: 9,
    doc: '`CLIENTIP:PORT-SERVERIP:PORT`; IPv6 as in RFC 5952, without brackets',
  },
  stream: {
    ...ALL, schema: { type: ['integer', 'null'], minimum: 1 }, cel: 'int', required: true, csv: 10,
    doc: 'HTTP/2 stream id, null for HTTP/1.1',
  },
  frames: {
    ...ALL, schema: schema.FRAMES, cel: 'list<int>', required: true, csv: 11,
    doc: 'first and last frame, as Wireshark numbers them',
  },
  capture: {
    ...ALL, ...FILE, csv: 48,
    doc: 'name of the file; only where several were read',
  },
  lastCapture: {
    ...ALL, ...FILE,
    doc: 'name of the file that the last frame is in; only where it is another one: two hosts saw parts of the message, or a ring went on with its next file',
  },
  complete: {
    ...ALL, schema: { type: 'boolean' }, cel: 'bool', required: true, csv: 12,
    doc: 'false where bytes are missing or the capture ended inside the message. The response of a watch is complete with its head',
  },
  inferred: {
    ...ALL, schema: { type: 'array', items: { $ref: '#/$defs/word' }, minItems: 1 }, cel: 'list<string>', csv: 31,
    doc: 'names of fields of this line that were concluded and not read; absent where there are none',
  },
  causedBy: {
    ...ALL, ...COUNT, csv: 13,
    doc: "`seq` of the message that this one answers to: a response's request, the write behind an event, the event that triggered it. Absent where two are possible",
  },
  cause: {
    ...ALL, schema: schema.CAUSE, cel: 'dyn', csv: 60,
    doc: 'how `causedBy` is known: `seq` (the same number), `how` in one of the words [below](#causes), `certain`: the capture proves it, `others`: `seq` of what it can have been as well',
  },
  method: {
    ...REQUEST, ...ASKED, schema: { $ref: '#/$defs/word' }, show: plainWord, csv: 14,
    doc: 'as on the wire, with credentials replaced by `REDACTED`',
  },
  target: { ...REQUEST, ...FILE, csv: 15, doc: '' },
  userAgent: { ...REQUEST, ...FILE, csv: 16, doc: '' },
  verb: {
    ...REQUEST, ...ASKED, show: null, csv: 17,
    doc: "as in the API server's audit log: `get`, `list`, `watch`, `create`, `update`, `patch`, `delete`, `deletecollection`; for paths that are no resources the method in lower case",
  },
  apiGroup: {
    ...REQUEST, ...ASKED, show: null, csv: 18,
    doc: 'what the request is about. The core group is the empty text. A create has the name of its body; a selector `metadata.name=x` gives the name x; a Namespace fills both `namespace` and `name`',
  },
  apiVersion: { ...REQUEST, ...ASKED, show: null, csv: 19, doc: '' },
  resource: { ...REQUEST, ...ASKED, show: null, csv: 20, doc: '' },
  subresource: { ...REQUEST, ...ASKED, show: plainWord, csv: 21, doc: '' },
  namespace: { ...REQUEST, ...ASKED, show: value.showSegment, csv: 22, doc: '' },
  name: { ...REQUEST, ...ASKED, show: value.showSegment, csv: 23, doc: '' },
  user: {
    ...REQUEST, ...NAME, csv: 56,
    doc: "whose request it is, as the API server's audit log has it; see [Users](#users). Of an AdmissionReview, whose write it is about",
  },
  userFrom: {
    ...REQUEST, ...IDENTITY, schema: { enum: USER_EVIDENCE }, read: value.readOneOf(USER_EVIDENCE), csv: 57,
    doc: 'how the user is known, in one of the words [below](#users)',
  },
  traceparent: {
    ...REQUEST, ...TEXT, line: 'once', show: value.showTraceparent, header: { of: 'request', name: 'traceparent' }, csv: 59,
    doc: 'the `Traceparent` header by which distributed tracing follows a request: `00-TRACE-PARENT-FLAGS` in hexadecimal digits. Absent where it is not of that form',
  },
  patchType: {
    ...REQUEST, ...TEXT, schema: { enum: value.PATCH_TYPES }, show: value.showPatchType, header: { of: 'request', name: 'content-type' }, csv: 66,
    doc: 'how a patch is meant, as `kubectl patch --type` calls it: `json`, `merge` or `strategic`; `apply`: server-side apply',
  },
  status: {
    ...RESPONSE, ...INTEGER, schema: { type: 'integer', minimum: 100, maximum: 999 }, csv: 24,
    doc: 'HTTP status on the wire',
  },
  reason: {
    ...RESPONSE, ...TEXT, schema: { $ref: '#/$defs/word' }, line: 'unless empty', show: word, csv: 32,
    doc: 'why the API server refused, in its own word (`AlreadyExists`), where the body says so',
  },
  statusMessage: {
    ...RESPONSE, ...TEXT, show: text, csv: 33,
    doc: "the API server's text about a failure, where that can hold no secret; where it names fields that are wrong, these and in what way. Of a failed call of the container runtime, what the kubelet repeats in an Event; of a 401 also what is wrong with the client's certificate; whether it was sent before the request's body had ended",
  },
  auditId: {
    ...RESPONSE, ...TEXT, line: 'once', show: value.showAuditId, header: { of: 'response', name: 'audit-id' }, csv: 25,
    doc: "the `Audit-Id` header: the same as in the API server's audit log",
  },
  authorization: {
    ...RESPONSE, ...TEXT, show: value.showAuthorization, csv: 61,
    doc: 'what the authorizer decided and why, in its own words (`allow: RBAC: allowed by …`): only where an [audit log](audit-logs.md) was read',
  },
  latencyMs: {
    ...RESPONSE, ...INTEGER, schema: { type: 'number' }, cel: 'double', csv: 26,
    doc: 'from the last byte of the request to the first of the response, in ms. Absent where the response began before that, by the clock of the capture: it came early, or the clock was set back in between, and how long it took is not known',
  },
  times: {
    ...RESPONSE, schema: schema.TIMES, cel: 'dyn', line: 'json', read: value.readTimes, show: null, csv: 65,
    doc: 'which part of the time was long, 100 ms and more: `connectMs` from the first SYN to its answer (of the first exchange of a connection), `syns`: how often it was sent; `tlsMs` from the first ClientHello of TLS to the server\'s answer (of the same exchange); `sendMs` from the last byte of the request to its acknowledgment, which is part of `latencyMs`, `sent`: how often that byte was sent, `waitMs` from there to the first byte of the response, unless that has the acknowledgment; `receiveMs` from there to the last byte of a response that is no stream, `stalledMs`: of it, while the server could send nothing and then went on, as the client\'s TCP window was 0 or a window of HTTP/2 full',
  },
  object: {
    ...OBJECT, schema: schema.OBJECT, cel: 'dyn', line: 'object', read: value.readObject, show: null, csv: 27,
    doc: '`apiVersion`, `kind` (as in the body: `PartialObjectMetadata` too), `namespace`, `name`, `uid`, `resourceVersion`, `generation`, `deletionTimestamp` (of one that somebody deletes), `owners`. A field that the object does not have is null. A list has `kind`, `items` (how many) and `resourceVersion`; a Table has `rows`, and with one row, as in `kubectl get --watch`, `row`: `namespace`, `name` and `uid` of whom it is about',
  },
  type: {
    ...EVENT, ...TEXT, schema: { enum: EVENT_TYPES }, show: word, csv: 28,
    doc: '`ADDED`, `MODIFIED`, `DELETED`, `BOOKMARK`, `ERROR`',
  },
  initial: {
    ...EVENT, ...TRUE, csv: 29,
    doc: 'true for the events with which a streaming list (`sendInitialEvents`) begins: state, not change',
  },
  k8sEvent: {
    ...OBJECT, schema: schema.K8S_EVENT, cel: 'dyn', line: 'json', read: value.readK8sEvent, show: value.showK8sEvent,
    doc: 'only for objects of kind Event: what it says about which object. In a request where the Event is made; in the answer where somebody repeats it: that request has only how often',
  },
  claims: {
    ...OBJECT, ...TEXTS, show: names, csv: 52,
    doc: 'what a Pod asks for that is an object of its own and not owned by it, where the Pod is new, or answered with for the first time: `persistentvolumeclaims/data`, `resourceclaims/gpu`',
  },
  missing: {
    ...OBJECT, ...TEXTS, show: names, csv: 53,
    doc: 'what an Event says that its object cannot do without, or a refusal the request: what is not there (`configmaps/settings`, `serviceaccounts/robot`), has not the key that is asked for, or is too small (`resourcequotas/q`)',
  },
  dryRun: {
    ...REQUEST, ...TRUE, csv: 49,
    doc: 'true: nothing is changed. By its query, or the options of a delete',
  },
  warnings: {
    ...RESPONSE, ...TEXTS, show: texts, csv: 50,
    doc: "the API server's warnings (`Warning` headers), as kubectl prints them",
  },
  problems: {
    ...OBJECT, schema: schema.PROBLEMS, cel: 'list<dyn>', line: 'json', read: value.readProblems, show: value.showProblems, csv: 51,
    doc: "of a request that writes the status of a Pod, Deployment, ReplicaSet, Job, Node, Namespace, HorizontalPodAutoscaler, PersistentVolumeClaim, VolumeAttachment or CertificateSigningRequest, or that a release of Helm's failed: problems that the object's status reports; for the first version seen, those it already had. `of` (`container web`, `init container wait`, `condition Failed`, `phase`, `attach`), `state` (`waiting`, `terminated`, `failed`; of a condition its status), `reason` (`OOMKilled`; of an attachment what its driver said, of a Namespace what is left in it), `exitCode`",
  },
  appliedFor: {
    ...OBJECT, schema: schema.APPLIED_FOR, cel: 'dyn', line: 'json', read: value.readAppliedFor, show: value.showAppliedFor, csv: 54,
    doc: "of a request that makes or changes an object whose labels or annotations say for whose sake it is there, as Flux's, Argo CD's and cert-manager's do: `resource`, `apiGroup`, `namespace` (empty: not said), `name` of the Kustomization, HelmRelease, Application or Certificate",
  },
  release: {
    ...OBJECT, schema: schema.RELEASE, cel: 'dyn', line: 'json', read: value.readRelease, show: value.showRelease, csv: 55,
    doc: "of a request that writes a record of Helm's (a Secret or ConfigMap `sh.helm.release.v1.NAME.vREVISION`): `name`, `revision`, `status` as its labels have it (`pending-upgrade`, `deployed`, `failed`)",
  },
  lease: {
    ...OBJECT, schema: schema.LEASE, cel: 'dyn', line: 'json', read: value.readLease, show: value.showLease, csv: 63,
    doc: 'of a request that writes a Lease by which programs agree who leads, and of an answer that has one: `holder` (empty: nobody), for how many `seconds` since it was renewed, how many `transitions` it has had. Of the Leases of nodes it is absent',
  },
  verdict: {
    ...RESPONSE, ...IDENTITY, schema: { enum: WEBHOOK_VERDICTS }, read: value.readOneOf(WEBHOOK_VERDICTS), csv: 62,
    doc: "of a webhook's answer: `allowed`, `allowed with changes`, `denied`; of a conversion webhook's `converted`, `not converted`",
  },
  patch: {
    ...RESPONSE, schema: schema.PATCH, cel: 'list<dyn>', line: 'json', csv: 58,
    doc: "of an admission webhook's answer: the operations (RFC 6902) by which it changes the object, decoded and redacted as bodies are; see [webhooks.md](webhooks.md)",
  },
  service: {
    ...CALL, ofRequest: true, ...TEXT, show: plainWord, csv: 34,
    doc: '`etcdserverpb.KV`, `Txn`; `rpcMethod` is null where it cannot be known, and concluded where `inferred` names it',
  },
  rpcMethod: { ...CALL, ofRequest: true, ...TEXT, schema: { type: ['string', 'null'] }, line: 'nullable', read: value.readMethod, show: method, csv: 35, doc: '' },
  grpcStatus: {
    ...CALL, ...INTEGER, schema: { type: 'integer', minimum: 0 }, csv: 36,
    doc: 'in the response; absent where its trailers were not captured or not readable',
  },
  key: {
    ...CALL, ofRequest: true, ...TEXT, show: storeKey, csv: 37,
    doc: 'etcd: the key, the revision of the store, whether a transaction did what it was to do',
  },
  revision: { ...CALL, ...IDENTITY, schema: { type: ['integer', 'string'] }, line: 'once', read: value.readRevision, csv: 38, doc: '' },
  succeeded: { ...CALL, ...FLAG, csv: 39, doc: '' },
  podSandboxId: {
    ...CALL, ofRequest: true, ...NAME, csv: 40,
    doc: 'container runtime',
  },
  containerId: { ...CALL, ofRequest: true, ...NAME, csv: 41, doc: '' },
  image: { ...CALL, ofRequest: true, ...NAME, csv: 42, doc: '' },
  channel: {
    ...DATA, ...IDENTITY, schema: { enum: CHANNELS }, csv: 43,
    doc: '`stdin`, `stdout`, `stderr`, `error`, `resize` (exec, attach), `data`, `error` (port-forward), `log`, `connect`, `end`, `failed` (tunnels of remotedialer); absent where the protocol does not tell',
  },
  bytes: {
    ...DATA, ...INTEGER, schema: { type: 'integer', minimum: 0 }, csv: 44,
    doc: "size of the piece. Its content is never printed. Of a registry's answer: size of the manifest or blob, as its head says",
  },
  exitCode: {
    ...DATA, ...INTEGER, csv: 45,
    doc: 'how a command ended: on the piece of channel `error` that has it. See [exec.md](exec.md)',
  },
  cut: {
    ...END, schema: schema.CUT, cel: 'dyn', line: 'json', read: value.readCut, show: value.showCut, csv: 64,
    doc: 'how `from` broke the exchange off: `by` (`client`, `server`, `proxy`), `how` (`FIN`, in TLS perhaps `without close_notify`, `close_notify`, `RST`, `RST_STREAM`, `GOAWAY`; of a watch that its server ended before its `timeoutSeconds` `END_STREAM` or `last chunk`), `code` of RST_STREAM and GOAWAY in the words of RFC 9113, `silentMs` in which the connection had carried no byte, `afterMs` since the request that was not answered, `openMs` that such a watch was open, of `timeoutMs` that it asked for, bytes of the response that were `received` and `promised`, `unprocessed`: the server says that it did nothing of it',
  },
  via: {
    ...NETWORK, schema: { type: 'array', items: { $ref: '#/$defs/word' }, minItems: 1 }, cel: 'list<string>', line: 'names', csv: 46,
    doc: "Services whose addresses stood in the packets before they were translated into a Pod's, and proxies that pass TLS through, in the order in which the message passed them",
  },
  translated: {
    ...NETWORK, schema: schema.TRANSLATED, cel: 'list<dyn>', line: 'copies', csv: 47,
    doc: "where the same message was captured with other addresses: `connection`, `frames`, `capture`. `connection` and `frames` of the message itself are the client's side ([pod-network.md](pod-network.md), [load-balancers.md](load-balancers.md))",
  },
} as const satisfies Readonly<Record<string, Field>>;

export type FieldName = keyof typeof FIELDS;
type Row<K extends FieldName> = (typeof FIELDS)[K];
/** Fields with a value of their own; what the others have is made of several or by the pipeline. */
export type ReadableField = { [K in FieldName]: Row<K> extends { read: unknown } ? K : never }[FieldName];
/** Fields that are a header field of a request or response. */
export type FieldFromHeader = { [K in FieldName]: Row<K> extends { header: unknown } ? K : never }[FieldName] &
  ReadableField;
/** Its value as it was captured. */
export type Captured<K extends ReadableField> = Exclude<ReturnType<Row<K>['read']>, undefined>;

type None<Name extends never> = Name;
/** A rule that does not take what is read, or gives what may not be shown, does not compile. */
export type RulesFit = None<
  {
    [K in ReadableField]: Row<K>['show'] extends value.Show<Captured<K>> | null ? never : K;
  }[ReadableField]
>;

/** The rows by name, in their order. */
export const FIELD_ROWS = Object.entries(FIELDS) as readonly (readonly [FieldName, Field])[];
