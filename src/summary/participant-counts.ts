// RequestTotals the requests that each participant sent and received, on all layers.

import { WRITES } from '../diagram/verbs.js';
import type { Message, Participant } from '../kubernetes/messages/message.js';

export interface ParticipantRequests {
  readonly participant: string;
  /** Requests that it sent. */
  readonly sent: number;
  /** Of them: writes to and watches of API servers. */
  readonly writes: number;
  readonly watches: number;
  /** Of them: answered with a status from 400 on, or with an error of gRPC. */
  readonly failed: number;
  /** Of them: without a response in the capture. */
  readonly unanswered: number;
  /** Requests that it received. */
  readonly received: number;
}

interface RequestTotals {
  readonly participant: Participant;
  sent: number;
  writes: number;
  watches: number;
  failed: number;
  answered: number;
  received: number;
}

export class ParticipantCounts {
  readonly #counts = new Map<number, RequestTotals>();
  /** Requests of participants beyond the limit. */
  uncounted = 0;

  request(message: Message): void {
    const { from, to, protocol, verb = '', resource } = message;
    const received = this.#of(to);
    if (received !== undefined) received.received += 1;
    const sent = this.#of(from);
    if (sent === undefined) {
      this.uncounted += 1;
      return;
    }
    sent.sent += 1;
    if (protocol !== 'kubernetes' || resource === undefined) return;
    if (WRITES.has(verb)) sent.writes += 1;
    if (verb === 'watch') sent.watches += 1;
  }

  response({ status = 0, grpcStatus = 0 }: Message, { from }: Message): void {
    const sent = this.#of(from);
    if (sent === undefined) return;
    sent.answered += 1;
    if (status >= 400 || grpcStatus > 0) sent.failed += 1;
  }

  /** Most requests first. Participants that turned out to have one name are one row. */
  result(): readonly ParticipantRequests[] {
    const byName = new Map<string, RequestTotals>();
    for (const one of this.#counts.values()) {
      const { name } = one.participant;
      const known = byName.get(name);
      if (known === undefined) byName.set(name, { ...one });
      else for (const count of COUNTS) known[count] += one[count];
    }
    return [...byName.entries()]
      .map(([participant, { sent, writes, watches, failed, answered, received }]) => ({
        participant,
        ...{ sent, writes, watches, failed },
        unanswered: Math.max(0, sent - answered),
        received,
      }))
      .sort((a, b) => b.sent - a.sent || b.received - a.received || (a.participant < b.participant ? -1 : 1));
  }

  #of(participant: Participant): RequestTotals | undefined {
    const known = this.#counts.get(participant.id);
    if (known !== undefined || this.#counts.size >= MAX_PARTICIPANTS) return known;
    const counts = { participant, sent: 0, writes: 0, watches: 0, failed: 0, answered: 0, received: 0 };
    this.#counts.set(participant.id, counts);
    return counts;
  }
}

const COUNTS = ['sent', 'writes', 'watches', 'failed', 'answered', 'received'] as const;
/** Limit: participants whose requests are counted: as many as are told apart. */
const MAX_PARTICIPANTS = 20_000;
