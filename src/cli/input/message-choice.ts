// Chooses messages as the user says by --follow, --from, --to, --since, --until and --where, and says what of that is not there.

import {
  ALL_LAYERS,
  type DiagramOptions,
  escapeTerminal,
  hasSide,
  isUnread,
  type Message,
  messagesAbout,
  NearestNames,
  type Notice,
  type Observation,
  type OfferedNames,
  otherNamespaces,
  type PipelineItem,
  Selector,
  SeqSet,
} from '../../index.js';
import { followOf, isSelecting, selectionOf, takesAll } from '../option-values.js';
import type { CommonOptions, FollowCliOptions } from '../options.js';
import type { CapturedItems } from '../output/results.js';
import { GatheredMessages } from './gathered-messages.js';
import type { Session } from './session.js';

/** Messages of a diagram. */
export interface ObservedPart {
  /** Of many messages those that the diagram needs. */
  readonly observation: Observation;
  /** The user's selection; undefined: all messages. */
  readonly selected: DiagramOptions['selected'];
}

export class MessageChoice {
  /** Neither an object nor a part of the messages is chosen. */
  readonly isAll: boolean;
  /** An object is followed that is not in the capture. Known at the end, as are the remarks. */
  isAbsent = false;
  /** What of the choice is not there. */
  remarks: readonly string[] = [];
  readonly #options: CommonOptions & FollowCliOptions;
  readonly #session: Session;
  readonly #followed: ReturnType<typeof followOf>;
  readonly #nearest: NearestNames | null;
  readonly #unknown: UnknownParticipants;
  /** Messages that wait for the end of the input. */
  readonly #gathered: GatheredMessages;
  /** undefined: no part is chosen; null: the first message is to come. */
  #selector: Selector | null | undefined;
  /** Numbers of gathered messages that are selected. */
  readonly #selected = new SeqSet();
  /** Connections of messages that were handed on, by name. */
  readonly #connections = new Set<string>();

