// Makes a message of a draft: its texts pass the redaction, field by field. A field that is not listed here does not compile.

import { CORE_RESOURCES, UNDOTTED_GROUPS } from '../../core/api-resources.js';
import { shownIdentity, shownPlainWord } from '../../redaction/names.js';
import type { Redaction, Shown } from '../../redaction/redaction.js';
import { ELLIPSIS } from '../../redaction/shown.js';
import type { K8sEventInfo } from '../objects/object-info.js';
import type { StatusProblem } from '../objects/status-problems.js';
import type { Draft } from './draft.js';
import type { AllShown, AppliedFor, Message, Release } from './message.js';

/** @param draft becomes the message: nobody changes it afterwards but for its cause. @returns the same object. */
export function shownMessage(draft: Draft, redaction: Redaction): Message {
  const isKnown = isOfTheApi(draft);
  if (isKnown) observeNames(draft, redaction);
  // What identifies a request or an object is shown as it is: only its type changes.
  const message = draft as unknown as WritableMessage;
  if (!isKnown) showUnknownPath(draft, message);
  showFields(draft, message, redaction);
  return message;
}

/** Each by its rule; without a loop over rows, for it runs for every message of a capture. */
function showFields(draft: Draft, message: WritableMessage, redaction: Redaction): void {
  if (draft.method !== undefined) message.method = shownPlainWord(draft.method);
  if (draft.namespace !== undefined) message.namespace = shownSegment(draft.namespace, redaction);
  if (draft.name !== undefined) message.name = shownSegment(draft.name, redaction);
  if (draft.user !== undefined) message.user = redaction.name(draft.user);
  if (draft.auditId !== undefined) message.auditId = shownAuditId(draft.auditId, redaction);
  if (draft.reason !== undefined) message.reason = redaction.word(draft.reason);
  if (draft.type !== undefined) message.type = redaction.word(draft.type);
  if (draft.k8sEvent !== undefined) message.k8sEvent = shownK8sEvent(draft.k8sEvent, redaction);
  if (draft.claims !== undefined) message.claims = draft.claims.map((one) => redaction.name(one));
  if (draft.missing !== undefined) message.missing = draft.missing.map((one) => redaction.name(one));
  if (draft.warnings !== undefined) message.warnings = draft.warnings.map((one) => redaction.text(one));
  if (draft.problems !== undefined) message.problems = draft.problems.map((one) => shownProblem(one, redaction));
  if (draft.appliedFor !== undefined) message.appliedFor = shownAppliedFor(draft.appliedFor, redaction);
  if (draft.release !== undefined) message.release = shownRelease(draft.release, redaction);
  if (draft.statusMessage !== undefined) message.statusMessage = redaction.text(draft.statusMessage);
  if (draft.service !== undefined) message.service = shownPlainWord(draft.service);
  if (draft.rpcMethod != null) message.rpcMethod = shownPlainWord(draft.rpcMethod);
  if (draft.key !== undefined) message.key = redaction.name(draft.key);
  if (draft.podSandboxId !== undefined) message.podSandboxId = redaction.name(draft.podSandboxId);
  if (draft.containerId !== undefined) message.containerId = redaction.name(draft.containerId);
  if (draft.image !== undefined) message.image = redaction.name(draft.image);
}

type MessageSource =
  | 'method'
  | 'namespace'
  | 'name'
  | 'user'
  | 'auditId'
  | 'reason'
  | 'type'
  | 'k8sEvent'
  | 'claims'
  | 'missing'
  | 'warnings'
  | 'problems'
  | 'appliedFor'
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
  | 'userFrom'
  | 'status'
  | 'latencyMs'
  | 'patch'
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
export type EveryField = None<Exclude<keyof Draft, MessageSource | Identity | Others>>;
type None<Field extends never> = Field;
type WritableMessage = { -readonly [Key in keyof Message]: Message[Key] };

