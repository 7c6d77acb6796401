// Counts kinds of problems in messages: statuses, Warnings, refusals, failed calls of container runtimes.

import { BoundedMap, BoundedSet } from '../core/collections/bounded.js';
import { SeriesTable } from '../core/collections/series-table.js';
import { counted } from '../core/quantity.js';
import { problemWords } from '../core/status-words.js';
import { namespaceOf, objectText } from '../kubernetes/api/object-ref.js';
import { isDeletion } from '../kubernetes/lives/object-store.js';
import type { Message, Protocol } from '../kubernetes/messages/message.js';
import { deletionIn } from './notes/status-problems.js';
import { kindOfAnswer, kindOfStatus, kindOfWarning, type ProblemKind, StartUps } from './problem-kinds.js';
import { requestText, requestWords } from './verbs.js';

export interface Problem {
  readonly kind: ProblemKind;
  /** `pods default/web: container web: terminated (OOMKilled, exit code 137)` */
  readonly what: string;
  readonly count: number;
  /** `pods default/web`, of the first one; absent: it is about no object with a name. */
  readonly object?: string;
  /** Why it is no fault; of kind `start-up`. */
  readonly usual?: string;
  /** `seq` of the first message that shows it. */
  readonly message?: number;
  /** Frame of a failed connection, in its capture. */
  readonly frame?: number;
}

/** `pods default/web: container web: waiting (CrashLoopBackOff) (3 times)`. */
export function problemText({ what, count }: Problem): string {
  return count === 1 ? what : `${what} (${counted(count, 'time')})`;
}

/** Times of its first and last occurrence, ns. */
export interface TimedProblem extends Problem {
  readonly time: bigint;
  readonly last: bigint;
}

interface CountedProblem extends TimedProblem {
  count: number;
  last: bigint;
  /** `what` with the name of the object, while all are about one. */
  named: string | undefined;
  /** What it is if it is not usual. */
  readonly unusual: ProblemKind;
}

/** What a message tells of a problem. */
interface ShownProblem {
  readonly kind: ProblemKind;
  /** With the kind, what distinguishes problems. */
  readonly words: string;
  /** The words with the name of the object; undefined: `words` have it, or there is none. */
  readonly named?: string;
  /** Shown with the first of its kind. */
  readonly details?: string;
  /** Distinguishes further kinds. */
  readonly apart?: string;
  readonly object?: string;
}

export class Problems {
  readonly #onProblem: ((message: Message) => void) | undefined;
  readonly #found = new SeriesTable<string, CountedProblem>(MAX_KINDS);
  /** Pods that are being deleted: how their containers end is no problem. */
  readonly #terminating = new BoundedSet<string>(MAX_GOING, 'objects that are being deleted');
  readonly #startUps = new StartUps();
  /** Client and request, or the object that it reads → problem that is usual only if such a request succeeds later. */
  readonly #failing = new BoundedMap<string, CountedProblem>(MAX_ASKED, 'requests that may succeed later');

  /** @param onProblem is called for every message that shows a problem, known or new; not for what is usual at a start. */
  constructor(onProblem?: (message: Message) => void) {
    this.#onProblem = onProblem;
  }

  /** Messages about kinds of problems beyond the limit. */
  get uncounted(): number {
    return this.#found.leftOut;
  }

  add(message: Message): void {
    this.#observeDeletion(message);
    if (message.kind === 'request') this.#request(message);
    else if (message.kind === 'response') this.#response(message);
  }

  /** A server refused a connection: it may be starting. @param time ns. */
  refused(server: string, time: bigint): void {
    this.#startUps.refused(server, time);
  }

  /** In the order of first occurrence. */
  result(): readonly TimedProblem[] {
    const failing = new Set([...this.#failing].map(([, one]) => one));
    return [...this.#found.values()].map((one) => {
      const { named, what, unusual, usual, kind, ...problem } = one;
      const shown = { ...problem, what: named ?? what };
      return usual === undefined || failing.has(one) ? { ...shown, kind: unusual } : { ...shown, kind, usual };
    });
  }

  #observeDeletion(message: Message): void {
    const { object } = message;
    const isGoing = deletionIn(message);
    if (isGoing === undefined || object?.kind !== 'Pod') return;
    const pod = objectText('pods', object.namespace, object.name ?? '?');
    if (isGoing) this.#terminating.add(pod);
    else this.#terminating.delete(pod);
  }

