// Where a value stands in a body, as far as that decides what may be shown of it. Knows names of kinds and members.

export type Place =
  /** Nothing special here; what is deeper may be. */
  | 'plain'
  /** The top of something that does not say what it is: a patch, a fragment. Its `data` may be a Secret's. */
  | 'unknown'
  /** A Secret or ConfigMap, or a list of them: who it is stays, what it holds does not. */
  | 'secret'
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
  /** A Status whose message may repeat what was sent. */
  | 'status'
  /** An AdmissionReview, and its response. */
  | 'review'
  | 'review-response'
  /** A JSON patch in base64. */
  | 'patch'
  /** Text that is an object in JSON. */
  | 'document'
  /** Replaced whole. */
  | 'opaque';

/** @param resource of the request, where it is known. */
export function placeOfRoot(resource: string | undefined, value: unknown): Place {
  const kind = kindOf(value);
  if (resource !== undefined && SECRET_RESOURCES.has(resource)) {
    if (kind === undefined || !ANSWER_KINDS.has(kind)) return 'secret';
  }
  return kind === undefined ? 'unknown' : 'plain';
}

/** The place of an object that says itself what it is. */
export function placeOfObject(place: Place, value: Readonly<Record<string, unknown>>): Place {
  switch (place) {
    case 'plain':
    case 'unknown':
    case 'credential':
    case 'review':
    case 'review-response': {
      const kind = kindOf(value);
      if (kind === undefined) return place === 'credential' ? 'plain' : place;
      if (SECRET_KINDS.has(kind)) return isReference(value) ? 'plain' : 'secret';
      if (kind === 'Status') return SAFE_REASONS.has(String(value['reason'] ?? '')) ? 'plain' : 'status';
      if (kind === 'AdmissionReview') return 'review';
      return 'plain';
    }
    case 'env':
      // A schema describes a member `env`.
      return typeof value['type'] === 'string' && typeof value['items'] === 'object' ? 'plain' : place;
    default:
      return place;
  }
}

/** Says which kind, and holds nothing: an owner, a rule, an entry of the discovery. */
function isReference(value: Readonly<Record<string, unknown>>): boolean {
  return Object.keys(value).every((name) => !HOLDING_MEMBERS.has(name.toLowerCase()));
}

export function placeInside(place: Place, name: string): Place {
  switch (place) {
    case 'plain':
      return plainMember(name);
    case 'unknown':
      return CONTENT_MEMBERS.has(name.toLowerCase()) ? 'values' : plainMember(name);
    case 'secret': {
      const lower = name.toLowerCase();
      if (lower === 'items') return 'secret';
      return SECRET_MEMBERS.has(lower) ? plainMember(name) : 'values';
    }
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
      return name === 'patch' ? 'patch' : plainMember(name);
    default:
      return plainMember(name);
  }
}

export function elementPlace(place: Place): Place {
  if (place === 'env') return 'env-item';
  return place === 'headers' ? 'header' : place;
}

function plainMember(name: string): Place {
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

const MEMBERS: ReadonlyMap<string, Place> = new Map<string, Place>([
  ['env', 'env'],
  ['envs', 'env'],
  ['httpheaders', 'headers'],
  ['kubectl.kubernetes.io/last-applied-configuration', 'document'],
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
]);

/** Docker keeps its own secrets and configs under `/secrets` and `/configs`. */
const SECRET_RESOURCES = new Set(['secrets', 'configmaps', 'configs']);
const SECRET_KINDS = new Set(['Secret', 'SecretList', 'ConfigMap', 'ConfigMapList']);
/** What the API server answers about secrets without their content; a Table's cells are names, types and counts. */
const ANSWER_KINDS = new Set([
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
/** Who it is; and the options of a delete, which need not name their kind. */
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
/** Failures whose text the API server makes of kinds and names alone; validation errors repeat what was sent. */
const SAFE_REASONS = new Set([
  'AlreadyExists',
  'Conflict',
  'Expired',
  'Forbidden',
  'Gone',
  'NotFound',
  'TooManyRequests',
  'Timeout',
  'ServerTimeout',
  'ServiceUnavailable',
  'Unauthorized',
]);
