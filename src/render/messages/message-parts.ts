// Caches the recurring parts of a message's line: sender and receiver, request target, object. A part is formatted once and copied while
// the fields that it was made of stay the same: one look-up and one copy for five fields.

import { memo } from '../../core/collections/memo.js';
import type { Message, MessageKind } from '../../kubernetes/messages/message.js';
import { asciiBytes, type LineBuffer } from './line-buffer.js';

/** Writes `"kind"`, `"protocol"`, `"from"` and `"to"`, as they follow a text. */
export function writeParticipants(out: LineBuffer, { kind, protocol, fromName, toName, from, to }: Message): void {
  const known = pairOf(fromName ?? from.name, toName ?? to.name);
  if (known.protocol !== protocol) {
    known.protocol = protocol;
    known.parts.fill(NOTHING);
  }
  const place = PLACES[kind];
  const part = known.parts[place];
  if (part.length > 0) {
    out.fixed(part);
    return;
  }
  const begin = out.length;
  out.fixed(K_KIND);
  out.ascii(kind);
  out.fixed(K_PROTOCOL);
  out.ascii(protocol);
  out.fixed(K_FROM);
  out.quoted(known.from);
  out.fixed(K_TO);
  out.quoted(known.to);
  known.parts[place] = out.copy(begin);
}

/** Writes `"method"`, `"target"`, `"userAgent"`, and of a Kubernetes request `"verb"` to `"name"`. */
export function writeRequest(out: LineBuffer, message: Message): void {
  const { target, userAgent, verb, resource } = message;
  const isKubernetes = verb !== undefined || resource !== undefined;
  if (message.method === undefined && target === undefined && userAgent === undefined && !isKubernetes) return;
  const known = TARGETS(target ?? '');
  writeMethod(out, message, known);
  text(out, K_USER_AGENT, userAgent);
  if (!isKubernetes) return;
  writeVerb(out, message, known);
  text(out, K_NAME, message.name);
}

/** Writes `"object"` up to its `"uid"`. */
export function writeIdentity(out: LineBuffer, object: NonNullable<Message['object']>): void {
  const { kind, apiVersion, namespace, name, uid } = object;
  const known = OBJECTS(uid ?? name ?? kind);
  if (
    known.part.length > 0 &&
    known.uid === uid &&
    known.name === name &&
    known.kind === kind &&
    known.namespace === namespace &&
    known.apiVersion === apiVersion
  ) {
    out.fixed(known.part);
    return;
  }
  const begin = out.length;
  out.fixed(K_OBJECT);
  out.repeated(kind);
  nullable(out, K_API_VERSION, apiVersion);
  nullable(out, K_NAMESPACE, namespace);
  nullable(out, K_NAME, name);
  nullable(out, K_UID, uid);
  known.kind = kind;
  known.apiVersion = apiVersion;
  known.namespace = namespace;
  known.name = name;
  known.uid = uid;
  known.part = out.copy(begin);
}

/** Writes nothing without a value. */
export function text(out: LineBuffer, name: Uint8Array, value: string | undefined): void {
  if (value === undefined) return;
  out.fixed(name);
  out.repeated(value);
}

/** Writes nothing without a value; `null` if the field is known to be empty. */
export function nullable(out: LineBuffer, name: Uint8Array, value: string | null | undefined): void {
  if (value === undefined) return;
  out.fixed(name);
  if (value === null) out.fixed(K_NULL);
  else out.repeated(value);
}

function writeMethod(out: LineBuffer, { method, target }: Message, known: OfTarget): void {
  if (known.method === method && known.target === target) {
    out.fixed(known.methodPart);
    return;
  }
  const begin = out.length;
  text(out, K_METHOD, method);
  text(out, K_TARGET, target);
  known.method = method;
  known.target = target;
  known.methodPart = out.copy(begin);
}

