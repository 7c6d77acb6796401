// Reads X.509 certificates (RFC 5280) as `platform/certificate.ts` does, from their DER (X.690).

import type { Certificate } from '../certificate.js';
import { latin1, text } from './bytes.js';

export type { Certificate };

/** @param der one certificate. @throws for anything else. */
export function readCertificate(der: Uint8Array): Certificate {
  return new DerCertificate(der);
}

//   Certificate     SEQUENCE { tbs SEQUENCE, algorithm SEQUENCE, signature BIT STRING }
//   tbs             [0] version, serial, algorithm, issuer, validity, subject, key, [1] [2] identifiers, [3] extensions
class DerCertificate implements Certificate {
  readonly subject: string;
  readonly issuer: string;
  readonly validFrom: string;
  readonly validTo: string;
  readonly subjectAltName: string | undefined;
  readonly #names: readonly AlternativeName[];

  constructor(der: Uint8Array) {
    const [whole] = elementsOf(der, 0, der.length);
    const parts = insideOf(whole, SEQUENCE);
    if (parts.length !== 3) throw new RangeError('no certificate');
    expect(parts[1], SEQUENCE);
    expect(parts[2], BIT_STRING);
    const fields = insideOf(parts[0], SEQUENCE);
    const first = fields[0]?.tag === CONTEXT_0 ? 1 : 0;
    const [serial, algorithm, issuer, validity, subject, key, ...rest] = fields.slice(first);
    expect(serial, INTEGER);
    expect(algorithm, SEQUENCE);
    expect(key, SEQUENCE);
    this.issuer = nameText(issuer);
    this.subject = nameText(subject);
    const [from, to] = insideOf(validity, SEQUENCE);
    this.validFrom = timeText(from);
    this.validTo = timeText(to);
    const extensions = rest.find(({ tag }) => tag === CONTEXT_3);
    this.#names = extensions === undefined ? [] : alternativeNames(insideOf(extensions, CONTEXT_3)[0]);
    this.subjectAltName = this.#names.length === 0 ? undefined : this.#names.map(({ shown }) => shown).join(', ');
  }

  isForHost(name: string): boolean {
    const wanted = name.toLowerCase().replace(/\.$/, '');
    return this.#names.some(({ host }) => host !== undefined && matches(host.toLowerCase(), wanted));
  }

  isForAddress(address: string): boolean {
    const wanted = addressBytes(address)?.join();
    return wanted !== undefined && this.#names.some((name) => name.address?.join() === wanted);
  }
}

interface AlternativeName {
  readonly shown: string;
  readonly host?: string;
  readonly address?: Uint8Array;
}

interface Element {
  readonly tag: number;
  readonly der: Uint8Array;
  /** Of its content. */
  readonly start: number;
  readonly end: number;
}

function elementsOf(der: Uint8Array, start: number, end: number): Element[] {
  const elements: Element[] = [];
  for (let at = start; at < end; ) {
    const tag = der[at];
    let length = der[at + 1];
    let begin = at + 2;
    if (length >= 0x80) {
      const bytes = length & 0x7f;
      if (bytes === 0 || bytes > 3) throw new RangeError('no length');
      length = 0;
      for (let i = 0; i < bytes; i++) length = length * 256 + der[begin + i];
      begin += bytes;
    }
    if (!(begin + length <= end)) throw new RangeError('longer than what it is in');
    elements.push({ tag, der, start: begin, end: begin + length });
    at = begin + length;
  }
  return elements;
}

function expect(element: Element | undefined, tag: number): Element {
  if (element === undefined || element.tag !== tag) throw new RangeError(`no element of type ${tag}`);
  return element;
}

function insideOf(element: Element | undefined, tag: number): Element[] {
  const { der, start, end } = expect(element, tag);
  return elementsOf(der, start, end);
}

/** A line for each set of attributes, as OpenSSL writes them (X509_NAME_print_ex). */
function nameText(name: Element | undefined): string {
  return insideOf(name, SEQUENCE)
    .map((set) =>
      insideOf(set, SET)
        .map((attribute) => {
          const [type, value] = insideOf(attribute, SEQUENCE);
          const oid = oidText(expect(type, OBJECT_IDENTIFIER));
          return `${ATTRIBUTES.get(oid) ?? oid}=${escaped(stringOf(value))}`;
        })
        .join(' + '),
    )
    .join('\n');
}

function stringOf({ tag, der, start, end }: Element): string {
  if (tag === UTF8_STRING) return text(der, start, end);
  if (tag !== BMP_STRING) return latin1(der, start, end);
  let string = '';
  for (let at = start; at + 1 < end; at += 2) string += String.fromCharCode((der[at] << 8) | der[at + 1]);
  return string;
}

