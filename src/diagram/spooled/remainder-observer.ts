// Sees every message of a capture once, while it is read, and knows afterwards what a diagram says about those that it leaves out.

import { BoundedMap } from '../../core/collections/bounded.js';
import { serverOf } from '../../core/connection-name.js';
import { requestOf } from '../../kubernetes/emitted/message-links.js';
import { KINDS } from '../../kubernetes/messages/fields.js';
import type { Message, Participant, Protocol } from '../../kubernetes/messages/message.js';
import type { MessageSpool } from '../../spool/message-spool.js';
import type { FoldReason } from '../disposition.js';
import { Endpoints } from '../notes/endpoints.js';
import { wentWrong } from '../notes/failed-requests.js';
import { NodeSilences } from '../notes/node-silence.js';
import type { Answer, Remainder, TrafficFacts } from '../remainder.js';
import { reasonFor } from '../selection/follow.js';
import { isPerson } from '../selection/noise.js';
import { isInLayers, layerOf } from '../selection/visibility.js';
import { observeServer } from '../unread-places.js';
import { foldMark, foldReasonIn, isOfLayer } from './fold-mark.js';
import { SeqSet } from './seq-set.js';

export class RemainderObserver {
  readonly #layers: ReadonlySet<Protocol>;
  readonly #isFollowing: boolean;
  /** Requests that failed, by `seq`: for a person's a missing API is usual, for a program's a missing object. */
  readonly #failed = { ofPerson: new SeqSet(), ofProgram: new SeqSet() };
  readonly #silences = new NodeSilences();
  readonly #resources = new Map<string, string>();
  readonly #servers = new BoundedMap<string, boolean>(MAX_SERVERS, 'servers that were read');
  readonly #endpoints = new Endpoints();
  /** Events of type ERROR, by `seq`. */
  readonly watchErrors = new SeqSet();
  /** Participants that write releases of Helm. */
  readonly releaseWriters = new Set<Participant>();

  /** @param isFollowing an object is followed; else what is not selected is left out. */
  constructor(layers: ReadonlySet<Protocol>, isFollowing: boolean) {
    this.#layers = layers;
    this.#isFollowing = isFollowing;
  }

  /** @returns the mark of the message (fold-mark.ts). */
  observe(message: Message): number {
    this.#silences.observe(message);
    this.#endpoints.add(message);
    observeServer(this.#servers, message, this.#layers);
    if (message.release !== undefined) this.releaseWriters.add(message.from);
    if (!isInLayers(message, this.#layers)) return foldMark(`layer-${layerOf(message)}`);
    if (message.type === 'ERROR') this.watchErrors.add(message.seq);
    const request = requestOf(message);
    if (message.object !== undefined && request?.resource !== undefined)
      this.#resources.set(message.object.kind, request.resource);
    if (!this.#isFollowing) return foldMark('not-selected');
    if (message.kind === 'response' && request !== undefined) this.#addFailure(request, message);
    return this.#markOf(message, request);
  }

  /**
   * @param isKept by `seq`: the message is part of the observation.
   * @param isSelected by `seq`: by the user.
   */
  remainder(spool: MessageSpool, isKept: (seq: number) => boolean, isSelected: (seq: number) => boolean): Remainder {
    const folded = new Map<FoldReason, number>();
    const failed = new Map<FoldReason, number>();
    let count = 0;
    let span: [bigint, bigint] | null = null;
    const { participants } = spool;
    for (const { count: messages, columns } of spool.blocks()) {
      for (let row = 0; row < messages; row++) {
        const isOfPerson = isPerson(participants[columns.from[row]]) || isPerson(participants[columns.to[row]]);
        const reason = foldReasonIn(columns.mark[row], isOfPerson);
        const seq = columns.seq[row];
        const isInView = !isOfLayer(columns.mark[row]) && isSelected(seq);
        if (isInView) span = [span?.[0] ?? columns.time[row], columns.time[row]];
        if (isKept(seq)) continue;
        count += 1;
        const foldedAs = isOfLayer(columns.mark[row]) || isInView ? reason : 'not-selected';
        folded.set(foldedAs, (folded.get(foldedAs) ?? 0) + 1);
        const hasFailed = (isOfPerson ? this.#failed.ofPerson : this.#failed.ofProgram).has(seq);
        if (isInView && hasFailed) failed.set(reason, (failed.get(reason) ?? 0) + 1);
      }
    }
    return { ...this.facts(spool), count, folded, failed, span };
  }

  /** What is known of all messages. */
  facts(spool: MessageSpool): TrafficFacts {
    return {
      silences: this.#silences.found,
      resources: this.#resources,
      servers: this.#servers,
      endpoints: this.#endpoints,
      answers: () => answersIn(spool),
    };
  }

  #markOf(message: Message, request: Message | undefined): number {
    const reason = reasonFor(message, request, isAboutNothing);
    if (!isPerson(message.from) && !isPerson(message.to)) return foldMark(reason);
    const ofProgram = { ...message, from: asProgram(message.from), to: asProgram(message.to) };
    const openedBy = request === undefined ? undefined : withProgram(request);
    return foldMark(reason, reasonFor(ofProgram, openedBy, isAboutNothing));
  }

  #addFailure(request: Message, response: Message): void {
    if (wentWrong(request, response)) this.#failed.ofPerson.add(request.seq);
    if (wentWrong(withProgram(request), response)) this.#failed.ofProgram.add(request.seq);
  }
}

/** The same if a program sent it. */
function withProgram(request: Message): Message {
  return isPerson(request.from) ? { ...request, from: asProgram(request.from) } : request;
}

function asProgram(participant: Participant): Participant {
  return isPerson(participant) ? { ...participant, tier: 'nodes' } : participant;
}

function isAboutNothing(): boolean {
  return false;
}

function* answersIn(spool: MessageSpool): Generator<Answer> {
  for (const block of spool.blocks())
    for (let row = 0; row < block.count; row++)
      if (block.columns.kind[row] === RESPONSE)
        yield { server: serverOf(block.connection(row)), time: block.columns.time[row] };
}

const RESPONSE = KINDS.indexOf('response');
/** Limit: servers of which it is known whether they have messages in the drawn layers. */
const MAX_SERVERS = 100_000;
