// Replaces the values of secrets in decoded bodies. One walk visits the value with its context; a context and the name of a member give
// the next one. The pointer of a JSON patch walks the same contexts, so `/data/password` of a Secret is where `data.password` is.

import { base64Bytes, base64Text, text, utf8Bytes } from '../core/bytes/bytes.js';
import { isCredentialField } from './fields.js';
import {
  contextOfElement,
  contextOfMember,
  contextOfObject,
  contextOfRoot,
  type RedactionContext,
} from './redaction-context.js';
import { isRedacted, REDACTED } from './shown.js';
import { redactText } from './text.js';

/** Facts about a body from its request. */
export interface ObjectContext {
  /** `secrets`, `configmaps` … ; undefined if the request is unknown. */
  readonly resource?: string;
  readonly subresource?: string;
  /** Of the resource: empty for the core group; undefined if the request is unknown. */
  readonly apiGroup?: string;
  readonly apiVersion?: string;
  /** The message of a gRPC call: `runtime.v1.CreateContainerRequest`, `etcdserverpb.RangeResponse`. */
  readonly message?: string;
  /** The HTTP API of the body, if it is not the Kubernetes API. */
  readonly api?: 'docker' | 'registry' | 'kubelet';
  /** For bodies of applications: `objects` of Kubernetes may be shown; of a `payload` only the API server's own Status. */
  readonly application?: 'objects' | 'payload';
  /** For an AdmissionReview: the resource of its patch, if known. */
  readonly reviewed?: Reviewed;
}

/** The resource of a write that an admission webhook reviews. */
export interface Reviewed {
  readonly resource?: string;
  readonly subresource?: string;
  readonly apiGroup?: string;
  readonly apiVersion?: string;
}

/** Replaces the value of a secret. */
type Hide = (value: string) => string;
const hidden: Hide = () => REDACTED;

/** @param hide replaces values of secrets. @returns a copy; undefined if nothing of it may be shown. */
export function redactObject(value: unknown, context: ObjectContext, hide: Hide = hidden): unknown {
  if (isRecord(value) && isMarker(value)) return value;
  if (context.application !== undefined && !isKubernetesObject(value)) return undefined;
  if (context.application === 'payload' && (value as { kind?: unknown }).kind !== 'Status') return undefined;
  return new SecretReplacer(hide).value(value, contextOfRoot(context.resource, value), 1);
}

/** One walk over one body. */
class SecretReplacer {
  readonly #hide: Hide;

  constructor(hide: Hide) {
    this.#hide = hide;
  }

  value(value: unknown, context: RedactionContext, depth: number): unknown {
    if (value === null || value === undefined) return value;
    if (typeof value === 'string' && isRedacted(value)) return value;
    if (context === 'opaque') return value === '' ? value : REDACTED;
    if (typeof value === 'string') return this.#string(value, context, depth);
    if (typeof value === 'number' && context === 'credential') return REDACTED;
    if (typeof value !== 'object') return context === 'values' ? REDACTED : value;
    if (depth > DEPTH_LIMIT) return REDACTED;
    if (Array.isArray(value)) {
      const items = value as readonly unknown[];
      if (context !== 'values' && items.length > 0 && items.every(isPatchOperation))
        return items.map((operation) => this.#operation(operation, context, depth + 1));
      const inner = contextOfElement(context);
      return items.map((item) => this.value(item, inner, depth + 1));
    }
    return this.#record(value as Readonly<Record<string, unknown>>, context, depth);
  }

  #record(value: Readonly<Record<string, unknown>>, context: RedactionContext, depth: number): object {
    if (isMarker(value)) return value;
    const here = contextOfObject(context, value);
    // The key of an etcd entry shows that its value is a Secret, even if the value does not.
    const isStored = typeof value['key'] === 'string' && STORED_SECRET.test(value['key']);
    const isHeader = here === 'header' && isCredentialField(String(value['name']).toLowerCase());
    const entries = Object.entries(value).map(([name, member]): [string, unknown] => {
      let inside = contextOfMember(here, name);
      if (isHeader && name !== 'name') inside = 'opaque';
      else if (isStored && name === 'value' && typeof member === 'object') inside = 'secret';
      return [name, this.value(member, inside, depth + 1)];
    });
    // fromEntries creates own properties for any name: `__proto__` is a valid key of a map on the wire.
    return Object.fromEntries(entries);
  }

