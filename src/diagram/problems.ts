// What went wrong, each kind of it once with how often it was told: statuses, Warnings, refusals, failed calls of container
// runtimes. To know where to look before a picture is drawn. Knows messages one by one, in their order; keeps counts.

import { keep } from '../core/collections/bounded.js';
import type { Message } from '../kubernetes/messages/message.js';
import { goingIn, problemWords } from './notes/status-problems.js';
import { requestWords } from './request-words.js';

export interface Problem {
  /** In words: `pods default/web: container web terminated: OOMKilled, exit code 137`. */
  readonly what: string;
  readonly count: number;
  /** `seq` of the first message that told it. */
  readonly message?: number;
  /** Of a connection that failed: the frame that tells it, in its capture. */
  readonly frame?: number;
}

interface CountedProblem extends Problem {
  count: number;
  readonly time: bigint;
}

interface PendingRequest {
  readonly words: string;
  readonly resource: string | undefined;
  /** The object that is to be gone. */
  readonly ends: string | null;
}

/** @returns the messages that tell what went wrong: each that `summary` counts in its list. */
export function problemsIn(messages: readonly Message[]): ReadonlySet<Message> {
  const telling = new Set<Message>();
  const problems = new Problems((message) => telling.add(message));
  for (const message of messages) problems.add(message);
  return telling;
}

export class Problems {
  readonly #tells: ((message: Message) => void) | undefined;
  readonly #found = new Map<string, CountedProblem>();
  /** Requests that wait for their answer. */
  readonly #asked = new Map<number, PendingRequest>();
  /** Pods that somebody deletes, or that say so: how their containers end is no problem. */
  readonly #going = new Map<string, true>();
  /** Messages about kinds of problems beyond the limit. */
  uncounted = 0;

  /** @param tells is shown every message that tells of a problem, known or new. */
  constructor(tells?: (message: Message) => void) {
    this.#tells = tells;
  }

  add(message: Message): void {
    this.#goes(message);
    if (message.kind === 'request') this.#request(message);
    else if (message.kind === 'response') this.#response(message);
  }

  /** In the order in which they were told first, each with its time, ns. */
  result(): readonly CountedProblem[] {
    return [...this.#found.values()];
  }

  #goes(message: Message): void {
    const { object } = message;
    const isGoing = goingIn(message);
    if (isGoing === undefined || object?.kind !== 'Pod') return;
    const pod = `pods ${placed(object.namespace, object.name)}`;
    if (isGoing) keep(this.#going, pod, true, MAX_GOING);
    else this.#going.delete(pod);
  }

  #request(message: Message): void {
    const { verb, resource, subresource, name } = message;
    const object = `${resource} ${placed(message.namespace, name)}`;
    const isEnd = message.dryRun !== true && (verb === 'delete' || subresource === 'eviction');
    keep(this.#asked, message.exchange, { words: askedFor(message), resource, ends: isEnd ? object : null }, MAX_ASKED);
    if (message.dryRun === true) return;
    if (isEnd) keep(this.#going, object, true, MAX_GOING);
    else if (verb === 'create' && subresource === undefined) this.#going.delete(object);
    this.#problems(object, message);
    this.#k8sEvent(message);
  }

  #k8sEvent(message: Message): void {
    const { k8sEvent } = message;
    if (k8sEvent?.type !== 'Warning') return;
    const about = `${k8sEvent.kind} ${placed(k8sEvent.namespace, k8sEvent.name)}: ${k8sEvent.reason}`;
    this.#tell(about, message, `: ${k8sEvent.message}`);
  }

  #problems(object: string, message: Message): void {
    for (const one of message.problems ?? [])
      if (one.state !== 'terminated' || !this.#going.has(object))
        this.#tell(`${object}: ${problemWords(one)}`, message);
  }

  #response(message: Message): void {
    if (message.protocol === 'kubernetes') this.#k8sEvent(message);
    const { status = 0, grpcStatus = 0, reason = '', statusMessage = '', to, from } = message;
    const asked = this.#asked.get(message.exchange);
    this.#asked.delete(message.exchange);
    if (asked === undefined) return;
    const { object } = message;
    if (object !== undefined) this.#problems(`${asked.resource} ${placed(object.namespace, object.name)}`, message);
    // Who may not delete it has not.
    if (status >= 300 && asked.ends !== null) this.#going.delete(asked.ends);
    const why = statusMessage === '' ? '' : `: ${statusMessage}`;
    if (status >= 400 && !ORDINARY.has(status))
      this.#tell(`${to.name}: ${asked.words}: ${status} ${reason}`.trimEnd(), message, why, apartBy(message));
    else if (grpcStatus > 0 && grpcStatus !== NOT_FOUND && message.protocol === 'cri')
      this.#tell(`${from.name}: ${asked.words}: ${reason}`, message, why);
  }

  /** @param details told with the first of its kind. @param apart what else has to be the same for it to be of that kind. */
  #tell(words: string, message: Message, details = '', apart = ''): void {
    const { seq, time } = message;
    this.#tells?.(message);
    const kind = `${words} ${apart}`;
    const known = this.#found.get(kind);
    if (known !== undefined) known.count += 1;
    else if (this.#found.size >= MAX_KINDS) this.uncounted += 1;
    else this.#found.set(kind, { what: words + details, count: 1, message: seq, time });
  }
}

/** Refusals of one kind that have different reasons: what they could not do without, which webhook could not be asked. */
function apartBy({ missing, statusMessage }: Message): string | undefined {
  return missing?.join() ?? UNASKED.exec(statusMessage ?? '')?.[1];
}

/** With where it is asked for; of a door without resources, at which path. */
function askedFor(message: Message): string {
  const { protocol, method = '?', target, resource, namespace, rpcMethod } = message;
  if (rpcMethod != null) return rpcMethod;
  if (protocol !== 'kubernetes' || resource === undefined) return `${method} ${target ?? ''}`.trimEnd();
  return `${requestWords(message)}${namespace === undefined ? '' : ` in ${namespace}`}`;
}

function placed(namespace: string | null | undefined, name: string | null | undefined): string {
  return namespace == null || namespace === '' ? (name ?? '?') : `${namespace}/${name ?? '?'}`;
}

/** k8s.io/apiserver, admission/plugin/webhook/errors. */
const UNASKED = /failed calling webhook "([^"]{1,253})"/;
/** Not found is an answer, and who meets a conflict tries again. */
const ORDINARY = new Set([404, 409]);
/** google.rpc.Code */
const NOT_FOUND = 5;
/** Kinds of problems: a line each. */
const MAX_KINDS = 1000;
/** Requests whose answers are out. */
const MAX_ASKED = 65_536;
/** Pods that go at a time. */
const MAX_GOING = 10_000;
