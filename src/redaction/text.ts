// The second barrier: replaces what looks like a credential in every text, whichever table allowed it: URL user-info, bearer tokens, JWTs,
// bootstrap tokens, private keys.

import { linesOf } from './lists.js';
import { REDACTED } from './shown.js';
import { isWord } from './words/dictionary.js';
import { isPlainWord } from './words/plain-word.js';
import { NUMBER } from './words/word-shapes.js';

/** An authority must not hold `user:password@` (RFC 9113, section 8.3.1), but may. */
export function redactAuthority(value: string): string {
  return redactText(value.replace(AUTHORITY_USER, `${REDACTED}@`));
}

/** An authority is `host[:port]`, also after a user-info that was replaced; any other is not shown. */
export function shownAuthority(value: string): string {
  return AUTHORITY.test(value) ? value : REDACTED;
}

/** Replaces what looks like a credential in free text (user agents, messages, annotations). */
export function redactText(value: string): string {
  if (NUMBERS.test(value) || !TEXT_HINT.test(value)) return value;
  try {
    return redactShapes(value);
  } catch (error) {
    // A pattern over millions of characters may overflow the engine's stack; a text that cannot be checked is not shown.
    if (error instanceof RangeError) return REDACTED;
    throw error;
  }
}

/** A text that the user wants shown: of what it assigns, values that are neither plain words nor small numbers stay hidden. */
export function redactAssignments(value: string): string {
  return redactText(value).replace(ASSIGNMENT, (_, name: string, quote: string, assigned: string) => {
    return name + quote + (isPlainWord(assigned) || NUMBER.test(assigned) ? assigned : REDACTED);
  });
}

function redactShapes(value: string): string {
  const text = redactRuns(value.replace(PRIVATE_KEY, REDACTED).replace(ENCODED_PRIVATE_KEY, REDACTED));
  return (text.includes('@') ? text.replace(NO_SPACES, redactUserInfo) : text)
    .replace(STREAM_URL, `$1${REDACTED}`)
    .replace(AUTHORIZATION, `$1 ${REDACTED}`)
    .replace(BEARER_TOKEN, (whole, start: string, token: string) => (isWord(token) ? whole : start + REDACTED))
    .replace(CONNECT_USER, `$1${REDACTED}@`)
    .replace(URL_PARAMETER, `$1${REDACTED}`)
    .replace(BOOTSTRAP_TOKEN, `$1${REDACTED}`)
    .replace(BARE_BOOTSTRAP_TOKEN, (whole, secret: string) => (isPlainWord(secret) ? whole : REDACTED))
    .replace(CREDENTIAL, REDACTED)
    .replace(HEXADECIMAL_TOKEN, REDACTED);
}

/** Hides the user-info up to the last `@`, as passwords hold `@`, `/`, `?` and `#`, too. The digest of an image has an `@` as well. */
function redactUserInfo(run: string): string {
  const scheme = run.indexOf('://');
  const start = scheme < 0 ? 0 : scheme + 3;
  let end = run.lastIndexOf('@');
  while (end > start && run.startsWith('sha256:', end + 1)) end = run.lastIndexOf('@', end - 1);
  // Without a scheme, a user alone may be an e-mail address.
  if (end <= start || (scheme < 0 && !run.slice(0, end).includes(':'))) return run;
  return `${run.slice(0, start)}${REDACTED}${run.slice(end)}`;
}

/** Checks whole runs of JWT characters, as a search that restarts at each `eyJ` takes quadratic time. */
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
  // Splitting could create a million parts.
  let out = '';
  let copied = 0;
  let found = run.indexOf(JWT_START);
  for (let at = 0, dot = run.indexOf('.'); dot >= 0 && found >= 0; dot = run.indexOf('.', at)) {
    if (found < at) found = run.indexOf(JWT_START, at);
    at = dot + 1;
    const isHead = found >= 0 && dot - found >= JWT_HEAD_LENGTH;
    if (!isHead || at === run.length || run[at] === '.') continue;
    out += run.slice(copied, found) + REDACTED;
    // The two parts after it.
    copied = dotOrEnd(run, dotOrEnd(run, at) + 1);
    at = copied + 1;
  }
  return out + run.slice(copied);
}

function dotOrEnd(run: string, from: number): number {
  const dot = run.indexOf('.', from);
  return dot < 0 ? run.length : dot;
}

