// Which messages a user chose, for commands that write while they read: what an object caused is known only when everything was
// read, all else as it comes. Knows selections; not what is written.

import { isUnread, type Message, messagesAbout, type Notice, Selector } from '../index.js';
import { sayElsewhere } from './follow-hints.js';
import type { Session } from './input/session.js';
import { type CommonOptions, type FollowCliOptions, followOf, isSelecting, selectionOf } from './options.js';
import { Nobody } from './unknown-participants.js';

export class Chosen {
  readonly #options: CommonOptions & FollowCliOptions;
  readonly #session: Session;
  readonly #followed: ReturnType<typeof followOf>;
  /** All, where an object is followed. */
  readonly #messages: Message[] = [];
  #selector: Selector | null = null;
  /** Of what was chosen, by name. */
  readonly #connections = new Set<string>();
  readonly #nobody: Nobody;
  /** Nothing was chosen: each message is all that comes of it. */
  readonly isAll: boolean;

  /** Throws Trouble for what is no object. */
  constructor(options: CommonOptions & FollowCliOptions, session: Session) {
    this.#options = options;
    this.#session = session;
    this.#followed = followOf(options);
    this.#nobody = new Nobody(options);
    this.isAll = this.#followed === undefined && !isSelecting(options);
  }

  /** @returns messages that are chosen, in order; some wait for what comes. */
  feed(message: Message): readonly Message[] {
    this.#nobody.see(message);
    if (this.#followed === undefined) return this.#given(this.#selected(message));
    this.#messages.push(message);
    return [];
  }

  /** Everything was read. */
  end(): readonly Message[] {
    const about = this.#followed === undefined ? [] : messagesAbout(this.#messages, this.#followed);
    if (about.length === 0) sayElsewhere(this.#options, this.#messages);
    this.#nobody.say();
    return this.#given([...about.flatMap((message) => this.#selected(message)), ...(this.#selector?.end() ?? [])]);
  }

  /** Whether a notice is about a connection of what was chosen, or about what nobody could read. */
  touches({ code, connection }: Notice): boolean {
    if (this.isAll || connection === undefined || isUnread(code)) return true;
    return this.#connections.has(connection) || this.#connections.size >= MAX_CONNECTIONS;
  }

  #given(chosen: readonly Message[]): readonly Message[] {
    for (const { connection } of chosen)
      if (this.#connections.size < MAX_CONNECTIONS) this.#connections.add(connection);
    return chosen;
  }

  #selected(message: Message): readonly Message[] {
    if (!isSelecting(this.#options)) return [message];
    // Times are from the first frame, which is known when there is a message.
    this.#selector ??= new Selector(selectionOf(this.#options, this.#session));
    return this.#selector.feed(message);
  }
}

/** Connections of what was chosen; with more, every notice is about one. */
const MAX_CONNECTIONS = 20_000;