function writeVerb(out: LineBuffer, message: Message, known: OfTarget): void {
  const { verb, apiGroup, apiVersion, resource, subresource, namespace } = message;
  if (
    known.verb === verb &&
    known.resource === resource &&
    known.apiGroup === apiGroup &&
    known.apiVersion === apiVersion &&
    known.subresource === subresource &&
    known.namespace === namespace
  ) {
    out.fixed(known.verbPart);
    return;
  }
  const begin = out.length;
  text(out, K_VERB, verb);
  text(out, K_API_GROUP, apiGroup);
  text(out, K_API_VERSION, apiVersion);
  text(out, K_RESOURCE, resource);
  text(out, K_SUBRESOURCE, subresource);
  text(out, K_NAMESPACE, namespace);
  known.verb = verb;
  known.apiGroup = apiGroup;
  known.apiVersion = apiVersion;
  known.resource = resource;
  known.subresource = subresource;
  known.namespace = namespace;
  known.verbPart = out.copy(begin);
}

function pairOf(from: string, to: string): OfPair {
  let others = PAIRS.get(from);
  if (others === undefined) {
    others = new Map();
    PAIRS.set(from, others);
  }
  let pair = others.get(to);
  if (pair === undefined) {
    pairs += 1;
    if (pairs > MAX_PARTS) {
      pairs = 1;
      PAIRS.clear();
      PAIRS.set(from, others);
      others.clear();
    }
    pair = new OfPair(from, to);
    others.set(to, pair);
  }
  return pair;
}

const NOTHING: Uint8Array = new Uint8Array(0);
const PLACES: Readonly<Record<MessageKind, number>> = { request: 0, response: 1, event: 2, data: 3, end: 4 };

class OfPair {
  protocol = '';
  readonly parts: Uint8Array[] = [NOTHING, NOTHING, NOTHING, NOTHING, NOTHING];

  constructor(
    readonly from: string,
    readonly to: string,
  ) {}
}

/** Empty parts belong to a request of which nothing is known. */
class OfTarget {
  method: string | undefined = undefined;
  target: string | undefined = undefined;
  methodPart = NOTHING;
  verb: string | undefined = undefined;
  apiGroup: string | undefined = undefined;
  apiVersion: string | undefined = undefined;
  resource: string | undefined = undefined;
  subresource: string | undefined = undefined;
  namespace: string | undefined = undefined;
  verbPart = NOTHING;
}

class OfObject {
  kind = '';
  apiVersion: string | undefined = undefined;
  namespace: string | null | undefined = undefined;
  name: string | null | undefined = undefined;
  uid: string | null | undefined = undefined;
  part = NOTHING;
}

/** Limit: pairs of participants, targets and objects whose part of a line is cached: those of a busy minute, some 500 bytes each. */
const MAX_PARTS = 1024;
const PAIRS = new Map<string, Map<string, OfPair>>();
let pairs = 0;
const TARGETS = memo(() => new OfTarget(), MAX_PARTS);
const OBJECTS = memo(() => new OfObject(), MAX_PARTS);

const K_KIND = asciiBytes('","kind":"');
const K_PROTOCOL = asciiBytes('","protocol":"');
const K_FROM = asciiBytes('","from":');
const K_TO = asciiBytes(',"to":');
const K_NULL = asciiBytes('null');
const K_METHOD = asciiBytes(',"method":');
const K_TARGET = asciiBytes(',"target":');
const K_USER_AGENT = asciiBytes(',"userAgent":');
const K_VERB = asciiBytes(',"verb":');
const K_API_GROUP = asciiBytes(',"apiGroup":');
const K_API_VERSION = asciiBytes(',"apiVersion":');
const K_RESOURCE = asciiBytes(',"resource":');
const K_SUBRESOURCE = asciiBytes(',"subresource":');
const K_NAMESPACE = asciiBytes(',"namespace":');
const K_NAME = asciiBytes(',"name":');
const K_OBJECT = asciiBytes(',"object":{"kind":');
const K_UID = asciiBytes(',"uid":');
