// Gathers messages until all are read: in memory, or in a spool file once there are many and only a part of them will be used.

import { tmpdir } from 'node:os';
import {
  type DiagramOptions,
  type Message,
  MessageLinker,
  type Notice,
  notice,
  type Observation,
  SpooledObservation,
} from '../../index.js';
import { describeError, printError } from '../cli-error.js';
import { SpoolFile } from './spool-file.js';

export interface GatheringOptions {
  /** All will be used: they stay in memory. */
  readonly whole?: boolean;
  /** Heads and bodies will be used. */
  readonly bodies?: boolean;
  readonly quiet?: boolean;
  /** Default: the limits below. */
  readonly limits?: HeldLimits;
}

export interface HeldLimits {
  readonly messages: number;
  /** Bytes of bodies as they were transferred. */
  readonly bodyBytes: number;
}

export class GatheredMessages {
  /** Which part will be used, but for the user's selection. */
  readonly #part: DiagramOptions;
  readonly #options: GatheringOptions;
  readonly #limits: HeldLimits;
  /** Messages in memory; with one more, all go into a spool. */
  #most: number;
  #messages: Message[] = [];
  /** Of the messages as they are held: some are copies. */
  readonly #requests = new MessageLinker();
  #file: SpoolFile | null = null;
  #spooled: SpooledObservation | null = null;
  #bodyBytes = 0;
  /** Of messages that are kept. */
  #bodiesLeftOut = 0;
  #messagesLeftOut = 0;

  constructor(part: DiagramOptions, options: GatheringOptions) {
    this.#part = part;
    this.#options = options;
    this.#limits = options.limits ?? { messages: MAX_HELD, bodyBytes: MAX_HELD_BODIES };
    const { whole = false, bodies = false } = options;
    this.#most = whole ? Number.POSITIVE_INFINITY : bodies ? this.#limits.messages : MAX_IN_MEMORY;
  }

  /** @param message in a spool, its head and body are not kept. Throws CliError where the disk is full. */
  add(message: Message): void {
    if (this.#spooled !== null) this.#addToSpool(this.#spooled, message);
    else if (this.#messages.length >= this.#most) this.#spool(message);
    else if (this.#messages.length >= this.#limits.messages) this.#messagesLeftOut += 1;
    else this.#messages.push(this.#requests.link(this.#held(message)));
  }

  /** After the last message: what did not fit into memory. */
  notices(): readonly Notice[] {
    const said: string[] = [];
    if (this.#messagesLeftOut > 0)
      said.push(
        `the last ${this.#messagesLeftOut} messages are left out, as a diagram of everything holds ${this.#limits.messages}; --follow, --where or --since choose a part`,
      );
    if (this.#bodiesLeftOut > 0)
      said.push(`${this.#bodiesLeftOut} bodies are left out, as more were read than are held in memory`);
    return said.map((detail) => notice('limit.held', detail));
  }

  /** After the last message: all of them, or those of the part. @param isSelected by `seq`: by the user; undefined: all are. */
  observation(notices: readonly Notice[], isSelected?: (seq: number) => boolean): Observation {
    if (this.#spooled === null) return { messages: this.#messages, notices };
    return this.#spooled.observation(notices, isSelected);
  }

  close(): void {
    this.#file?.close();
    this.#file = null;
  }

  /** Without its body where bodies are over their limit. */
  #held(message: Message): Message {
    const { details } = message;
    const bytes = details?.bodyBytes() ?? 0;
    this.#bodyBytes += bytes;
    if (details === undefined || this.#bodyBytes <= this.#limits.bodyBytes) return message;
    if (bytes > 0) this.#bodiesLeftOut += 1;
    return { ...message, details: undefined };
  }

  #addToSpool(spooled: SpooledObservation, message: Message): void {
    if ((message.details?.bodyBytes() ?? 0) > 0) this.#bodiesLeftOut += 1;
    spooled.add(message);
  }

  /** @param message one more than fit into memory. */
  #spool(message: Message): void {
    try {
      this.#file = new SpoolFile();
    } catch (error) {
      // A container's file system may be read-only.
      this.#most = Number.POSITIVE_INFINITY;
      if (this.#options.quiet !== true)
        printError(
          `all messages stay in memory, ${this.#limits.messages} at most, as a temporary file cannot be made in ${tmpdir()} (TMPDIR names another directory): ${describeError(error)}`,
        );
      this.add(message);
      return;
    }
    this.#spooled = new SpooledObservation(this.#file, this.#part);
    for (const one of [...this.#messages, message]) this.#addToSpool(this.#spooled, one);
    this.#messages = [];
  }
}

/** Limit: messages that stay in memory where only a part of them is used, 25 MB; more go into a temporary file. */
const MAX_IN_MEMORY = 20_000;
/** Limit: messages that a diagram of everything, or a selection with bodies, holds in memory: 0.9 GB with what is drawn of them. */
const MAX_HELD = 250_000;
/** Limit in bytes: bodies, as they were transferred, that wait in memory for a page or a selection. */
const MAX_HELD_BODIES = 256 * 1024 * 1024;
