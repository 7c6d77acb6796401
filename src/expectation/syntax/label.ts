// Compiles the label of an arrow to a pattern and matches it with labels of messages by tag, method, path, query in
// any order, name and status code (contract.md "What an expectation means").

import { queryDecoded } from '../../core/bytes/percent.js';
import type { Message } from '../../kubernetes/messages/message.js';
import { plainText, SOFT } from './markup.js';
import { type Binding, compilePattern, joinBindings, ONE_WAY, type Pattern } from './pattern.js';

export interface LabelPattern {
  /** The compiled text; equal for equal patterns. */
  readonly marked: string;
  /** As the diagram shows it, in one line. */
  readonly shown: string;
  /** `REQ`, `RESP-CHUNK` …, of a cut `END`, whatever its label says; null if the label has none. */
  readonly tag: string | null;
  readonly names: readonly string[];
  read(label: ParsedLabel): readonly Binding[] | null;
  /** What the label is compared with: the label of a message, of one that was cut perhaps its request's; null: of neither. */
  subjectOf(label: ParsedLabel): ParsedLabel | null;
  readonly parts: LabelParts;
}

/** The parts of an expected label, to describe how a message differs. */
export interface LabelParts {
  readonly whole: Pattern;
  readonly request: RequestParts | null;
  /** Of `[RESP]`: the status code. */
  readonly code: Pattern | null;
}

export interface RequestParts {
  readonly method: Pattern;
  readonly path: Pattern;
  readonly parameters: readonly ParameterPattern[];
  /** `- NAME`; null: the label has none. */
  readonly name: Pattern | null;
}

export interface ParameterPattern {
  readonly shown: string;
  readonly name: Pattern;
  /** null: any. */
  readonly value: Pattern | null;
}

/** The label of a message, in the same parts. */
export interface ParsedLabel {
  readonly label: string;
  /** Of an event about an object of `default`, where labels leave the namespace out: the label with it; else null. */
  readonly qualified: string | null;
  readonly tag: string | null;
  readonly request: {
    readonly method: string;
    readonly path: string;
    readonly query: readonly (readonly [string, string])[];
    readonly name: string | null;
  } | null;
  /** Of a cut: the label of the request that was cut; null: it is not in the capture. */
  readonly cut?: ParsedLabel | null;
}

/** @param marked result of `readMarkup`. @param isCut the arrow is that of a cut. Reading throws TooManyReadings. */
export function compileLabel(marked: string, isCut = false): LabelPattern {
  const text = withoutTimes(marked);
  const [, tag = null, rest = text] = TAGGED.exec(text) ?? [];
  const names: string[] = [];
  const parts = tag === null ? unknownParts(text, names) : knownParts(tag, rest.trim(), names);
  const subjectOf = (label: ParsedLabel): ParsedLabel | null => {
    if ((label.tag === CUT) !== isCut) return null;
    return isCut && tag !== CUT ? (label.cut ?? null) : label;
  };
  const read = (label: ParsedLabel): readonly Binding[] | null => {
    const subject = subjectOf(label);
    return subject === null ? null : readLabel(tag, parts, subject);
  };
  return { marked: text, shown: plainText(text), tag: isCut ? CUT : tag, names, parts, read, subjectOf };
}

/** @param request of one that was cut. */
export function parsedLabelOf(message: Message, request?: Message): ParsedLabel {
  const { label, method, target } = message;
  const tag = TAGGED.exec(label)?.[1] ?? null;
  const isOfDefault = message.kind === 'event' && message.object?.namespace === 'default';
  const qualified = isOfDefault ? withDefault(label) : null;
  if (tag === CUT)
    return { label, qualified, tag, request: null, cut: request === undefined ? null : parsedLabelOf(request) };
  if (tag !== 'REQ' || method === undefined || target === undefined) return { label, qualified, tag, request: null };
  const at = target.indexOf('?');
  const path = at < 0 ? target : target.slice(0, at);
  const behind = label.indexOf(path);
  const name = behind < 0 ? null : nameBehind(label.slice(behind + path.length));
  return { label, qualified, tag, request: { method, path, query: at < 0 ? [] : queryOf(target.slice(at + 1)), name } };
}

/** `Pod ADDED - default/web` of `Pod ADDED - web` */
export function withDefault(label: string): string | null {
  return /^\[RESP-CHUNK\] \S+ \S+ - [^\s/]+$/.test(label) ? label.replace(' - ', ' - default/') : null;
}

