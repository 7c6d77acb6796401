// What an API server says of a failure in plain text: which of its checks failed, that it was spoken to without TLS. Knows its own
// fixed texts; whatever else a text is may be anybody's, and is not told.

import { text } from '../../core/bytes/bytes.js';
import { fieldValue } from '../../core/fields.js';
import type { Body, Exchange } from '../../http/exchange-event.js';
import type { ExchangeContext } from '../exchange-context.js';

/** @param body of an answer. @returns undefined: it is none of these. */
export function plaintextError(
  response: Exchange['response'],
  context: ExchangeContext,
  body: Body | null,
): string | undefined {
  if (body === null || body.length > MAX_TEXT || (response?.status ?? 0) < 400) return undefined;
  // What is no TLS is answered with a line and nothing else.
  if (!(fieldValue(response?.fields ?? [], 'content-type') ?? 'text/plain').startsWith('text/plain')) return undefined;
  const said = text(body.read().bytes);
  if (said.startsWith(NO_TLS)) return NO_TLS;
  return context.info?.nonResource == null ? undefined : checksIn(said);
}

/** k8s.io/apiserver, server/healthz: a line for each check. */
function checksIn(said: string): string | undefined {
  const failed = [...said.matchAll(FAILED_CHECK)].map(([, name]) => name);
  if (failed.length === 0) return undefined;
  const more = failed.length > MAX_CHECKS ? ` and ${failed.length - MAX_CHECKS} more` : '';
  return `not ready: ${failed.slice(0, MAX_CHECKS).join(', ')}${more}`;
}

/** net/http, server.go. */
const NO_TLS = 'Client sent an HTTP request to an HTTPS server.';
const FAILED_CHECK = /^\[-\]([\w./-]{1,100}) failed/gm;
/** Checks that are told of one answer. */
const MAX_CHECKS = 6;
/** Bytes; an API server has some 50 checks of 60 characters. */
const MAX_TEXT = 16 * 1024;
