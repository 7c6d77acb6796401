// What a message may tell: the texts of a draft are captured ones, those of a message have passed the redaction. Every field is named
// here, so that a new one does not compile before somebody says what may be shown of it. Knows fields; what may be shown is the redaction's.

import { isResource, shownIdentity, shownPlainWord } from '../redaction/names.js';
import type { Redaction, Shown } from '../redaction/redaction.js';
import type { Draft } from './draft.js';
import type { MadeFor, Message, Release, Told } from './message.js';
import type { ObjectField, ReportInfo } from './objects/object-info.js';
import type { Trouble } from './objects/troubles.js';

/** @param draft becomes the message: nobody changes it afterwards but for its cause. @returns the same object. */
export function toldMessage(draft: Draft, redaction: Redaction): Message {
  const isKnown = isOfTheApi(draft);
  if (isKnown && NAMING.has(draft.kind)) learn(draft, redaction);
  // Whose name the API server makes up is named in the answer.
  else if (draft.status === 201) redaction.learn(draft.object?.name ?? '');
  // Fields of identity are told as they are, which only the compiler has to hear.
  const message = draft as unknown as Telling;
  if (!isKnown) tellUnknownPath(draft, message);
  tellFields(draft, message, redaction);
  return message;
}

/** Each by its rule: most messages have few of them, and this is done for every message. */
function tellFields(draft: Draft, message: Telling, redaction: Redaction): void {
  if (draft.method !== undefined) message.method = shownPlainWord(draft.method);
  if (draft.namespace !== undefined) message.namespace = segment(draft.namespace, redaction);
  if (draft.name !== undefined) message.name = segment(draft.name, redaction);
  if (draft.auditId !== undefined) message.auditId = redaction.field('audit-id', draft.auditId);
  if (draft.reason !== undefined) message.reason = redaction.word(draft.reason);
  if (draft.type !== undefined) message.type = redaction.word(draft.type);
  if (draft.report !== undefined) message.report = report(draft.report, redaction);
  if (draft.claims !== undefined) message.claims = draft.claims.map((one) => redaction.name(one));
  if (draft.lacks !== undefined) message.lacks = draft.lacks.map((one) => redaction.name(one));
  if (draft.warnings !== undefined) message.warnings = draft.warnings.map((one) => redaction.text(one));
  if (draft.troubles !== undefined) message.troubles = draft.troubles.map((one) => trouble(one, redaction));
  if (draft.madeFor !== undefined) message.madeFor = madeFor(draft.madeFor, redaction);
  if (draft.release !== undefined) message.release = release(draft.release, redaction);
  if (draft.statusMessage !== undefined) message.statusMessage = redaction.text(draft.statusMessage);
  if (draft.service !== undefined) message.service = shownPlainWord(draft.service);
  if (draft.rpcMethod != null) message.rpcMethod = shownPlainWord(draft.rpcMethod);
  if (draft.key !== undefined) message.key = redaction.name(draft.key);
  if (draft.podSandboxId !== undefined) message.podSandboxId = redaction.name(draft.podSandboxId);
  if (draft.containerId !== undefined) message.containerId = redaction.name(draft.containerId);
  if (draft.image !== undefined) message.image = redaction.name(draft.image);
}

type LookedAt =
  | 'method'
  | 'namespace'
  | 'name'
  | 'auditId'
  | 'reason'
  | 'type'
  | 'report'
  | 'claims'
  | 'lacks'
  | 'warnings'
  | 'troubles'
  | 'madeFor'
  | 'release'
  | 'statusMessage'
  | 'service'
  | 'rpcMethod'
  | 'key'
  | 'podSandboxId'
  | 'containerId'
  | 'image';
/** What an API calls its parts, and who an object of it is: nobody can put anything else there. */
type Identity = 'verb' | 'apiGroup' | 'apiVersion' | 'resource' | 'subresource' | 'object' | 'revision' | 'channel';
/** Fields that hold no text of a capture, or texts that were made to be shown. */
type Others =
  | 'seq'
  | 'time'
  | 'started'
  | 'kind'
  | 'protocol'
  | 'from'
  | 'to'
  | 'fromName'
  | 'toName'
  | 'label'
  | 'exchange'
  | 'connection'
  | 'stream'
  | 'capture'
  | 'lastCapture'
  | 'frames'
  | 'complete'
  | 'inferred'
  | 'causedBy'
  | 'target'
  | 'userAgent'
  | 'status'
  | 'latencyMs'
  | 'initial'
  | 'dryRun'
  | 'grpcStatus'
  | 'succeeded'
  | 'bytes'
  | 'exitCode'
  | 'via'
  | 'viaNames'
  | 'translated'
  | 'details';
