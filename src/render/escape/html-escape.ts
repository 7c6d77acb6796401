// The one escape of HTML and the one of XML: captured text becomes text, in an element or an attribute's quotes, and nothing of it can
// be markup, hide text or reorder what stands beside it. JSON becomes a data block that it cannot close.

import { dictionary } from '../../core/collections/dictionary.js';
import { COMMAND } from './ci-commands.js';
import { escapeTerminal, UNSEEN } from './terminal-escape.js';

/** @returns text; control, bidi and zero-width characters are shown as `\u202e`. */
export function escapeHtml(text: string): string {
  const shown = escapeTerminal(text);
  return MARKUP.test(shown) ? shown.replace(MARKUP_ALL, (character) => ENTITIES[character]) : shown;
}

/**
 * JSON for a `<script>` block: the same value, without a character that the HTML parser looks at (`</script>`, `<!--`, `-->`).
 * @param json without line breaks between its parts.
 */
export function escapeJsonBlock(json: string): string {
  return BLOCK.test(json) ? json.replace(BLOCK_ALL, (character) => `\\u${hex(character)}`) : json;
}

/** Attributes and text alike; forbidden characters become U+FFFD, and what begins a command of a CI system a character reference. */
export function escapeXml(text: string): string {
  const markup = text.replace(NOT_XML, '\ufffd').replace(MARKUP_ALL, (character) => ENTITIES[character]);
  return markup.replace(COMMANDS, (character) => `&#${character.charCodeAt(0)};`);
}

function hex(character: string): string {
  return character.charCodeAt(0).toString(16).padStart(4, '0');
}

const MARKUP = /[&<>"']/;
const MARKUP_ALL = /[&<>"']/g;
const ENTITIES: Readonly<Record<string, string>> = dictionary({
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
});
const COMMANDS = new RegExp(COMMAND, 'gu');
/** Line separators and lone surrogates too: a file in UTF-8 has no place for the latter. */
const BLOCK = /[<>&\u2028\u2029\ud800-\udfff]/;
const BLOCK_ALL = /[<>&\u2028\u2029]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/** Invisible characters except tab, line feed and carriage return, and those that XML 1.0 forbids (section 2.2). */
const NOT_XML = new RegExp(`(?![\\t\\n\\r])(?:${UNSEEN}|[\\ufffe\\uffff])`, 'gu');
