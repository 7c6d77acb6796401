// Finds the parts of the program that are no code of the command: files beside it, or assets of the single executable.

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

declare global {
  interface ImportMeta {
    /** Text of an asset; there in the single executable alone, which gives it to the units of the program. */
    readonly asset?: (name: string) => string;
  }
}

/** Whether the program is a single executable: `process.execPath` then is no Node.js. */
export const IS_EXECUTABLE = import.meta.asset !== undefined;

/** @param name of a file of the page, as the build writes it to `dist/page/`. */
export function pagePart(name: string): string {
  return import.meta.asset?.(name) ?? readFileSync(fileURLToPath(new URL(`../page/${name}`, import.meta.url)), 'utf8');
}