function readLabel(tag: string | null, parts: LabelParts, label: ParsedLabel): readonly Binding[] | null {
  if (tag !== label.tag) return null;
  const whole = parts.whole.read(label.label) ?? (label.qualified === null ? null : parts.whole.read(label.qualified));
  const request = parts.request === null || label.request === null ? null : readRequest(parts.request, label.request);
  if (whole === null || request === null) return whole ?? request;
  // Without names, one way is enough.
  return whole === ONE_WAY || request === ONE_WAY ? ONE_WAY : uniqueBindings([...whole, ...request]);
}

function readRequest(expected: RequestParts, label: NonNullable<ParsedLabel['request']>): readonly Binding[] | null {
  const method = expected.method.read(label.method);
  if (method === null) return null;
  if ((expected.name === null) !== (label.name === null)) return null;
  const path = expected.path.read(label.path);
  if (path === null) return null;
  const name = expected.name === null ? ONE_WAY : expected.name.read(label.name as string);
  if (name === null) return null;
  const head = joinBindings(joinBindings(method, path), name);
  const query = readQuery(expected.parameters, label.query);
  if (query === null) return null;
  const all = joinBindings(head, query);
  return all.length === 0 ? null : all;
}

/** Each expected parameter must match another parameter of the query. */
function readQuery(
  expected: readonly ParameterPattern[],
  query: readonly (readonly [string, string])[],
): readonly Binding[] | null {
  if (expected.length === 0) return ONE_WAY;
  const ways: Binding[] = [];
  const taken = new Set<number>();
  const walk = (at: number, sofar: readonly Binding[]): void => {
    if (at === expected.length) {
      ways.push(...sofar);
      return;
    }
    const { name, value } = expected[at];
    const tried = new Set<string>();
    for (const [i, [ownName, ownValue]] of query.entries()) {
      // A repeated parameter is one way, not two.
      const key = `${ownName}=${ownValue}`;
      if (taken.has(i) || tried.has(key)) continue;
      const names = name.read(ownName);
      const values = names === null ? null : value === null ? ONE_WAY : value.read(ownValue);
      if (names === null || values === null) continue;
      tried.add(key);
      const joined = joinBindings(joinBindings(sofar, names), values);
      if (joined.length === 0) continue;
      taken.add(i);
      walk(at + 1, joined);
      taken.delete(i);
      if (ways.length > 0 && ways[0].length === 0) return;
    }
  };
  walk(0, ONE_WAY);
  if (ways.length === 0) return null;
  return ways[0].length === 0 ? ONE_WAY : uniqueBindings(ways);
}

