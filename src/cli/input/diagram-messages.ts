// Collects the messages of a diagram, and which of them the user selects.

import {
  type DiagramOptions,
  type Message,
  NearestNames,
  type Observation,
  type OfferedNames,
  type Roster,
} from '../../index.js';
import { UnknownParticipants } from '../message-selection.js';
import { followOf, layersOf, takesAll } from '../option-values.js';
import type { DiagramCliOptions } from '../options.js';
import { rosterOf } from '../participants.js';
import { SelectedMessages } from '../selected-messages.js';
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
  readonly #selected: SelectedMessages;
  readonly #nearest: NearestNames | null;
  readonly #roster: Roster | null;

  /** @param bodies they are needed. */
  constructor(session: Session, options: DiagramCliOptions, bodies: boolean) {
    this.#session = session;
    this.#unknown = new UnknownParticipants(options);
    this.#selected = new SelectedMessages(options, session);
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
    this.#selected.observe(message);
    this.#nearest?.observe(message);
    this.#roster?.observe(message);
    this.#gathered.add(message);
  }

  /** After the last message. */
  end(): CollectedMessages {
    const isSelected = this.#selected.end();
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

  close(): void {
    this.#gathered.close();
  }
}
