// Replaces generated names in a text that other runs are to meet: equal parts get equal placeholders.

import { EVENT_ENDING, generatedNames, rewrittenNames, UID } from '../diagram/generated-names.js';
import type { MessageIndex } from '../diagram/message-index.js';
import type { Message } from '../kubernetes/messages/message.js';

/** Writes placeholders for generated parts. */
export interface PlaceholderStyle {
  /** `{hash}`: equal for equal parts. */
  name(stem: string): string;
  /** `*` */
  any(): string;
}

export class GeneratedNames {
  readonly #style: PlaceholderStyle;
  /** Generated name → replacement. */
  readonly #names: ReadonlyMap<string, string>;
  readonly #used = new Map<string, number>();
  readonly #parts = new Map<string, string>();

  constructor(seen: MessageIndex, style: PlaceholderStyle) {
    this.#style = style;
    this.#names = rewrittenNames(generatedNames(seen), ({ part, text }) => this.#part(part, text));
  }

  /** Replaces generated parts in a text of a message, such as its label. */
  in<Text extends string>(text: Text, message?: Message): Text {
    let out: string = text.replace(UID, (uid) => this.#part('uid', uid));
    for (const id of [message?.podSandboxId, message?.containerId]) {
      if (id !== undefined && id.length >= SHORT_ID)
        out = out.replaceAll(new RegExp(`\\b${id.slice(0, SHORT_ID)}[0-9a-f]*`, 'g'), this.#part('id', id));
    }
    const open = (message?.kind === 'end' ? out.replace(MEASURED, LEFT_OUT) : out)
      .replace(/\brevision \d+/g, () => `revision ${this.#style.any()}`)
      .replace(/(?<=\d):(?:3[2-9]|[45]\d|6[0-5])\d{3}\b/g, () => `:${this.#style.any()}`)
      .replace(NAME, (name) => this.#name(name));
    return open as Text;
  }

  #name(name: string): string {
    const known = this.#names.get(name);
    if (known !== undefined) return known;
    const about = name.replace(EVENT_ENDING, '');
    return about === name ? name : `${this.#name(about)}.${this.#style.any()}`;
  }

  #part(stem: string, value: string): string {
    const known = this.#parts.get(`${stem} ${value}`);
    if (known !== undefined) return known;
    const count = (this.#used.get(stem) ?? 0) + 1;
    this.#used.set(stem, count);
    const text = this.#style.name(count === 1 ? stem : `${stem}${count}`);
    this.#parts.set(`${stem} ${value}`, text);
    return text;
  }
}

const NAME = /[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?/g;
const SHORT_ID = 12;
/** Durations and sizes, as labels have them. */
const MEASURED = /\b\d[\d.]* (?:[µm]?s|bytes?|[kMG]?B|(?:min|h)(?: \d+ (?:s|min))?)\b/g;
const LEFT_OUT = '…';
