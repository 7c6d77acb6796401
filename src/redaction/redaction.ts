// The one redaction: a value of a capture is shown because a table of this folder says that it is harmless, or because a user asked
// for it. Knows which rule is whose; the rules stand in a file each. Knows nothing of who prints what.

import { redactCommand } from './commands.js';
import { redactField } from './fields.js';
import { KnownNames } from './known-names.js';
import { shownName, shownWord } from './names.js';
import { type ObjectContext, redactObject } from './objects.js';
import type { Api } from './parameters.js';
import { type Shown, type ShownValue, shown } from './shown.js';
import { redactTarget } from './target.js';
import { redactText } from './text.js';
import { redactUserAgent } from './user-agent.js';

export type { ObjectContext } from './objects.js';
export type { Api } from './parameters.js';
export { REDACTED, type Shown, type ShownValue } from './shown.js';

export interface Redaction {
  /** A request target. @param api that is asked. */
  target(target: string, api: Api): Shown;
  userAgent(value: string): Shown;
  /** What somebody says in words of his own: an Event, a failure, a verdict. */
  text(value: string): Shown;
  /** Who or what something is. */
  name(value: string): Shown;
  /** A word of an API: a reason, a type. */
  word(value: string): Shown;
  /** The value of a header field. @param isTold whether failures and warnings may be told. */
  field(name: string, value: string, isTold?: boolean): Shown;
  /** A decoded body, copied; undefined where nothing of it may be shown. Redacting twice changes nothing more. */
  object(value: unknown, context: ObjectContext): ShownValue | undefined;
  /** A name that was met: where a text has it, it stays. */
  learn(name: string): void;
}

/** What a user asked to see beyond what the tables allow. */
export interface Reveal {
  /** Everything, without any redaction. */
  readonly secrets?: boolean;
  /** Arguments of commands. */
  readonly commands?: boolean;
  /** Texts of Events, failures and verdicts, but for what looks like a credential. */
  readonly text?: boolean;
  /** Fields of objects, by their paths. */
  readonly fields?: readonly string[];
}

/** @returns a redaction of its own for one reading: it remembers the names that it met. */
export function redactionOf(reveal: Reveal = {}): Redaction {
  return reveal.secrets === true ? SHOWING : new ByTables(reveal);
}

class ByTables implements Redaction {
  readonly #reveal: Reveal;
  readonly #names = new KnownNames();

  constructor(reveal: Reveal) {
    this.#reveal = reveal;
  }

  target(target: string, api: Api): Shown {
    return redactTarget(target, api, this.#reveal.commands);
  }

  userAgent(value: string): Shown {
    return redactUserAgent(value);
  }

  text(value: string): Shown {
    return shown(redactText(value));
  }

  name(value: string): Shown {
    return shownName(value);
  }

  word(value: string): Shown {
    return shownWord(value, (text) => this.text(text));
  }

  field(name: string, value: string, isTold = false): Shown {
    return redactField(name, value, isTold, this);
  }

  object(value: unknown, context: ObjectContext): ShownValue | undefined {
    return redactObject(value, context) as ShownValue | undefined;
  }

  command(words: readonly string[], hasProgram: boolean): readonly Shown[] {
    return this.#reveal.commands === true
      ? words.map((word) => shown(redactText(word)))
      : redactCommand(words, hasProgram);
  }

  learn(name: string): void {
    this.#names.learn(name);
  }
}

/** For `--show-secrets` only. */
const SHOWING: Redaction = {
  target: shown,
  userAgent: shown,
  text: shown,
  name: shown,
  word: shown,
  field: (_name, value) => shown(value),
  object: (value) => value as ShownValue | undefined,
  learn: () => undefined,
};
