// Redacts free text to what a template or the dictionary allows, with an ellipsis for the rest.

import {
  endOfJson,
  isApostrophe,
  isQuote,
  isSpace,
  JSON_START,
  nextClause,
  OPENING,
  quoted,
  unquoted,
} from '../clauses.js';
import { isKeyShown } from '../keys.js';
import { ELLIPSIS, REDACTED, type Shown, shown } from '../shown.js';
import type { HoleType, TemplateRow } from '../templates/grammar.js';
import { type Match, TemplateMatcher } from '../templates/matcher.js';
import { TEMPLATE_ROWS } from '../templates/rows.js';
import { redactText } from '../text.js';
import { isKind, isWord } from './dictionary.js';
import {
  isAddressTimeOrVersion,
  isApiVersion,
  isDevice,
  isDigest,
  isFieldPath,
  isGoFile,
  isKubernetesName,
  NUMBER,
  REGISTRIES,
  SCHEMES,
  SIGNS,
  TIMEOUT,
  VERSION,
} from './word-shapes.js';

/** Names of objects, images, nodes and namespaces in the capture. */
export interface KnownWords {
  has(name: string): boolean;
}

/**
 * Limit: characters of a text that are examined: messages of a Status or an Event have at most 1024, a termination log 12 KiB
 * (pkg/kubelet/container, MaxPodTerminationMessageLogLength); diffs of immutable fields are longer.
 */
export const MAX_TEXT_LENGTH = 32 * 1024;
/** Limit: positions of one text at which templates are tried, after them only words are examined: wrapped errors have a dozen. */
const MAX_PLACES = 400;
/** Limit: passes over a text until it no longer changes: two suffice, except for hostile texts. */
const MAX_TIMES = 4;
/** Limit: nested templates: an error of a volume quotes one of a driver, which quotes one of a cloud. */
const MAX_DEPTH = 6;

/**
 * @param text a message of a program, as captured or as redacted before.
 * @param names names of the capture, which may be shown anywhere.
 * @param onHole receives each row that a part of the text matches, and the shown content of its hole.
 * @returns the text with an ellipsis for every part that neither a template nor the dictionary allows.
 */
export function showText(text: string, names: KnownWords, onHole: OnHole = ignore): Shown {
  return untilStable(text, 'templates', names, onHole);
}

/** Text of any program or user, such as a termination log: no template is tried. */
export function showWords(text: string, names: KnownWords): Shown {
  return untilStable(text, 'words', names, ignore);
}

/** Repeats the redaction: with an ellipsis, neighbouring text may match a template. Saved messages are redacted again, and must stay the same. */
function untilStable(text: string, mode: ShowMode, names: KnownWords, onHole: OnHole): Shown {
  let current = text;
  if (text.length > MAX_TEXT_LENGTH) current = `${text.slice(0, lastSpace(text, MAX_TEXT_LENGTH - 2))} ${ELLIPSIS}`;
  for (let times = 0; times < MAX_TIMES; times++) {
    const out = redactText(collapse(new TextReader(names, onHole).show(current, mode, 0)));
    if (out === current || !out.includes(ELLIPSIS)) return shown(out);
    current = out;
  }
  return shown(current);
}

type ShowMode = 'templates' | 'words';
type OnHole = (row: TemplateRow, content: string) => void;

function ignore(): void {}

let matcher: TemplateMatcher | undefined;

class TextReader {
  readonly #names: KnownWords;
  readonly #onHole: OnHole;
  /** Shown contents of holes: a quoted error may hold the same name. */
  readonly #shown = new Set<string>();
  #places = MAX_PLACES;

  constructor(names: KnownWords, onHole: OnHole) {
    this.#names = names;
    this.#onHole = onHole;
  }

  show(text: string, mode: ShowMode, depth: number): string {
    if (mode === 'words' || depth > MAX_DEPTH) return this.#words(text, 0, text.length);
    matcher ??= new TemplateMatcher(TEMPLATE_ROWS);
    const candidates = matcher.candidatesIn(text);
    let out = '';
    let at = 0;
    while (at < text.length) {
      const match = this.#places > 0 ? matcher.matchAt(text, at, candidates) : null;
      this.#places -= 1;
      if (match !== null && match.end > at) {
        const last = match.holes[match.holes.length - 1];
        const isOpen = last !== undefined && last.end === match.end && last.hole.shows === 'text';
        out += this.#fill(text, at, match, isOpen, depth);
        // A message after the template's words begins a new clause.
        at = isOpen ? last.start : match.end;
        if (isOpen && last.start < text.length) continue;
      }
      const next = nextClause(text, at);
      out += this.#words(text, at, next);
      at = next;
    }
    return out;
  }

