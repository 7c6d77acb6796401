// Gathers messages until all are read: in memory, or in a spool file once there are many and only a part of them will be used.

import { tmpdir } from 'node:os';
import { type DiagramOptions, type Message, type Notice, type Observation, SpooledObservation } from '../../index.js';
import { describeError, printError } from '../cli-error.js';
import { SpoolFile } from './spool-file.js';

export interface GatheringOptions {
  /** Stay in memory, however many they are. */
  readonly inMemory: boolean;
  readonly quiet: boolean;
}

export class GatheredMessages {
  /** Which part will be used, but for the user's selection. */
  readonly #part: DiagramOptions;
  readonly #quiet: boolean;
  #most: number;
  #messages: Message[] = [];
  #file: SpoolFile | null = null;
  #spooled: SpooledObservation | null = null;

  constructor(part: DiagramOptions, { inMemory, quiet }: GatheringOptions) {
    this.#part = part;
    this.#quiet = quiet;
    this.#most = inMemory ? Number.POSITIVE_INFINITY : MAX_IN_MEMORY;
  }

  /** @param message in a spool, its head and body are not kept. Throws CliError where the disk is full. */
  add(message: Message): void {
    if (this.#spooled !== null) this.#spooled.add(message);
    else if (this.#messages.push(message) > this.#most) this.#spool();
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

  #spool(): void {
    try {
      this.#file = new SpoolFile();
    } catch (error) {
      // A container's file system may be read-only.
      this.#most = Number.POSITIVE_INFINITY;
      if (!this.#quiet)
        printError(
          `all messages stay in memory, as a temporary file cannot be made in ${tmpdir()} (TMPDIR names another directory): ${describeError(error)}`,
        );
      return;
    }
    this.#spooled = new SpooledObservation(this.#file, this.#part);
    for (const message of this.#messages) this.#spooled.add(message);
    this.#messages = [];
  }
}

/** Limit: messages that stay in memory where only a part of them is used, 25 MB; more go into a temporary file. */
const MAX_IN_MEMORY = 20_000;