const AUTHORITY = /^(?:REDACTED@)?(?:\[[0-9a-fA-F:.]{2,45}(?:%25\w{1,16})?\]|[A-Za-z0-9_.…-]{0,253})(?::\d{0,5})?$/;
/** User-info in a text that begins with neither a path nor a scheme. */
const AUTHORITY_USER = /^(?!\/|[a-z][a-z0-9+.-]*:\/\/)\S*@/i;
const PREFIXES = [...linesOf('prefixes of credentials')].join('|');
/** A bootstrap token: its id and its secret. Names of Events end in the nanoseconds of a time (client-go, tools/record). */
const BOOTSTRAP_TOKEN_SHAPE =
  '(?<![\\w-])[a-z0-9]{6}\\.(?=[a-z0-9]*\\d)(?!1[4-9a][0-9a-f]{14})([a-z0-9]{16})(?![\\w-])';
const CREDENTIAL = new RegExp(`(?<![A-Za-z0-9])(?:${PREFIXES})[\\w.:/+=-]+`, 'g');
/** 40 hexadecimal digits, unless the word before them says that they are a commit (`sync to`, `operation to` of Argo CD). */
const HEXADECIMAL_TOKEN =
  /(?<!\w|sha1:|@|\/|(?:revision|commit|sync to|operation to|HEAD|from|at):? ?['"([]?)[0-9a-f]{40}(?!\w)/g;
const BARE_BOOTSTRAP_TOKEN = new RegExp(BOOTSTRAP_TOKEN_SHAPE, 'g');
/** Texts without any of these hold no credential. */
const TEXT_HINT = new RegExp(
  `eyJ|bearer|basic|token|connect |@|/(?:exec|attach|portforward)/|PRIVATE KEY|LS0tLS1CRUdJTi|${PREFIXES}|${BOOTSTRAP_TOKEN_SHAPE}|[0-9a-f]{40}`,
  'i',
);
/** UUIDs and numbers, which cannot hold any of the patterns below. */
const NUMBERS = /^[0-9a-f-]*$/;
/** JWT characters, by character code. */
const IN_RUN = Uint8Array.from({ length: 128 }, (_, code) =>
  /[A-Za-z0-9_.-]/.test(String.fromCharCode(code)) ? 1 : 0,
);
const JWT_START = 'eyJ';
const JWT_HEAD_LENGTH = 8;
/** The URL at which a container runtime serves an exec: its last part gives access, once (containerd, CRI-O: eight base64url letters). */
const STREAM_URL = /((?:^|\s|:\/\/[^/\s]{1,300})\/(?:exec|attach|portforward)\/)[A-Za-z0-9_-]{8}(?=$|\?)/g;
const AUTHORIZATION = /\b(bearer|basic)[ +](?!authorization)[A-Za-z0-9._~+/=-]{8,}/gi;
/** `invalid bearer token X` (apiserver, authentication/request/bearertoken), `bearer token: X`. */
const BEARER_TOKEN = /\b((?:bearer|basic) tokens?[ :]+["'`]?)(?!REDACTED)([\w.~+/-]{6,})/gi;
const NO_SPACES = /[^\s"]+/g;
/** A target without scheme, in a text about a request. */
const CONNECT_USER = /\b(CONNECT )[^/?#\s]+@/g;
const URL_PARAMETER = /([?&](?:access_|id_|refresh_)?token=)[^&#\s"']+/gi;
/** `kubeadm join --token abcdef.0123456789abcdef`, also as words of an exec; without `token` it looks like the name of an Event. */
const BOOTSTRAP_TOKEN = /(\btoken["']?(?:\s+|\s*[:=]\s*|&command=)["']?)[a-z0-9]{6}\.[a-z0-9]{16}\b/gi;
/** What a text assigns: `--token=…`, `--password …`, `DB_PASSWORD='…'`, `"password": "…"`. */
const ASSIGNMENT =
  /(--[A-Za-z][\w-]{0,60}(?:=|\s+(?!-))|\b[A-Za-z_][\w-]{0,60}=|"[\w.-]{1,60}\\?"\s*:\s*)(\\?["'`]?)([^\s"'`\\,}]+)/g;
/** PEM (RFC 7468, section 13), with any line ends; a cut one to the end of the text. */
const PRIVATE_KEY =
  /-----BEGIN [A-Z ]{0,20}PRIVATE KEY(?: BLOCK)?-----.*?(?:-----END [A-Z ]{0,20}PRIVATE KEY(?: BLOCK)?-----|$)/gs;
/** The same in base64, as in Secrets and kubeconfigs: `PRIVATE KEY` at each of its alignments. */
const ENCODED_PRIVATE_KEY =
  /LS0tLS1CRUdJTi[A-Za-z0-9+/_-]{0,24}(?:QUklWQVRFIEtFW|UFJJVkFURSBLRV|BSSVZBVEUgS0VZ)[A-Za-z0-9+/_-]*={0,2}/g;
