// Sets the flags of V8 with which the command is loaded, those with which it runs, and those for long captures.

import { setFlagsFromString } from 'node:v8';

/** Before anything is loaded. V8 takes compiled code only under the flags that it was compiled with. */
export function setLoadingFlags(): void {
  // The heap may grow by 80 % from one full collection to the next, not by 300 %. Messages that were printed are garbage; on a
  // long capture this costs no time and saves 45 MB (docs/performance.md).
  setFlagsFromString('--heap-growing-percent=80');
  // The young generation grows once, from 1 to 6 MiB a half, and loading is enough for that: 16 MiB, as it would become, are
  // no faster here.
  setFlagsFromString('--semi-space-growth-factor=6');
  // A short capture is read before optimized code pays for its compilation: this budget takes a tenth less CPU time for a few MB, and
  // no more for long captures; twice the budget does (docs/performance.md). V8 13 has no such flag, and complains about flags that it
  // does not have.
  if (!process.versions.v8.startsWith('11.')) return;
  setFlagsFromString(`--interrupt-budget=${SHORT_BUDGET}`);
  // On real captures a third of the CPU time is that of V8's optimizing compiler, which compiles inlined functions once for each
  // caller (docs/performance.md).
  setFlagsFromString(`--max-inlined-bytecode-size-cumulative=${INLINED}`);
}

/** When everything is loaded. */
export function setRunningFlags(): void {
  setFlagsFromString('--semi-space-growth-factor=1');
}

/** Lets V8 optimize code sooner where a long capture is read. @param bytes of the inputs; null: not known. */
export function optimizeFor(bytes: number | null): void {
  if (bytes === null || bytes < LONG_BYTES || !process.versions.v8.startsWith('11.')) return;
  setFlagsFromString(`--interrupt-budget=${LONG_BUDGET}`);
  setFlagsFromString(`--ticks-before-optimization=${TICKS}`);
  setFlagsFromString(`--bytecode-size-allowance-per-tick=${BYTES_A_TICK}`);
}

/** Bytes of captures that take so long to read that optimized code pays for its compilation (docs/performance.md). */
const LONG_BYTES = 48_000_000;
/** Bytes of bytecode that a function runs until V8 considers to optimize it: for short captures, and for long ones; V8's own is 67,584. */
const SHORT_BUDGET = 300_000;
const LONG_BUDGET = 100_000;
/** Bytes of bytecode that are inlined into one function; V8's own is 920. */
const INLINED = 300;
/** How often the budget is used up before a short function is optimized; V8's own is 3. */
const TICKS = 2;
/** A function waits one tick more for each so many bytes of its bytecode, as long ones take long to optimize; V8's own is 150. */
const BYTES_A_TICK = 75;
