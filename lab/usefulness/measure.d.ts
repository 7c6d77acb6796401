export type Column = 'notes' | 'went wrong' | 'arrows' | 'names' | 'statuses' | 'reasons';
/** How much is left, and of how much. */
export type Kept = readonly [left: number, all: number];

export const COLUMNS: readonly Column[];
export function isKept(column: Column, kept: Kept): boolean;
export function measure(name: string): {
  readonly counts: Readonly<Record<Column, Kept>>;
  readonly lost: readonly (readonly [line: string, left: string])[];
};
export function capturesOf(name: string): string[];
export function partsOfDiagram(
  text: string,
): Readonly<Record<'notes' | 'arrows' | 'names' | 'statuses' | 'reasons', string[]>>;
export function wentWrong(text: string): string[];
export function wordsOf(lines: readonly string[]): string[];
export function kept(whole: readonly string[], left: readonly string[]): Kept;
export function sum(pairs: readonly Kept[]): Kept;