/** What a message names may stand in its texts and in those of later messages. */
function observeNames(draft: Draft, redaction: Redaction): void {
  const { kind, object, k8sEvent, status } = draft;
  if (!NAMING.has(kind)) {
    // A name that the API server generated stands in the answer alone.
    if (status === 201) observe(object?.name, redaction);
    return;
  }
  // Objects, and APIs that the dictionary may not have: a custom resource and its group, a remote call.
  observe(draft.namespace, redaction);
  observe(draft.name, redaction);
  observe(draft.image, redaction);
  if (draft.apiGroup?.includes('.')) {
    observe(draft.apiGroup, redaction);
    observe(draft.resource, redaction);
  }
  observe(draft.service, redaction);
  observe(draft.rpcMethod, redaction);
  if (object !== undefined) {
    observe(object.kind, redaction);
    observe(object.name, redaction);
    observe(object.namespace, redaction);
  }
  if (k8sEvent === undefined) return;
  observe(k8sEvent.name, redaction);
  observe(k8sEvent.component, redaction);
}

/** A response is about what its request named, and pieces of a stream name nothing. */
const NAMING: ReadonlySet<Draft['kind']> = new Set<Draft['kind']>(['request', 'event']);

function observe(name: string | null | undefined, redaction: Redaction): void {
  if (name != null) redaction.observeName(name);
}

/** A path that is none of the Kubernetes API's names no objects: words that people write stay, anything else is left out. */
function showUnknownPath(draft: Draft, message: WritableMessage): void {
  for (const field of OF_THE_PATH) {
    const word = shownPlainWord(draft[field] ?? '');
    message[field] = word === '' || word === ELLIPSIS ? undefined : word;
  }
}

/** Every response has one, and API servers make it a UUID (apiserver, pkg/endpoints/filters/audit_init.go). */
function shownAuditId(value: string, redaction: Redaction): Shown {
  return UUID.test(value) ? shownIdentity(value) : redaction.field('audit-id', value);
}

/** The name of an object, as it stood in a path: one with parameters or escapes is judged as a text. */
function shownSegment(value: string, redaction: Redaction): Shown {
  if (NAME.test(value)) return shownIdentity(value);
  return SEGMENT.test(value) ? redaction.name(value) : redaction.text(value);
}

/** Whoever writes an Event chooses its words. */
function shownK8sEvent(value: K8sEventInfo, redaction: Redaction): AllShown<K8sEventInfo> {
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
function shownProblem({ of, state, reason, exitCode }: StatusProblem, redaction: Redaction): AllShown<StatusProblem> {
  const shown = { of: redaction.name(of), state: redaction.word(state), reason: redaction.word(reason) };
  return exitCode === undefined ? shown : { ...shown, exitCode };
}

function shownAppliedFor(
  { resource, apiGroup, namespace, name }: AppliedFor,
  redaction: Redaction,
): AllShown<AppliedFor> {
  return {
    resource: redaction.name(resource),
    apiGroup: redaction.name(apiGroup),
    namespace: redaction.name(namespace),
    name: redaction.name(name),
  };
}

function shownRelease({ name, revision, status }: Release, redaction: Redaction): AllShown<Release> {
  return { name: redaction.name(name), revision, status: redaction.word(status) };
}

/** Whether a path is one of the Kubernetes API: other programs have paths that look like it, `/api/v1/keys/…`. */
function isOfTheApi({ apiGroup, apiVersion, resource }: Draft): boolean {
  if (resource === undefined || apiVersion === undefined || apiGroup === undefined) return true;
  if (apiVersion !== 'v1' && !VERSION.test(apiVersion)) return false;
  if (apiGroup === '') return CORE.has(resource);
  return (apiGroup.includes('.') || GROUPS.has(apiGroup)) && SEGMENT.test(resource);
}

const CORE: ReadonlySet<string> = new Set(CORE_RESOURCES);
const GROUPS: ReadonlySet<string> = new Set(UNDOTTED_GROUPS);
/** apimachinery, pkg/version. */
const VERSION = /^(?:v\d{1,5}(?:(?:alpha|beta)\d{1,5})?)?$/;
const OF_THE_PATH = ['apiGroup', 'resource', 'subresource', 'namespace', 'name'] as const;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** Of nearly every object (RFC 1123, section 2.1). */
const NAME = /^[a-z0-9.:-]{0,253}$/;
/** Names in a path end before parameters, queries and fragments (RFC 3986, section 3.3). */
const SEGMENT = /^[^\s;#=?&%"'<>{}]*$/;