  #request(message: Message): void {
    const { verb, resource, subresource } = message;
    const object = objectWords(message);
    this.#startUps.observe(message);
    if (message.dryRun === true) return;
    if (isDeletion(message)) this.#terminating.add(object);
    else if (verb === 'create' && subresource === undefined) this.#terminating.delete(object);
    this.#problems(object, resource, message);
    this.#k8sEvent(message);
  }

  #k8sEvent(message: Message): void {
    const { k8sEvent } = message;
    if (k8sEvent?.type !== 'Warning') return;
    const { reason } = k8sEvent;
    const object = objectText(k8sEvent.kind, k8sEvent.namespace, k8sEvent.name);
    const details = `: ${k8sEvent.message}`;
    this.#count({ kind: kindOfWarning(reason), words: `Event on ${object}: ${reason}`, details, object }, message);
  }

  #problems(object: string, resource: string | undefined, message: Message): void {
    for (const one of message.problems ?? [])
      if (one.state !== 'terminated' || !this.#terminating.has(object))
        this.#count({ kind: kindOfStatus(resource, one), words: `${object}: ${problemWords(one)}`, object }, message);
  }

  #response(message: Message): void {
    if (message.protocol === 'kubernetes') this.#k8sEvent(message);
    const { status = 0, grpcStatus = 0, reason = '', statusMessage = '', to, from, request } = message;
    if (request === undefined) return;
    this.#startUps.observe(message, request.target);
    const { object } = message;
    const { resource } = request;
    if (object !== undefined)
      this.#problems(objectText(resource, object.namespace, object.name ?? '?'), resource, message);
    // Who may write an object may read it.
    if (status < 300 && this.#failing.size > 0)
      for (const one of [requestText(request), namedObject(request)]) this.#failing.delete(`${to.name} ${one}`);
    // A refused delete deletes nothing.
    if (status >= 300 && request.dryRun !== true && isDeletion(request)) this.#terminating.delete(objectWords(request));
    const details = statusMessage === '' ? '' : `: ${statusMessage}`;
    const shown = { details, object: namedObject(request) };
    if (status >= 400 && !ORDINARY.has(status)) {
      const answer = (asked: string): string => `${to.name}: ${asked}: ${status} ${reason}`.trimEnd();
      const withName = namedText(request);
      const named = withName === undefined ? undefined : answer(withName);
      const words = answer(requestText(request));
      this.#count({ ...shown, kind: kindOfAnswer(status), words, named, apart: apartBy(message) }, message, request);
    } else if (grpcStatus > 0 && ORDINARY_CALLS[message.protocol]?.has(grpcStatus) === false)
      this.#count({ ...shown, kind: 'failed', words: `${from.name}: ${requestText(request)}: ${reason}` }, message);
  }

  /** @param request that the message answers, where it is known. */
  #count(
    { kind, words, named, details = '', apart = '', object }: ShownProblem,
    message: Message,
    request?: Message,
  ): void {
    const { seq, time } = message;
    const { why: usual, passes } = this.#startUps.usual(message, request?.target) ?? {};
    if (usual === undefined) this.#onProblem?.(message);
    const key = `${words} ${apart} ${usual ?? ''}`;
    const known = this.#found.of(key, () => ({
      kind: usual === undefined ? kind : 'start-up',
      unusual: kind,
      what: words + details,
      named: named === undefined ? undefined : named + details,
      count: 0,
      ...(object === undefined ? null : { object }),
      ...(usual === undefined ? null : { usual }),
      message: seq,
      time,
      last: time,
    }));
    if (known === undefined) return;
    known.count += 1;
    known.last = time;
    if (object !== known.object) known.named = undefined;
    if (passes !== true || request === undefined) return;
    const asked = requestText(request);
    this.#failing.set(
      `${message.to.name} ${asked.startsWith('get ') ? (namedObject(request) ?? asked) : asked}`,
      known,
    );
  }
}

/** Distinguishes errors by the missing object, or the webhook that could not be called. */
function apartBy({ missing, statusMessage }: Message): string | undefined {
  return missing?.join() ?? FAILED_WEBHOOK.exec(statusMessage ?? '')?.[1];
}

function objectWords({ resource, namespace, name }: Message): string {
  return objectText(resource, namespace, name ?? '?');
}

/** The object that a request is about; undefined: it names none. */
function namedObject(request: Message): string | undefined {
  return request.resource === undefined || request.name == null ? undefined : objectWords(request);
}

/** With the object instead; undefined: the request names none. */
function namedText(message: Message): string | undefined {
  const { protocol, resource, namespace, name } = message;
  if (protocol !== 'kubernetes' || resource === undefined || name == null) return undefined;
  return objectText(requestWords(message), namespaceOf(resource, namespace), name);
}

/** k8s.io/apiserver, admission/plugin/webhook/errors. */
const FAILED_WEBHOOK = /failed calling webhook "([^"]{1,253})"/;
/** Not found is an answer, and a conflict is retried. */
const ORDINARY = new Set([404, 409]);
/**
 * Protocol → outcomes of calls that are answers (google.rpc.Code): NOT_FOUND; of etcd also CANCELLED, which ends watches, and OUT_OF_RANGE
 * for a revision that was compacted (api/v3rpc/rpctypes/error.go), after which the API server lists anew.
 */
const ORDINARY_CALLS: Readonly<Partial<Record<Protocol, ReadonlySet<number>>>> = {
  cri: new Set([5]),
  etcd: new Set([1, 5, 11]),
};
/** Limit: kinds of problems, each a line with its count. */
const MAX_KINDS = 1000;
/** Limit: requests that failed as they do at a start, until such a one succeeds. */
const MAX_ASKED = 65_536;
/** Limit: Pods in deletion at a time. */
const MAX_GOING = 10_000;
