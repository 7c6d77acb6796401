// Finds, among more messages than fit into memory, those that a diagram is made of: what mentions the followed objects, what caused
// it and what it caused, until the story leads to nothing more.

import { MessageLinker } from '../../kubernetes/emitted/message-links.js';
import { ObjectStore } from '../../kubernetes/lives/object-store.js';
import { KINDS } from '../../kubernetes/messages/fields.js';
import type { Message, Participant } from '../../kubernetes/messages/message.js';
import { placeOf } from '../../kubernetes/participants/place-name.js';
import type { BlockReader } from '../../spool/block-reader.js';
import type { MessageSpool } from '../../spool/message-spool.js';
import { indexMessages, type MessageIndex } from '../message-index.js';
import { FollowedObjects } from '../selection/followed-objects.js';
import { isPerson } from '../selection/noise.js';
import { CAUSE_DEPTH } from '../selection/story-part.js';
import { type DiagramOptions, storyOf } from '../selection/visibility.js';
import { isOfLayer } from './fold-mark.js';
import type { RemainderObserver } from './remainder-observer.js';

export class NeededMessages {
  readonly #spool: MessageSpool;
  readonly #observer: RemainderObserver;
  readonly #options: DiagramOptions;
  readonly #search = new SpoolSearch();
  /** By `seq`. */
  readonly #found = new Map<number, Message>();

  /** @param options without the user's selection. */
  constructor(spool: MessageSpool, observer: RemainderObserver, options: DiagramOptions) {
    this.#spool = spool;
    this.#observer = observer;
    this.#options = options;
  }

  /** @param isSelected by `seq`: by the user. @returns messages in the order of the capture. */
  find(isSelected: (seq: number) => boolean): readonly Message[] {
    const { follow } = this.#options;
    if (follow === undefined) this.#addSelected(isSelected);
    else {
      this.#search.names.add(follow.name);
      this.#addErrorsToPeople();
    }
    const objects = new ObjectStore();
    for (;;) {
      for (let pass = this.#search.take(); pass !== null; pass = this.#search.take()) this.#run(pass);
      const links = new MessageLinker();
      const messages = [...this.#found.values()].sort((a, b) => a.seq - b.seq).map((one) => links.link(one));
      this.#extendBy(indexMessages(messages, this.#observer.facts(this.#spool)), isSelected);
      const pass = this.#search.take();
      if (pass === null) return messages.map((one) => objects.link(one));
      this.#run(pass);
    }
  }

  #addSelected(isSelected: (seq: number) => boolean): void {
    for (const block of this.#spool.blocks())
      for (let row = 0; row < block.count; row++)
        if (!isOfLayer(block.columns.mark[row]) && isSelected(block.columns.seq[row]))
          this.#addOfStory(this.#messageAt(block, row));
  }

  /** Errors of people's watches are drawn whatever is followed. */
  #addErrorsToPeople(): void {
    const { participants } = this.#spool;
    for (const block of this.#spool.blocks())
      for (let row = 0; row < block.count; row++)
        if (this.#observer.watchErrors.has(block.columns.seq[row]) && isPerson(participants[block.columns.to[row]]))
          this.#addCause(this.#messageAt(block, row), CAUSE_DEPTH);
  }

  #run(pass: SearchPass): void {
    const searchesTexts = pass.names.size + pass.namespaces.size + pass.participants.size > 0;
    for (const block of this.#spool.blocks()) {
      const { seq, exchange, causedBy, kind } = block.columns;
      const mentions = searchesTexts ? block.mentions(pass) : null;
      for (let row = 0; row < block.count; row++) {
        const isEvent = kind[row] === EVENT;
        if (mentions?.[row] === 1 || (!isEvent && pass.exchanges.has(exchange[row])))
          this.#addOfStory(this.#messageAt(block, row));
        else if (pass.effects.has(causedBy[row])) this.#addEffect(this.#messageAt(block, row));
        else if (!isEvent && pass.explaining.has(exchange[row])) this.#messageAt(block, row);
        const depth = pass.causes.get(seq[row]);
        if (depth !== undefined) this.#addCause(this.#messageAt(block, row), depth);
      }
    }
  }

  #messageAt(block: BlockReader, row: number): Message {
    const seq = block.columns.seq[row];
    const known = this.#found.get(seq);
    if (known !== undefined) return known;
    const message = block.message(row);
    this.#found.set(seq, message);
    return message;
  }

  #addOfStory(message: Message): void {
    this.#addEffect(message);
    this.#search.effects.add(message.seq);
  }

