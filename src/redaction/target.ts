// Request targets and URLs: a query value is shown if the API's table has its name and shape, a path segment if it is a name of that
// API or a plain word.

import { redactCommandText } from './commands.js';
import { type Api, showingOf } from './parameters.js';
import { redactPath, unknownSegments } from './paths.js';
import { REDACTED, type Shown, shown } from './shown.js';
import { redactAuthority, redactText } from './text.js';
import { isPlainWord } from './words/plain-word.js';

/**
 * @param target as on the wire: origin-form, absolute-form, `*` or an authority; or a URL in a header field.
 * @param api that is asked; `http` where nobody knows.
 * @param showsCommands whether commands stay whole.
 */
export function redactTarget(target: string, api: Api, showsCommands = false): Shown {
  // Text first: what it replaces can hide where the user-info ends.
  let out = redactText(target);
  // And again after it: where a stream's URL begins is told only without a user-info that holds spaces.
  if (out.includes('@')) out = redactText(redactAuthority(out.replace(USER_INFO, `$1${REDACTED}@`)));
  const fragment = out.indexOf('#');
  const rest = fragment < 0 ? '' : `#${REDACTED}`;
  if (fragment >= 0) out = out.slice(0, fragment);
  const query = out.indexOf('?');
  const before = query < 0 ? out : out.slice(0, query);
  const origin = ORIGIN.exec(before)?.[0] ?? '';
  const path = before.slice(origin.length);
  const shownPath = path.startsWith('/') ? redactPath(api, path) : AUTHORITY.test(path) ? path : unknownSegments(path);
  if (query < 0) return shown(origin + shownPath + rest);
  const parameters = redactQuery(out.slice(query + 1), path, api, showsCommands);
  // A hidden value may make a credential of the name before it: `Bearer token=…`.
  return shown(redactText(`${origin}${shownPath}?${parameters.join('&')}${rest}`));
}

function redactQuery(query: string, path: string, api: Api, showsCommands: boolean): readonly string[] {
  const out: string[] = [];
  const command: string[] = [];
  let commandAt = -1;
  for (const parameter of query.split('&')) {
    const equals = parameter.indexOf('=');
    const name = decoded(equals < 0 ? parameter : parameter.slice(0, equals));
    const value = equals < 0 ? '' : decoded(parameter.slice(equals + 1));
    const showing = value === '' ? 'value' : showingOf(api, path, name, value);
    if (showing === 'command' && !showsCommands) {
      if (commandAt < 0) commandAt = out.push(parameter.slice(0, equals + 1)) - 1;
      command.push(value);
    } else out.push(redactParameter(parameter, equals, value, showing));
  }
  if (commandAt >= 0) out[commandAt] += encoded(redactCommandText(command));
  return out;
}

function redactParameter(
  parameter: string,
  equals: number,
  value: string,
  showing: 'value' | 'length' | 'command' | 'nothing',
): string {
  // A query may be one value and no more: then that is no name.
  if (value === '') {
    if (equals < 0) return isName(parameter) && isPlainWord(parameter) ? parameter : REDACTED;
    return isName(parameter.slice(0, equals)) ? parameter : `${REDACTED}=`;
  }
  const name = parameter.slice(0, equals);
  const written = parameter.slice(equals + 1);
  if (showing === 'length') return LENGTH.test(value) ? parameter : `${name}=(${written.length} characters)`;
  if (showing === 'nothing') {
    // Of an environment the names stay (docker's and the kubelet's way: `env=NAME=value`).
    const variable = decoded(name) === 'env' ? VARIABLE.exec(value)?.[0] : undefined;
    return `${isName(name) ? name : REDACTED}=${variable === undefined ? '' : encoded(variable)}${REDACTED}`;
  }
  // Whoever shows it decoded shows nothing that was hidden by its escapes.
  const text = redactText(value);
  // Half a surrogate pair, which only saved messages have, cannot be encoded.
  return text === value ? parameter : `${name}=${encoded(text)}`;
}

function isName(name: string): boolean {
  if (name.length > NAME_LENGTH || !NAME.test(name)) return false;
  // A key alone may stand where names do.
  return name.length < SHORT_NAME || decoded(name).split(BRACKETS).every(isPlainWord);
}

/** A name or value as the server reads it: `%74oken` is `token`. Broken escapes stay as they are, and hide nothing beside them. */
function decoded(text: string): string {
  return text.replaceAll('+', ' ').replace(ESCAPES, (escapes) => {
    try {
      return decodeURIComponent(escapes);
    } catch {
      return escapes.replace(ESCAPE, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
    }
  });
}

function encoded(text: string): string {
  return encodeURIComponent(text.replace(LONE_SURROGATE, '\ufffd'));
}

/** `https://user:password@host/…` (RFC 3986 section 3.2.1). */
const USER_INFO = /^([a-z][a-z0-9+.-]*:\/\/)[^/?#]*@/i;
/** Scheme and authority of an absolute-form target (RFC 9112, section 3.2.2). */
const ORIGIN = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i;
/** What CONNECT asks for, and `*` of OPTIONS; any other target without a slash is a reference relative to some path. */
const AUTHORITY = /^(?:REDACTED@)?(?:\[[0-9a-f:.]{2,45}\]|[A-Za-z0-9.-]{1,253}):\d{1,5}$|^\*?$/;
const LENGTH = /^\(\d+ characters\)$/;
const VARIABLE = /^[A-Za-z_][A-Za-z0-9_.-]{0,100}=/;
const NAME = /^[A-Za-z0-9_.~[\]%+:-]*$/;
/** Characters; `ignoreStoreReadErrorWithClusterBreakingPotential` has 47. */
const NAME_LENGTH = 64;
/** Characters of a name that is no key. */
const SHORT_NAME = 16;
const BRACKETS = /[[\]]/;
const ESCAPES = /(?:%[0-9a-f]{2})+/gi;
const ESCAPE = /%([0-9a-f]{2})/gi;
const LONE_SURROGATE = /\p{Surrogate}/gu;
