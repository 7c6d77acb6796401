// Finds, among more messages than fit into memory, those that a diagram is made of: what mentions the followed objects, what caused
// it and what it caused, until the story asks for nothing more.

import { KINDS } from '../../kubernetes/messages/fields.js';
import type { Message, Participant } from '../../kubernetes/messages/message.js';
import { placeOf } from '../../kubernetes/network/place-name.js';
import type { BlockReader } from '../../spool/block-reader.js';
import type { MessageSpool } from '../../spool/message-spool.js';
import { indexMessages, type MessageIndex } from '../message-index.js';
import { FollowedObjects } from '../selection/followed-objects.js';
import { isPerson } from '../selection/noise.js';
import { type DiagramOptions, storyOf } from '../selection/visibility.js';
import { isOfLayer, type RemainderObserver } from './remainder-observer.js';
import { type Pass, Wishes } from './wishes.js';

export class NeededMessages {
  readonly #spool: MessageSpool;
  readonly #observer: RemainderObserver;
  readonly #options: DiagramOptions;
  readonly #isSelected: (seq: number) => boolean;
  readonly #wishes = new Wishes();
  readonly #found = new Map<number, Message>();

  /** @param isSelected by `seq`: by the user. */
  constructor(
    spool: MessageSpool,
    observer: RemainderObserver,
    options: DiagramOptions,
    isSelected: (seq: number) => boolean,
  ) {
    this.#spool = spool;
    this.#observer = observer;
    this.#options = options;
    this.#isSelected = isSelected;
  }

  /** In the order of the capture. */
  find(): readonly Message[] {
    const { follow } = this.#options;
    if (follow === undefined) this.#addSelected();
    else {
      this.#wishes.names.add(follow.name);
      this.#addErrorsToPeople();
    }
    for (;;) {
      for (let pass = this.#wishes.take(); pass !== null; pass = this.#wishes.take()) this.#look(pass);
      const messages = [...this.#found.values()].sort((a, b) => a.seq - b.seq);
      this.#wishFor(indexMessages(messages, [], this.#observer.known(this.#spool)));
      const next = this.#wishes.take();
      if (next === null) return messages;
      this.#look(next);
    }
  }

  #addSelected(): void {
    for (const block of this.#spool.blocks())
      for (let row = 0; row < block.count; row++)
        if (!isOfLayer(block.columns.mark[row]) && this.#isSelected(block.columns.seq[row]))
          this.#addOfStory(this.#messageAt(block, row));
  }

  /** Errors of people's watches are drawn whatever is followed. */
  #addErrorsToPeople(): void {
    const { participants } = this.#spool;
    for (const block of this.#spool.blocks())
      for (let row = 0; row < block.count; row++)
        if (this.#observer.watchErrors.has(block.columns.seq[row]) && isPerson(participants[block.columns.to[row]]))
          this.#addCause(this.#messageAt(block, row), CAUSES);
  }

  #look(pass: Pass): void {
    const isSearch = pass.names.size + pass.namespaces.size + pass.participants.size > 0;
    for (const block of this.#spool.blocks()) {
      const { seq, exchange, causedBy, kind } = block.columns;
      const mentions = isSearch ? block.mentions(pass) : null;
      const onConnections = pass.connections.size > 0 ? block.onConnections(pass.connections) : null;
      for (let row = 0; row < block.count; row++) {
        const isOfStory = mentions?.[row] === 1 || (kind[row] !== EVENT && pass.exchanges.has(exchange[row]));
        if (isOfStory) this.#addOfStory(this.#messageAt(block, row));
        else if (pass.effects.has(causedBy[row])) this.#addEffect(this.#messageAt(block, row));
        else if (kind[row] !== EVENT && (pass.watches.has(exchange[row]) || onConnections?.[row] === 1))
          this.#messageAt(block, row);
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
    this.#wishes.effects.add(message.seq);
  }

  #addEffect(message: Message): void {
    if (message.kind === 'event') this.#wishes.watches.add(message.exchange);
    else this.#wishes.exchanges.add(message.exchange);
    this.#wishes.cause(message.causedBy, CAUSES);
  }

  #addCause(message: Message, depth: number): void {
    this.#wishes.watches.add(message.exchange);
    if (depth > 1) this.#wishes.cause(message.causedBy, depth - 1);
  }

  /** What the story, as far as it is known, makes one look for. */
  #wishFor(index: MessageIndex): void {
    const { names, namespaces } = this.#wishes;
    const { follow } = this.#options;
    // The story goes through messages that are not selected.
    const { dispositions, view } = storyOf(index, follow === undefined ? this.#options : unselected(this.#options));
    const writers = new Set<Participant>();
    for (const [message, disposition] of dispositions) {
      if (disposition !== 'drawn') continue;
      this.#addOfStory(message);
      for (const name of namesIn(message)) names.add(name);
      // What becomes of such requests is told in the order in which they were sent.
      if (message.kind === 'request' && message.stream === null && index.exchangeOf(message).response === undefined)
        this.#wishes.connections.add(message.connection);
      if (this.#observer.releaseWriters.has(message.from)) writers.add(message.from);
    }
    if (follow !== undefined) {
      const followed = new FollowedObjects(view, [follow]);
      for (const name of followed.mentioned()) names.add(name);
      for (const namespace of followed.terminating()) namespaces.add(namespace);
    }
    this.#spool.participants.forEach((participant, number) => {
      const place = placeOf(participant);
      if (writers.has(participant) || (place !== null && names.has(place.name))) this.#wishes.participants.add(number);
    });
  }
}

function unselected(options: DiagramOptions): DiagramOptions {
  return { ...options, selected: undefined };
}

/** Names and uids by which other messages are about the object of a message. */
function namesIn({ name, object, k8sEvent }: Message): readonly (string | null | undefined)[] {
  return [name, object?.uid, object?.name, k8sEvent?.uid, k8sEvent?.name];
}

const EVENT = KINDS.indexOf('event');
/** A request follows from an event, which follows from a write: similar objects are told by both. */
const CAUSES = 2;
