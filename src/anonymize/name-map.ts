// Maps names, addresses and ids of a cluster to others by a key: without it nobody can tell which name stands for which.

import { ipv6Text } from '../core/address.js';
import { hexText, utf8Bytes } from '../platform/bytes.js';
import { hmac } from '../platform/ciphers.js';
import { WELL_KNOWN } from './kept-words.js';

/** What a name is of, as the beginning of the name that replaces it: `deploy-1c2f0`. */
export type NameClass = string;

export class NameMap {
  readonly #key: Uint8Array;
  readonly #classes = new Map<string, NameClass>();
  /** Name → what replaces it. */
  readonly #made = new Map<string, string>();
  readonly #taken = new Set<string>();
  #kept: ReadonlySet<string> = NONE;

  /** @param key 16 bytes at least, which nobody else knows. */
  constructor(key: Uint8Array) {
    this.#key = key;
  }

  /** Records that something of the cluster has this name; of several things, the first of `RANKS` gives the beginning. */
  learn(name: string, of: NameClass): void {
    const before = this.#classes.get(name);
    if (before === undefined || rank(of) < rank(before)) this.#classes.set(name, of);
    const base = baseOf(name);
    if (base !== null && !this.#classes.has(base)) this.#classes.set(base, of);
  }

  isLearned(name: string): boolean {
    return this.#classes.has(name);
  }

  /** Whether the captures have this name, address or id. */
  isKnown(text: string): boolean {
    return this.#classes.has(text) || this.#made.has(text);
  }

  /** @param make replaces names in a text that may have replacements already: while it runs, these stay as they are. */
  keeping<T>(make: () => T): T {
    for (const name of this.#classes.keys()) this.name(name);
    this.#kept = new Set(this.#made.values());
    const made = make();
    this.#kept = NONE;
    return made;
  }

  /** Every name that was replaced, with what stands for it, in the order in which they came. */
  get entries(): Iterable<readonly [name: string, replaced: string]> {
    return this.#made;
  }

  /** A name without dots. What it looks like says where it is cut, so that it has the same parts in captures of other names. */
  name(name: string): string {
    return this.#once(name, () => {
      if (this.#classes.get(name) === KIND) return this.#kind(name);
      const base = baseOf(name);
      const of = this.#classes.get(name) ?? 'name';
      if (base === null) return this.#free((attempt) => `${of}-${this.#hash(name, SHORT + 2 * attempt)}`);
      return `${WELL_KNOWN.has(base) ? base : this.name(base)}-${this.#rest(name.slice(base.length + 1))}`;
    });
  }

  /** A kind or resource of a custom API: kind, resource and list stay kin. */
  #kind(name: string): string {
    const [isKind, isList] = [/[A-Z]/.test(name), name.endsWith('List')];
    const stem = (isList ? name.slice(0, -'List'.length) : name).toLowerCase();
    const word = `kind${this.#hash(`kind ${stem.replace(KIND_ENDING, '')}`, SHORT)}`;
    if (!isKind) return name.endsWith('s') ? `${word}s` : word;
    return `K${word.slice(1)}${isList ? 'List' : ''}`;
  }