/** A field of a message that is in none of these does not compile. */
export type EveryField = None<Exclude<keyof Draft, LookedAt | Identity | Others>>;
type None<Field extends never> = Field;
type Telling = { -readonly [Key in keyof Message]: Message[Key] };

/** What a message names, its texts may speak of, and those of later ones. */
export function learn(named: Named, redaction: Redaction): void {
  for (let i = 0; i < NAMES.length; i++) learnName(named[NAMES[i]], redaction);
  const { object, report } = named;
  if (object !== undefined) {
    learnName(object.kind, redaction);
    learnName(object.name, redaction);
    learnName(object.namespace, redaction);
  }
  if (report === undefined) return;
  learnName(report.name, redaction);
  learnName(report.component, redaction);
}

/** What an answer is about, its request has named; pieces of a stream name nothing. */
const NAMING: ReadonlySet<Draft['kind']> = new Set<Draft['kind']>(['request', 'event']);
/** Of a message, and of APIs that no dictionary has: a custom resource and its group, a call. */
const NAMES = ['namespace', 'name', 'image', 'apiGroup', 'resource', 'service', 'rpcMethod'] as const;

interface Named extends Pick<Draft, (typeof NAMES)[number]> {
  readonly object?: Pick<ObjectField, 'kind' | 'name' | 'namespace'>;
  readonly report?: Pick<ReportInfo, 'name' | 'component'>;
}

function learnName(name: string | null | undefined, redaction: Redaction): void {
  if (name != null) redaction.learn(name);
}

/** Of a path that is none of the API's, what people write. */
function tellUnknownPath(draft: Draft, message: Telling): void {
  for (const field of OF_THE_PATH) {
    const value = draft[field];
    if (value !== undefined) message[field] = shownPlainWord(value);
  }
}

/** Of a path, as it was sent: parameters of a segment and what is escaped are no name. */
function segment(value: string, redaction: Redaction): Shown {
  if (NAME.test(value)) return shownIdentity(value);
  return SEGMENT.test(value) ? redaction.name(value) : redaction.text(value);
}

/** Whoever writes an Event chooses its words. */
function report(value: ReportInfo, redaction: Redaction): Told<ReportInfo> {
  const { type, reason, message, kind, namespace, name, uid, component } = value;
  return {
    type: redaction.word(type),
    reason: redaction.word(reason),
    message: redaction.text(message),
    kind: redaction.name(kind),
    namespace: redaction.name(namespace),
    name: redaction.name(name),
    uid: redaction.name(uid),
    component: redaction.name(component),
  };
}

/** Names of containers and reasons are anybody's words. */
function trouble({ of, state, reason, exitCode }: Trouble, redaction: Redaction): Told<Trouble> {
  const told = { of: redaction.name(of), state: redaction.word(state), reason: redaction.word(reason) };
  return exitCode === undefined ? told : { ...told, exitCode };
}

function madeFor({ resource, apiGroup, namespace, name }: MadeFor, redaction: Redaction): Told<MadeFor> {
  return {
    resource: redaction.name(resource),
    apiGroup: redaction.name(apiGroup),
    namespace: redaction.name(namespace),
    name: redaction.name(name),
  };
}

function release({ name, revision, status }: Release, redaction: Redaction): Told<Release> {
  return { name: redaction.name(name), revision, status: redaction.word(status) };
}

/** Whether a path is one of the Kubernetes API: other programs have paths that look like it, `/api/v1/keys/…`. */
function isOfTheApi({ apiGroup, apiVersion, resource }: Draft): boolean {
  if (resource === undefined || apiVersion === undefined || apiGroup === undefined) return true;
  if (apiGroup === '') return isResource(resource);
  return (apiGroup.includes('.') || GROUPS.has(apiGroup)) && SEGMENT.test(resource);
}

/** Groups without a dot (k8s.io/api). */
const GROUPS: ReadonlySet<string> = new Set(['apps', 'autoscaling', 'batch', 'extensions', 'policy']);
const OF_THE_PATH = ['apiGroup', 'resource', 'subresource', 'namespace', 'name'] as const;
/** Of nearly every object (RFC 1123, section 2.1). */
const NAME = /^[a-z0-9.:-]{0,253}$/;
/** Names in a path end before parameters, queries and fragments (RFC 3986, section 3.3). */
const SEGMENT = /^[^\s;#=?&%"'<>{}]*$/;
