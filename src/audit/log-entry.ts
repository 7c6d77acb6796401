// Reads an entry of Google's Cloud Logging as an audit event: GKE has its API servers' audit logs there alone, in Google's own form.
//
// Sources: LogEntry (cloud.google.com/logging/docs/reference/v2/rest/v2/LogEntry), AuditLog (google/cloud/audit/audit_log.proto), and what
// Google's and others' readers know of it: GoogleCloudPlatform/khi (googlecloudlogk8saudit), falcosecurity/plugins (k8saudit-gke).

import { dictionary } from '../core/collections/dictionary.js';
import { type AuditEvent, addressOf, type LoggedRecord, recordOf, textOf, timeOf } from './audit-event.js';

/** Whether it is an entry of Cloud Audit Logs; not each is of an API server. */
export function isLogEntry(record: LoggedRecord): boolean {
  const payload = recordOf(record['protoPayload']);
  return payload !== undefined && typeof payload['methodName'] === 'string';
}

/** Whether it is of another of Google's services, such as the one that makes clusters. */
export function isOfOtherService(record: LoggedRecord): boolean {
  return isLogEntry(record) && recordOf(record['protoPayload'])?.['serviceName'] !== 'k8s.io';
}

/** @returns null: it lacks an id, the resource's name or the time. */
export function logEntryEvent(record: LoggedRecord): AuditEvent | null {
  const payload = recordOf(record['protoPayload']) ?? {};
  const operation = recordOf(record['operation']);
  const labels = recordOf(record['labels']);
  const id = textOf(operation?.['id']) ?? textOf(record['insertId']);
  const time = timeOf(record['timestamp']);
  const methodName = textOf(payload['methodName']);
  const resourceName = textOf(payload['resourceName']);
  if (id === undefined || time === null || methodName === undefined || resourceName === undefined) return null;
  const { verb, path, name } = operationOf(methodName, resourceName);
  const parameters = verb === 'watch' ? ['watch=true'] : [];
  if (name !== undefined && COLLECTIVE.has(verb)) parameters.push(`fieldSelector=metadata.name%3D${segment(name)}`);
  if (textOf(labels?.[DRY_RUN]) !== undefined) parameters.push('dryRun=All');
  const metadata = recordOf(payload['requestMetadata']);
  const response = bodyOf(payload['response']);
  return {
    id,
    isAuditId: false,
    // A long request (watch, exec) has a `first` and a `last` entry; others have one, which is both.
    stage: operation?.['first'] === true && operation['last'] !== true ? 'ResponseStarted' : 'ResponseComplete',
    received: time,
    reached: time,
    isTimed: false,
    verb,
    uri: parameters.length === 0 ? path : `${path}?${parameters.join('&')}`,
    isUriInferred: true,
    user: textOf(recordOf(payload['authenticationInfo'])?.['principalEmail']) ?? '',
    impersonated: undefined,
    address: addressOf(metadata?.['callerIp']),
    userAgent: textOf(metadata?.['callerSuppliedUserAgent']),
    name,
    ...outcomeOf(recordOf(payload['status']), response, verb, path),
    decision: textOf(labels?.['authorization.k8s.io/decision']),
    reason: textOf(labels?.['authorization.k8s.io/reason']),
    requestObject: bodyOf(payload['request']),
    responseObject: response,
  };
}

interface LoggedOperation {
  readonly verb: string;
  readonly path: string;
  readonly name: string | undefined;
}

/**
 * `io.k8s.core.v1.pods.status.patch` on `core/v1/namespaces/default/pods/nginx/status`; `io.k8s.get` on `readyz`. The name of an object
 * stands in its resource's name for creates too, and for lists and watches of one object.
 */
function operationOf(methodName: string, resourceName: string): LoggedOperation {
  const words = methodName.split('.');
  const verb = words.at(-1) ?? '';
  const [group, version, ...rest] = resourceName.split('/').map(segment);
  if (words.length <= NON_RESOURCE_WORDS || rest.length === 0)
    return {
      verb,
      path: `/${[group, version, ...rest].filter((one) => one !== undefined).join('/')}`,
      name: undefined,
    };
  const kind = words.slice(words.lastIndexOf(version) + 1);
  const nameAt = rest[0] === 'namespaces' && kind[0] !== 'namespaces' ? 3 : 1;
  const endsAtCollection = COLLECTIVE.has(verb) || (verb === 'create' && rest.length === nameAt + 1);
  const path = [
    group === 'core' ? 'api' : `apis/${group}`,
    version,
    ...(endsAtCollection ? rest.slice(0, nameAt) : rest),
  ];
  const name = resourceName.split('/')[nameAt + 2];
  return { verb, path: `/${path.join('/')}`, name };
}

type LoggedOutcome = Pick<AuditEvent, 'status' | 'isStatusInferred' | 'failure'>;

/** A failure's answer has the status; else only Google's own code says whether it was one (google/rpc/code.proto). */
function outcomeOf(
  status: LoggedRecord | undefined,
  response: LoggedRecord | undefined,
  verb: string,
  path: string,
): LoggedOutcome {
  const answered = response?.['kind'] === 'Status' ? response['code'] : undefined;
  if (typeof answered === 'number' && Number.isInteger(answered) && answered >= 100 && answered < 1000)
    return { status: answered, isStatusInferred: false, failure: undefined };
  const code = status?.['code'] ?? 0;
  const message = textOf(status?.['message']);
  if (code === 0) return { status: successOf(verb, path), isStatusInferred: true, failure: undefined };
  return {
    status: FAILURES[String(code)],
    isStatusInferred: true,
    failure: message === undefined ? undefined : { status: 'Failure', message },
  };
}

/** As API servers answer when nothing else is the matter (k8s.io/apiserver, pkg/endpoints/handlers). */
function successOf(verb: string, path: string): number | undefined {
  if (UPGRADES.test(path)) return undefined;
  return verb === 'create' ? 201 : 200;
}

/** Drops `@type`, the name of the type, which Google adds. */
function bodyOf(value: unknown): LoggedRecord | undefined {
  const record = recordOf(value);
  if (record === undefined) return undefined;
  const { '@type': _, ...body } = record;
  return Object.keys(body).length === 0 ? undefined : body;
}

/** A part of a path, percent-encoded as clients do it: the colons of `system:node` stay. */
function segment(text: string): string {
  return encodeURIComponent(text.replace(/\p{Surrogate}/gu, '\uFFFD')).replaceAll('%3A', ':');
}

/** `io.k8s.get`: no group, version and resource. */
const NON_RESOURCE_WORDS = 3;
const COLLECTIVE: ReadonlySet<string> = new Set(['list', 'watch', 'deletecollection']);
const DRY_RUN = 'command.gke.io/dryRun';
/** They may be answered by 101 or 200. */
const UPGRADES = /\/(?:exec|attach|portforward)$/;
/** By google.rpc.Code: its HTTP mapping. */
const FAILURES: Readonly<Partial<Record<string, number>>> = dictionary({
  1: 499,
  2: 500,
  3: 400,
  4: 504,
  5: 404,
  6: 409,
  7: 403,
  8: 429,
  9: 400,
  10: 409,
  11: 400,
  12: 501,
  13: 500,
  14: 503,
  15: 500,
  16: 401,
});