function knownParts(tag: string, rest: string, names: string[]): LabelParts {
  const label = `[${tag}] ${unquoted(rest)}`;
  if (tag === 'RESP') {
    const [, code, reason] = /^(\S+?)(?:\s+(.*))?$/su.exec(rest.replace(SOFT, ' ')) ?? [];
    // A code without its reason matches any reason.
    const bare = code !== undefined && reason === undefined && /^[\dx|*{]/.test(code);
    const whole = compilePattern(label, names, { codeClasses: true });
    const behind = bare ? compilePattern(`${label} …`, names, { codeClasses: true }) : null;
    return {
      whole: {
        fits: (text) => whole.fits(text) || behind?.fits(text) === true,
        read: (text) => whole.read(text) ?? behind?.read(text) ?? null,
      },
      request: null,
      code: code === undefined ? null : compilePattern(code, names, { codeClasses: true }),
    };
  }
  if (tag === 'RESP-CHUNK') return { whole: eventPattern(rest, names), request: null, code: null };
  const whole = compilePattern(label, names);
  return { whole, request: tag === 'REQ' ? requestParts(rest, names) : null, code: null };
}

function unknownParts(text: string, names: string[]): LabelParts {
  return { whole: compilePattern(text, names), request: null, code: null };
}

/** `Kind TYPE - NAME`: the type is compared without case. */
function eventPattern(rest: string, names: string[]): Pattern {
  const [, kind, type, behind] = EVENT.exec(unquoted(rest)) ?? [];
  if (kind === undefined) return compilePattern(`[RESP-CHUNK] ${rest}`, names);
  const head = compilePattern(`[RESP-CHUNK] ${kind}`, names);
  const folded = compilePattern(` ${type}`, names, { foldCase: true });
  const tail = compilePattern(behind, names);
  const read = (text: string): readonly Binding[] | null => {
    const cut = /^(\[RESP-CHUNK\] \S+)(\s+\S+)(.*)$/s.exec(text);
    if (cut === null) return null;
    const first = head.read(cut[1]);
    const second = first === null ? null : folded.read(cut[2]);
    const third = second === null ? null : tail.read(cut[3]);
    if (first === null || second === null || third === null) return null;
    const all = joinBindings(joinBindings(first, second), third);
    return all.length === 0 ? null : all;
  };
  return { read, fits: (text) => read(text) !== null };
}

function requestParts(rest: string, names: string[]): RequestParts | null {
  const [, method, target, name] = REQUEST.exec(rest.trim()) ?? [];
  if (method === undefined) return null;
  const at = target.indexOf('?');
  const path = (at < 0 ? target : target.slice(0, at)).replaceAll(SOFT, '');
  const parameters = at < 0 ? [] : target.slice(at + 1).split('&');
  return {
    method: compilePattern(method, names),
    path: compilePattern(path, names),
    parameters: parameters.flatMap((text) => parameterPattern(text, names)),
    name: name === undefined ? null : compilePattern(unquoted(name.replaceAll(SOFT, '')), names),
  };
}

function parameterPattern(text: string, names: string[]): ParameterPattern[] {
  const trimmed = text.replace(new RegExp(`^(?:${SOFT}|\\s)+|(?:${SOFT}|\\s)+$`, 'gu'), '');
  // `…` stands for any parameters.
  if (trimmed === '' || trimmed === '…') return [];
  const equals = trimmed.indexOf('=');
  const name = queryDecoded(equals < 0 ? trimmed : trimmed.slice(0, equals));
  const value = equals < 0 ? null : queryDecoded(unquoted(trimmed.slice(equals + 1)));
  return [
    {
      shown: plainText(value === null ? name : `${name}=${value}`),
      name: compilePattern(name, names),
      value: value === null ? null : compilePattern(value, names),
    },
  ];
}

function queryOf(query: string): (readonly [string, string])[] {
  return query
    .split('&')
    .filter((one) => one !== '')
    .map((one) => {
      const equals = one.indexOf('=');
      if (equals < 0) return [queryDecoded(one), ''] as const;
      return [queryDecoded(one.slice(0, equals)), queryDecoded(one.slice(equals + 1))] as const;
    });
}

/** NAME of ` - NAME` at the end of the text after a path. */
function nameBehind(text: string): string | null {
  const at = text.lastIndexOf(' - ');
  return at < 0 || /\s/.test(text.slice(at + 3)) ? null : text.slice(at + 3);
}

/** Quotes around a whole word do not count. */
function unquoted(text: string): string {
  const open = `(^|${SOFT}|\\s)`;
  return text.replace(new RegExp(`${open}(["'])([^"'\\s]*)\\2(?=$|${SOFT}|\\s)`, 'gu'), '$1$3');
}

/** Removes `×3` after a label. */
function withoutTimes(marked: string): string {
  return marked.replace(new RegExp(`(?:${SOFT}|\\s)*\\(?×\\s*\\d+\\)?$`, 'u'), '');
}

function uniqueBindings(bindings: readonly Binding[]): readonly Binding[] {
  return [...new Map(bindings.map((one) => [JSON.stringify(one), one])).values()];
}

/** The tag of what was cut. */
export const CUT = 'END';
/** The tags in brackets with which labels of messages begin. */
export const MESSAGE_KINDS: ReadonlySet<string> = new Set([
  'REQ',
  'RESP',
  'RESP-CHUNK',
  'RPC',
  'RPC-RESP',
  'RPC-CHUNK',
  'DATA',
  CUT,
]);
const TAGGED = /^\[([A-Z-]+)\]\s*:?(?:\s|\u{f1000})*(.*)$/su;
const EVENT = /^([^\s\u{f1000}]+)(?:\s|\u{f1000})+([^\s\u{f1000}]+)(.*)$/su;
const REQUEST = /^(\S+?)(?:\s|\u{f1000})+(.*?)(?:(?:\s|\u{f1000})+-(?:\s|\u{f1000})+([^\s]+))?$/su;
