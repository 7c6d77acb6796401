// Collects the messages of a diagram, and which of them the user selects.

import { type DiagramOptions, type Message, type Observation, Selector, SeqSet } from '../../index.js';
import { UnknownParticipants } from '../message-selection.js';
import { followOf, isSelecting, layersOf, selectionOf } from '../option-values.js';
import type { DiagramCliOptions } from '../options.js';
import { GatheredMessages } from './gathered-messages.js';
import type { Session } from './session.js';

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
  // Where nothing is left out, and where names are held against those of all participants, all stay in memory.
  const isPartial = options.follow !== undefined || isSelecting(options);
  const collector = new DiagramMessages(session, options, !isPartial || options.participants !== undefined);
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
  const collector = new DiagramMessages(session, options, true);
  for (const message of messages) collector.add(message);
  return collector.end();
}

class DiagramMessages {
  readonly #session: Session;
  readonly #options: DiagramCliOptions;
  readonly #unknown: UnknownParticipants;
  readonly #messages: GatheredMessages;
  readonly #selected = new SeqSet();
  #selector: Selector | null = null;

  constructor(session: Session, options: DiagramCliOptions, inMemory: boolean) {
    this.#session = session;
    this.#options = options;
    this.#unknown = new UnknownParticipants(options);
    const part = { follow: followOf(options), all: options.all, layers: layersOf(options) };
    this.#messages = new GatheredMessages(part, { inMemory, quiet: options.quiet === true });
  }

  add(message: Message): void {
    this.#unknown.observe(message);
    if (isSelecting(this.#options)) this.#select(message);
    this.#messages.add(message);
  }

  end(): CollectedMessages {
    for (const { seq } of this.#selector?.end() ?? []) this.#selected.add(seq);
    const isSelected = isSelecting(this.#options) ? (seq: number) => this.#selected.has(seq) : undefined;
    const observation = this.#messages.observation(this.#session.notices, isSelected);
    const selected = isSelected === undefined ? undefined : ({ seq }: Message) => isSelected(seq);
    return { observation, selected, unknown: this.#unknown };
  }

  close(): void {
    this.#messages.close();
  }

  #select(message: Message): void {
    // Times are from the first frame, which is known when there is a message.
    this.#selector ??= new Selector(selectionOf(this.#options, this.#session));
    for (const { seq } of this.#selector.feed(message)) this.#selected.add(seq);
  }
}
