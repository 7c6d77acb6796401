// Determines the length of a message's body by its head (RFC 9112 section 6.3).

import { fieldValue, type RequestHead, type ResponseHead } from '../http-event.js';

/** `Transfer-Encoding: chunked`. */
export const CHUNKED = -1;
/** The body extends to the end of the connection. */
export const UNTIL_CLOSE = -2;
/** The connection becomes a tunnel. */
export const TUNNEL = -3;
/** The head contradicts itself, so the end of its body is unknown. */
export const INVALID = -4;

/** Bytes of a request's body, or CHUNKED or INVALID. A CONNECT has no body; what follows depends on its response. */
export function requestBodyLength(head: RequestHead): number {
  if (head.method === 'CONNECT') return 0;
  const length = declaredLength(head.fields);
  return length === UNTIL_CLOSE ? 0 : length;
}

/** @param method of the request; null if unknown. */
export function responseBodyLength(head: ResponseHead, method: string | null): number {
  const status = head.status ?? 0;
  if (status === 101) return TUNNEL;
  if (status >= 200 && status < 300 && method === 'CONNECT') return TUNNEL;
  if (method === 'HEAD' || status === 204 || status === 304 || (status >= 100 && status < 200)) return 0;
  const length = declaredLength(head.fields);
  if (length !== UNTIL_CLOSE || status < 200 || status > 299) return length;
  return isDockerStream(head) ? TUNNEL : UNTIL_CLOSE;
}

/** The protocol after a switch, from the response, else from the request; `tcp` for docker's streams, ANY_PROTOCOL after CONNECT. */
export function tunnelProtocol(response: ResponseHead, request: RequestHead | null): string {
  if (response.status !== 101) return request?.method === 'CONNECT' ? ANY_PROTOCOL : 'tcp';
  const named = fieldValue(response.fields, 'upgrade') ?? (request && fieldValue(request.fields, 'upgrade')) ?? '';
  const first = named.split(',', 1)[0].trim();
  const lower = first.toLowerCase();
  return lower === 'websocket' || lower === 'tcp' || lower === 'h2c' ? lower : first === '' ? 'unknown' : first;
}

/** Whether a request demands a switch, so that the bytes after it may belong to a tunnel. */
export function requestsTunnel(head: RequestHead): boolean {
  return head.method === 'CONNECT' || fieldValue(head.fields, 'upgrade') !== undefined;
}

// docker hijacks a connection with or without an Upgrade header: `attach` and `exec start` without one get a 200 with one of these types
// and no length (docs.docker.com/reference/api/engine, "Attach to a container").
function isDockerStream(head: ResponseHead): boolean {
  const type = fieldValue(head.fields, 'content-type');
  return type === 'application/vnd.docker.raw-stream' || type === 'application/vnd.docker.multiplexed-stream';
}

/** Any protocol may follow a CONNECT. */
export const ANY_PROTOCOL = 'any';

/** By Transfer-Encoding, else by Content-Length, else UNTIL_CLOSE. */
export function declaredLength(fields: readonly string[]): number {
  let length = UNTIL_CLOSE;
  let codings = '';
  for (let i = 0; i + 1 < fields.length; i += 2) {
    const size = fields[i].length;
    if (size !== 14 && size !== 17) continue;
    const name = fields[i].toLowerCase();
    // Several lines are one list (RFC 9110, section 5.3).
    if (name === 'transfer-encoding') codings += `,${fields[i + 1]}`;
    if (name !== 'content-length') continue;
    const declared = lengthOf(fields[i + 1]);
    length = length === UNTIL_CLOSE || length === declared ? declared : INVALID;
  }
  if (codings === '') return length;
  // Chunked, as the last coding, overrides a length (RFC 9112, section 6.3, rules 3 and 4). Any other body ends with the connection.
  return codings === ',chunked' || /[ \t,]chunked[ \t,]*$/i.test(codings) ? CHUNKED : UNTIL_CLOSE;
}

/** "5" and "5, 5" are 5; other lists and texts are INVALID. */
function lengthOf(value: string): number {
  // Fast path for a few digits.
  let digits = 0;
  let length = 0;
  for (; digits < value.length && digits < 15; digits++) {
    const digit = value.charCodeAt(digits) - 0x30;
    if (digit < 0 || digit > 9) break;
    length = length * 10 + digit;
  }
  if (digits === value.length && digits > 0) return length;
  const first = value.split(',', 1)[0].trim();
  if (!/^\d{1,15}$/.test(first)) return INVALID;
  if (first.length !== value.length && value.split(',').some((other) => other.trim() !== first)) return INVALID;
  return Number(first);
}
