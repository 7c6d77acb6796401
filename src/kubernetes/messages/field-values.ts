// Reads values of message fields from the JSON of saved lines, which may hold anything, and passes them through the redaction.

import type { CutInfo } from '../../core/cut.js';
import type { ExchangeTimes } from '../../core/lost-time.js';
import { isRecord } from '../../core/record.js';
import { shownIdentity, shownPlainWord } from '../../redaction/names.js';
import type { Redaction } from '../../redaction/redaction.js';
import { type Shown, sentence } from '../../redaction/shown.js';
import type { AppliedFor, Release } from '../objects/applied-by.js';
import type { LeaseInfo } from '../objects/object-facts.js';
import type { K8sEventInfo, ObjectField } from '../objects/object-info.js';
import type { StatusProblem } from '../objects/status-problems.js';

/** In which way a message follows from another one: values of `cause.how`, which docs/messages.md explains. */
export const CAUSE_KINDS = [
  'response',
  'forwarded',
  'webhook',
  'store',
  'pull',
  'stream',
  'list',
  'write',
  'notification',
  'requeue',
] as const;

/** How a side ends an exchange: values of `cut.how`. */
export const CUT_KINDS = [
  'FIN',
  'FIN without close_notify',
  'close_notify',
  'RST',
  'RST_STREAM',
  'GOAWAY',
  'END_STREAM',
  'last chunk',
] as const;
export const CUT_SIDES = ['client', 'server', 'proxy'] as const;

/** The same value with each text passed through the redaction. */
export type AllShown<T> = T extends string
  ? string extends T
    ? Shown
    : T
  : T extends readonly (infer Element)[]
    ? readonly AllShown<Element>[]
    : T extends object
      ? { readonly [Key in keyof T]: AllShown<T[Key]> }
      : T;

/** @returns undefined where the field cannot have this value. */
export type Read<T> = (value: unknown) => T | undefined;
/** @returns undefined where nothing of the value may be shown. */
export type Show<T> = (value: T, redaction: Redaction) => AllShown<T> | undefined;

export const readText: Read<string> = (value) => (typeof value === 'string' ? value : undefined);
/** Drops what is no text. */
export const readTexts: Read<readonly string[]> = (value) =>
  Array.isArray(value) ? value.filter((one) => typeof one === 'string') : undefined;
export const readNumber: Read<number> = (value) => (Number.isFinite(value) ? (value as number) : undefined);
export const readFlag: Read<boolean> = (value) => (typeof value === 'boolean' ? value : undefined);
/** Takes texts alone. */
export const readNames: Read<readonly string[]> = (value) =>
  Array.isArray(value) && value.every((one) => typeof one === 'string') ? value : undefined;
const readTextOrNull: Read<string | null> = (value) => (value === null ? null : readText(value));
export const readMethod = readTextOrNull;
/** etcd's revision; a number in lines that older versions of kubeseq saved. */
export const readRevision: Read<string> = (value) => (typeof value === 'number' ? String(value) : readText(value));

export function readOneOf<T extends string>(words: readonly T[]): Read<T> {
  const known: ReadonlySet<unknown> = new Set(words);
  return (value) => (known.has(value) ? (value as T) : undefined);
}

/** All members from the start, as objectField gives them, so that every object has one shape. */
export function readObject(value: unknown): ObjectField | undefined {
  if (!isRecord(value) || typeof value['kind'] !== 'string') return undefined;
  return {
    apiVersion: readTextOrNull(value['apiVersion']) as string | undefined,
    kind: value['kind'],
    namespace: readTextOrNull(value['namespace']),
    name: readTextOrNull(value['name']),
    uid: readTextOrNull(value['uid']),
    resourceVersion: readTextOrNull(value['resourceVersion']),
    generation: readNumber(value['generation']),
    deletionTimestamp: readText(value['deletionTimestamp']),
    owners: readOwners(value['owners']),
    items: readNumber(value['items']),
    rows: readNumber(value['rows']),
    row: readRow(value['row']),
  };
}

