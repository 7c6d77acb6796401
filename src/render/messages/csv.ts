// Messages as CSV (RFC 4180), one a row. A cell that a spreadsheet would take for a formula gets a quote in front.

import { FIELD_ROWS } from '../../kubernetes/messages/fields.js';
import type { Message } from '../../kubernetes/messages/message.js';
import { escapeCommands } from '../escape/ci-commands.js';
import { UNSEEN } from '../escape/terminal-escape.js';
import { type MessageJsonOptions, messageJson } from './message-json.js';

export function renderCsvHead(): string {
  return csvLine(COLUMNS);
}

export function renderCsvRow(message: Message, options: MessageJsonOptions): string {
  const json = messageJson(message, options);
  return csvLine(COLUMNS.map((column) => json[column]));
}

/** A record. @param values numbers and booleans as they are, null and undefined as nothing, others as text or JSON. */
export function csvLine(values: readonly unknown[]): string {
  return `${values.map(cell).join(',')}\r\n`;
}

function cell(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  const raw = typeof value === 'string' ? value : JSON.stringify(value);
  const text = escapeCommands(raw.replace(CONTROLS, ' ').replace(OTHERS, '\ufffd'));
  const safe = FORMULA.test(text) ? `'${text}` : text;
  return NEEDS_QUOTES.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

const COLUMNS = FIELD_ROWS.filter(([, { csv }]) => csv !== undefined)
  .sort(([, one], [, other]) => (one.csv as number) - (other.csv as number))
  .map(([name]) => name);
/** OWASP "CSV Injection". */
const FORMULA = /^[=+\-@\t\r]/;
const NEEDS_QUOTES = /[",\r\n]/;
const CONTROLS = /[\u0000-\u001f\u007f-\u009f]/g;
const OTHERS = new RegExp(UNSEEN, 'gu');
