// Makes V8 optimize code sooner than it does for short captures, where a long one is read.

import { setFlagsFromString } from 'node:v8';

/** @param bytes of the inputs; null: not known. */
export function optimizeFor(bytes: number | null): void {
  // Other versions of V8 have other flags, and complain about flags that they do not have.
  if (bytes === null || bytes < LONG_BYTES || !process.versions.v8.startsWith('11.')) return;
  setFlagsFromString(`--interrupt-budget=${BYTECODE_BUDGET}`);
  setFlagsFromString(`--ticks-before-optimization=${TICKS}`);
}

/** Bytes of captures that take so long to read that optimized code pays for its compilation (docs/performance.md). */
const LONG_BYTES = 48_000_000;
/** V8's own: see `src/cli/start.ts`. */
const BYTECODE_BUDGET = 67_584;
/** How often the budget is used up before a short function is optimized; V8's own is 3. */
const TICKS = 1;