  /**
   * Throws CliError for an invalid object.
   *
   * @param use bodies: heads and bodies of chosen messages are used. drawn: what decides, beside the choice, which messages a diagram
   * needs; absent: messages are handed on as they come.
   */
  constructor(
    options: CommonOptions & FollowCliOptions,
    session: Session,
    { bodies = false, drawn }: { readonly bodies?: boolean; readonly drawn?: DiagramOptions } = {},
  ) {
    this.isAll = takesAll(options);
    this.#options = options;
    this.#session = session;
    this.#followed = followOf(options);
    this.#nearest = this.#followed === undefined ? null : new NearestNames(this.#followed);
    this.#unknown = new UnknownParticipants(options);
    this.#selector = isSelecting(options) ? null : undefined;
    const part = { follow: this.#followed, ...(drawn ?? { layers: ALL_LAYERS }) };
    // Where nothing is left out, all are used.
    const gathering = { whole: drawn !== undefined && this.isAll, bodies, quiet: options.quiet };
    this.#gathered = session.withDropNotices(() => new GatheredMessages(part, gathering));
  }

  /** What is selected of a list of messages, in the order of time; --follow is not looked at. */
  of(messages: readonly Message[]): readonly Message[] {
    return [...messages.flatMap((message) => this.#select(message)), ...this.#selectLast()];
  }

  /** The selection from a list of all messages; undefined: all of them. */
  selectedOf(messages: readonly Message[]): DiagramOptions['selected'] {
    if (this.#selector === undefined) return undefined;
    const seqs = new Set(this.of(messages).map(({ seq }) => seq));
    return ({ seq }) => seqs.has(seq);
  }

  /** What a command answers with. @param bodies with heads and bodies. */
  items(batches: CapturedItems['batches'], bodies: boolean): CapturedItems {
    const redacted = this.#options.showSecrets !== true;
    return { batches, bodies, isAll: this.isAll, names: this.#session.names, redacted };
  }

  /** What is chosen of what is read; everything else of it stays. Some messages come after the last batch. */
  async *from(read: AsyncIterable<readonly PipelineItem[]>): AsyncGenerator<readonly PipelineItem[]> {
    try {
      for await (const batch of read)
        yield this.isAll
          ? batch
          : batch.flatMap((item) => (item.kind === 'message' ? this.#handedOn(this.#feed(item.message)) : [item]));
      const about = this.#about();
      this.remarks = [...this.remarks, ...this.unknownNames()];
      const last = this.#handedOn(this.of(about));
      if (last.length > 0) yield last;
    } finally {
      this.close();
    }
  }

  /** @returns selected messages in order; some are held back until later ones decide, of a followed object all. */
  #feed(message: Message): readonly Message[] {
    this.observe(message);
    if (this.#followed === undefined) return this.#select(message);
    this.#gathered.add(message);
    return [];
  }

  /** Messages about the followed object; none if none is followed. */
  #about(): readonly Message[] {
    if (this.#followed === undefined) return [];
    this.#session.note(this.#gathered.notices());
    const { messages, remainder } = this.#gathered.observation([]);
    const about = messagesAbout(messages, this.#followed, remainder);
    if (about.length > 0) return about;
    this.isAbsent = messages.length + (remainder?.count ?? 0) > 0;
    this.remarks = this.elsewhere(messages);
    return about;
  }

  /** Gathers a message for a diagram. */
  add(message: Message): void {
    this.observe(message);
    this.#remember(this.#selector === undefined ? [] : this.#select(message));
    this.#gathered.add(message);
  }

  /** After the last message: those that were gathered. */
  gathered(): ObservedPart {
    this.#remember(this.#selectLast());
    const isSelected = this.#selector === undefined ? undefined : (seq: number) => this.#selected.has(seq);
    this.#session.note(this.#gathered.notices());
    return {
      observation: this.#gathered.observation(this.#session.notices, isSelected),
      selected: isSelected === undefined ? undefined : ({ seq }: Message) => isSelected(seq),
    };
  }

  /** Gives back what gathered messages need; they cannot be read any more. */
  close(): void {
    this.#gathered.close();
  }

  /** Learns which names there are; of messages that are handed on or gathered it is called already. */
  observe(message: Message): void {
    this.#unknown.observe(message);
    this.#nearest?.observe(message);
  }

  /** A line for each name of --from and --to that no participant has. */
  unknownNames(): readonly string[] {
    return this.#unknown.remarks();
  }

  /** Where else the followed object is, or what may have been meant. @param messages of the whole observation. */
  elsewhere(messages: readonly Message[]): readonly string[] {
    if (this.#followed === undefined || this.#nearest === null) return [];
    const namespaces = otherNamespaces(messages, this.#followed);
    return [`--follow ${this.#options.follow}: ${otherNamespacesText(namespaces, this.#nearest.offered())}`];
  }

  /** Is a notice about a connection of messages that were handed on, or about unread traffic? */
  touches({ code, connection }: Notice): boolean {
    if (this.isAll || connection === undefined || isUnread(code)) return true;
    return this.#connections.has(connection) || this.#connections.size >= MAX_CONNECTIONS;
  }

  /** @param message in the order of time. @returns selected messages in order; some wait until later ones decide. */
  #select(message: Message): readonly Message[] {
    if (this.#selector === undefined) return [message];
    // Times are from the first frame, which is known when there is a message.
    this.#selector ??= new Selector(selectionOf(this.#options, this.#session));
    return this.#selector.feed(message);
  }

  #selectLast(): readonly Message[] {
    return this.#selector?.end() ?? [];
  }

  #remember(messages: readonly Message[]): void {
    for (const { seq } of messages) this.#selected.add(seq);
  }

  #handedOn(messages: readonly Message[]): PipelineItem[] {
    for (const { connection } of messages)
      if (this.#connections.size < MAX_CONNECTIONS) this.#connections.add(connection);
    return messages.map((message) => ({ kind: 'message', message }));
  }
}

/** Limit: connections of selected messages that are remembered, to leave out notices about others; with more, every notice is printed. */
const MAX_CONNECTIONS = 20_000;

const SIDES = ['from', 'to'] as const;

/** Finds, over all messages of an observation, names in --from and --to that no participant has. */
class UnknownParticipants {
  readonly #options: CommonOptions;
  #missing: readonly (typeof SIDES)[number][];
  readonly #names = { from: new Set<string>(), to: new Set<string>() };

  constructor(options: CommonOptions) {
    this.#options = options;
    this.#missing = SIDES.filter((side) => options[side] !== undefined);
  }

  observe(message: Message): void {
    if (this.#missing.length === 0) return;
    this.#missing = this.#missing.filter((side) => !hasSide(message, side, this.#options[side]!));
    for (const side of this.#missing) if (this.#names[side].size < MAX_NAMES) this.#names[side].add(message[side].name);
  }

  /** A line for each. */
  remarks(): readonly string[] {
    return this.#missing.map((side) => {
      const names = [...this.#names[side]].sort();
      const shown = names.slice(0, SHOWN_NAMES).join(', ');
      const more = names.length > SHOWN_NAMES ? ' …' : '';
      const others = names.length === 0 ? 'there are no messages' : `there are: ${shown}${more}`;
      return `--${side} ${this.#options[side]}: no participant of that name ${SAID[side]} a message; ${others}`;
    });
  }
}

const SAID = { from: 'sent', to: 'received' } as const;
/** Limit: names that are listed where no participant has the one of `--from` or `--to`: enough to find the right spelling. */
const MAX_NAMES = 200;
const SHOWN_NAMES = 12;

/** @param namespaces other namespaces with such an object. @param offered what may have been meant instead. */
export function otherNamespacesText(namespaces: readonly string[], { nearest, present }: OfferedNames): string {
  const [first, ...others] = namespaces;
  if (first === undefined) {
    const near = nearest.map(escapeTerminal).join(', ');
    const others = present.map(escapeTerminal).join(', ');
    const hint =
      near !== '' ? `; did you mean ${near}?` : others !== '' ? `; the capture has the creation of: ${others}` : '';
    return `no message in the capture is about it${hint}`;
  }
  if (others.length === 0) return `it is in another namespace: -n ${first}`;
  const shown = namespaces.slice(0, SHOWN_NAMESPACES).join(', ');
  const more = namespaces.length - SHOWN_NAMESPACES;
  return `it is in other namespaces (-n): ${shown}${more > 0 ? ` and ${more} more` : ''}`;
}

const SHOWN_NAMESPACES = 5;
