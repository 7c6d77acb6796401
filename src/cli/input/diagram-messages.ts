// Collects the messages of a diagram, and which of them the user selects.

import {
  type DiagramOptions,
  type Message,
  NearestNames,
  type Observation,
  type OfferedNames,
  type Roster,
  SeqSet,
} from '../../index.js';
import { MessageChoice } from '../message-choice.js';
import { UnknownParticipants } from '../message-selection.js';
import { followOf, layersOf, takesAll } from '../option-values.js';
import type { DiagramCliOptions } from '../options.js';
import { rosterOf } from '../participants.js';
import { GatheredMessages } from './gathered-messages.js';
import type { Session } from './session.js';

/** What a diagram is made of. */
export interface CollectedMessages {
  readonly observation: Observation;
  /** The user's selection; undefined: all messages. */
  readonly selected: DiagramOptions['selected'];
  /** Names in --from and --to that no participant has. */
  readonly unknown: UnknownParticipants;
  /** Names of all participants; null: no `--participants` names any. */
  readonly roster: Roster | null;
  /** What may have been meant by the followed object; undefined: none is followed. */
  offered(): OfferedNames | undefined;
}

export class DiagramMessages {
  readonly #session: Session;
  readonly #unknown: UnknownParticipants;
  readonly #gathered: GatheredMessages;
  readonly #choice: MessageChoice;
  /** Numbers of selected messages, where some are left out. */
  readonly #selected = new SeqSet();
  readonly #nearest: NearestNames | null;
  readonly #roster: Roster | null;

  /** @param bodies they are needed. */
  constructor(session: Session, options: DiagramCliOptions, bodies: boolean) {
    this.#session = session;
    this.#unknown = new UnknownParticipants(options);
    this.#choice = new MessageChoice(options, session);
    const follow = followOf(options);
    this.#nearest = follow === undefined ? null : new NearestNames(follow);
    const part = { follow, all: options.all, layers: layersOf(options) };
    // Where nothing is left out, all are used.
    this.#gathered = session.keep(
      () => new GatheredMessages(part, { whole: takesAll(options), bodies, quiet: options.quiet === true }),
    );
    this.#roster = options.participants === undefined ? null : rosterOf(options);
  }

  add(message: Message): void {
    this.#unknown.observe(message);
    if (!this.#choice.isAll) this.#select(this.#choice.feed(message));
    this.#nearest?.observe(message);
    this.#roster?.observe(message);
    this.#gathered.add(message);
  }

  /** After the last message. */
  end(): CollectedMessages {
    this.#select(this.#choice.end());
    const isSelected = this.#choice.isAll ? undefined : (seq: number) => this.#selected.has(seq);
    this.#session.note(this.#gathered.notices());
    const observation = this.#gathered.observation(this.#session.notices, isSelected);
    const selected = isSelected === undefined ? undefined : ({ seq }: Message) => isSelected(seq);
    return {
      observation,
      selected,
      unknown: this.#unknown,
      roster: this.#roster,
      offered: () => this.#nearest?.offered(),
    };
  }

  #select(messages: readonly Message[]): void {
    for (const { seq } of messages) this.#selected.add(seq);
  }

  close(): void {
    this.#gathered.close();
  }
}
