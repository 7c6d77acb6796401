// Text: request targets and free text. Knows the shapes of credentials: parameters, URL user-info, bearer tokens, JWTs,
// bootstrap tokens behind their word, private keys.

import { showingOf } from './parameters.js';

export const REDACTED = 'REDACTED';

/** A request target: values of parameters that are not known to be harmless, and URL user-info, are replaced. */
export function redactTarget(target: string): string {
  // Text first: what it replaces can hide where the user-info ends.
  let out = redactText(target);
  // And again after it: where a stream's URL begins is told only without a user-info that holds spaces.
  if (out.includes('@')) out = redactText(redactAuthority(out.replace(USER_INFO, `$1${REDACTED}@`)));
  const query = out.indexOf('?');
  if (query >= 0) {
    const path = out.slice(0, query).replace(ORIGIN, '');
    const parameters = out
      .slice(query + 1)
      .split('&')
      .map((parameter) => redactParameter(path, parameter));
    // A hidden value may make a credential of the name before it: `Bearer token=…`.
    out = redactText(`${out.slice(0, query)}?${parameters.join('&')}`);
  }
  return out;
}

/** Where to: `user:password@host:port` has no place in it (RFC 9113, section 8.3.1), and may stand there all the same. */
export function redactAuthority(value: string): string {
  return redactText(value.replace(AUTHORITY_USER, `${REDACTED}@`));
}

/** Free text (user agents, messages, annotations): what looks like a credential is replaced. */
export function redactText(value: string): string {
  if (NUMBERS.test(value) || !TEXT_HINT.test(value)) return value;
  try {
    return redactShapes(value);
  } catch (error) {
    // A pattern that goes on for millions of characters may be more than the engine's stack holds: what cannot be looked at is not shown.
    if (error instanceof RangeError) return REDACTED;
    throw error;
  }
}

function redactShapes(value: string): string {
  return redactRuns(value.replace(PRIVATE_KEY, REDACTED).replace(ENCODED_PRIVATE_KEY, REDACTED))
    .replace(STREAM_URL, `$1${REDACTED}`)
    .replace(AUTHORIZATION, `$1 ${REDACTED}`)
    .replace(URL_USER, `$1${REDACTED}@`)
    .replace(CONNECT_USER, `$1${REDACTED}@`)
    .replace(URL_PARAMETER, `$1${REDACTED}`)
    .replace(BOOTSTRAP_TOKEN, `$1${REDACTED}`);
}

/** What a JWT is written with, in whole runs: a search that begins anew at each `eyJ` grows with the square. */
function redactRuns(text: string): string {
  let out = '';
  let copied = 0;
  for (let found = text.indexOf(JWT_START); found >= 0; found = text.indexOf(JWT_START, copied)) {
    let start = found;
    while (start > copied && IN_RUN[text.charCodeAt(start - 1)] === 1) start -= 1;
    let end = found;
    while (end < text.length && IN_RUN[text.charCodeAt(end)] === 1) end += 1;
    out += text.slice(copied, start) + redactTokens(text.slice(start, end));
    copied = end;
  }
  return out + text.slice(copied);
}

/** Three base64url parts, the first a JSON object (RFC 7519); cut ones too. */
function redactTokens(run: string): string {
  // No list of parts: a text may be a million of them.
  let out = '';
  let copied = 0;
  let found = run.indexOf(JWT_START);
  for (let at = 0, dot = run.indexOf('.'); dot >= 0 && found >= 0; dot = run.indexOf('.', at)) {
    if (found < at) found = run.indexOf(JWT_START, at);
    at = dot + 1;
    const isHead = found >= 0 && dot - found >= JWT_HEAD_LENGTH;
    if (!isHead || at === run.length || run[at] === '.') continue;
    out += run.slice(copied, found) + REDACTED;
    // The two parts behind it.
    copied = dotOrEnd(run, dotOrEnd(run, at) + 1);
    at = copied + 1;
  }
  return out + run.slice(copied);
}

function dotOrEnd(run: string, from: number): number {
  const dot = run.indexOf('.', from);
  return dot < 0 ? run.length : dot;
}