export function readOwners(value: unknown): ObjectField['owners'] {
  if (!Array.isArray(value)) return undefined;
  return value.filter(isRecord).map(({ kind, name, uid }) => ({
    kind: textOf(kind),
    name: textOf(name),
    uid: textOf(uid),
  }));
}

/** Whom a Table is about that has one row. */
export function readRow(value: unknown): ObjectField['row'] {
  if (!isRecord(value) || typeof value['name'] !== 'string') return undefined;
  return { namespace: readText(value['namespace']), name: value['name'], uid: readText(value['uid']) };
}

export function readK8sEvent(value: unknown): K8sEventInfo | undefined {
  if (!isRecord(value)) return undefined;
  const { type, reason, message, kind, namespace, name, uid, component } = value;
  return {
    type: textOf(type),
    reason: textOf(reason),
    message: textOf(message),
    kind: textOf(kind),
    namespace: textOf(namespace),
    name: textOf(name),
    uid: textOf(uid),
    component: textOf(component),
  };
}

/** Clients choose the words of an Event, so all of them are redacted. */
export function showK8sEvent(value: K8sEventInfo, redaction: Redaction): AllShown<K8sEventInfo> {
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

export function readProblems(value: unknown): readonly StatusProblem[] | undefined {
  if (!Array.isArray(value)) return undefined;
  return value.filter(isRecord).map(({ of, state, reason, exitCode }) => ({
    of: textOf(of),
    state: textOf(state),
    reason: textOf(reason),
    ...(typeof exitCode === 'number' && Number.isFinite(exitCode) ? { exitCode } : null),
  }));
}

/** Clients choose the names of containers, and programs in them the reasons, so all of them are redacted. */
export function showProblems(problems: readonly StatusProblem[], redaction: Redaction): AllShown<typeof problems> {
  return problems.map(({ of, state, reason, exitCode }) => {
    const shown = { of: redaction.name(of), state: redaction.word(state), reason: redaction.word(reason) };
    return exitCode === undefined ? shown : { ...shown, exitCode };
  });
}

export function readAppliedFor(value: unknown): AppliedFor | undefined {
  if (!isRecord(value)) return undefined;
  const { resource, apiGroup, namespace, name } = value;
  return {
    resource: textOf(resource),
    apiGroup: textOf(apiGroup),
    namespace: textOf(namespace),
    name: textOf(name),
  };
}

export function showAppliedFor(value: AppliedFor, redaction: Redaction): AllShown<AppliedFor> {
  return {
    resource: redaction.name(value.resource),
    apiGroup: redaction.name(value.apiGroup),
    namespace: redaction.name(value.namespace),
    name: redaction.name(value.name),
  };
}

export function readLease(value: unknown): LeaseInfo | undefined {
  if (!isRecord(value)) return undefined;
  const { holder, seconds, transitions } = value;
  if (!Number.isSafeInteger(seconds) || !Number.isSafeInteger(transitions)) return undefined;
  return { holder: textOf(holder), seconds: seconds as number, transitions: transitions as number };
}

export function showLease({ holder, seconds, transitions }: LeaseInfo, redaction: Redaction): AllShown<LeaseInfo> {
  return { holder: redaction.name(holder), seconds, transitions };
}

export function readCut(value: unknown): CutInfo | undefined {
  if (!isRecord(value)) return undefined;
  const { code, silentMs, afterMs, openMs, timeoutMs, received, promised, unprocessed } = value;
  const by = readOneOf(CUT_SIDES)(value['by']);
  const how = readOneOf(CUT_KINDS)(value['how']);
  if (by === undefined || how === undefined) return undefined;
  return {
    by,
    how,
    code: readText(code),
    silentMs: readNumber(silentMs),
    afterMs: readNumber(afterMs),
    openMs: readNumber(openMs),
    timeoutMs: readNumber(timeoutMs),
    received: readNumber(received),
    promised: readNumber(promised),
    unprocessed: unprocessed === true ? true : undefined,
  };
}

export function showCut({ code, ...others }: CutInfo): AllShown<CutInfo> {
  return { ...others, code: code === undefined ? undefined : shownPlainWord(code) };
}

export function readTimes(value: unknown): ExchangeTimes | undefined {
  if (!isRecord(value)) return undefined;
  const { connectMs, syns, tlsMs, sendMs, sent, waitMs, receiveMs, stalledMs } = value;
  return {
    connectMs: readNumber(connectMs),
    syns: readNumber(syns),
    tlsMs: readNumber(tlsMs),
    sendMs: readNumber(sendMs),
    sent: readNumber(sent),
    waitMs: readNumber(waitMs),
    receiveMs: readNumber(receiveMs),
    stalledMs: readNumber(stalledMs),
  };
}

export function readRelease(value: unknown): Release | undefined {
  if (!isRecord(value) || !Number.isSafeInteger(value['revision'])) return undefined;
  const { name, revision, status } = value;
  return { name: textOf(name), revision: revision as number, status: textOf(status) };
}

export function showRelease({ name, revision, status }: Release, redaction: Redaction): AllShown<Release> {
  return { name: redaction.name(name), revision, status: redaction.word(status) };
}

/**
 * `Audit-Id` of a response. API servers make it a UUID (apiserver, pkg/endpoints/filters/audit_init.go), which is shown; any other text
 * is from a client.
 */
export function showAuditId(value: string, redaction: Redaction): Shown {
  return UUID.test(value) ? shownIdentity(value) : redaction.field('audit-id', value);
}

/** An audit log's reason names roles and whom they are bound to; that of an authorizer with words of its own is redacted as text. */
export function showAuthorization(value: string, redaction: Redaction): Shown {
  const [, decision, binding, bound, role, named, subject, who] = RBAC.exec(value) ?? [];
  if (decision === undefined) return redaction.text(value);
  const words = [decision, binding, role, subject].map((one) => redaction.word(one));
  const [a, b, c] = [bound, named, who].map((one) => redaction.name(one));
  return sentence`${words[0]}: RBAC: allowed by ${words[1]} "${a}" of ${words[2]} "${b}" to ${words[3]} "${c}"`;
}

/** plugin/pkg/auth/authorizer/rbac/rbac.go: visit, clusterRoleBindingDescriber, roleBindingDescriber. */
const RBAC =
  /^(allow): RBAC: allowed by (ClusterRoleBinding|RoleBinding) "([^"]+)" of (ClusterRole|Role) "([^"]+)" to (User|Group|ServiceAccount) "([^"]+)"$/;

