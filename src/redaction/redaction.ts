// The one redaction: shows a value of a capture because a table of this folder says that it is harmless, or because a user asked for it.

import { keep } from '../core/collections/bounded.js';
import { memo } from '../core/collections/memo.js';
import { type FieldError, parseFieldChoice } from './body/field-choice.js';
import { type BodyRules, showObject } from './body/show-object.js';
import { redactCommand } from './commands.js';
import { redactField } from './fields.js';
import { HiddenValues } from './hidden-values.js';
import { KnownNames } from './known-names.js';
import { shownName, shownWord } from './names.js';
import type { ObjectContext } from './objects.js';
import type { Api } from './parameters.js';
import { REDACTED, redactedText, type Shown, type ShownValue, shown } from './shown.js';
import { redactTarget } from './target.js';
import { redactText } from './text.js';
import { redactUserAgent } from './user-agent.js';
import { showText, showWords } from './words/words.js';

export type { ObjectContext, Reviewed } from './objects.js';
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
  /** The capture has something of this name: it stays wherever a text has it. */
  observeName(name: string): void;
}

/** What a user asked to see beyond what the tables allow. */
export interface Reveal {
  /** Everything, without any redaction. */
  readonly secrets?: boolean;
  /** Arguments of commands. */
  readonly commands?: boolean;
  /** Texts of Events, failures and verdicts, but for what looks like a credential. */
  readonly text?: boolean;
  /** Fields of objects, by their paths: `databases.spec.engine`. */
  readonly fields?: readonly string[];
  /** Hidden values have numbers, so that a change is seen. */
  readonly numbersHidden?: boolean;
}

/** @returns a redaction of its own for one reading: it remembers the names that it met. */
export function redactionOf(reveal: Reveal = {}): Redaction {
  return reveal.secrets === true ? SHOWING : new ByTables(reveal);
}

/** What is wrong with paths of fields that a user named. */
export function fieldErrors(fields: readonly string[]): readonly FieldError[] {
  return parseFieldChoice(fields).errors;
}

class ByTables implements Redaction {
  readonly #reveal: Reveal;
  readonly #names = new KnownNames();
  /** Texts of which nothing was hidden: more names change nothing about them. */
  readonly #whole = new Map<string, Shown>();
  /** What was made of other texts with the names that are known. */
  readonly #texts = new Map<string, Shown>();
  /** Names that were known when these were made. */
  #namesOfTexts = 0;
  readonly #targets = new Map<Api, (target: string) => Shown>();
  readonly #rules: BodyRules;

  constructor(reveal: Reveal) {
    this.#reveal = reveal;
    const values = reveal.numbersHidden === true ? new HiddenValues() : null;
    this.#rules = {
      text: (text) => this.text(text),
      words: (text) => shown(reveal.text === true ? redactText(text) : showWords(text, this.#names)),
      target: (target) => this.target(target, 'http'),
      command: (words, hasProgram) => this.#command(words, hasProgram),
      known: (name) => this.#names.has(name),
      hidden: (text) => (values === null ? redactedText(text) : values.redacted(text)),
      secret: (text) => (values === null ? shown(REDACTED) : values.redactedSecret(text)),
      fields: parseFieldChoice(reveal.fields ?? []).choice,
    };
  }

  target(target: string, api: Api): Shown {
    let shownTarget = this.#targets.get(api);
    if (shownTarget === undefined) {
      shownTarget = memo((text) => redactTarget(text, api, this.#reveal.commands), MAX_TARGETS);
      this.#targets.set(api, shownTarget);
    }
    return shownTarget(target);
  }

  readonly userAgent = memo(redactUserAgent, MAX_AGENTS);

  text(value: string): Shown {
    if (this.#reveal.text === true) return shown(redactText(value));
    // Each watch tells the same Event once more.
    const whole = this.#whole.get(value);
    if (whole !== undefined) return whole;
    if (this.#namesOfTexts !== this.#names.added) {
      this.#namesOfTexts = this.#names.added;
      this.#texts.clear();
    }
    let text = this.#texts.get(value);
    if (text === undefined) {
      text = showText(value, this.#names);
      keep(text === value ? this.#whole : this.#texts, value, text, MAX_TEXTS);
    }
    return text;
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
    return showObject(value, context, this.#rules);
  }

  #command(words: readonly string[], hasProgram: boolean): readonly Shown[] {
    return this.#reveal.commands === true
      ? words.map((word) => shown(redactText(word)))
      : redactCommand(words, hasProgram);
  }

  observeName(name: string): void {
    this.#names.add(name);
  }
}

/** Texts that are remembered with what may be shown of them, of either kind. */
const MAX_TEXTS = 1000;
/** Targets and user agents that come again within a minute of a busy API server; targets of each API. */
const MAX_TARGETS = 4096;
const MAX_AGENTS = 1000;

/** For `--show-secrets` only. */
const SHOWING: Redaction = {
  target: shown,
  userAgent: shown,
  text: shown,
  name: shown,
  word: shown,
  field: (_name, value) => shown(value),
  object: (value) => value as ShownValue | undefined,
  observeName: () => undefined,
};