function redactParameter(path: string, parameter: string): string {
  const equals = parameter.indexOf('=');
  if (equals < 0) return parameter;
  const name = parameter.slice(0, equals);
  const written = parameter.slice(equals + 1);
  if (written === '') return parameter;
  if (CREDENTIAL_PARAMETERS.has(plain(name).toLowerCase())) return `${name}=${REDACTED}`;
  const showing = showingOf(path, plain(name));
  if (showing === 'nothing') return `${name}=${REDACTED}`;
  if (showing === 'length') return LENGTH.test(written) ? parameter : `${name}=(${written.length} characters)`;
  // Whoever shows it decoded shows nothing that was hidden by its escapes.
  const value = plain(written);
  const shown = redactText(value);
  // Half a surrogate pair, which only saved messages have, cannot be encoded.
  return shown === value ? parameter : `${name}=${encodeURIComponent(shown.replace(LONE_SURROGATE, '\ufffd'))}`;
}

/** A name or value as the server reads it: `%74oken` is `token`. Broken escapes stay as they are, and hide nothing beside them. */
function plain(text: string): string {
  return text.replaceAll('+', ' ').replace(ESCAPES, (escapes) => {
    try {
      return decodeURIComponent(escapes);
    } catch {
      return escapes.replace(ESCAPE, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
    }
  });
}

/** `https://user:password@host/…` (RFC 3986 section 3.2.1). */
const USER_INFO = /^([a-z][a-z0-9+.-]*:\/\/)[^/?#]*@/i;
/** Of what begins with neither a path nor a scheme. */
const AUTHORITY_USER = /^[^/?#\s]*@/;
const CREDENTIAL_PARAMETERS = new Set([
  'token',
  'access_token',
  'id_token',
  'refresh_token',
  'client_secret',
  'password',
  'x-registry-auth',
  // Of docker's POST /build: a map with every argument.
  'buildargs',
]);
/** Scheme and authority of an absolute-form target (RFC 9112, section 3.2.2). */
const ORIGIN = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i;
const LENGTH = /^\(\d+ characters\)$/;
const ESCAPES = /(?:%[0-9a-f]{2})+/gi;
const ESCAPE = /%([0-9a-f]{2})/gi;
const LONE_SURROGATE = /\p{Surrogate}/gu;
/** Likewise for free text. */
const TEXT_HINT =
  /eyJ|bearer|basic|token|connect |:\/\/[^/]*@|\/(?:exec|attach|portforward)\/|PRIVATE KEY|LS0tLS1CRUdJTi/i;
/** A UUID, a number: none of the words below can be in it. */
const NUMBERS = /^[0-9a-f-]*$/;
/** By code of a character. */
const IN_RUN = Uint8Array.from({ length: 128 }, (_, code) =>
  /[A-Za-z0-9_.-]/.test(String.fromCharCode(code)) ? 1 : 0,
);
const JWT_START = 'eyJ';
const JWT_HEAD_LENGTH = 8;
/** Where the container runtime serves an exec: the last part opens it, once (containerd, CRI-O: eight base64url letters). */
const STREAM_URL = /((?:^|\s|:\/\/[^/\s]{1,300})\/(?:exec|attach|portforward)\/)[A-Za-z0-9_-]{8}(?=$|\?)/g;
const AUTHORIZATION = /\b(bearer|basic)[ +](?!authorization)[A-Za-z0-9._~+/=-]{8,}/gi;
/** Up to the last `@`: Go's net/url takes one and `'` as part of a password. */
const URL_USER = /\b([a-z][a-z0-9+.-]{1,20}:\/\/)[^/?#\s"]+@/gi;
/** A target without scheme, where a text tells of the request. */
const CONNECT_USER = /\b(CONNECT )[^/?#\s]+@/g;
const URL_PARAMETER = /([?&](?:access_|id_|refresh_)?token=)[^&#\s"']+/gi;
/** `kubeadm join --token abcdef.0123456789abcdef`, also as words of an exec; alone it looks like the name of an Event. */
const BOOTSTRAP_TOKEN = /(\btoken["']?(?:\s+|\s*[:=]\s*|&command=)["']?)[a-z0-9]{6}\.[a-z0-9]{16}\b/gi;
/** PEM (RFC 7468, section 13), also where its lines end in other ways; a cut one to the end. */
const PRIVATE_KEY =
  /-----BEGIN [A-Z ]{0,20}PRIVATE KEY(?: BLOCK)?-----.*?(?:-----END [A-Z ]{0,20}PRIVATE KEY(?: BLOCK)?-----|$)/gs;
/** The same in base64, as the data of a Secret and kubeconfigs have it: `PRIVATE KEY` at each of its alignments. */
const ENCODED_PRIVATE_KEY =
  /LS0tLS1CRUdJTi[A-Za-z0-9+/_-]{0,24}(?:QUklWQVRFIEtFW|UFJJVkFURSBLRV|BSSVZBVEUgS0VZ)[A-Za-z0-9+/_-]*={0,2}/g;