  #fill(text: string, at: number, match: Match, isOpen: boolean, depth: number): string {
    let out = '';
    let copied = at;
    for (const { hole, start, end } of isOpen ? match.holes.slice(0, -1) : match.holes) {
      if (hole.shows === 'content') this.#onHole(match.row, text.slice(start, end));
      out += text.slice(copied, start) + this.#hole(hole, text.slice(start, end), text[start - 1] === '"', depth);
      copied = end;
    }
    const end = isOpen ? match.holes[match.holes.length - 1].start : match.end;
    return out + text.slice(copied, end);
  }

  #hole(hole: HoleType, content: string, isQuoted: boolean, depth: number): string {
    if (hole.shows === 'content') {
      if (hole.areKeys === true)
        return content.replace(PATH_PART, (part) => (isKeyShown(part) || this.#has(part) ? part : ELLIPSIS));
      this.#remember(content);
      return content;
    }
    if (hole.shows === 'nothing') return content === '' ? '' : ELLIPSIS;
    const mode = hole.shows === 'words' ? 'words' : 'templates';
    const plain = isQuoted && content.includes('\\') ? unquoted(content) : null;
    if (plain === null) return this.show(content, mode, depth + 1);
    return quoted(this.show(plain, mode, depth + 1));
  }

  /** Remembers a shown name; of an image also its registry, its repository and their parts. */
  #remember(content: string): void {
    if (content.length < 3) return;
    this.#shown.add(content);
    const tag = TAG.exec(content);
    // Requests to the registry hold the tag alone.
    if (tag !== null && tag[0].length > 1 && !tag[0].startsWith('@')) this.#shown.add(tag[0].slice(1));
    const repository = tag === null ? content : content.slice(0, tag.index);
    this.#shown.add(repository);
    if (repository.includes('/') && !repository.startsWith('/')) {
      for (const part of repository.split('/')) if (part.length > 2) this.#shown.add(part);
    }
  }

  #has(name: string): boolean {
    return this.#names.has(name) || this.#shown.has(name);
  }

  /** Applies the word rule from `start` to `stop`. */
  #words(whole: string, start: number, stop: number): string {
    const text = whole.slice(start, stop).replace(NUMBERS_IN_A_ROW, ELLIPSIS);
    const end = text.length;
    let out = '';
    let at = 0;
    while (at < end) {
      const code = text.charCodeAt(at);
      if (isSpace(code) || OPENING.includes(text[at]) || isQuote(text, at)) {
        const close = JSON_START.includes(text[at]) ? endOfJson(text, at, end) : at;
        if (close > at) {
          out += ELLIPSIS;
          at = close;
        } else {
          out += text[at];
          at += 1;
        }
        continue;
      }
      let runEnd = at;
      while (runEnd < end && !isSpace(text.charCodeAt(runEnd)) && !isQuote(text, runEnd)) runEnd += 1;
      out += this.#run(text.slice(at, runEnd));
      at = runEnd;
    }
    return out;
  }

  /** Redacts a run without white space and quotes; an unknown part makes its numbers suspect too. */
  #run(run: string): string {
    if (run.length > MAX_RUN_LENGTH) return ELLIPSIS;
    const url = URL_START.exec(run);
    if (url !== null) {
      const tail = TRAILING.exec(run);
      const body = tail === null ? run : run.slice(0, -tail[0].length);
      return this.#run(url[1]) + this.#url(body.slice(url[1].length)) + (tail?.[0] ?? '');
    }
    const pieces: { text: string; kind: TokenKind }[] = [];
    let at = 0;
    while (at < run.length) {
      const separator = isSeparator(run, at);
      if (separator) {
        pieces.push({ text: run[at], kind: 'separator' });
        at += 1;
        continue;
      }
      const end = this.#endOfPiece(run, at);
      const piece = run.slice(at, end);
      const stop = END_OF_SENTENCE.exec(piece);
      const word = stop === null ? piece : piece.slice(0, -stop[0].length);
      pieces.push({ text: word, kind: this.#kindOf(word) });
      if (stop !== null) pieces.push({ text: stop[0], kind: 'separator' });
      at = end;
    }
    const isSuspect = pieces.some(({ kind }) => kind === 'unknown');
    let out = '';
    for (const { text, kind } of pieces) {
      const hides = kind === 'unknown' || (isSuspect && (kind === 'number' || (kind === 'word' && text.length < 3)));
      out += hides ? ELLIPSIS : text;
    }
    return out;
  }

  /** Names and addresses contain colons, which otherwise end a word. */
  #endOfPiece(run: string, at: number): number {
    let long = at;
    FIELD_PATH.lastIndex = at;
    const path = FIELD_PATH.exec(run);
    if (path !== null && isFieldPath(path[0])) return at + path[0].length;
    while (long < run.length && !LONG_END.includes(run[long])) long += 1;
    while (long > at && SENTENCE_ENDS.includes(run[long - 1])) long -= 1;
    let word = at;
    while (word < run.length && !isSeparator(run, word)) word += 1;
    if (long > word && (this.#isName(run.slice(at, long)) || isAddressTimeOrVersion(run.slice(at, long)))) return long;
    return word;
  }

  #kindOf(word: string): TokenKind {
    if (word === '' || word === ELLIPSIS || word === REDACTED) return 'known';
    if (isWord(word)) return 'word';
    if (NUMBER.test(word) || SIGNS.test(word)) return 'number';
    if (this.#isName(word) || isAddressTimeOrVersion(word)) return 'known';
    if (word.includes('/') && word.startsWith('/')) return this.#isPath(word) ? 'known' : 'unknown';
    if (isFieldPath(word) || isKubernetesName(word) || isApiVersion(word) || isGoFile(word) || isDevice(word))
      return 'known';
    return 'unknown';
  }

  /** Also `namespace/name`, `kind/name`, and a Service's name in DNS. */
  #isName(word: string): boolean {
    if (this.#has(word)) return true;
    const slash = word.indexOf('/');
    if (slash > 0 && slash === word.lastIndexOf('/')) {
      const [first, second] = [word.slice(0, slash), word.slice(slash + 1)];
      return this.#has(second) && (this.#has(first) || isKind(first));
    }
    const [kind, ...rest] = word.split('/');
    if (rest.length === 2 && isKind(kind)) return rest.every((one) => this.#has(one));
    const service = SERVICE_HOST.exec(word);
    return service !== null && this.#has(service[1]) && this.#has(service[2]);
  }

  #isPath(word: string): boolean {
    return word
      .split('/')
      .every(
        (segment) =>
          segment === '' || isWord(segment) || VERSION.test(segment) || isDevice(segment) || this.#has(segment),
      );
  }

  /** Shows the scheme, a known host and segments that are words; a query is never shown. */
  #url(url: string): string {
    const parts = URL_PARTS.exec(url);
    if (parts === null || !SCHEMES.has(parts[1].slice(0, -3))) return ELLIPSIS;
    const [, scheme, user, host, port, path, query] = parts;
    const isKnownHost =
      host === '' ||
      host === ELLIPSIS ||
      isAddressTimeOrVersion(host) ||
      WEBHOOK_HOST.test(host) ||
      isKubernetesName(host) ||
      REGISTRIES.has(host) ||
      this.#isName(host);
    const segments = path
      .split('/')
      .map((one) =>
        one === '' || one === ELLIPSIS || isWord(one) || VERSION.test(one) || isDigest(one) || this.#isName(one)
          ? one
          : ELLIPSIS,
      )
      .join('/')
      .replace(/…(?:\/…)+/g, ELLIPSIS);
    return (
      scheme +
      (user === undefined ? '' : `${ELLIPSIS}@`) +
      (isKnownHost ? host : ELLIPSIS) +
      (port ?? '') +
      segments +
      (query === undefined ? '' : TIMEOUT.test(query) ? query : `${query[0]}${ELLIPSIS}`)
    );
  }
}

