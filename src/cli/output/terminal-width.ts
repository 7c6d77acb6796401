// Finds how wide what is printed may be: as COLUMNS says, else as the terminal is.

import type { CommonOptions } from '../options.js';

/** Cells; undefined: as wide as it is, in files and pipes. */
export function terminalWidth({ write }: Pick<CommonOptions, 'write'>): number | undefined {
  if (write !== undefined) return undefined;
  const columns = process.env['COLUMNS'] ?? '';
  if (/^[1-9]\d{0,4}$/.test(columns)) return Number(columns);
  return process.stdout.isTTY === true ? process.stdout.columns : undefined;
}
