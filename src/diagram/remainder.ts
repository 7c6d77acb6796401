// What a diagram has to know of messages that are not in memory, because they cannot be part of it.

import type { FoldReason } from './disposition.js';
import type { Endpoints } from './notes/endpoints.js';

/** What only all messages of the captures together show, those in memory included. */
export interface TrafficFacts {
  /** `seq` of a request → its notes on a kubelet that sent nothing. */
  readonly silences: ReadonlyMap<number, readonly string[]>;
  /** Kind → resource. */
  readonly resources: ReadonlyMap<string, string>;
  /** Address and port of a server → does it have messages in the drawn layers? */
  readonly servers: ReadonlyMap<string, boolean>;
  readonly endpoints: Endpoints;
  /** Each response in the order of time. */
  answers(): Iterable<Answer>;
}

/** The messages that an observation leaves out. */
export interface Remainder extends TrafficFacts {
  readonly count: number;
  /** The same by the reason for which each is not drawn. */
  readonly folded: ReadonlyMap<FoldReason, number>;
  /** Requests among them that failed, by the reason for which each is not drawn. */
  readonly failed: ReadonlyMap<FoldReason, number>;
  /**
   * Time of the first and the last selected message in the drawn layers, left out or not, ns since the epoch; null: there is none.
   */
  readonly span: readonly [bigint, bigint] | null;
}

/** A response, as a sign that its server is there. */
export interface Answer {
  /** Address and port. */
  readonly server: string;
  /** ns since the epoch. */
  readonly time: bigint;
}
