// Parts of a HAR entry: header fields, query, bodies. Knows the format's shapes, nothing of messages in order.

import type { HeaderField } from '../../kubernetes/messages/details-types.js';
import type { Message } from '../../kubernetes/messages/message.js';

interface NameValue {
  readonly name: string;
  readonly value: string;
}

export function headersOf(fields: readonly HeaderField[]): NameValue[] {
  return fields.map(([name, value]) => ({ name, value }));
}

/** @param target redacted, as on the wire. */
export function queryOf(target: string | undefined): NameValue[] {
  const at = target?.indexOf('?') ?? -1;
  if (target === undefined || at < 0) return [];
  return target
    .slice(at + 1)
    .split('&')
    .filter((parameter) => parameter !== '')
    .map((parameter) => {
      const equals = parameter.indexOf('=');
      const [name, value] = equals < 0 ? [parameter, ''] : [parameter.slice(0, equals), parameter.slice(equals + 1)];
      return { name: plain(name), value: plain(value) };
    });
}

/** Bytes on the wire, as the sender announced them; -1 where it did not. */
export function sizeOf(fields: readonly HeaderField[]): number {
  const length = valueOfField(fields, 'content-length');
  return length !== undefined && /^\d{1,15}$/.test(length) ? Number(length) : -1;
}

export function postDataOf(body: unknown, fields: readonly HeaderField[]): object | undefined {
  if (body === undefined || body === null) return undefined;
  return { mimeType: valueOfField(fields, 'content-type') ?? '', text: bodyText(body), comment: DECODED };
}

/** The decoded body; of a watch its events, one a line. */
export function contentOf(
  response: Message | undefined,
  parts: readonly Message[],
  fields: readonly HeaderField[],
  bodies: boolean,
): object {
  const mimeType = valueOfField(fields, 'content-type') ?? 'x-unknown';
  const size = sizeOf(fields);
  if (!bodies) return { size, mimeType };
  const body = response?.details?.body();
  const events = parts.filter(({ kind }) => kind === 'event').map(({ details }) => bodyText(details?.body() ?? {}));
  if ((body === undefined || body === null) && events.length === 0) return { size, mimeType };
  const text = body === undefined || body === null ? `${events.join('\n')}\n` : bodyText(body);
  return { size, mimeType, text, comment: DECODED };
}

export function valueOfField(fields: readonly HeaderField[], wanted: string): string | undefined {
  return fields.find(([name]) => name.toLowerCase() === wanted)?.[1];
}

function bodyText(body: unknown): string {
  if (typeof body === 'string') return body;
  try {
    return JSON.stringify(body);
  } catch {
    return '{"$tooDeep":true}';
  }
}

function plain(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}

/** The text is not what was on the wire. */
const DECODED = 'decoded by kubeseq to JSON, and redacted';
