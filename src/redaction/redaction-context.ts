// Decides what may be shown of a value by its context in a body: the kinds and members that it stands in.

import { isSafeFailureText } from './failures.js';

export type RedactionContext =
  /** Not special itself; inner values may be. */
  | 'plain'
  /** The top of an object without kind: a patch, a fragment. Its `data` may be a Secret's. */
  | 'unknown'
  /** A Secret or ConfigMap, or a list of them: the identity stays, the content is replaced. */
  | 'secret'
  /** A Table of them, whose rows may hold whole objects. */
  | 'secret-table'
  /** Every value below is replaced, names stay. */
  | 'values'
  /** A list or map of environment variables, and one of them. */
  | 'env'
  | 'env-item'
  /** A text here is a credential; an object is ordinary (a schema may describe a member `password`). */
  | 'credential'
  /** A list of header fields as objects, and one of them. */
  | 'headers'
  | 'header'
  /** A Status whose message may repeat values of the request, and one whose message cannot. */
  | 'status'
  | 'safe-status'
  /** An AdmissionReview, and its response. */
  | 'review'
  | 'review-response'
  /** The build step of an image's layer, which repeats environment variables and build arguments. */
  | 'build-step'
  /** A JSON patch in base64. */
  | 'patch'
  /** Text that holds an object in JSON. */
  | 'document'
  /** Replaced whole. */
  | 'opaque';

/** @param resource of the request, if known. */
export function contextOfRoot(resource: string | undefined, value: unknown): RedactionContext {
  const kind = kindOf(value);
  if (resource !== undefined && SECRET_RESOURCES.has(resource)) {
    if (kind === undefined || !CONTENTLESS_KINDS.has(kind)) return 'secret';
    if (kind === 'Table') return 'secret-table';
  }
  if (kind === 'Status') return contextOfStatus(value as Readonly<Record<string, unknown>>, resource);
  return kind === undefined ? 'unknown' : 'plain';
}

/** The context of an object that holds its own kind. */
export function contextOfObject(context: RedactionContext, value: Readonly<Record<string, unknown>>): RedactionContext {
  switch (context) {
    case 'plain':
    case 'unknown':
    case 'credential':
    case 'review':
    case 'review-response': {
      const kind = kindOf(value);
      if (kind === undefined) return context === 'credential' ? 'plain' : context;
      if (SECRET_KINDS.has(kind)) return isReference(value) ? 'plain' : 'secret';
      if (kind === 'Status') return contextOfStatus(value, undefined);
      if (kind === 'AdmissionReview') return 'review';
      return 'plain';
    }
    case 'env':
      // A schema describes a member `env`.
      return typeof value['type'] === 'string' && typeof value['items'] === 'object' ? 'plain' : context;
    default:
      return context;
  }
}

function contextOfStatus(value: Readonly<Record<string, unknown>>, resource: string | undefined): RedactionContext {
  const failure = { reason: String(value['reason'] ?? ''), message: String(value['message'] ?? '') };
  return isSafeFailureText(failure, resource) ? 'safe-status' : 'status';
}

/** A reference names a kind without content: an owner, a rule, an entry of the discovery. */
function isReference(value: Readonly<Record<string, unknown>>): boolean {
  return Object.keys(value).every((name) => !HOLDING_MEMBERS.has(name.toLowerCase()));
}

export function contextOfMember(context: RedactionContext, name: string): RedactionContext {
  switch (context) {
    case 'plain':
      return plainMember(name);
    case 'unknown':
      return CONTENT_MEMBERS.has(name.toLowerCase()) ? 'values' : plainMember(name);
    case 'secret': {
      const lower = name.toLowerCase();
      if (lower === 'items') return 'secret';
      return SECRET_MEMBERS.has(lower) ? plainMember(name) : 'values';
    }
    case 'secret-table':
      if (name === 'rows') return 'secret-table';
      return name === 'object' ? 'secret' : plainMember(name);
    case 'values':
    case 'env':
      return 'values';
    case 'env-item':
      return name.toLowerCase() === 'value' ? 'values' : plainMember(name);
    case 'status':
      if (name === 'message') return 'opaque';
      return name === 'details' || name === 'causes' ? 'status' : plainMember(name);
    case 'review':
      return name === 'response' ? 'review-response' : plainMember(name);
    case 'review-response':
      return REVIEW_RESPONSE.get(name) ?? plainMember(name);
    default:
      return plainMember(name);
  }
}

