// Renders a message with its head and body as a line of `messages -o ndjson --bodies` or of an export.

import type { Message } from '../../kubernetes/messages/message.js';
import { jsonText } from '../escape/json-text.js';
import { type MessageJsonOptions, messageLine } from './message-json.js';

/** One JSON object without line breaks: the message's own fields, then `headers` and `body` if it has them. */
export function messageLineWithBody(message: Message, options: MessageJsonOptions): string {
  return `${messageLine(message, options).slice(0, -1)}${detailsText(message)}}`;
}

/** `,"headers":[["Name","value"],…],"body":…`: members to append; empty if there are none. */
export function detailsText({ details }: Message): string {
  if (details === undefined) return '';
  const fields = details.fields();
  const body = details.body();
  const headers = fields.length === 0 ? '' : `,"headers":${jsonText(fields)}`;
  return body === undefined ? headers : `${headers},"body":${bodyText(body)}`;
}

/** Bodies nested deeper than JSON.stringify's stack allows are hostile, and not shown. @param indent spaces of a level. */
export function bodyText(body: unknown, indent?: number): string {
  try {
    return jsonText(body, indent);
  } catch {
    return '{"$tooDeep":true}';
  }
}
