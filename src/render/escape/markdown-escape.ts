// The one escape of Markdown: captured text becomes text, code or the content of a fence, and nothing of it can be markup,
// a link, HTML or the end of what it stands in.

import { escapeCommands } from './ci-commands.js';
import { UNSEEN } from './terminal-escape.js';

/** Text of a paragraph or a table's cell: an allow-list, and everything else as a decimal entity. */
export function escapeMarkdown(text: string): string {
  const escaped = [...visible(text)].map((one) => (PLAIN.test(one) ? one : `&#${one.codePointAt(0)};`)).join('');
  // A renderer would make a link of text after a colon or `www`.
  return escaped.replace(/&#58;(?= |$)/g, ':').replace(/(www)\./gi, '$1&#46;');
}

/** A code span, also for a table's cell. Nothing in it is markup, except `|` in a table, which becomes an entity. */
export function codeSpan(text: string): string {
  const shown = escapeCommands(visible(text));
  if (shown === '') return '';
  if (shown.includes('|') || shown.includes('{{')) return `<code>${escapeMarkdown(shown)}</code>`;
  const mark = '`'.repeat(longestRun(shown) + 1);
  const padding = shown.startsWith('`') || shown.endsWith('`') || /^ .* $/.test(shown) ? ' ' : '';
  return `${mark}${padding}${shown}${padding}${mark}`;
}

/** A fenced block whose mark is longer than any run of backticks in it. @param lines without line breaks. */
export function fenced(language: string, lines: readonly string[]): string {
  const shown = lines.map((line) => escapeCommands(visible(line)));
  const mark = '`'.repeat(Math.max(3, 1 + Math.max(...shown.map(longestRun), 0)));
  return `${mark}${language}\n${shown.map((line) => `${line}\n`).join('')}${mark}\n`;
}

/** Invisible characters are shown as U+FFFD. */
function visible(text: string): string {
  return text.replace(INVISIBLE, '\ufffd');
}

function longestRun(text: string): number {
  return (text.match(/`+/g) ?? []).reduce((longest, run) => Math.max(longest, run.length), 0);
}

/** Without `:`, as a renderer makes links of it. */
const PLAIN = /[\p{L}\p{N} .,;()/=+'"-]/u;
const INVISIBLE = new RegExp(UNSEEN, 'gu');
