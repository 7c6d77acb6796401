// Counts kinds of problems in messages: statuses, Warnings, refusals, failed calls of container runtimes.

import { BoundedMap, BoundedSet } from '../core/collections/bounded.js';
import { counted } from '../core/quantity.js';
import type { Message } from '../kubernetes/messages/message.js';
import { deletionIn, problemWords } from './notes/status-problems.js';
import { requestWords } from './verbs.js';

export interface Problem {
  /** `pods default/web: container web terminated: OOMKilled, exit code 137` */
  readonly what: string;
  readonly count: number;
  /** `seq` of the first message that shows it. */
  readonly message?: number;
  /** Frame of a failed connection, in its capture. */
  readonly frame?: number;
}

/** `pods default/web: container web waiting: CrashLoopBackOff (3 times)`. */
export function problemText({ what, count }: Problem): string {
  return count === 1 ? what : `${what} (${counted(count, 'time')})`;
}

interface CountedProblem extends Problem {
  count: number;
  readonly time: bigint;
}

interface PendingRequest {
  readonly words: string;
  readonly resource: string | undefined;
  /** The object that it deletes. */
  readonly ends: string | null;
}

/** Messages that `summary` counts as problems. */
export function problemsIn(messages: readonly Message[]): ReadonlySet<Message> {
  const found = new Set<Message>();
  const problems = new Problems((message) => found.add(message));
  for (const message of messages) problems.add(message);
  return found;
}

export class Problems {
  readonly #onProblem: ((message: Message) => void) | undefined;
  readonly #found = new Map<string, CountedProblem>();
  /** Exchange → request without a response so far. */
  readonly #pending = new BoundedMap<number, PendingRequest>(MAX_ASKED, 'requests whose problem shows later');
  /** Pods that are being deleted: how their containers end is no problem. */
  readonly #terminating = new BoundedSet<string>(MAX_GOING, 'objects that are being deleted');
  /** Messages about kinds of problems beyond the limit. */
  uncounted = 0;

  /** @param onProblem is called for every message that shows a problem, known or new. */
  constructor(onProblem?: (message: Message) => void) {
    this.#onProblem = onProblem;
  }

  add(message: Message): void {
    this.#observeDeletion(message);
    if (message.kind === 'request') this.#request(message);
    else if (message.kind === 'response') this.#response(message);
  }

  /** In the order of first occurrence, with time in ns. */
  result(): readonly CountedProblem[] {
    return [...this.#found.values()];
  }

  #observeDeletion(message: Message): void {
    const { object } = message;
    const isGoing = deletionIn(message);
    if (isGoing === undefined || object?.kind !== 'Pod') return;
    const pod = `pods ${placed(object.namespace, object.name)}`;
    if (isGoing) this.#terminating.add(pod);
    else this.#terminating.delete(pod);
  }

  #request(message: Message): void {
    const { verb, resource, subresource, name } = message;
    const object = `${resource} ${placed(message.namespace, name)}`;
    const isEnd = message.dryRun !== true && (verb === 'delete' || subresource === 'eviction');
    this.#pending.set(message.exchange, { words: requestText(message), resource, ends: isEnd ? object : null });
    if (message.dryRun === true) return;
    if (isEnd) this.#terminating.add(object);
    else if (verb === 'create' && subresource === undefined) this.#terminating.delete(object);
    this.#problems(object, message);
    this.#k8sEvent(message);
  }

  #k8sEvent(message: Message): void {
    const { k8sEvent } = message;
    if (k8sEvent?.type !== 'Warning') return;
    const about = `${k8sEvent.kind} ${placed(k8sEvent.namespace, k8sEvent.name)}: ${k8sEvent.reason}`;
    this.#count(about, message, `: ${k8sEvent.message}`);
  }

  #problems(object: string, message: Message): void {
    for (const one of message.problems ?? [])
      if (one.state !== 'terminated' || !this.#terminating.has(object))
        this.#count(`${object}: ${problemWords(one)}`, message);
  }

  #response(message: Message): void {
    if (message.protocol === 'kubernetes') this.#k8sEvent(message);
    const { status = 0, grpcStatus = 0, reason = '', statusMessage = '', to, from } = message;
    const request = this.#pending.get(message.exchange);
    this.#pending.delete(message.exchange);
    if (request === undefined) return;
    const { object } = message;
    if (object !== undefined) this.#problems(`${request.resource} ${placed(object.namespace, object.name)}`, message);
    // A refused delete deletes nothing.
    if (status >= 300 && request.ends !== null) this.#terminating.delete(request.ends);
    const why = statusMessage === '' ? '' : `: ${statusMessage}`;
    if (status >= 400 && !ORDINARY.has(status))
      this.#count(`${to.name}: ${request.words}: ${status} ${reason}`.trimEnd(), message, why, apartBy(message));
    else if (grpcStatus > 0 && grpcStatus !== NOT_FOUND && message.protocol === 'cri')
      this.#count(`${from.name}: ${request.words}: ${reason}`, message, why);
  }

  /** @param details shown with the first of its kind. @param apart distinguishes further kinds. */
  #count(words: string, message: Message, details = '', apart = ''): void {
    const { seq, time } = message;
    this.#onProblem?.(message);
    const kind = `${words} ${apart}`;
    const known = this.#found.get(kind);
    if (known !== undefined) known.count += 1;
    else if (this.#found.size >= MAX_KINDS) this.uncounted += 1;
    else this.#found.set(kind, { what: words + details, count: 1, message: seq, time });
  }
}

/** Distinguishes errors by the missing object, or the webhook that could not be called. */
function apartBy({ missing, statusMessage }: Message): string | undefined {
  return missing?.join() ?? FAILED_WEBHOOK.exec(statusMessage ?? '')?.[1];
}

/** With the namespace; without a resource, method and path. */
function requestText(message: Message): string {
  const { protocol, method = '?', target, resource, namespace, rpcMethod } = message;
  if (rpcMethod != null) return rpcMethod;
  if (protocol !== 'kubernetes' || resource === undefined) return `${method} ${target ?? ''}`.trimEnd();
  return `${requestWords(message)}${namespace === undefined ? '' : ` in ${namespace}`}`;
}

function placed(namespace: string | null | undefined, name: string | null | undefined): string {
  return namespace == null || namespace === '' ? (name ?? '?') : `${namespace}/${name ?? '?'}`;
}

/** k8s.io/apiserver, admission/plugin/webhook/errors. */
const FAILED_WEBHOOK = /failed calling webhook "([^"]{1,253})"/;
/** Not found is an answer, and a conflict is retried. */
const ORDINARY = new Set([404, 409]);
/** google.rpc.Code */
const NOT_FOUND = 5;
/** Limit: kinds of problems, each a line with its count. */
const MAX_KINDS = 1000;
/** Limit: requests without a response so far. */
const MAX_ASKED = 65_536;
/** Limit: Pods in deletion at a time. */
const MAX_GOING = 10_000;
