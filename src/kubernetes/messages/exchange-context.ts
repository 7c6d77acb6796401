// What one exchange is about, as data, from its first event to its end; and what each tracker keeps of it for as long.

import type { Origin } from '../../core/origin.js';
import type { RequestedResource } from '../../redaction/redaction.js';
import type { Shown } from '../../redaction/shown.js';
import type { Connection } from '../../tcp/stream-event.js';
import type { RequestInfo } from '../api/request-info.js';
import type { ServerRole } from '../api/server-roles.js';
import type { ParticipantRecord } from '../participants/participant-record.js';
import type { RequestUser } from '../participants/user.js';
import type { Cause, PendingCause } from './message.js';

/** An exchange with its participants. What a tracker remembers of an exchange is the tracker's own. */
export interface ExchangeContext {
  /** Ordinal of the exchange, from 1. */
  readonly number: number;
  /** The ends of the exchange, whatever address translation is between them. */
  readonly connection: Connection;
  readonly role: ServerRole;
  /** Of Kubernetes requests; null where the request could not be read, until it is inferred. */
  info: RequestInfo | null;
  readonly userAgent: Shown | undefined;
  readonly target: Shown | undefined;
  /** As captured: the path before the request of an API server that another server has behind it. */
  readonly prefix: string | undefined;
  /** `seq` of the request's message; undefined: the request was not captured. */
  requestSeq: number | undefined;
  /** ns since the epoch: last byte of the request. */
  requestEnd: bigint;
  /** Of an admission review: what it judges, and the object's name. */
  reviewed: (RequestedResource & Pick<RequestInfo, 'namespace' | 'name'>) | undefined;
  /** What trackers keep of the exchange; read and written by `ExchangeState` alone. */
  trackerStates: unknown[] | undefined;
  /** The last word of a watch was an error, which its end follows. */
  hasFailed: boolean;
  /** The synthetic initial events of a streaming list go on. */
  initial: boolean;
  readonly client: ParticipantRecord;
  readonly server: ParticipantRecord;
  /** Services and proxies between client and server, nearest the client first. */
  readonly via: readonly ParticipantRecord[] | undefined;
  /** Whose request it is; null: the server does not authenticate. */
  readonly user: RequestUser | null;
  /** The connection began before the capture, or a piece of it is missing. */
  readonly isMidSession: boolean;
  /** The client may be identified by other evidence than its own words. */
  readonly isAnonymous: boolean;
  /** `seq` of the original request, if a server forwarded it as this one. */
  readonly forwardedFrom: number | undefined;
  /** Of a stream to a container runtime: where it comes from; null: another exchange, or not known. */
  readonly stream: RuntimeStream | null;
  /** The request of another exchange that its request is sent for; null: none, as far as is known. */
  cause: Cause | PendingCause | null;
}

/** Where a stream to a runtime comes from. */
export interface RuntimeStream {
  /** seq of the call, or of the request to the kubelet where the call was not captured. */
  readonly seq: number;
  readonly kind: string;
  readonly namespace: string;
  readonly pod: string;
  readonly kubelet: ParticipantRecord;
  /** null: not known but by its address. */
  readonly runtime: ParticipantRecord | null;
}

/**
 * Time from the last byte of the request to the first byte of its response, ms; undefined where the response began first: the
 * server answered early (RFC 9113, section 8.1), or the clock was set back.
 * @param first frame of the response's first byte.
 */
export function latencyOf({ requestEnd }: ExchangeContext, first: Origin): number | undefined {
  return first.time < requestEnd ? undefined : Number(first.time - requestEnd) / 1e6;
}

/** One place for each state that the modules of the trackers define; not changed once these are loaded. */
const NO_STATES: undefined[] = [];

/**
 * One kind of state, defined once by the module of its tracker. A `Map` by context would be rehashed for nearly every exchange, as few
 * are open at a time and each is added and deleted.
 */
export class ExchangeState<T> {
  readonly #slot: number;

  constructor() {
    this.#slot = NO_STATES.push(undefined) - 1;
  }

  /** undefined: the tracker keeps nothing of the exchange. */
  of({ trackerStates }: ExchangeContext): T | undefined {
    return trackerStates?.[this.#slot] as T | undefined;
  }

  set(context: ExchangeContext, state: T | undefined): void {
    // A copy has no room to spare and is made at once; an empty array would be given room for sixteen more.
    context.trackerStates ??= NO_STATES.slice();
    context.trackerStates[this.#slot] = state;
  }
}
