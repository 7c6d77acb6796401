// The one redaction: shows a value of a capture only if a table of this folder lists it as harmless, or if the user wants it shown.

import { BoundedMap, BoundedSet, CACHE } from '../core/collections/bounded.js';
import { memo } from '../core/collections/memo.js';
import { type FieldError, parseFieldChoice } from './body/field-choice.js';
import { type BodyRules, showObject } from './body/show-object.js';
import { redactCommand } from './commands.js';
import { redactField, redactFieldName } from './fields.js';
import { shownDial, shownName, shownStoreKey, shownWord } from './names.js';
import type { ObjectContext } from './objects.js';
import type { Api } from './parameters.js';
import { isRedacted, REDACTED, redactedText, type Shown, type ShownValue, shown } from './shown.js';
import { redactTarget, shownHost } from './target.js';
import { redactAssignments, redactText } from './text.js';
import { redactUserAgent } from './user-agent.js';
import { showText, showWords } from './words/words.js';

export type { ObjectContext, RequestedResource } from './objects.js';
export type { Api } from './parameters.js';
export { REDACTED, type Shown, type ShownValue } from './shown.js';

export interface Redaction {
  /** A request target. @param api of the request. */
  target(target: string, api: Api): Shown;
  userAgent(value: string): Shown;
  /** Free text: an Event, a failure, a verdict. */
  text(value: string): Shown;
  /** A name of an object, a kind, a participant. */
  name(value: string): Shown;
  /** The name of a host. */
  host(value: string): Shown;
  /** What a tunnel is told to dial. */
  dial(address: string): Shown;
  /** A key of etcd. */
  storeKey(key: string): Shown;
  /** A word of an API: a reason, a type. */
  word(value: string): Shown;
  /** The name of a header field. */
  fieldName(name: string): Shown;
  /** The value of a header field. @param showsTexts whether failures and warnings may be shown. */
  field(name: string, value: string, showsTexts?: boolean): Shown;
  /** A redacted copy of a decoded body; undefined if nothing of it may be shown. Redacting it again changes nothing. */
  object(value: unknown, context: ObjectContext): ShownValue | undefined;
  /** Records a name in the capture; texts may show it from now on. */
  observeName(name: string): void;
}

/** What the user wants shown beyond the tables. */
export interface Reveal {
  /** Everything, without any redaction. */
  readonly secrets?: boolean;
  /** Arguments of commands. */
  readonly commands?: boolean;
  /** Texts of Events, failures and verdicts, except what looks like a credential. */
  readonly text?: boolean;
  /** Fields of objects, by their paths: `databases.spec.engine`. */
  readonly fields?: readonly string[];
  /** Placeholders of hidden values have numbers, equal values the same, so that a change is visible. */
  readonly numbersPlaceholders?: boolean;
}

/** @returns a redaction for one run; it remembers the names in the capture. */
export function redactionOf(reveal: Reveal = {}): Redaction {
  return reveal.secrets === true ? SHOWING : new ByTables(reveal);
}

/** Errors in paths of fields that the user named. */
export function fieldErrors(fields: readonly string[]): readonly FieldError[] {
  return parseFieldChoice(fields).errors;
}

class ByTables implements Redaction {
  readonly #reveal: Reveal;
  readonly #names = new KnownNames(MAX_NAMES, 'names that the capture told of');
  /** Texts that are shown whole: more names change nothing about them. */
  readonly #whole = new BoundedMap<string, Shown>(MAX_TEXTS, CACHE);
  /** Other texts, redacted with the names known so far. */
  readonly #texts = new BoundedMap<string, Shown>(MAX_TEXTS, CACHE);
  /** Number of names when these were redacted. */
  #namesOfTexts = 0;
  readonly #targets = new Map<Api, (target: string) => Shown>();
  readonly #rules: BodyRules;

  constructor(reveal: Reveal) {
    this.#reveal = reveal;
    const values = reveal.numbersPlaceholders === true ? new HiddenValues() : null;
    this.#rules = {
      text: (text) => this.text(text),
      words: (text) => shown(reveal.text === true ? redactAssignments(text) : showWords(text, this.#names)),
      target: (target) => this.target(target, 'http'),
      command: (words, hasProgram) => this.#command(words, hasProgram),
      known: this.known,
      hidden: (text) => (values === null ? redactedText(text) : values.redacted(text)),
      fields: parseFieldChoice(reveal.fields ?? []).choice,
    };
  }

  readonly known = (name: string): boolean => this.#names.has(name);

  /** A name that DNS was asked for. */
  host(name: string): Shown {
    return shown(shownHost(name, this.known));
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
    if (this.#reveal.text === true) return shown(redactAssignments(value));
    // Each watch delivers the same Event again.
    const whole = this.#whole.get(value);
    if (whole !== undefined) return whole;
    if (this.#namesOfTexts !== this.#names.added) {
      this.#namesOfTexts = this.#names.added;
      this.#texts.clear();
    }
    let text = this.#texts.get(value);
    if (text === undefined) {
      text = showText(value, this.#names);
      (text === value ? this.#whole : this.#texts).set(value, text);
    }
    return text;
  }

  readonly name = shownName;
  readonly dial = shownDial;
  readonly storeKey = shownStoreKey;
  readonly fieldName = redactFieldName;

  word(value: string): Shown {
    return shownWord(value, (text) => this.text(text));
  }

  field(name: string, value: string, showsTexts = false): Shown {
    return redactField(name, value, showsTexts, this);
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

/** Limit: redacted texts that are remembered, of either kind. */
const MAX_TEXTS = 1000;
/** Limit: targets of each API whose redaction is cached: those that recur within a minute of a busy API server. */
const MAX_TARGETS = 4096;
/** Limit: user agents whose redaction is cached: those that recur within a minute of a busy API server. */
const MAX_AGENTS = 1000;

/** For `--show-secrets` only. */
const SHOWING: Redaction = {
  target: shown,
  userAgent: shown,
  text: shown,
  name: shown,
  host: shown,
  dial: shown,
  storeKey: shown,
  word: shown,
  fieldName: shown,
  field: (_name, value) => shown(value),
  object: (value) => value as ShownValue | undefined,
  observeName: () => undefined,
};

export class HiddenValues {
  readonly #numbers = new BoundedMap<string, number>(MAX_VALUES, 'numbers of hidden values');
  #last = 0;

  /** @returns `REDACTED (value 3)`: the third hidden value. */
  redacted(text: string): Shown {
    if (text === '' || isRedacted(text)) return shown(text);
    let number = this.#numbers.get(text);
    if (number === undefined) {
      this.#last += 1;
      number = this.#last;
      this.#numbers.set(text, number);
    }
    return shown(`${REDACTED} (value ${number})`);
  }
}

/** Limit: hidden values in the bodies of one object that `object` distinguishes, beyond it numbers begin anew; a Pod has some dozen. */
const MAX_VALUES = 10_000;

class KnownNames extends BoundedSet<string> {
  /** Number of names added so far: with one more, a text may show more. */
  added = 0;

  /** @param name of an object, an image, an id; names too short to differ from ordinary words are not kept. */
  override add(name: string): this {
    if (name.length < SHORTEST || name.length > LONGEST || this.has(name)) return this;
    this.added += 1;
    return super.add(name);
  }
}

/** Characters. */
const SHORTEST = 2;
/** Characters of the longest names that Kubernetes accepts (RFC 1123; apimachinery, validation); image references are shorter. */
const LONGEST = 253;
/** Limit: names of the capture that texts may mention, beyond it all are forgotten: as many as objects whose causes are followed. */
const MAX_NAMES = 20_000;
