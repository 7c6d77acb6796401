// A line of a saved file becomes a message again: numbers and names of participants, captures and causes become what this run
// has for them. Knows which fields belong together (docs/export.md); one field is message-fields.ts's. Text and bodies pass
// through the redaction once more.

import { clientOf, hostOf, serverOf } from '../core/connection-name.js';
import type { Message } from '../kubernetes/message.js';
import type { SavedCaptures } from './captures.js';
import { Contexts, type SavedRedaction, savedDetails } from './details.js';
import { basicsOf, isCount, type Line, optionalsOf, translatedOf, viaOf } from './message-fields.js';
import type { SavedSpeakers } from './speakers.js';

export class SavedMessages {
  readonly #speakers: SavedSpeakers;
  readonly #captures: SavedCaptures;
  readonly #redaction: SavedRedaction;
  readonly #bodies: boolean;
  readonly #contexts = new Contexts();

  /** @param bodies keep heads and bodies. */
  constructor(speakers: SavedSpeakers, captures: SavedCaptures, redaction: SavedRedaction, bodies: boolean) {
    this.#speakers = speakers;
    this.#captures = captures;
    this.#redaction = redaction;
    this.#bodies = bodies;
  }

  /** @returns null where the line is no message. */
  read(line: Line): Message | null {
    const redaction = this.#redaction;
    const basics = basicsOf(line, redaction);
    if (basics === null) return null;
    const { digits, ...own } = basics;
    const ids = Array.isArray(line['speakers']) ? (line['speakers'] as readonly unknown[]) : [];
    const from = this.#speakers.speaker(ids[0] as number, basics.from);
    const to = this.#speakers.speaker(ids[1] as number, basics.to);
    const optional = optionalsOf(line, redaction);
    const capture = this.#captures.of(
      typeof line['capture'] === 'string' ? line['capture'] : null,
      digits,
      own.started,
    );
    const last = line['lastCapture'];
    const lastCapture = typeof last === 'string' ? this.#captures.of(last, digits, own.started) : undefined;
    const causedBy = isCount(line['causedBy']) ? line['causedBy'] : undefined;
    if (own.kind === 'request') {
      this.#speakers.hear(from, hostOf(clientOf(own.connection)), optional);
      this.#speakers.hear(to, hostOf(serverOf(own.connection)), {});
    }
    const via = viaOf(line);
    const by = via?.map((name, i) => this.#speakers.speaker(ids[i + 2] as number, name));
    const translated = translatedOf(line, (file) => (file === null ? capture : this.#captures.of(file)));
    const message: Message = {
      ...own,
      ...optional,
      ...(via === undefined ? null : { via: by, viaNames: via.map((name, i) => by?.[i].fixedName ?? name) }),
      ...(translated === undefined ? null : { translated }),
      from,
      to,
      fromName: from.fixedName ?? basics.from,
      toName: to.fixedName ?? basics.to,
      capture,
      ...(lastCapture === undefined ? null : { lastCapture }),
      ...(causedBy === undefined ? null : { causedBy }),
    };
    const context = this.#contexts.of(message);
    return this.#bodies ? { ...message, details: savedDetails(line, message, context, redaction) } : message;
  }
}