  /** Hexadecimal digits: an id or its beginning, which stay kin. */
  hex(text: string): string {
    return this.#once(text, () => {
      const start = this.#hash(text.slice(0, ID_START), ID_START);
      return text.length <= ID_START ? start.slice(0, text.length) : start + this.#hash(text, text.length - ID_START);
    });
  }

  /** An id of 32 digits with dashes (RFC 9562). */
  uuid(text: string): string {
    return this.#once(text, () => this.#hash(text, 32).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-'));
  }

  /** The end of a name that Kubernetes made, of as many characters (apimachinery, util/rand); undefined: it is none. */
  suffixes(text: string): string | undefined {
    if (!SUFFIXES.test(text)) return undefined;
    const suffix = (part: string): string =>
      [...this.#bytes(`suffix ${part}`).subarray(0, part.length)].map((byte) => SAFE[byte % SAFE.length]).join('');
    return text
      .split('-')
      .map((part) => this.#once(part, () => suffix(part)))
      .join('-');
  }

  /** An address of IPv4, in 10.0.0.0/8 (RFC 1918). */
  ipv4(address: string): string {
    if (/^(?:127\.0\.0\.\d+$|0\.0\.0\.0$|255\.255\.255\.255$)/.test(address)) return address;
    return this.#address(address, (bytes) => `10.${bytes[0]}.${bytes[1]}.${bytes[2]}`);
  }

  /** An address of IPv6, in fd00::/8 (RFC 4193). @param address in any form. */
  ipv6(address: string): string {
    if (/^[:0]*1?$/.test(address)) return address;
    return this.#address(address.toLowerCase(), (bytes) => ipv6Text(Uint8Array.of(0xfd, ...bytes.subarray(0, 15)), 0));
  }

  /** What stands behind the beginning of a name. */
  #rest(rest: string): string {
    if (ORDINAL.test(rest) || WELL_KNOWN.has(rest)) return rest;
    if (UUID.test(rest)) return this.uuid(rest);
    const suffixes = this.suffixes(rest);
    if (suffixes !== undefined) return suffixes;
    return /^\d/.test(rest) ? this.#once(`-${rest}`, () => this.#hash(rest, SHORT)) : this.name(rest);
  }

  /** An address of a network interface (IEEE 802), whose octets have any sign between them: one of a local administration. */
  mac(address: string): string {
    const [sign] = /\W/.exec(address) as RegExpExecArray;
    return this.#once(address, () => `02${this.#hash(address, 10)}`.replace(/..(?=.)/g, `$&${sign}`));
  }

  #address(text: string, make: (bytes: Uint8Array) => string): string {
    return this.#once(text, () => this.#free((attempt) => make(this.#bytes(`${attempt} ${text}`))));
  }

  /** The first of what `make` gives that stands for nothing else. */
  #free(make: (attempt: number) => string): string {
    let made = make(0);
    for (let attempt = 1; this.#taken.has(made); attempt++) made = make(attempt);
    this.#taken.add(made);
    return made;
  }

  #once(name: string, make: () => string): string {
    const before = this.#kept.has(name) ? name : this.#made.get(name);
    if (before !== undefined) return before;
    const made = make();
    this.#made.set(name, made);
    return made;
  }

  #hash(text: string, digits: number): string {
    let hash = '';
    for (let part = 0; hash.length < digits; part++)
      hash += hexText(this.#bytes(part === 0 ? text : `${part}/${text}`));
    return hash.slice(0, digits);
  }

  #bytes(text: string): Uint8Array {
    return hmac('sha256', this.#key, utf8Bytes(text));
  }
}

/** The beginning of a name that says what it belongs to; null: the name has none. */
function baseOf(name: string): string | null {
  for (let dash = name.lastIndexOf('-'); dash > 0; dash = name.lastIndexOf('-', dash - 1))
    if (WELL_KNOWN.has(name.slice(0, dash))) return name.slice(0, dash);
  const made = GENERATED.exec(name) ?? NUMBERED.exec(name);
  return made?.[1] ?? made?.[2] ?? null;
}

function rank(of: NameClass): number {
  const at = RANKS.indexOf(of);
  return at < 0 ? RANKS.length : at;
}

/** Beginnings of names, as kubectl's short names: the first of what has a name gives it. */
const RANKS: readonly NameClass[] = ['ns', 'node', 'deploy', 'sts', 'ds', 'cj', 'job', 'svc', 'rs', 'pod', 'cm', 'sa'];
/** Hexadecimal digits of a name. Two of a thousand names are equal in them once in two captures; the second then gets more. */
const SHORT = 5;
/** Digits by which container runtimes abbreviate an id. */
const ID_START = 12;
/** k8s.io/apimachinery, util/rand: `alphanums`. */
const SAFE = 'bcdfghjklmnpqrstvwxz2456789';
const SUFFIXES = new RegExp(
  `^(?:(?=[a-z]*\\d)[${SAFE}]{8,10}|[${SAFE}]{5})(?:-[${SAFE}]{5})?$|^(?=[a-z]*\\d)[${SAFE}]{8,10}$`,
);
/** `web-64c966cf88-2sdz6`, `ds-9qsbp`, `nightly-29123456-xk2vb`. */
const GENERATED = new RegExp(
  `^(.*[a-z].*?)(?:-(?=[a-z]*\\d)[${SAFE}]{8,10}|-\\d{8})?-[${SAFE}]{5}$|^(.*[a-z].*?)-(?=[a-z]*\\d)[${SAFE}]{8,10}$`,
);
/** One number behind a word: `db-0`, the job `nightly-29123456`. Of several, none is an ordinal. */
const NUMBERED = /^(.*[a-z][^-]*)-\d{1,10}$/;
const ORDINAL = /^\d{1,3}$/;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** Of the plural and of the singular. */
const KIND_ENDING = /[iesy]+$/;
const NONE: ReadonlySet<string> = new Set();
/** The class of kinds and resources of custom APIs. */
export const KIND = 'kind';
