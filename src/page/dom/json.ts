// JSON as text with its names, texts and numbers told apart by colour. Cuts tokens; knows nothing of what they mean.

import { element } from './element.js';

/** @param json as JSON.stringify indents it. */
export function jsonText(json: string): HTMLElement {
  const code = element('code', { class: 'json' });
  let at = 0;
  if (json.length > MAX_COLOURED) return element('code', {}, json);
  for (const match of json.matchAll(TOKEN)) {
    if (match.index > at) code.append(json.slice(at, match.index));
    const [token, , colon] = match;
    const name = colon !== undefined ? 'name' : token.startsWith('"') ? 'text' : 'value';
    code.append(element('span', { class: name }, token));
    at = match.index + token.length;
  }
  code.append(json.slice(at));
  return code;
}

const TOKEN = /("(?:[^"\\]|\\.)*")(\s*:)?|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|\b(?:true|false|null)\b/g;
/** Characters: longer texts get no colours, so that they open at once. */
const MAX_COLOURED = 200_000;
