// Replaces names, addresses and ids in texts, and leaves words of Kubernetes and of protocols.

import { isLoopback } from '../core/address.js';
import { memo } from '../core/collections/memo.js';
import { hostOf } from '../core/connection-name.js';
import {
  BETWEEN_NAMES,
  COUNT,
  COUNTING,
  DOMAINS,
  isCounted,
  isKept,
  isKeptBehind,
  isKeptKey,
  isMeasure,
  isProse,
  isSystemName,
  isUsual,
} from './kept-words.js';
import { KIND, type NameClass, type NameMap } from './name-map.js';

/** What a text holds: `names` alone, where any word may be one, or `prose` with names in it. */
export type TextPlace = 'names' | 'prose';

export class AnonymousText {
  readonly #map: NameMap;
  readonly #texts: Readonly<Record<TextPlace, (text: string) => string>> = {
    names: memo((text) => this.#replaced(text.replace(ESCAPED, unescaped), 'names'), MAX_TEXTS),
    prose: memo((text) => this.#replaced(text.replace(ESCAPED, unescaped), 'prose'), MAX_TEXTS),
  };

  constructor(map: NameMap) {
    this.#map = map;
  }

  /** Records the names in a text that holds nothing else. */
  learn(text: string, of: NameClass): void {
    const rest = text.startsWith(SYSTEM) ? text.slice(SYSTEM.length) : text;
    if (rest !== text && isSystemName(rest)) return;
    for (const [word] of rest.matchAll(WORD)) {
      if (isKept(word) || isMeasure(word) || UUID.test(word) || HEX.test(word)) continue;
      this.#map.learn(word, of);
      if (of === KIND || !word.includes('.')) continue;
      for (const part of word.split('.'))
        if (!isKept(part) && !isMeasure(part) && !DOMAINS.has(part) && !isUsual(part) && !HEX.test(part))
          this.#map.learn(part, of);
    }
  }

  /** @returns the text with every name replaced. Words that neither a list nor the dictionary of Kubernetes has are names. */
  text(text: string, place: TextPlace): string {
    return this.#texts[place](text);
  }

  /** The same for the value of a field: a number stays where its field counts something, such as `resourceVersion`. */
  field(text: string, field: string, place: TextPlace): string {
    return COUNT.test(text) && COUNTING.test(field) ? text : this.text(text, place);
  }

  /** A text that a user asks with: the names that the captures have are replaced, any other word stays. */
  asked(text: string): string {
    return this.#replaced(text, 'names', (token) => this.#map.isKnown(token));
  }

  /** `CLIENTIP:PORT-SERVERIP:PORT`. */
  connection(name: string): string {
    return name
      .split('-')
      .map((end) => `${this.address(hostOf(end))}${end.slice(end.lastIndexOf(':'))}`)
      .join('-');
  }

  address(address: string): string {
    if (isLoopback(address)) return address;
    return address.includes(':') ? this.#map.ipv6(address) : this.#map.ipv4(address);
  }

  #replaced(text: string, place: TextPlace, isMeant = (_token: string): boolean => true): string {
    return text.replace(TOKEN, (token: string, at: number) =>
      isMeant(token) ? this.#token(token, at, text, place) : token,
    );
  }

  #token(token: string, at: number, text: string, place: TextPlace): string {
    if (FIXED.test(token)) return token;
    if (UUID.test(token)) return this.#map.uuid(token);
    if (IPV4.test(token)) return this.address(token);
    if (token.startsWith(SYSTEM) && isSystemName(token.slice(SYSTEM.length))) return token;
    if (MAC.test(token)) return this.#map.mac(token);
    if (PHONE.test(token)) return this.#map.name(token);
    if (IPV6.test(token))
      return isIpv6(token) ? this.address(token) : token.replace(WORD, (word) => this.#word(word, 'names', '', ''));
    if (TRACE.test(token)) return token.replace(/[0-9a-f]{16,}/g, (id) => this.#map.hex(id));
    if (token.includes('_') || token.startsWith(SYSTEM)) return this.#joined(token);
    return this.#word(token, place, text.slice(0, at), text.slice(at + token.length));
  }

  /** Words with `_` or `:` between them. */
  #joined(token: string): string {
    if (isUsual(token) || isProse(token)) return token;
    return token.replace(WORD, (word) => {
      const lower = word.toLowerCase();
      if (word !== lower && word === word.toUpperCase() && this.#map.isLearned(lower))
        return this.#map.name(lower).toUpperCase();
      return this.#word(word, 'names', '', '');
    });
  }

  /** A word with an address in it: `ip-192-0-2-7.example`, `kube-proxy-192.0.2.7`, `2001-db8--7.default.pod`. */
  #addressed(word: string): string {
    return word
      .split(INNER)
      .map((part, i) =>
        i % 2 === 1 ? this.#inner(part) : part.replace(WORD, (one) => this.#word(one, 'names', '', '')),
      )
      .join('');
  }

