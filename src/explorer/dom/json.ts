// JSON as text with its names, texts and numbers told apart by colour. Cuts tokens; knows nothing of what they mean.

import { add, element } from './element.js';

/** @param json as JSON.stringify indents it, perhaps cut. */
export function jsonText(json: string): HTMLElement {
  const code = element('code', { class: 'json' });
  let at = 0;
  for (const match of json.matchAll(TOKEN)) {
    if (match.index > at) add(code, json.slice(at, match.index));
    const [token, , colon] = match;
    const name = colon !== undefined ? 'name' : token.startsWith('"') ? 'text' : 'value';
    code.append(element('span', { class: name }, token));
    at = match.index + token.length;
  }
  add(code, json.slice(at));
  return code;
}

const TOKEN = /("(?:[^"\\]|\\.)*")(\s*:)?|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|\b(?:true|false|null)\b/g;