  /** One operation of a JSON patch (RFC 6902): its path (RFC 6901) gives the context of its value. */
  #operation(operation: Readonly<Record<string, unknown>>, root: RedactionContext, depth: number): unknown {
    let context = root;
    for (const token of pointerTokens(String(operation['path'])))
      context = isIndex(token) ? contextOfElement(context) : contextOfMember(context, token);
    const entries = Object.entries(operation).map(([name, member]): [string, unknown] => [
      name,
      PATCH_MEMBERS.has(name) && typeof member === 'string'
        ? member
        : this.value(member, name === 'value' ? context : 'values', depth),
    ]);
    return Object.fromEntries(entries);
  }

  #string(value: string, context: RedactionContext, depth: number): string {
    if (value === '') return value;
    switch (context) {
      case 'values':
      case 'credential':
      case 'env':
        return this.#hide(value);
      case 'env-item': {
        // The form of docker and OCI: `NAME=value`.
        const equals = value.indexOf('=');
        return equals < 0 ? value : `${value.slice(0, equals)}=${REDACTED}`;
      }
      case 'build-step':
        return redactText(value.replace(ENVIRONMENT_STEP, `$1=${REDACTED}`).replace(ARGUMENTS, `$1=${REDACTED}`));
      case 'patch':
        return this.#patch(value, depth);
      default:
        return this.#text(value, context, depth);
    }
  }

  /** A text may be JSON: `last-applied-configuration` is the object itself, a runtime's info its whole specification. */
  #text(value: string, context: RedactionContext, depth: number): string {
    const first = value.charCodeAt(0);
    if ((first === OPEN_BRACE || first === OPEN_BRACKET) && value.length <= DOCUMENT_LIMIT) {
      const document = parsed(value);
      if (document !== undefined) {
        const inner = this.value(document, contextOfRoot(undefined, document), depth + 1);
        return isSame(document, inner) ? value : JSON.stringify(inner);
      }
    }
    if (context === 'document' || SECRET_MANIFEST.test(value)) return REDACTED;
    return redactText(value);
  }

  /** The patch of an admission response: a JSON patch in base64 (k8s.io/api/admission/v1). */
  #patch(value: string, depth: number): string {
    const patch = parsed(text(base64Bytes(value)));
    if (!Array.isArray(patch)) return REDACTED;
    return base64Text(utf8Bytes(JSON.stringify(this.value(patch, 'unknown', depth + 1))));
  }
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

/** Whether nothing was replaced. The recursion is bounded like that of the copy. */
function isSame(value: unknown, copy: unknown): boolean {
  if (typeof copy !== 'object' || copy === null) return value === copy;
  const before = Object.values(value as object);
  return Object.values(copy).every((item, i) => isSame(before[i], item));
}

function isKubernetesObject(value: unknown): boolean {
  return isRecord(value) && typeof value['kind'] === 'string' && typeof value['apiVersion'] === 'string';
}

/** The marker of bytes that are not shown: `{"$bytes": 12}`. */
export function isMarker(value: Readonly<Record<string, unknown>>): boolean {
  return typeof value['$bytes'] === 'number' && Object.keys(value).every((name) => MARKER_MEMBERS.has(name));
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

const STORED_SECRET = /^\/registry\/(?:secrets|configmaps)\//;
/** `ENV PASSWORD=a b`, also as `/bin/sh -c #(nop)  ENV …`: the text does not mark where the next variable begins. */
const ENVIRONMENT_STEP = /(\b(?:ENV|ARG) +[^\s=]+)=.*/s;
/**
 * `RUN |2 TOKEN=x y USER=z /bin/sh -c …`: build arguments (moby/buildkit: dispatchRun; without `RUN` docker's own builder). The text does
 * not mark where one of them ends, so everything up to a shell is replaced.
 */
const ARGUMENTS = /^((?:RUN )?\|\d+ [^\s=]+)=.*?(?=$| \/bin\/\w*sh -)/s;
const INDEX = /^(?:\d+|-)$/;
const PATCH_MEMBERS = new Set(['op', 'path', 'from']);
const MARKER_MEMBERS = new Set(['$bytes', '$contentType']);
const OPEN_BRACE = 0x7b;
const OPEN_BRACKET = 0x5b;
/** A manifest inside a text that is no JSON: YAML in an annotation, several documents; a JSON patch of its data in YAML. */
const SECRET_MANIFEST =
  /\bkind["']?\s*:\s*["']?(?:Secret|ConfigMap)\b|\bpath["']?\s*:\s*["']?\/(?:data|stringData|binaryData)\b/;
/**
 * Limit in bytes: a text that is examined as JSON: etcd accepts no object above 1.5 MiB, annotations have at most 256 KiB
 * (apimachinery).
 */
const DOCUMENT_LIMIT = 2 * 1024 * 1024;
/** Limit: nesting, deeper values are replaced: as in Kubernetes' CBOR decoder; the deepest built-in objects have some thirty. */
const DEPTH_LIMIT = 100;