/** RFC 2253, 2.4, and control characters as their hexadecimal digits. */
function escaped(value: string): string {
  return value
    .replace(/[,+"\\<>;]|^[# ]|(?<=.) $/gs, '\\$&')
    .replace(/[\0-\x1f\x7f]/g, (control) => `\\${control.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`);
}

function oidText({ der, start, end }: Element): string {
  const numbers: number[] = [];
  let number = 0;
  for (let at = start; at < end; at++) {
    number = number * 128 + (der[at] & 0x7f);
    if (der[at] >= 0x80) continue;
    if (numbers.length === 0)
      numbers.push(Math.min(2, Math.floor(number / 40)), number - 40 * Math.min(2, Math.floor(number / 40)));
    else numbers.push(number);
    number = 0;
  }
  return numbers.join('.');
}

/** UTCTime has two digits of the year: 1950 to 2049 (RFC 5280, 4.1.2.5.1). */
function timeText({ tag, der, start, end }: Element): string {
  const written = latin1(der, start, end);
  const year = tag === UTC_TIME ? (Number(written.slice(0, 2)) < 50 ? '20' : '19') : '';
  const [, ...parts] = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)Z$/.exec(year + written) ?? [];
  const [years, month, day, hour, minute, second] = parts;
  if (second === undefined) throw new RangeError('no time');
  return `${years}-${month}-${day}T${hour}:${minute}:${second}Z`;
}

function alternativeNames(extensions: Element | undefined): AlternativeName[] {
  for (const extension of insideOf(extensions, SEQUENCE)) {
    const parts = insideOf(extension, SEQUENCE);
    if (oidText(expect(parts[0], OBJECT_IDENTIFIER)) !== SUBJECT_ALT_NAME) continue;
    const { der, start, end } = expect(parts.at(-1), OCTET_STRING);
    return insideOf(elementsOf(der, start, end)[0], SEQUENCE).map(alternativeName);
  }
  return [];
}

/** As Node.js writes it (src/crypto/crypto_x509.cc, PrintGeneralName). */
function alternativeName({ tag, der, start, end }: Element): AlternativeName {
  switch (tag) {
    case DNS_NAME: {
      const host = latin1(der, start, end);
      return { shown: `DNS:${quoted(host)}`, host };
    }
    case IP_ADDRESS: {
      const address = der.slice(start, end);
      return { shown: `IP Address:${addressText(address)}`, address };
    }
    case URI:
      return { shown: `URI:${quoted(latin1(der, start, end))}` };
    case EMAIL:
      return { shown: `email:${quoted(latin1(der, start, end))}` };
    case REGISTERED_ID:
      return { shown: `Registered ID:${oidText({ tag, der, start, end })}` };
    default:
      return { shown: tag === DIRECTORY_NAME ? 'DirName:' : 'othername:<unsupported>' };
  }
}

/** In quotation marks where a comma or a quotation mark would be taken for an end. */
function quoted(name: string): string {
  return /^[\x20-\x7e]*$/.test(name) && !/[",'\\]/.test(name) ? name : JSON.stringify(name);
}

function addressText(address: Uint8Array): string {
  if (address.length === 4) return address.join('.');
  if (address.length !== 16) return '<invalid>';
  const words = Array.from({ length: 8 }, (_, i) => (address[2 * i] << 8) | address[2 * i + 1]);
  return words.map((word) => word.toString(16).toUpperCase()).join(':');
}

/** The 4 or 16 bytes of an address; undefined for anything else. */
function addressBytes(address: string): Uint8Array | undefined {
  if (/^\d{1,3}(?:\.\d{1,3}){3}$/.test(address)) return Uint8Array.from(address.split('.'), Number);
  const halves = address.split('::').map((half) => (half === '' ? [] : half.split(':')));
  const [front, back = []] = halves;
  const missing = 8 - front.length - back.length;
  if (halves.length > 2 || missing < 0 || (halves.length === 1 && missing !== 0)) return undefined;
  const words = [...front, ...Array.from({ length: missing }, () => '0'), ...back].map((word) =>
    Number.parseInt(word, 16),
  );
  return Uint8Array.from(words.flatMap((word) => [word >> 8, word & 0xff]));
}

/** A star stands for one label, the first, of a name with at least two others, or for a part of it (X509_check_host). */
function matches(pattern: string, name: string): boolean {
  if (pattern === name) return name !== '';
  const [first, ...others] = pattern.split('.');
  const star = first.indexOf('*');
  if (star < 0 || star !== first.lastIndexOf('*') || others.length < 2 || first.startsWith('xn--')) return false;
  const [label, ...rest] = name.split('.');
  const [before, after] = first.split('*');
  const isWhole = before === '' && after === '';
  return (
    rest.join('.') === others.join('.') &&
    label.length > before.length + after.length - (isWhole ? 0 : 1) &&
    label !== '' &&
    label.startsWith(before) &&
    label.endsWith(after) &&
    (isWhole || !label.startsWith('xn--'))
  );
}

const INTEGER = 0x02;
const BIT_STRING = 0x03;
const OCTET_STRING = 0x04;
const OBJECT_IDENTIFIER = 0x06;
const UTF8_STRING = 0x0c;
const UTC_TIME = 0x17;
const BMP_STRING = 0x1e;
const SEQUENCE = 0x30;
const SET = 0x31;
const CONTEXT_0 = 0xa0;
const CONTEXT_3 = 0xa3;
// Kinds of alternative names (RFC 5280, 4.2.1.6).
const EMAIL = 0x81;
const DNS_NAME = 0x82;
const DIRECTORY_NAME = 0xa4;
const URI = 0x86;
const IP_ADDRESS = 0x87;
const REGISTERED_ID = 0x88;
const SUBJECT_ALT_NAME = '2.5.29.17';
/** Short names of attributes (RFC 4519; OpenSSL's objects.txt). */
const ATTRIBUTES = new Map([
  ['2.5.4.3', 'CN'],
  ['2.5.4.4', 'SN'],
  ['2.5.4.5', 'serialNumber'],
  ['2.5.4.6', 'C'],
  ['2.5.4.7', 'L'],
  ['2.5.4.8', 'ST'],
  ['2.5.4.9', 'street'],
  ['2.5.4.10', 'O'],
  ['2.5.4.11', 'OU'],
  ['2.5.4.12', 'title'],
  ['2.5.4.42', 'GN'],
  ['1.2.840.113549.1.9.1', 'emailAddress'],
  ['0.9.2342.19200300.100.1.1', 'UID'],
  ['0.9.2342.19200300.100.1.25', 'DC'],
]);
