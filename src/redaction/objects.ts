// Describes a body by its request, and recognises JSON patches and markers of bytes.
import { isRecord } from '../core/record.js';

/** Facts about a body from its request. */
export interface ObjectContext extends RequestedResource {
  /** The message of a gRPC call: `runtime.v1.CreateContainerRequest`, `etcdserverpb.RangeResponse`. */
  readonly message?: string;
  /** The HTTP API of the body, if it is not the Kubernetes API. */
  readonly api?: 'docker' | 'registry' | 'kubelet';
  /** For bodies of applications: `objects` of Kubernetes may be shown; of a `payload` only the API server's own Status. */
  readonly application?: 'objects' | 'payload';
  /** For an AdmissionReview: the resource of its patch, if known. */
  readonly reviewed?: RequestedResource;
}

/** The resource of a request, also of a write that an admission webhook reviews. */
export interface RequestedResource {
  /** `secrets`, `configmaps` … ; undefined if the request is unknown. */
  readonly resource?: string;
  readonly subresource?: string;
  /** Of the resource: empty for the core group; undefined if the request is unknown. */
  readonly apiGroup?: string;
  readonly apiVersion?: string;
}

/** Reference tokens of a JSON pointer (RFC 6901). */
export function pointerTokens(pointer: string): readonly string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** Whether a token is the index of a list; `-` is the position after its end. */
export function isIndex(token: string): boolean {
  return INDEX.test(token);
}

export function isPatchOperation(one: unknown): one is Readonly<Record<string, unknown>> {
  return isRecord(one) && typeof one['op'] === 'string' && typeof one['path'] === 'string';
}

/** @returns whether anything of a body may be shown: of an application's only objects of Kubernetes, of its payload only a Status. */
export function isBodyShown(value: unknown, { application }: ObjectContext): boolean {
  if (application === undefined || (isRecord(value) && isMarker(value))) return true;
  if (!isRecord(value) || typeof value['apiVersion'] !== 'string') return false;
  return application === 'payload' ? value['kind'] === 'Status' : typeof value['kind'] === 'string';
}

/** The marker of bytes that are not shown: `{"$bytes": 12}`. */
export function isMarker(value: Readonly<Record<string, unknown>>): boolean {
  return typeof value['$bytes'] === 'number' && Object.keys(value).every((name) => MARKER_MEMBERS.has(name));
}

const INDEX = /^(?:\d+|-)$/;
const MARKER_MEMBERS = new Set(['$bytes', '$contentType']);
