// Reads a message from a record of a saved file (docs/export.md). Texts and bodies pass the redaction again, as any program may have
// written the file.

import { clientOf, hostOf, serverOf } from '../core/connection-name.js';
import type { Draft } from '../kubernetes/messages/draft.js';
import type { Message, ShownValue } from '../kubernetes/messages/message.js';
import { shownMessage } from '../kubernetes/messages/shown-message.js';
import { shownNames } from '../redaction/names.js';
import type { ObjectContext, Redaction } from '../redaction/redaction.js';
import { EMPTY } from '../redaction/shown.js';
import type { SavedCaptures } from './captures.js';
import { Contexts, savedDetails } from './details.js';
import { savedLabel } from './labels.js';
import { basicsOf, causeOf, isCount, optionalsOf, type SavedLine, translatedOf, viaOf } from './message-fields.js';
import { savedParticipantName } from './participant-names.js';
import type { SavedParticipants } from './participants.js';

export class SavedMessages {
  readonly #participants: SavedParticipants;
  readonly #captures: SavedCaptures;
  readonly #redaction: Redaction;
  readonly #bodies: boolean;
  readonly #contexts = new Contexts();

  /** @param bodies keep heads and bodies. */
  constructor(participants: SavedParticipants, captures: SavedCaptures, redaction: Redaction, bodies: boolean) {
    this.#participants = participants;
    this.#captures = captures;
    this.#redaction = redaction;
    this.#bodies = bodies;
  }

  /** @returns null where the line is no message. */
  read(line: SavedLine): Message | null {
    const redaction = this.#redaction;
    const basics = basicsOf(line);
    if (basics === null) return null;
    const { digits, label, ...own } = basics;
    const [sender, receiver] = [basics.from, basics.to].map((one) => savedParticipantName(one, redaction));
    const ids = Array.isArray(line['participants']) ? (line['participants'] as readonly unknown[]) : [];
    const from = this.#participants.participant(ids[0] as number, sender);
    const to = this.#participants.participant(ids[1] as number, receiver);
    const optional = optionalsOf(line);
    const { target: written, userAgent } = line;
    const target = typeof written === 'string' ? redaction.target(written, own.protocol) : undefined;
    const agent = typeof userAgent === 'string' ? redaction.userAgent(userAgent) : undefined;
    const capture = this.#captures.of(
      typeof line['capture'] === 'string' ? line['capture'] : null,
      digits,
      own.started,
    );
    const last = line['lastCapture'];
    const lastCapture = typeof last === 'string' ? this.#captures.of(last, digits, own.started) : undefined;
    const causedBy = isCount(line['causedBy']) ? line['causedBy'] : undefined;
    const cause = causeOf(line['cause'], causedBy);
    if (own.kind === 'request') {
      this.#participants.observeRequest(from, hostOf(clientOf(own.connection)), { ...optional, userAgent: agent });
      this.#participants.observeRequest(to, hostOf(serverOf(own.connection)), {});
    }
    const via = viaOf(line)?.map((one) => savedParticipantName(one, redaction));
    const by = via?.map((name, i) => this.#participants.participant(ids[i + 2] as number, name));
    const translated = translatedOf(line, (file) => (file === null ? capture : this.#captures.of(file)));
    const draft: Draft = {
      ...own,
      ...optional,
      label: EMPTY,
      target,
      userAgent: agent,
      ...(via === undefined
        ? null
        : { via: by, viaNames: via.map((name, i) => shownNames(by?.[i].fixedName ?? name)) }),
      ...(translated === undefined ? null : { translated }),
      from,
      to,
      fromName: shownNames(from.fixedName ?? sender),
      toName: shownNames(to.fixedName ?? receiver),
      capture,
      ...(lastCapture === undefined ? null : { lastCapture }),
      ...(causedBy === undefined ? null : { causedBy, cause }),
    };
    const message = shownMessage(draft, redaction);
    // The label may speak of what the message names.
    draft.label = savedLabel(label, typeof written === 'string' ? written : undefined, target, redaction);
    const context = this.#contexts.of(message);
    if (isPatch(line['patch'])) draft.patch = shownPatch(line['patch'], context, redaction);
    if (this.#bodies) draft.details = savedDetails(line, message, context, redaction);
    return message;
  }
}

function isPatch(value: unknown): value is readonly unknown[] {
  return Array.isArray(value) && value.length > 0;
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
