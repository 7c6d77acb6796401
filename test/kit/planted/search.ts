// Looks for planted secrets in a text: raw, in other encodings, whole and in pieces, and inside of what inflates.

import { gunzipSync, inflateSync } from 'node:zlib';
import { nameOf, type Planted } from './corpus.js';

/** Characters of a secret that may not be seen together. */
const PIECE = 12;
/** A text inside a text may be base64 or hex. */
const BLOB = /[A-Za-z0-9+/_-]{16,}={0,2}/g;
const DEPTH = 5;

/** A secret, or a piece of one, in a text. */
export interface Finding {
  readonly secret: Planted;
  /** How it was written, e.g. `gzip in base64: raw`. */
  readonly how: string;
  /** The text around it, on one line. */
  readonly around: string;
}

/** @returns what looks into a text for these secrets; it gives each secret once. */
export function searchFor(planted: readonly Planted[]): (text: string) => Finding[] {
  const needles = needlesOf(planted);
  return (text) => {
    const found = new Map<Planted, Finding>();
    const opened = new Set<string>();
    search(needles, text, '', 0, found, opened);
    // As a reader sees it: diagrams break lines inside of words and escape characters.
    const read = text
      .replace(/<br\/?>/g, '')
      .replace(/<U\+([0-9A-F]{4,6})>/g, (_, hex: string) => String.fromCodePoint(Number.parseInt(hex, 16)))
      .replace(/&?#(\d{2,5});/g, (_, code: string) => String.fromCodePoint(Number(code)));
    if (read !== text) search(needles, read, 'as it is drawn: ', 0, found, opened);
    return [...found.values()];
  };
}

/** @returns what names those that a text has and no rule shows, with how. */
export function leaksIn(planted: readonly Planted[]): (text: string) => string[] {
  const find = searchFor(planted);
  // Words of two secrets may be alike, so what a rule shows is taken out before the others are looked for.
  const without = withoutWords(planted.filter(({ isShown }) => isShown).map(({ text }) => text));
  return (text) => find(without(text)).map(({ secret, how, around }) => `${nameOf(secret)} | ${how} | ${around}`);
}

/** Parts of a secret that tell too much by themselves: outputs shorten texts and put escapes between characters. */
export function piecesOf(text: string): string[] {
  const words = text.split(/[^A-Za-z0-9]+/).filter((word) => word.length >= 9 && word.length < text.length);
  if (text.length <= PIECE) return [text];
  const middle = (text.length - PIECE) >> 1;
  return [
    ...new Set([
      text.slice(0, PIECE),
      text.slice(middle, middle + PIECE),
      text.slice(-PIECE),
      ...words.map((word) => word.slice(0, PIECE)),
    ]),
  ];
}

/** Ways to write a text, each with what it is called. */
export function writtenForms(text: string): (readonly [string, string])[] {
  const bytes = Buffer.from(text);
  const hex = bytes.toString('hex');
  const escaped = JSON.stringify(text).slice(1, -1);
  const percent = encodeURIComponent(text);
  return [
    ['raw', text],
    ['JSON-escaped', escaped],
    ['JSON-escaped twice', JSON.stringify(escaped).slice(1, -1)],
    ['HTML-escaped', text.replaceAll('&', '&amp;')],
    ['URL-encoded', percent],
    ['URL-encoded, lower case', percent.replace(/%../g, (one) => one.toLowerCase())],
    ['URL-encoded, plus signs', percent.replaceAll('%20', '+')],
    ['URL-encoded twice', encodeURIComponent(percent)],
    ['percent', hex.replace(/../g, '%$&')],
    ['percent, upper case', hex.toUpperCase().replace(/../g, '%$&')],
    ['hex', hex],
    ['hex, upper case', hex.toUpperCase()],
    ...[0, 1, 2].flatMap((by) => {
      // Of base64 the characters that hold nothing but the text.
      const all = Buffer.concat([Buffer.alloc(by), bytes]).toString('base64');
      const inner = all.slice(Math.ceil((by * 8) / 6), Math.floor(((by + bytes.length) * 8) / 6));
      const safe = inner.replaceAll('+', '-').replaceAll('/', '_');
      return [
        [`base64 at ${by}`, inner],
        [`base64url at ${by}`, safe],
      ] as const;
    }),
  ];
}

interface Needle {
  readonly secret: Planted;
  readonly how: string;
  readonly text: string;
}

/** Needles by the hash of their first characters. */
interface Needles {
  readonly byHash: ReadonlyMap<number, readonly Needle[]>;
  readonly maybe: Uint8Array;
}
const HASH_BITS = 22;

function needlesOf(planted: readonly Planted[]): Needles {
  const byHash = new Map<number, Needle[]>();
  const maybe = new Uint8Array(1 << HASH_BITS);
  for (const secret of planted) {
    const seen = new Set<string>();
    for (const piece of piecesOf(secret.text))
      for (const [how, text] of writtenForms(piece)) {
        if (seen.has(text) || text.length < 8) continue;
        seen.add(text);
        const key = hashAt(text, 0);
        maybe[key] = 1;
        byHash.set(key, [...(byHash.get(key) ?? []), { secret, how, text }]);
      }
  }
  return { byHash, maybe };
}

function hashAt(text: string, at: number): number {
  let hash = 0;
  for (let i = at; i < at + HASHED; i++) hash = (Math.imul(hash, FACTOR) + text.charCodeAt(i)) | 0;
  return slotOf(hash);
}

function slotOf(hash: number): number {
  return (hash ^ (hash >>> 15)) & ((1 << HASH_BITS) - 1);
}

/** Characters that a hash is made of, and what each is multiplied with for each behind it. */
const HASHED = 6;
const FACTOR = 0x9e3779b1;
/** What the hash has of its first character when the next one is added. */
const FIRST = Array.from({ length: HASHED }).reduce((power: number) => Math.imul(power, FACTOR), 1);

/** Positions in a text at which one of the needles may begin, with the hash of their first characters. */
function* places(maybe: Uint8Array, text: string): Generator<readonly [at: number, key: number]> {
  // Of the characters before `at`, then of those from it on.
  let hash = 0;
  for (let at = 1 - HASHED; at + HASHED <= text.length; at++) {
    const before = at > 0 ? Math.imul(text.charCodeAt(at - 1), FIRST) : 0;
    hash = (Math.imul(hash, FACTOR) - before + text.charCodeAt(at + HASHED - 1)) | 0;
    if (at < 0) continue;
    const key = slotOf(hash);
    if (maybe[key] !== 0) yield [at, key];
  }
}

/** @returns what puts `(name)` in place of each of these words in a text, of two at a place in that of the longer one. */
export function withoutWords(words: readonly string[]): (text: string) => string {
  const maybe = new Uint8Array(1 << HASH_BITS);
  const byHash = new Map<number, string[]>();
  for (const word of [...words].sort((one, other) => other.length - one.length)) {
    if (word.length < HASHED) throw new Error(`${word} is too short`);
    const key = hashAt(word, 0);
    maybe[key] = 1;
    byHash.set(key, [...(byHash.get(key) ?? []), word]);
  }
  return (text) => {
    let kept = '';
    let from = 0;
    for (const [at, key] of places(maybe, text)) {
      const word = at < from ? undefined : byHash.get(key)?.find((one) => text.startsWith(one, at));
      if (word === undefined) continue;
      kept += `${text.slice(from, at)}(name)`;
      from = at + word.length;
    }
    return kept + text.slice(from);
  };
}

function search(
  needles: Needles,
  text: string,
  where: string,
  depth: number,
  found: Map<Planted, Finding>,
  opened: Set<string>,
): void {
  for (const [at, key] of places(needles.maybe, text))
    for (const needle of needles.byHash.get(key) ?? []) {
      if (found.has(needle.secret) || !text.startsWith(needle.text, at)) continue;
      const around = text.slice(Math.max(0, at - 60), at + needle.text.length + 20).replace(/\s+/g, ' ');
      found.set(needle.secret, { secret: needle.secret, how: `${where}${needle.how}`, around });
    }
  if (depth === DEPTH) return;
  for (const [blob] of text.matchAll(BLOB)) {
    if (opened.has(blob)) continue;
    opened.add(blob);
    if (NOTHING.has(blob)) continue;
    let holds = false;
    for (const [name, bytes] of decodings(blob)) {
      let inflated = inflate(bytes);
      for (let again = inflated; again !== null; again = inflate(again)) inflated = again;
      if (inflated !== null)
        search(needles, inflated.toString('latin1'), `${where}gzip in ${name}: `, depth + 1, found, opened);
      else if (isText(bytes)) search(needles, bytes.toString('latin1'), `${where}${name}: `, depth + 1, found, opened);
      else continue;
      holds = true;
    }
    if (!holds && blob.length < 200 && NOTHING.size < 1_000_000) NOTHING.add(blob);
  }
}

/** Blobs that hold neither text nor anything that inflates: most are words of paths, and in every output. */
const NOTHING = new Set<string>();

function decodings(blob: string): [string, Buffer][] {
  const all: [string, Buffer][] = [['base64', Buffer.from(blob, 'base64')]];
  if (/^[0-9a-fA-F]+$/.test(blob)) all.push(['hex', Buffer.from(blob, 'hex')]);
  return all;
}

function inflate(bytes: Buffer): Buffer | null {
  try {
    if (bytes[0] === 0x1f && bytes[1] === 0x8b) return gunzipSync(bytes);
    if (bytes[0] === 0x78 && ((bytes[0] << 8) | bytes[1]) % 31 === 0) return inflateSync(bytes);
  } catch {
    // Not whole, or none.
  }
  return null;
}

function isText(bytes: Buffer): boolean {
  for (const byte of bytes)
    if ((byte < 0x20 || byte >= 0x7f) && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return false;
  return true;
}