  #addEffect(message: Message): void {
    if (message.kind === 'event') this.#search.explaining.add(message.exchange);
    else this.#search.exchanges.add(message.exchange);
    this.#search.addCause(message.causedBy, CAUSE_DEPTH);
  }

  #addCause(message: Message, depth: number): void {
    this.#search.explaining.add(message.exchange);
    if (depth > 1) this.#search.addCause(message.causedBy, depth - 1);
  }

  /** Adds to the search what the story, as far as it is known, leads to. */
  #extendBy(index: MessageIndex, isSelected: (seq: number) => boolean): void {
    const { names, namespaces, participants } = this.#search;
    const { follow } = this.#options;
    // The story of an object goes through messages that are not selected.
    const selected = follow === undefined ? ({ seq }: Message) => isSelected(seq) : undefined;
    const { dispositions, view } = storyOf(index, { ...this.#options, selected });
    const releaseWriters = new Set<Participant>();
    for (const [message, disposition] of dispositions) {
      if (disposition !== 'drawn') continue;
      this.#addOfStory(message);
      for (const name of namesIn(message)) names.add(name);
      if (this.#observer.releaseWriters.has(message.from)) releaseWriters.add(message.from);
    }
    if (follow !== undefined) {
      const followed = new FollowedObjects(view, [follow]);
      for (const name of followed.mentioned()) names.add(name);
      for (const namespace of followed.terminating()) namespaces.add(namespace);
    }
    this.#spool.participants.forEach((participant, number) => {
      const place = placeOf(participant);
      if (releaseWriters.has(participant) || (place !== null && names.has(place.name))) participants.add(number);
    });
  }
}

/** Names and uids by which other messages are about the object of a message. */
function namesIn({ name, object, k8sEvent }: Message): readonly (string | null | undefined)[] {
  return [name, object?.uid, object?.name, k8sEvent?.uid, k8sEvent?.name];
}

const EVENT = KINDS.indexOf('event');

/** What one pass searches for. */
export interface SearchPass {
  /** Names, uids and references (`RESOURCE/NAME`) of objects. */
  readonly names: ReadonlySet<string>;
  readonly namespaces: ReadonlySet<string>;
  /** By number in the spool. */
  readonly participants: ReadonlySet<number>;
  /** Exchanges whose request, response and data are part of the story. */
  readonly exchanges: ReadonlySet<number>;
  /** Exchanges whose request and response explain an event, a cause or an effect. */
  readonly explaining: ReadonlySet<number>;
  /** `seq` of messages whose effects are searched for. */
  readonly effects: ReadonlySet<number>;
  /** `seq` of a cause → how many causes in a row are searched for from there. */
  readonly causes: ReadonlyMap<number, number>;
}

export class SpoolSearch {
  readonly names = new SearchTerms<string>();
  readonly namespaces = new SearchTerms<string>();
  readonly participants = new SearchTerms<number>();
  readonly exchanges = new SearchTerms<number>();
  readonly explaining = new SearchTerms<number>();
  readonly effects = new SearchTerms<number>();
  readonly #depths = new Map<number, number>();
  #causes = new Map<number, number>();

  /** @param seq undefined: no cause is known. @param depth causes in a row. */
  addCause(seq: number | undefined, depth: number): void {
    if (seq === undefined || (this.#depths.get(seq) ?? 0) >= depth) return;
    this.#depths.set(seq, depth);
    this.#causes.set(seq, depth);
  }

  /** @returns what was added since the last pass; null: nothing. */
  take(): SearchPass | null {
    const causes = this.#causes;
    this.#causes = new Map();
    const pass = {
      names: this.names.take(),
      namespaces: this.namespaces.take(),
      participants: this.participants.take(),
      exchanges: this.exchanges.take(),
      explaining: this.explaining.take(),
      effects: this.effects.take(),
      causes,
    };
    return Object.values(pass).every(({ size }) => size === 0) ? null : pass;
  }
}

class SearchTerms<T> {
  readonly #all = new Set<T>();
  #added = new Set<T>();

  add(term: T | null | undefined): void {
    if (term == null || this.#all.has(term)) return;
    this.#all.add(term);
    this.#added.add(term);
  }

  has(term: T): boolean {
    return this.#all.has(term);
  }

  take(): ReadonlySet<T> {
    const added = this.#added;
    this.#added = new Set();
    return added;
  }
}
