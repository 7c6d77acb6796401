// Redacts the label of a saved message part by part, as labels.ts puts it together: its line may be from anywhere, or made with
// `--show-secrets`.

import { requestText } from '../kubernetes/api/labels.js';
import type { Shown } from '../kubernetes/messages/message.js';
import type { Redaction } from '../redaction/redaction.js';
import { rewritten, sentence } from '../redaction/shown.js';

/**
 * @param label as the line has it. @param target as the line has it, and `shown` of it; undefined: the message has none.
 */
export function savedLabel(
  label: string,
  target: string | undefined,
  shown: Shown | undefined,
  redaction: Redaction,
): Shown {
  const request = REQUEST.exec(label);
  if (request !== null && target !== undefined && shown !== undefined) {
    const [head, method] = request;
    for (const text of [target, requestText(target)])
      if (label.startsWith(text, head.length))
        return sentence`[REQ] ${redaction.name(method)} ${text === target ? shown : rewritten(shown, requestText)}${redaction.name(label.slice(head.length + text.length))}`;
    return sentence`[REQ] ${redaction.name(method)} ${rewritten(shown, requestText)}`;
  }
  const quoting = QUOTING.exec(label);
  if (quoting === null) return redaction.name(label);
  return sentence`${redaction.name(quoting[1])}${redaction.text(label.slice(quoting[1].length))}`;
}

const REQUEST = /^\[REQ\] (\(method not captured\)|[A-Za-z-]{1,40}) /;
/** Labels that quote a text: a webhook's message in its verdict, and an engine's error in a pull. */
const QUOTING = /^(\[RESP\] .{1,60}?, (?:allowed|allowed, with changes|denied|not converted): |\[DATA\] error: )/s;