  #inner(address: string): string {
    if (MAC.test(address)) return this.#map.mac(address);
    if (NUMBERS.test(address))
      return this.#map.ipv4(address.replaceAll('-', '.')).replaceAll('.', address.includes('-') ? '-' : '.');
    return this.#map.ipv6(address.replaceAll('-', ':')).replaceAll(':', '-');
  }

  #word(word: string, place: TextPlace, before: string, after: string): string {
    if (INNER.test(word)) return this.#addressed(word);
    const isName = place === 'names' || isPlaceOfName(before, after);
    const isLearned = this.#map.isLearned(word);
    if (!isName && BETWEEN_NAMES.has(word) && !(isLearned && FOLLOWS_KIND.test(before))) return word;
    if (isKept(word) || isMeasure(word)) return word;
    if (RANGE.test(word) && ((!isName && !isLearned && SMALL.test(word)) || isCounted(word, before, after)))
      return word;
    if (KEY.test(after) && isKeptKey(word)) return word;
    if (word.includes('.') && !(place === 'prose' && !isLearned && isProse(word))) return this.#dotted(word);
    if (isLearned) return this.#map.name(word);
    const suffixes = this.#map.suffixes(word);
    if (suffixes !== undefined) return suffixes;
    if (HEX.test(word)) return this.#map.hex(word);
    if (isKeptBehind(before, word)) return word;
    if (isUsual(word) || ((!isName || UPPER.test(word)) && isProse(word))) return word;
    return this.#map.name(word);
  }

  /** A host, a group, a name with dots: each part by itself. */
  #dotted(word: string): string {
    const parts = word.split('.');
    const isHost = DOMAINS.has(parts[parts.length - 1]) && parts.every((part) => isKept(part) || DOMAINS.has(part));
    return parts
      .map((part, i) => {
        const isLast = i === parts.length - 1;
        if (isHost && i === 0) return this.#map.name(part);
        if (part === '' || isKept(part) || isMeasure(part) || (isLast && DOMAINS.has(part))) return part;
        if (part === 'cluster' && parts[i + 1] === 'local') return part;
        if (HEX.test(part)) return this.#map.hex(part);
        return this.#map.suffixes(part) ?? this.#map.name(part);
      })
      .join('.');
  }
}

/** Whether a word of a sentence stands where Kubernetes writes names: in quotes, in a path, behind `=`. */
function isPlaceOfName(before: string, after: string): boolean {
  const last = before.at(-1) ?? '';
  const next = after.at(0) ?? '';
  if (last !== '' && QUOTES.includes(last)) return next === last || next === '/' || next === ':';
  if ('=@/'.includes(last) && last !== '') return true;
  if ('@/'.includes(next) && next !== '') return true;
  if (before === '' && OF_DNS.test(after)) return true;
  return (last === ':' && /[^\s]:$/.test(before)) || NAMING.test(before);
}

/** Fewer groups are a time, or words. */
function isIpv6(text: string): boolean {
  return text.includes('::') || text.split(':').length > 4;
}

/** Characters that an URL need not escape (RFC 3986, section 2.3): no name can hide behind their escapes. */
function unescaped(sequence: string): string {
  return String.fromCharCode(Number.parseInt(sequence.slice(1), 16));
}