export function contextOfElement(context: RedactionContext): RedactionContext {
  if (context === 'env') return 'env-item';
  return context === 'headers' ? 'header' : context;
}

function plainMember(name: string): RedactionContext {
  const lower = name.toLowerCase();
  const known = MEMBERS.get(lower);
  if (known !== undefined) return known;
  return CREDENTIAL_MEMBERS.has(lower.replace(/[-_.]/g, '')) ? 'credential' : 'plain';
}

function kindOf(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const kind = (value as { kind?: unknown }).kind;
  return typeof kind === 'string' && kind !== '' ? kind : undefined;
}

const MEMBERS: ReadonlyMap<string, RedactionContext> = new Map<string, RedactionContext>([
  ['env', 'env'],
  ['envs', 'env'],
  ['httpheaders', 'headers'],
  // In docker's GET /swarm: one for workers, one for managers.
  ['jointokens', 'values'],
  ['kubectl.kubernetes.io/last-applied-configuration', 'document'],
  // An image's history (OCI image-spec, config.md; docker's GET /images/NAME/history).
  ['created_by', 'build-step'],
  ['createdby', 'build-step'],
  // Objects in an audit log need not hold their kind (k8s.io/apiserver, apis/audit/v1).
  ['requestobject', 'unknown'],
  ['responseobject', 'unknown'],
  ['responsestatus', 'status'],
  // The template of a generated Secret (Sealed Secrets, External Secrets Operator); templates of Pods and Jobs have no data.
  ['template', 'unknown'],
  // A Kyverno policy merges it into objects whose kind stands elsewhere.
  ['patchstrategicmerge', 'unknown'],
  // Values for tests, in place of a store's (External Secrets Operator).
  ['fake', 'unknown'],
]);

/** The texts of a review may quote the reviewed object without naming it; labels show them if they are safe. */
const REVIEW_RESPONSE: ReadonlyMap<string, RedactionContext> = new Map<string, RedactionContext>([
  ['patch', 'patch'],
  ['status', 'status'],
  ['warnings', 'values'],
  ['auditAnnotations', 'values'],
]);

/** Without case, hyphens and underscores: `access_token`, `client-key-data`, docker's `identitytoken`. */
const CREDENTIAL_MEMBERS = new Set([
  'accesstoken',
  'apikey',
  'auth',
  'authorization',
  'bearertoken',
  'clientkeydata',
  'clientsecret',
  'hashedpassword',
  'idtoken',
  'jointoken',
  'identitytoken',
  'passwd',
  'password',
  'privatekey',
  'refreshtoken',
  'registrytoken',
  'secretaccesskey',
  'secretkey',
  'sessiontoken',
  'token',
  'tokensecret',
  'unlockkey',
]);

/** Docker keeps its own secrets and configs under `/secrets` and `/configs`. */
const SECRET_RESOURCES = new Set(['secrets', 'configmaps', 'configs']);
const SECRET_KINDS = new Set(['Secret', 'SecretList', 'ConfigMap', 'ConfigMapList']);
/** Kinds of responses about secrets without their content; a Table's cells are names, types and counts. */
const CONTENTLESS_KINDS = new Set([
  'APIResourceList',
  'CreateOptions',
  'DeleteOptions',
  'PartialObjectMetadata',
  'PartialObjectMetadataList',
  'PatchOptions',
  'Status',
  'Table',
  'UpdateOptions',
]);
/** Members of the identity, and options of a delete, which need not name their kind. */
const SECRET_MEMBERS = new Set([
  'apigroup',
  'apiversion',
  'blockownerdeletion',
  'controller',
  'fieldpath',
  'graceperiodseconds',
  'immutable',
  'kind',
  'metadata',
  'name',
  'namespace',
  'optional',
  'orphandependents',
  'preconditions',
  'propagationpolicy',
  'resourceversion',
  'type',
  'uid',
]);
const HOLDING_MEMBERS = new Set(['binarydata', 'data', 'items', 'metadata', 'stringdata']);
const CONTENT_MEMBERS = new Set(['data', 'stringdata', 'binarydata']);