type TokenKind = 'separator' | 'word' | 'number' | 'known' | 'unknown';

/** Limit: characters without a blank: longer runs are no readable words, and not shown. */
const MAX_RUN_LENGTH = 1024;

const SPACES = ' \t\n\r\f\v';
const SEPARATORS = '"\'`()[]{}<>,;:=\\|';
const LONG_END = '"\'`()[]{}<>,;=\\|';
const SENTENCE_ENDS = '.!?:';
const END_OF_SENTENCE = /[.!?]{1,3}$/;
const TRAILING = /[()[\]{}<>,;:.]{1,8}$/;

/** Three or more neighbouring numbers may be those of a card or an account. */
const NUMBERS_IN_A_ROW = /\d{1,8}(?: \d{1,8}){2,}/g;
const SERVICE_HOST = /^([a-z0-9-]{1,63})\.([a-z0-9-]{1,63})(?:\.svc(?:\.cluster\.local\.?)?)?(?::\d{1,5})?$/;
/** The API server calls a webhook's Service by its name and namespace (apiserver, pkg/util/webhook). */
const WEBHOOK_HOST = /^[a-z0-9-]{1,63}\.[a-z0-9-]{1,63}\.svc$/;
const URL_START = /^([^a-zA-Z]{0,8})[a-zA-Z][a-zA-Z0-9+.-]{1,20}:\/\//;
const URL_PARTS =
  /^([a-zA-Z][a-zA-Z0-9+.-]{1,20}:\/\/)(?:([^/?#]*)@)?(\[[^\]]*\]|[^/?#:]*)(:\d{1,5})?([^?#]*)([?#].*)?$/s;
const FIELD_PATH = /\.?[a-z][a-zA-Z]{2,40}(?:\.[a-zA-Z]{1,60}|\[(?:\d{1,4}|\*)\]){1,20}/y;
const PATH_PART = /[^.[\]]+/g;
const TAG = /(?::[\w][\w.-]{0,127})?(?:@sha256:[0-9a-f]{64})?$/;
function isSeparator(run: string, at: number): boolean {
  return SEPARATORS.includes(run[at]) && !isApostrophe(run, at);
}

function lastSpace(text: string, before: number): number {
  for (let at = before; at > before - MAX_RUN_LENGTH && at > 0; at--) if (SPACES.includes(text[at])) return at;
  return before;
}

/** Merges ellipses with only separators between them, and removes the padding of base64 after one. */
function collapse(text: string): string {
  if (!text.includes(ELLIPSIS)) return text;
  return text.replace(/…(?:[\s=:|\\]*…)+/g, ELLIPSIS).replace(/…=+(?=$|[\s"',)\]}])/g, ELLIPSIS);
}
