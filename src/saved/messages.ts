// Makes a message of a line of a saved file (docs/export.md). Texts and bodies pass the redaction again, as any program may have
// written the file.

import { clientOf, serverOf } from '../core/connection-name.js';
import { shownMessage } from '../kubernetes/emitted/shown-message.js';
import type { Draft } from '../kubernetes/messages/draft.js';
import type { Message, Shown, ShownValue, TranslatedCopy } from '../kubernetes/messages/message.js';
import { shownNames } from '../redaction/names.js';
import type { ObjectContext, Redaction } from '../redaction/redaction.js';
import { EMPTY } from '../redaction/shown.js';
import type { SavedCaptures } from './captures.js';
import { Contexts, savedDetails } from './details.js';
import { SavedLabels } from './labels.js';
import { type SavedName, SavedNames } from './participant-names.js';
import type { SavedParticipant, SavedParticipants } from './participants.js';
import type { SavedCopy, SavedFields } from './saved-fields.js';

export class SavedMessages {
  readonly #participants: SavedParticipants;
  readonly #captures: SavedCaptures;
  readonly #redaction: Redaction;
  readonly #bodies: boolean;
  readonly #contexts: Contexts;
  readonly #labels: SavedLabels;
  readonly #names: SavedNames;

  /** @param bodies keep heads and bodies. */
  constructor(participants: SavedParticipants, captures: SavedCaptures, redaction: Redaction, bodies: boolean) {
    this.#participants = participants;
    this.#captures = captures;
    this.#redaction = redaction;
    this.#bodies = bodies;
    this.#contexts = new Contexts(bodies);
    this.#labels = new SavedLabels(redaction);
    this.#names = new SavedNames(redaction);
  }

  /** @param line its values are taken: it may be filled anew afterwards. */
  read(line: SavedFields): Message {
    const redaction = this.#redaction;
    const { protocol, kind } = line;
    const sender = this.#names.of(line.from);
    const receiver = this.#names.of(line.to);
    const from = this.#participants.participant(line.fromId as number, sender.name);
    const to = this.#participants.participant(line.toId as number, receiver.name);
    const target = line.target === undefined ? undefined : redaction.target(line.target, protocol);
    const userAgent = line.userAgent === undefined ? undefined : redaction.userAgent(line.userAgent);
    const capture = this.#captures.of(line.capture, line.digits, line.started);
    const lastCapture =
      line.lastCapture === undefined ? undefined : this.#captures.of(line.lastCapture, line.digits, line.started);
    if (kind === 'request') {
      const { connection } = line;
      const { resource, verb } = line.values;
      this.#participants.observeRequest(from, connection, clientOf, userAgent, resource, verb);
      this.#participants.observeRequest(to, connection, serverOf, undefined, undefined, undefined);
    }
    const via = line.via?.map((text, i) => {
      const known = this.#names.of(text);
      const by = this.#participants.participant(line.viaIds[i] as number, known.name);
      return { by, shown: shownAs(by, known) };
    });
    const draft: Draft = {
      ...line.values,
      seq: line.seq,
      time: line.time,
      started: line.started,
      kind,
      protocol,
      from,
      to,
      fromName: shownAs(from, sender),
      toName: shownAs(to, receiver),
      label: EMPTY,
      exchange: line.exchange,
      connection: line.connection,
      stream: line.stream,
      capture,
      lastCapture,
      frames: line.frames,
      complete: line.complete,
      inferred: line.inferred,
      causedBy: line.causedBy,
      cause: line.cause,
      target,
      userAgent,
      via: via?.map(({ by }) => by),
      viaNames: via?.map(({ shown }) => shown),
      translated: line.translated?.map((copy) => this.#translated(copy, capture)),
    };
    const message = shownMessage(draft, redaction);
    // The label may speak of what the message names.
    draft.label = this.#labels.of(line.label, line.target, target);
    this.#contexts.observe(message);
    if (line.patch !== undefined) draft.patch = shownPatch(line.patch, this.#contexts.of(message), redaction);
    if (this.#bodies) draft.details = savedDetails(line, message, this.#contexts.of(message), redaction);
    return message;
  }

  #translated({ connection, capture, frames }: SavedCopy, own: number): TranslatedCopy {
    return { connection, capture: capture === null ? own : this.#captures.of(capture), frames };
  }
}

/** A user's own name of a participant wins. */
function shownAs({ fixedName }: SavedParticipant, { shown }: SavedName): Shown {
  return fixedName === null ? shown : shownNames(fixedName);
}

/** The object of the exchange's request determines what may be shown of its patch. */
function shownPatch(
  operations: readonly unknown[],
  { reviewed }: ObjectContext,
  redaction: Redaction,
): readonly ShownValue[] | undefined {
  const shown = redaction.object(operations, reviewed ?? { resource: 'secrets' });
  return Array.isArray(shown) ? (shown as readonly ShownValue[]) : undefined;
}