const ESCAPED = /%(?:2[DdEe]|3[0-9]|[46][1-9A-Fa-f]|5[0-9AaFf]|7[0-9AaEe])/g;
const SYSTEM = 'system:';
/** What precedes a name in sentences of kubeseq: of the server that a client asked for, of who has a certificate, and of who issued it. */
const NAMING =
  / - $|(?:; asked for |, issued by |'s certificate(?:: | \()|the certificate of |accepted ones, |, not for )[^,;()]*$|, but for [^;()]*$/;
/** What follows a name that was not resolved. */
const OF_DNS = /^: (?:[A-Z]{6,8}|no answer|result \d+)(?:,|$)/;
const QUOTES = '"\'`';
const LETTER = String.raw`\p{L}\p{N}`;
const WORD_PATTERN = `[${LETTER}](?:(?:[${LETTER}\\p{M}.-]|'(?=[a-z](?![${LETTER}])))*[${LETTER}])?`;
const UUID_PATTERN = '[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}';
const IPV4_PATTERN = String.raw`\d{1,3}(?:\.\d{1,3}){3}`;
const IPV6_PATTERN = '(?:[0-9a-fA-F]{0,4}:){2,20}[0-9a-fA-F]{0,4}';
/** A telephone number: blanks between three numbers, or a plus before them. */
const PHONE_PATTERN = String.raw`\+\d[\d ./()-]{5,20}\d|\d{2,5}(?: \d{2,8}){2,5}`;
const TRACE_PATTERN = '00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}';
const TIME_PATTERN = String.raw`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[-+]\d\d:\d\d)?|[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4}`;
/** What stands in place of a name that a certificate has not. */
const NAMELESS_PATTERN = 'issued by (?:itself|an unnamed issuer)|without a common name';
/** Escapes in URLs and in texts of Go, times, and the beginning of an IPv4-mapped address. */
const FIXED_PATTERN = String.raw`%[0-9A-Fa-f]{2}|\\[nrt"\\]|\\u[0-9a-f]{4}|${TIME_PATTERN}|::ffff:(?=\d)|sh\.helm\.release\.v1\.|${NAMELESS_PATTERN}`;
const END = String.raw`(?![\w:]|\.\d)`;
const START = String.raw`(?<![\w:.])`;
const TOKEN = new RegExp(
  `${FIXED_PATTERN}|(?<!\\w)${UUID_PATTERN}(?!\\w)|(?<!\\w)${TRACE_PATTERN}(?!\\w)|${START}${IPV6_PATTERN}${END}|(?<![\\w.:-])(?:${PHONE_PATTERN})(?![\\w.:-])|(?<![\\w.])${IPV4_PATTERN}(?!\\w|\\.\\d)|system:[\\w:.-]*\\w|[A-Za-z][\\w]*_[\\w.-]*\\w|${WORD_PATTERN}`,
  'gu',
);
const FIXED = new RegExp(`^(?:${FIXED_PATTERN.replace('(?=\\d)', '')})$`);
const MAC = /^(?:[0-9a-f]{2}[:-]){5}[0-9a-f]{2}$|^(?:[0-9a-f]{4}\.){2}[0-9a-f]{4}$/i;
const PHONE = new RegExp(`^(?:${PHONE_PATTERN})$`);
/** Four numbers or more; eight groups of hexadecimal digits, or fewer with two hyphens; the octets of a MAC address; `4.3.2.1.0.…ip6.arpa`. */
const INNER = new RegExp(
  `((?<![0-9a-z])(?:${[
    '(?:[0-9a-f]{1,4}-){7}[0-9a-f]{1,4}',
    '(?=[0-9a-f-]*\\d)(?:[0-9a-f]{1,4}-){1,7}-(?:(?:[0-9a-f]{1,4}-){0,6}[0-9a-f]{1,4})?',
    '(?:[0-9a-f]{2}-){5}[0-9a-f]{2}',
    '(?:[0-9a-f]{4}\\.){2}[0-9a-f]{4}',
    '(?:[0-9a-f]\\.){8,}[0-9a-f]',
  ].join('|')})(?![0-9a-z])|(?<!\\d)(?:\\d{1,3}(?:-\\d{1,3}){3,}|\\d{1,3}(?:\\.\\d{1,3}){3,})(?!\\d))`,
  'i',
);
const NUMBERS = /^\d{1,3}(?:[.-]\d{1,3})+$/;
const UUID = new RegExp(`^${UUID_PATTERN}$`);
const TRACE = new RegExp(`^${TRACE_PATTERN}$`);
const IPV4 = new RegExp(`^${IPV4_PATTERN}$`);
const IPV6 = new RegExp(`^${IPV6_PATTERN}$`);
const WORD = new RegExp(WORD_PATTERN, 'gu');
const HEX = /^(?=.*\d)(?=.*[a-f])[0-9a-f]{7,128}$/;
const UPPER = /\p{Lu}/u;
/** A number, or some with hyphens between them. */
const RANGE = /^\d+(?:-\d+)*$/;
/** Of these, what may stand in a sentence for itself: a year, a day, a range of small numbers. */
const SMALL = /^(?:\d{4}|\d{1,3}-\d{1,3}|\d{4}-\d\d-\d\d)$/;
const KEY = /^(?:!?=|%3D|%21%3D)/i;
/** What Kubernetes calls things by, with the name behind it. */
const FOLLOWS_KIND =
  /(?:^|[\s(])(?:pods?|containers?|namespaces?|nodes?|volumes?|claims?|users?|hosts?|images?|secrets?|configmaps?|services?|jobs?|deployments?|daemonsets?|statefulsets?|set) $/i;
/** Limit: texts whose replacement is remembered, of either place: those that recur within a minute of a busy API server. */
const MAX_TEXTS = 8192;
