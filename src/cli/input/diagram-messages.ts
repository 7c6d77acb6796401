// Collects the messages of a diagram: in memory, or in a spool file where there are many and only some of them will be drawn.

import { tmpdir } from 'node:os';
import {
  type DiagramOptions,
  type Message,
  type Observation,
  Selector,
  SeqSet,
  SpooledObservation,
} from '../../index.js';
import { describeError, printError } from '../cli-error.js';
import { UnknownParticipants } from '../message-selection.js';
import { followOf, isSelecting, layersOf, selectionOf } from '../option-values.js';
import type { DiagramCliOptions } from '../options.js';
import type { Session } from './session.js';
import { SpoolFile } from './spool-file.js';

/** What a diagram is made of. */
export interface CollectedMessages {
  readonly observation: Observation;
  /** The user's selection; undefined: all messages. */
  readonly selected: DiagramOptions['selected'];
  /** Names in --from and --to that no participant has. */
  readonly unknown: UnknownParticipants;
}

/** Reads all messages of a session. */
export async function collectMessages(session: Session, options: DiagramCliOptions): Promise<CollectedMessages> {
  const collector = new DiagramMessages(session, options);
  try {
    for await (const batch of session.run())
      for (const item of batch) if (item.kind === 'message') collector.add(item.message);
    return collector.end();
  } finally {
    collector.close();
  }
}

/** @param messages that are in memory anyway. */
export function collectedMessages(
  messages: readonly Message[],
  session: Session,
  options: DiagramCliOptions,
): CollectedMessages {
  const collector = new DiagramMessages(session, options, Number.POSITIVE_INFINITY);
  for (const message of messages) collector.add(message);
  return collector.end();
}

class DiagramMessages {
  readonly #session: Session;
  readonly #options: DiagramCliOptions;
  #most: number;
  readonly #unknown: UnknownParticipants;
  #messages: Message[] = [];
  #selector: Selector | null = null;
  readonly #selected = new SeqSet();
  #file: SpoolFile | null = null;
  #spooled: SpooledObservation | null = null;

  /** @param most messages that stay in memory. */
  constructor(session: Session, options: DiagramCliOptions, most = mostInMemory(options)) {
    this.#session = session;
    this.#options = options;
    this.#most = most;
    this.#unknown = new UnknownParticipants(options);
  }

  add(message: Message): void {
    this.#unknown.observe(message);
    if (isSelecting(this.#options)) this.#select(message);
    if (this.#spooled !== null) this.#spooled.add(message);
    else if (this.#messages.push(message) > this.#most) this.#spool();
  }

  end(): CollectedMessages {
    for (const { seq } of this.#selector?.end() ?? []) this.#selected.add(seq);
    const isSelected = isSelecting(this.#options) ? (seq: number) => this.#selected.has(seq) : undefined;
    const { notices } = this.#session;
    const observation = this.#spooled?.observation(notices, this.#diagramOptions(), isSelected) ?? {
      messages: this.#messages,
      notices,
    };
    const selected = isSelected === undefined ? undefined : ({ seq }: Message) => isSelected(seq);
    return { observation, selected, unknown: this.#unknown };
  }

  close(): void {
    this.#file?.close();
  }

  #select(message: Message): void {
    // Times are from the first frame, which is known when there is a message.
    this.#selector ??= new Selector(selectionOf(this.#options, this.#session));
    for (const { seq } of this.#selector.feed(message)) this.#selected.add(seq);
  }

  #spool(): void {
    try {
      this.#file = new SpoolFile();
    } catch (error) {
      // A container's file system may be read-only.
      this.#most = Number.POSITIVE_INFINITY;
      if (this.#options.quiet !== true)
        printError(
          `all messages stay in memory, as a temporary file cannot be made in ${tmpdir()} (TMPDIR names another directory): ${describeError(error)}`,
        );
      return;
    }
    this.#spooled = new SpooledObservation(this.#file, this.#diagramOptions());
    for (const message of this.#messages) this.#spooled.add(message);
    this.#messages = [];
  }

  #diagramOptions(): DiagramOptions {
    return { follow: followOf(this.#options), all: this.#options.all, layers: layersOf(this.#options) };
  }
}

/** Where nothing is left out, and where names are held against those of all participants, all stay in memory. */
function mostInMemory(options: DiagramCliOptions): number {
  const isPartial = options.follow !== undefined || isSelecting(options);
  return isPartial && options.participants === undefined ? MAX_IN_MEMORY : Number.POSITIVE_INFINITY;
}

/** Limit: messages that a diagram of a part keeps in memory, 25 MB; more go into a temporary file. */
const MAX_IN_MEMORY = 20_000;
