// Sets the flags of V8 with which the command is loaded, and those with which it runs.

import { setFlagsFromString } from 'node:v8';

/** Before anything is loaded. V8 takes compiled code only under the flags that it was compiled with. */
export function setLoadingFlags(): void {
  // The heap may grow by 80 % from one full collection to the next, not by 300 %. Messages that were printed are garbage; on a
  // long capture this costs no time and saves 45 MB (docs/performance.md).
  setFlagsFromString('--heap-growing-percent=80');
  // The young generation grows once, from 1 to 6 MiB a half, and loading is enough for that: 16 MiB, as it would become, are
  // no faster here.
  setFlagsFromString('--semi-space-growth-factor=6');
  // A short capture is read before optimized code pays for its compilation. Twice the budget of V8 11 (Node.js 20) takes a tenth
  // less CPU time for a few MB, and no more for long captures; four times the budget does (docs/performance.md). V8 13 has no such
  // flag, and complains about flags that it does not have.
  if (process.versions.v8.startsWith('11.')) setFlagsFromString(`--interrupt-budget=${BYTECODE_BUDGET}`);
}

/** When everything is loaded. */
export function setRunningFlags(): void {
  setFlagsFromString('--semi-space-growth-factor=1');
}

/** Bytes of bytecode that a function runs until V8 considers to optimize it. */
const BYTECODE_BUDGET = 300_000;
