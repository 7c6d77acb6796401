// Generated names in a text that is to hold on other runs too: each made-up part gets a name of its own, the same wherever
// the part is the same. Which names are generated sequence/ knows; nothing of diagrams.

import { EVENT_ENDING, generatedNames, rewrittenNames, UID } from '../diagram/generated-names.js';
import type { MessageIndex } from '../diagram/message-index.js';
import type { Message } from '../kubernetes/messages/message.js';

/** What stands in place of a generated part. */
export interface Stand {
  /** `{hash}`: the same wherever the part is the same. */
  name(stem: string): string;
  /** `*`: any. */
  any(): string;
}

export class GeneratedNames {
  readonly #stand: Stand;
  /** Whole names → what to write for them. */
  readonly #names: ReadonlyMap<string, string>;
  readonly #used = new Map<string, number>();
  readonly #parts = new Map<string, string>();

  constructor(seen: MessageIndex, stand: Stand) {
    this.#stand = stand;
    this.#names = rewrittenNames(generatedNames(seen), ({ part, text }) => this.#part(part, text));
  }

  /** A text of a message, such as its label, with generated parts replaced. */
  in<Text extends string>(text: Text, message?: Message): Text {
    let out: string = text.replace(UID, (uid) => this.#part('uid', uid));
    for (const id of [message?.podSandboxId, message?.containerId]) {
      if (id !== undefined && id.length >= SHORT_ID)
        out = out.replaceAll(new RegExp(`\\b${id.slice(0, SHORT_ID)}[0-9a-f]*`, 'g'), this.#part('id', id));
    }
    const open = out
      .replace(/\brevision \d+/g, () => `revision ${this.#stand.any()}`)
      .replace(/(?<=\d):(?:3[2-9]|[45]\d|6[0-5])\d{3}\b/g, () => `:${this.#stand.any()}`)
      .replace(NAME, (name) => this.#name(name));
    return open as Text;
  }

  #name(name: string): string {
    const known = this.#names.get(name);
    if (known !== undefined) return known;
    const about = name.replace(EVENT_ENDING, '');
    return about === name ? name : `${this.#name(about)}.${this.#stand.any()}`;
  }

  #part(stem: string, value: string): string {
    const known = this.#parts.get(`${stem} ${value}`);
    if (known !== undefined) return known;
    const count = (this.#used.get(stem) ?? 0) + 1;
    this.#used.set(stem, count);
    const text = this.#stand.name(count === 1 ? stem : `${stem}${count}`);
    this.#parts.set(`${stem} ${value}`, text);
    return text;
  }
}

const NAME = /[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?/g;
const SHORT_ID = 12;
