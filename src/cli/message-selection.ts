// Selects messages for commands that write while they read, and tells where else a followed object or a misspelt
// participant could be found.

import {
  ALL_LAYERS,
  escapeTerminal,
  type FollowedName,
  hasSide,
  isUnread,
  type Message,
  messagesAbout,
  NearestNames,
  type Notice,
  type OfferedNames,
  otherNamespaces,
  type PipelineItem,
} from '../index.js';
import type { CapturedItems } from './formats.js';
import { GatheredMessages } from './input/gathered-messages.js';
import type { Session } from './input/session.js';
import { MessageChoice } from './message-choice.js';
import { followOf, takesAll } from './option-values.js';
import type { CommonOptions, FollowCliOptions } from './options.js';

export class MessageSelection {
  readonly #options: CommonOptions & FollowCliOptions;
  readonly #session: Session;
  readonly #followed: ReturnType<typeof followOf>;
  /** If an object is followed. */
  readonly #gathered: GatheredMessages;
  readonly #nearest: NearestNames | null;
  readonly #choice: MessageChoice;
  /** An object is followed that is not in the capture. */
  isAbsent = false;
  /** At the end: what of the selection is not there. */
  remarks: readonly string[] = [];
  /** Connections of selected messages, by name. */
  readonly #connections = new Set<string>();
  readonly #unknown: UnknownParticipants;
  /** No selection: every message is passed on at once. */
  readonly isAll: boolean;

  /** @param bodies heads and bodies are used. Throws CliError for an invalid object. */
  constructor(options: CommonOptions & FollowCliOptions, session: Session, bodies: boolean) {
    this.#options = options;
    this.#session = session;
    this.#followed = followOf(options);
    this.#gathered = new GatheredMessages(
      { follow: this.#followed, layers: ALL_LAYERS },
      { whole: false, bodies, quiet: options.quiet === true },
    );
    this.#nearest = this.#followed === undefined ? null : new NearestNames(this.#followed);
    this.#unknown = new UnknownParticipants(options);
    this.#choice = new MessageChoice(options, session);
    this.isAll = takesAll(options);
  }

  /** What a command answers with. @param bodies with heads and bodies. */
  items(batches: CapturedItems['batches'], bodies: boolean): CapturedItems {
    const redacted = this.#options.showSecrets !== true;
    return { batches, bodies, isAll: this.isAll, names: this.#session.names, redacted };
  }

  /** What is selected of what is read; everything else of it stays. Some messages come after the last batch. */
  async *of(read: AsyncIterable<readonly PipelineItem[]>): AsyncGenerator<readonly PipelineItem[]> {
    try {
      for await (const batch of read)
        yield this.isAll
          ? batch
          : batch.flatMap((item) => (item.kind === 'message' ? asItems(this.#feed(item.message)) : [item]));
      const last = asItems(this.#end());
      if (last.length > 0) yield last;
    } finally {
      this.#gathered.close();
    }
  }

  /** @returns selected messages in order; some are held back until later ones decide. */
  #feed(message: Message): readonly Message[] {
    this.#unknown.observe(message);
    if (this.#followed === undefined) return this.#given(this.#choice.feed(message));
    this.#nearest?.observe(message);
    this.#gathered.add(message);
    return [];
  }

  /** At the end of the input. */
  #end(): readonly Message[] {
    const about = this.#about();
    this.remarks = [...this.remarks, ...this.#unknown.remarks()];
    return this.#given(this.#choice.of(about));
  }

  /** Messages about the followed object; none if none is followed. */
  #about(): readonly Message[] {
    if (this.#followed === undefined) return [];
    this.#session.note(this.#gathered.notices());
    const { messages, remainder } = this.#gathered.observation([]);
    const about = messagesAbout(messages, this.#followed, remainder);
    if (about.length > 0) return about;
    this.isAbsent = messages.length + (remainder?.count ?? 0) > 0;
    this.remarks = otherNamespacesRemarks(this.#options, messages, this.#nearest?.offered());
    return about;
  }

  /** Is a notice about a connection of selected messages, or about unread traffic? */
  touches({ code, connection }: Notice): boolean {
    if (this.isAll || connection === undefined || isUnread(code)) return true;
    return this.#connections.has(connection) || this.#connections.size >= MAX_CONNECTIONS;
  }

  #given(chosen: readonly Message[]): readonly Message[] {
    for (const { connection } of chosen)
      if (this.#connections.size < MAX_CONNECTIONS) this.#connections.add(connection);
    return chosen;
  }
}

function asItems(messages: readonly Message[]): PipelineItem[] {
  return messages.map((message) => ({ kind: 'message', message }));
}

/** Limit: connections of selected messages that are remembered, to leave out notices about others; with more, every notice is printed. */
const MAX_CONNECTIONS = 20_000;

const SIDES = ['from', 'to'] as const;

/** Finds, over all messages of an observation, names in --from and --to that no participant has. */
export class UnknownParticipants {
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

/** The same for a list of messages. */
export function unknownParticipants(options: CommonOptions, messages: readonly Message[]): readonly string[] {
  const unknown = new UnknownParticipants(options);
  for (const message of messages) unknown.observe(message);
  return unknown.remarks();
}

const SAID = { from: 'sent', to: 'received' } as const;
/** Limit: names that are listed where no participant has the one of `--from` or `--to`: enough to find the right spelling. */
const MAX_NAMES = 200;
const SHOWN_NAMES = 12;

/**
 * Where else the followed object is, or what may have been meant.
 *
 * @param messages of the whole observation. @param offered what may have been meant; undefined: what the messages have.
 */
export function otherNamespacesRemarks(
  options: FollowCliOptions,
  messages: readonly Message[],
  offered?: OfferedNames,
): readonly string[] {
  const followed = followOf(options);
  if (followed === undefined) return [];
  return [
    `--follow ${options.follow}: ${otherNamespacesText(otherNamespaces(messages, followed), offered ?? offeredIn(messages, followed))}`,
  ];
}

export function offeredIn(messages: readonly Message[], followed: FollowedName): OfferedNames {
  const names = new NearestNames(followed);
  for (const message of messages) names.observe(message);
  return names.offered();
}

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
