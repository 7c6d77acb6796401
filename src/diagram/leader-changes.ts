// Finds changes of leaders: the Leases by which programs agree who of them leads (client-go, tools/leaderelection).

import { BoundedMap, RecentMap } from '../core/collections/bounded.js';
import type { ConnectionEnd } from '../core/connection-end.js';
import { elapsedText } from '../core/duration.js';
import { qualifiedName } from '../kubernetes/api/object-ref.js';
import type { Message } from '../kubernetes/messages/message.js';
import type { TimedProblem } from './problems.js';

interface LeaseState {
  readonly holder: string;
  /** ns: for how long, since it was renewed; 0n: it does not say. */
  readonly term: bigint;
  /** When it was renewed, as its holder counts, or a look first showed this version, ns; null: it may have been long before. */
  readonly renewed: bigint | null;
  readonly version: string | undefined;
  /** On which its holder renewed it; null: it was read. */
  readonly connection: string | null;
  /** It was renewed in the capture. */
  readonly isAlive: boolean;
  /** When it was last written or read, ns. */
  looked: bigint;
  /** Its last holder gave it up. */
  readonly given?: GivenUp;
}

interface GivenUp {
  readonly by: string;
  readonly at: Message;
  readonly late: string;
}

export class LeaderChanges {
  readonly #leases = new BoundedMap<string, LeaseState>(MAX_LEASES, 'leases of leaders');
  /** By connection; the first end of each. */
  readonly #ends = new RecentMap<string, ConnectionEnd>(MAX_ENDS, 'ends of connections');
  readonly #found: TimedProblem[] = [];
  /** Changes beyond the limit. */
  uncounted = 0;

  /** @param message in the order of time. */
  add(message: Message): void {
    const { kind, request } = message;
    if (kind !== 'response' || request === undefined) return;
    const { resource, namespace, name, dryRun } = request;
    if (resource === 'leases' && name !== undefined && dryRun !== true)
      this.#answered(qualifiedName(namespace, name), request, message);
  }

  /** @param end may come before messages that are older. */
  ended(end: ConnectionEnd): void {
    const known = this.#ends.get(end.connection);
    // Both sides send a FIN; a port that is used again has ended again.
    if (known === undefined || end.origin.time - known.origin.time > SAME_END_NS) this.#ends.set(end.connection, end);
  }

  /** In the order of time; those who gave a Lease up that nobody took are among them. */
  result(): readonly TimedProblem[] {
    const given = [...this.#leases].flatMap(([lease, { given }]) =>
      given === undefined
        ? []
        : [problemOf(lease, given.at, `${hostOf(given.by)} gave up its lease${given.late}, nobody has it since`)],
    );
    return [...this.#found, ...given];
  }

  #answered(lease: string, request: Message, response: Message): void {
    const { status = 0, object, time } = response;
    if (status >= 300) return;
    const version = object?.resourceVersion ?? undefined;
    if (request.lease !== undefined) this.#holds(lease, request.lease, version, request.time, request);
    else if (SHOWING.has(request.verb ?? '') && response.lease !== undefined) {
      const known = this.#leases.get(lease);
      // What is read again is no renewal; what is new was renewed since the last look, whenever that was.
      const isRecent = known !== undefined && time - known.looked <= RECENT_NS;
      if (known !== undefined) known.looked = time;
      if (known?.version !== version || version === undefined)
        this.#holds(lease, response.lease, version, isRecent ? time : null, response);
    }
  }

