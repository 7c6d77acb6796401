// Redacts header fields: a value is shown if a closed list holds the field's name and the value has the listed shape; otherwise only the
// name is shown.

import { textSections } from '../core/text-table.js';
import HEADERS from './headers.txt?raw';
import { isKeyShown } from './keys.js';
import { shapeRows } from './parameters.js';
import { shapesOf } from './shapes.js';
import { REDACTED, type Shown, shown } from './shown.js';
import { redactTarget, shownHost } from './target.js';
import { redactAuthority, redactText, shownAuthority } from './text.js';
import { redactUserAgent } from './user-agent.js';
import { isPlainWord } from './words/plain-word.js';

/** How the value of a listed field is shown: a shape of shapes.txt, or a case of `redactField`. */
export type FieldShape = string;

interface FieldRules {
  /** Redacts texts that may repeat values of the request. */
  text(value: string): Shown;
  /** Whether the capture has an object of this name. */
  known(name: string): boolean;
}

/**
 * @param name of a header field, in any case. @param showsTexts whether failures and warnings of its message may be shown.
 * @returns its value, redacted.
 */
export function redactField(name: string, value: string, showsTexts: boolean, rules: FieldRules): Shown {
  const lower = name.toLowerCase();
  const shape = fieldShapeOf(lower);
  if (shape === undefined) return hidden(value);
  switch (shape) {
    case 'agent':
      return redactUserAgent(value);
    case 'authority':
      return shown(shownHost(shownAuthority(redactAuthority(value)), rules.known));
    case 'target':
      return redactTarget(value, 'http');
    case 'subprotocols':
      return shown(value.split(',').map(redactSubprotocol).join(','));
    case 'challenge':
      return redactChallenge(value);
    case 'text':
      return showsTexts ? rules.text(value) : hidden(value);
    default:
      return SHAPES[shape].pattern.test(value) && (!PLAIN_WORD_SHAPES.has(shape) || isPlainValue(value, lower))
        ? shown(redactText(value))
        : hidden(value);
  }
}

/** @returns the name of a header field: one of the list, or an identifier; a key may stand in place of any other. */
export function redactFieldName(name: string): Shown {
  return fieldShapeOf(name.toLowerCase()) !== undefined || isKeyShown(name) ? shown(name) : shown(REDACTED);
}

/** The shape of a field in lower case; undefined if the field is not listed. */
export function fieldShapeOf(lower: string): FieldShape | undefined {
  return SHOWN_FIELDS.get(lower) ?? (TARGET_FIELD.test(lower) ? 'target' : undefined);
}

function hidden(value: string): Shown {
  return shown(value === '' ? '' : REDACTED);
}

/** A browser cannot set Authorization on a WebSocket, so the token is one of the protocols (kubernetes/kubernetes#47740). */
function redactSubprotocol(protocol: string, at: number, all: readonly string[]): string {
  const start = protocol.toLowerCase().indexOf(BEARER_PROTOCOL);
  if (start >= 0) return protocol.slice(0, start + BEARER_PROTOCOL.length) + REDACTED;
  // Others send the word, and the token as the next protocol.
  const isToken = at > 0 && CREDENTIAL_PROTOCOL.test(all[at - 1]);
  return !isToken && SUBPROTOCOL.test(protocol) && isPlainWord(protocol.trim()) && !LONG_NUMBER.test(protocol)
    ? protocol
    : REDACTED;
}

/** `Bearer realm="https://auth.example/token",service="…",scope="…"` (RFC 9110, section 11.6.1; RFC 6750, section 3). */
function redactChallenge(value: string): Shown {
  if (value.length > CHALLENGE_LENGTH || !SCHEME.test(value)) return hidden(value);
  const parts = value.replace(CHALLENGE_PART, (_, name: string, text: string) => {
    const lower = name.toLowerCase();
    if (lower === 'realm') return `${name}="${realmOf(text)}"`;
    return `${name}="${CHALLENGE_WORDS.get(lower)?.test(text) === true && isChallengeShown(lower, text) ? text : REDACTED}"`;
  });
  return SCHEME_ONLY.test(parts.replace(CHALLENGE_PART, '')) ? shown(redactText(parts)) : hidden(value);
}

/** A service is a host, a scope holds names of repositories; all others are words of a protocol. */
function isChallengeShown(name: string, text: string): boolean {
  return name === 'scope' || (name === 'service' ? text.split(/[.:]/) : [text]).every(isPlainWord);
}

/** Whether each token is a plain word or, in a timed field, a number. */
function isPlainValue(value: string, name: string): boolean {
  const isNumber = (part: string): boolean => TIMED_FIELDS.has(name) && LARGE_NUMBER.test(part);
  const words = value.split(/[^A-Za-z0-9-]+/).filter((word) => !isNumber(word));
  return words.every(isPlainWord);
}

/** The URL of a token server, or a name in plain words. */
function realmOf(text: string): string {
  if (text.includes('://')) return redactTarget(text, 'http');
  return text.split(' ').every(isPlainWord) ? text : REDACTED;
}

const SHAPES = shapesOf('fields');

/** Shapes of fields in lower case; of all others only the name is shown. */
export const SHOWN_FIELDS: ReadonlyMap<string, FieldShape> = shapeRows(textSections(HEADERS)[0].lines);

/** Shapes that allow any letters and digits, so that the words are checked too. */
const PLAIN_WORD_SHAPES: ReadonlySet<FieldShape> = new Set(['tokens', 'products', 'word']);
/** Fields that hold seconds. */
const TIMED_FIELDS: ReadonlySet<string> = new Set(['cache-control', 'strict-transport-security', 'keep-alive']);
/** Seconds, of `max-age`. */
const LARGE_NUMBER = /^\d{1,10}$/;
const BEARER_PROTOCOL = 'base64url.bearer.authorization.k8s.io.';
const CREDENTIAL_PROTOCOL = /^ *(?:bearer|basic|token|auth|authorization|jwt|access[-_]?token) *$/i;
const LONG_NUMBER = /\d{4}/;
/** `v5.channel.k8s.io`, `base64.binary.k8s.io`, `graphql-ws`. */
const SUBPROTOCOL = /^ *[a-z0-9]{1,12}(?:[.-][a-z0-9]{1,16}){0,5} *$/;
/** X-Forwarded-Uri, X-Original-URL too. */
const TARGET_FIELD = /-ur[il]$/;
const WORD = /^[A-Za-z0-9_-]{1,40}$/;
const HOST = /^[A-Za-z0-9.-]{1,253}(?::\d{1,5})?$/;
const SCHEME = /^(?:Bearer|Basic|Negotiate|NTLM|Digest)\b/i;
const SCHEME_ONLY = /^(?:Bearer|Basic|Negotiate|NTLM|Digest)?[ ,]*$/i;
const CHALLENGE_PART = /([A-Za-z_]{1,30})="([^"]*)"/g;
const CHALLENGE_WORDS: ReadonlyMap<string, RegExp> = new Map([
  ...['error', 'algorithm', 'qop', 'charset'].map((name): [string, RegExp] => [name, WORD]),
  ['service', HOST],
  // Tokens of distribution (docs/spec/auth/scope.md).
  ['scope', shapesOf('parameters').scope.pattern],
]);
/** Characters; a registry's has some 150. */
const CHALLENGE_LENGTH = 1000;
