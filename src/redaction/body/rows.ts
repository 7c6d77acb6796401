// Defines the rows that decide which strings of a body are shown, and the grammars that shown strings must have.

import { shapesOf } from '../shapes.js';

/** How a string is shown: a grammar of shapes.txt, which rejects unexpected texts, or a rule of the head of fields.txt. */
export type ShowRule = string;

export interface FieldRow {
  /** `name`: a field of this name in any type of the table. `EnvVar.value`: of this type alone; such a row takes precedence. */
  readonly field: string;
  readonly showing: ShowRule;
  /** Why a value may be shown, or may not. */
  readonly reason: string;
}

/** @param lines `rule: reason`, and below it, indented, the fields that it is for. */
export function fieldRows(lines: readonly string[]): readonly FieldRow[] {
  const rows: FieldRow[] = [];
  let [showing, reason]: [ShowRule, string] = ['none', ''];
  for (const line of lines) {
    const colon = line.indexOf(':');
    if (line.startsWith(' ')) for (const field of line.trim().split(/\s+/)) rows.push({ field, showing, reason });
    else [showing, reason] = [line.slice(0, colon), line.slice(colon + 2)];
  }
  return rows;
}

/** Rows by their field. @throws if a field has two rows. */
export function rowsByField(rows: readonly FieldRow[]): ReadonlyMap<string, FieldRow> {
  const byField = new Map<string, FieldRow>();
  for (const row of rows) {
    if (byField.has(row.field)) throw new Error(`the field ${row.field} has two rows`);
    byField.set(row.field, row);
  }
  return byField;
}

/** Whether a text has the grammar of its row; the empty text always does. */
export function fits(grammar: ShowRule, text: string): boolean {
  return text === '' || (text.length <= GRAMMARS[grammar].longest && GRAMMARS[grammar].pattern.test(text));
}

export function hasGrammar(showing: ShowRule): boolean {
  return Object.hasOwn(GRAMMARS, showing);
}

/** Grammars, with the longest text in characters. */
export const GRAMMARS = shapesOf('grammars');
