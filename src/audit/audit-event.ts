// Reads one event of an API server's audit log (audit.k8s.io/v1: k8s.io/apiserver, pkg/apis/audit/v1/types.go).

/** One stage of one request, as the log has it; texts are as captured. */
export interface AuditEvent {
  /** The same in all stages of a request. */
  readonly id: string;
  /** The id is that in the `Audit-Id` header of its response. */
  readonly isAuditId: boolean;
  readonly stage: AuditStage;
  /** ns since the epoch: when the request reached the handler. */
  readonly received: bigint;
  /** ns since the epoch: when this stage was reached. */
  readonly reached: bigint;
  /** The two times are what they are called; else both are that of the log's entry. */
  readonly isTimed: boolean;
  readonly verb: string;
  /** Path and query. */
  readonly uri: string;
  /** The URI was put together from what the log says of the request. */
  readonly isUriInferred: boolean;
  readonly user: string;
  /** Another user in whose name the first one sent the request. */
  readonly impersonated: string | undefined;
  /** The client as the server saw it: the last of `sourceIPs`, of which clients may set those before. */
  readonly address: string;
  readonly userAgent: string | undefined;
  /** Of `objectRef`: a create has this name only in its body. */
  readonly name: string | undefined;
  readonly status: number | undefined;
  /** The log says no more than that it was, or was not, a success. */
  readonly isStatusInferred: boolean;
  /** A `metav1.Status`; of a success it says nothing more than the code. */
  readonly failure: LoggedRecord | undefined;
  /** `allow` or `forbid`. */
  readonly decision: string | undefined;
  /** Why the authorizer decided so: which binding of which role. */
  readonly reason: string | undefined;
  /** From level Request on. */
  readonly requestObject: LoggedRecord | readonly unknown[] | undefined;
  /** At level RequestResponse. */
  readonly responseObject: LoggedRecord | readonly unknown[] | undefined;
}

export type AuditStage = (typeof STAGES)[number];

export type LoggedRecord = Readonly<Record<string, unknown>>;

/** @returns null: it is no such event, or lacks the id, verb, URI, stage or a time. */
export function auditEventOf(record: LoggedRecord): AuditEvent | null {
  const { auditID: id, stage, verb, requestURI: uri, user, objectRef, responseStatus, annotations } = record;
  if (typeof id !== 'string' || id === '' || typeof verb !== 'string' || typeof uri !== 'string') return null;
  if (!isStage(stage)) return null;
  const received = timeOf(record['requestReceivedTimestamp']);
  const reached = timeOf(record['stageTimestamp']);
  if (received === null || reached === null) return null;
  const status = recordOf(responseStatus);
  const code = status?.['code'];
  const notes = recordOf(annotations);
  const sources = record['sourceIPs'];
  return {
    id,
    isAuditId: true,
    stage,
    received,
    reached: reached < received ? received : reached,
    isTimed: true,
    verb,
    uri,
    isUriInferred: false,
    user: textOf(recordOf(user)?.['username']) ?? '',
    impersonated: textOf(recordOf(record['impersonatedUser'])?.['username']),
    address: addressOf(Array.isArray(sources) ? sources.at(-1) : undefined),
    userAgent: textOf(record['userAgent']),
    name: textOf(recordOf(objectRef)?.['name']),
    status: typeof code === 'number' && Number.isInteger(code) && code >= 100 && code < 1000 ? code : undefined,
    isStatusInferred: false,
    failure: status !== undefined && textOf(status['message']) !== undefined ? status : undefined,
    decision: textOf(notes?.['authorization.k8s.io/decision']),
    reason: textOf(notes?.['authorization.k8s.io/reason']),
    requestObject: objectOf(record['requestObject']),
    responseObject: objectOf(record['responseObject']),
  };
}

/** @param time RFC 3339 with any number of fraction digits. @returns ns since the epoch; null: it is none. */
export function timeOf(time: unknown): bigint | null {
  const found = typeof time === 'string' ? RFC3339.exec(time) : null;
  if (found === null) return null;
  const [, date, fraction = '', zone] = found;
  const ms = Date.parse(`${date}${zone}`);
  return Number.isNaN(ms) ? null : BigInt(ms) * 1_000_000n + BigInt(fraction.padEnd(9, '0').slice(0, 9));
}

/** The address that a log names; the unspecified one where it is none. */
export function addressOf(text: unknown): string {
  return typeof text === 'string' && ADDRESS.test(text) ? text.toLowerCase() : UNSPECIFIED;
}

function isStage(stage: unknown): stage is AuditStage {
  return (STAGES as readonly unknown[]).includes(stage);
}

export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

export function recordOf(value: unknown): LoggedRecord | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as LoggedRecord) : undefined;
}

function objectOf(value: unknown): LoggedRecord | readonly unknown[] | undefined {
  return Array.isArray(value) ? value : recordOf(value);
}

const STAGES = ['RequestReceived', 'ResponseStarted', 'ResponseComplete', 'Panic'] as const;
const RFC3339 = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d+))?(Z|[+-]\d\d:\d\d)$/;
const ADDRESS = /^[0-9a-fA-F.:]{2,45}$/;
/** An address that is not known (RFC 6890, 2.2.2). */
export const UNSPECIFIED = '0.0.0.0';