export const PATCH_TYPES = ['json', 'merge', 'strategic', 'apply'] as const;

/** @param value media type of a request's body, or what a saved line has of it. undefined: it is none of a patch. */
export function showPatchType(value: string): Shown | undefined {
  const type = MEDIA_TYPE_OF_PATCH.exec(value)?.[1] ?? value;
  return PATCH_TYPES.includes(type as (typeof PATCH_TYPES)[number]) ? shownIdentity(type) : undefined;
}

/** apimachinery, pkg/types/patch.go: PatchType; apiserver, endpoints/handlers/patch.go takes off what follows a semicolon. */
const MEDIA_TYPE_OF_PATCH = /^application\/(json|merge|strategic|apply)(?:-merge)?-patch\+(?:json|yaml|cbor)(?:;.*)?$/i;

export function showTraceparent(value: string): Shown | undefined {
  return traceIdOf(value) === undefined ? undefined : shownIdentity(value);
}

/** Trace id of a `Traceparent` header field; undefined: it is none. */
export function traceIdOf(traceparent: string): string | undefined {
  return TRACEPARENT.exec(traceparent)?.[1];
}

/** The name of an object in the path of a request; one with parameters or escapes is redacted as free text is. */
export function showSegment(value: string, redaction: Redaction): Shown {
  if (NAME.test(value)) return shownIdentity(value);
  return SEGMENT.test(value) ? redaction.name(value) : redaction.text(value);
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** Version 00 of W3C Trace Context, section 3.2.2: ids of zeros alone are invalid. */
const TRACEPARENT = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** Names of nearly all objects match (RFC 1123, section 2.1). */
const NAME = /^[a-z0-9.:-]{0,253}$/;
/** Names in a path end before parameters, queries and fragments (RFC 3986, section 3.3). */
export const SEGMENT = /^[^\s;#=?&%"'<>{}]*$/;