  /** @param renewed ns; null: it is not known when. @param at the message that shows it. */
  #holds(
    lease: string,
    { holder, seconds }: NonNullable<Message['lease']>,
    version: string | undefined,
    renewed: bigint | null,
    at: Message,
  ): void {
    const before = this.#leases.get(lease);
    const term = BigInt(seconds) * NS_PER_SECOND;
    const isAlive = before !== undefined && (before.holder === holder || holder === '');
    const isWrite = at.kind === 'request';
    const connection = isWrite ? at.connection : null;
    const state = { holder, term, renewed, version, connection, isAlive: isAlive || isWrite, looked: at.time };
    if (holder === '') {
      const by = before?.holder ?? '';
      const late = lateBy(before, at.time);
      const words = late === null || late < 0n ? '' : `, ${elapsedText(late)} after it had ended`;
      const given = by === '' ? before?.given : { by, at, late: words };
      this.#leases.set(lease, { ...state, given });
      return;
    }
    this.#leases.set(lease, state);
    if (before === undefined) return;
    const given = before.holder === '' ? before.given : undefined;
    const last = given?.by ?? before.holder;
    // The Lease by which an API server says that it lives has its name (pkg/controlplane/controller/apiserverleasegc).
    if (last === '' || last === holder || lease.endsWith(`/${hostOf(holder)}`)) return;
    const why =
      given === undefined
        ? latenessWords(lateBy(before, at.time)) + this.#endWords(before, at.time)
        : `, ${elapsedText(at.time - given.at.time)} after it was given up`;
    if (this.#found.length >= MAX_CHANGES) this.uncounted += 1;
    else
      this.#found.push({
        ...problemOf(lease, at, `${changeWords(last, holder)}${why}`),
        ...(before.isAlive ? null : LEFT),
      });
  }

  /** Who had closed the connection on which a holder renewed its Lease last, until `now`; empty: nobody, as far as is known. */
  #endWords({ connection, renewed }: LeaseState, now: bigint): string {
    const end = connection === null ? undefined : this.#ends.get(connection);
    if (end === undefined || renewed === null || end.origin.time < renewed || end.origin.time > now) return '';
    const ago = `${elapsedText(now - end.origin.time)} before (${end.how})`;
    return end.by === 'client'
      ? `; the earlier holder had closed its connection ${ago}`
      : `; the connection of the earlier holder had been closed by its server ${ago}`;
  }
}

/** Whose holder never renewed it: a Lease that was left before the capture, and had to end (tools/leaderelection: tryAcquireOrRenew). */
const LEFT = { kind: 'start-up', usual: 'a program takes the lease over that an earlier process left' } as const;

function problemOf(lease: string, { seq, time }: Message, words: string): TimedProblem {
  const name = lease.slice(lease.indexOf('/') + 1);
  const what = `leader of ${name}: ${words}`;
  return { kind: 'leader change', what, object: `leases ${lease}`, count: 1, message: seq, time, last: time };
}

/** `cp-1 → cp-2`; of two processes of one host also that they are two. */
function changeWords(from: string, to: string): string {
  const [before, after] = [hostOf(from), hostOf(to)];
  return before === after ? `${before} → another process on ${before}` : `${before} → ${after}`;
}

/** Programs add a UUID to the name of their host (cmd/kube-controller-manager/app/controllermanager.go: Run). */
function hostOf(holder: string): string {
  return holder.replace(/_[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/, '');
}

/**
 * Who does not renew in time has lost it, by the clock of those who wait (tools/leaderelection: isLeaseValid).
 * @returns ns since the Lease had ended; negative: it had not; null: it is not known.
 */
function lateBy(before: LeaseState | undefined, now: bigint): bigint | null {
  return before === undefined || before.renewed === null || before.term === 0n
    ? null
    : now - before.renewed - before.term;
}

function latenessWords(late: bigint | null): string {
  if (late === null) return '';
  return late < 0n ? ', before its lease had ended' : `, ${elapsedText(late)} after its lease had ended`;
}

/** Verbs of requests that do not say who holds the Lease, and whose responses do: a patch may change other fields of it. */
const SHOWING: ReadonlySet<string> = new Set(['get', 'patch']);
const NS_PER_SECOND = 1_000_000_000n;
/** Those who wait look every two seconds, and a bit (k8s.io/component-base, config/v1alpha1: RetryPeriod; JitterFactor 1.2). */
const RECENT_NS = 5_000_000_000n;
/** Limit: Leases by which programs agree who leads: each operator has one. */
const MAX_LEASES = 10_000;
/** ns: the other side ends a connection soon after the first one did. */
const SAME_END_NS = 60_000_000_000n;
/** Limit: connections whose end is remembered until a Lease changes hands. */
const MAX_ENDS = 10_000;
/** Limit: changes, each a line of the summary. */
const MAX_CHANGES = 1000;
