// Parses request targets and queries as Go's net/url and the API server's parameter decoding do.

import { hexBytes, text } from '../../core/bytes/bytes.js';

/** The decoded path of a target without its query: Go's `URL.Path`. What is malformed stays as it is. */
export function pathOf(method: string, target: string): string {
  if (target.charCodeAt(0) === 0x2f) return unescaped(target, false);
  if (method === 'CONNECT') return '';
  // absolute-form: scheme "://" authority path (RFC 9112, section 3.2.2)
  const scheme = target.indexOf('://');
  if (scheme <= 0) return unescaped(target, false);
  const slash = target.indexOf('/', scheme + 3);
  return slash < 0 ? '' : unescaped(target.slice(slash), false);
}

/** Parameters of a query; the first value of a name counts. */
export class QueryParameters {
  readonly #raw: string;
  #entries: readonly (readonly [name: string, value: string])[] | undefined;

  /** @param raw the query without its question mark. */
  constructor(raw: string) {
    this.#raw = raw;
  }

  /** Decoded value; undefined if there is none. */
  get(name: string): string | undefined {
    // Most names are not in the query: names need no encoding, so a search of the text is enough.
    if (this.#entries === undefined && !this.#raw.includes('%') && !this.#raw.includes(name)) return undefined;
    for (const entry of this.entries()) if (entry[0] === name) return entry[1];
    return undefined;
  }

  has(name: string): boolean {
    return this.get(name) !== undefined;
  }

  /** All in order, decoded; pairs that Go drops (malformed escapes, semicolons) are dropped. */
  entries(): readonly (readonly [name: string, value: string])[] {
    this.#entries ??= parse(this.#raw);
    return this.#entries;
  }
}

/** As the server reads booleans of a query: anything that is there is true, but "0" and "false". */
export function isTrue(value: string | undefined): boolean {
  return value !== undefined && value !== '0' && value.toLowerCase() !== 'false';
}

/** strconv.ParseInt(value, 10, 64) */
export function parsesAsInt64(value: string): boolean {
  if (!/^[+-]?[0-9]{1,30}$/.test(value)) return false;
  return value.length <= 18 || BigInt.asIntN(64, integer(value)) === integer(value);
}

/**
 * The value that a field selector requires of a field; undefined if it requires none or is malformed.
 * Source: k8s.io/apimachinery/pkg/fields/selector.go
 */
export function exactMatch(selector: string, field: string): string | undefined {
  let found: string | undefined;
  for (const term of splitTerms(selector).sort()) {
    if (term === '') continue;
    const operator = /!=|==|=/.exec(term);
    const value = operator === null ? undefined : unescapeValue(term.slice(operator.index + operator[0].length));
    if (operator === null || value === undefined) return undefined;
    if (operator[0] !== '!=' && found === undefined && term.slice(0, operator.index) === field) found = value;
  }
  return found;
}

/** At commas that no backslash escapes. */
function splitTerms(selector: string): string[] {
  const terms: string[] = [];
  let start = 0;
  for (let i = 0; i < selector.length; i++) {
    if (selector[i] === '\\') i += 1;
    else if (selector[i] === ',') {
      terms.push(selector.slice(start, i));
      start = i + 1;
    }
  }
  terms.push(selector.slice(start));
  return terms;
}

function unescapeValue(value: string): string | undefined {
  if (!/[\\,=]/.test(value)) return value;
  let plain = '';
  for (let i = 0; i < value.length; i++) {
    if (value[i] === ',' || value[i] === '=') return undefined;
    if (value[i] === '\\') {
      i += 1;
      if (i >= value.length || !'\\,='.includes(value[i])) return undefined;
    }
    plain += value[i];
  }
  return plain;
}

function parse(raw: string): (readonly [string, string])[] {
  const entries: (readonly [string, string])[] = [];
  if (raw === '') return entries;
  for (const pair of raw.split('&')) {
    if (pair === '' || pair.includes(';')) continue;
    const equals = pair.indexOf('=');
    const name = equals < 0 ? pair : pair.slice(0, equals);
    const value = equals < 0 ? '' : pair.slice(equals + 1);
    if (MALFORMED.test(name) || MALFORMED.test(value)) continue;
    entries.push([unescaped(name, true), unescaped(value, true)]);
  }
  return entries;
}

function unescaped(escaped: string, plusIsSpace: boolean): string {
  const plain = plusIsSpace && escaped.includes('+') ? escaped.replaceAll('+', ' ') : escaped;
  if (!plain.includes('%')) return plain;
  try {
    return decodeURIComponent(plain);
  } catch {
    // No UTF-8, or a percent sign that escapes nothing. Go keeps the bytes; here they become U+FFFD.
    return plain.replace(/(?:%[0-9a-fA-F]{2})+/g, (run) => text(hexBytes(run.replaceAll('%', ''))));
  }
}

function integer(digits: string): bigint {
  return BigInt(digits[0] === '+' ? digits.slice(1) : digits);
}

/** A percent sign without two hexadecimal digits. */
const MALFORMED = /%(?![0-9a-fA-F]{2})/;
