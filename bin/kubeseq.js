#!/usr/bin/env node
import { setFlagsFromString } from 'node:v8';

// Before anything is loaded: the heap may grow by 80 % from one full collection to the next, not by 300 %. Messages that
// were printed are garbage; on a long capture this costs no time and saves 45 MB (docs/performance.md).
setFlagsFromString('--heap-growing-percent=80');
// The young generation grows once, from 1 to 6 MiB a half, and loading is enough for that: 16 MiB, as it would become, are
// no faster here.
setFlagsFromString('--semi-space-growth-factor=6');
const { main } = await import('../dist/cli/main.js');
setFlagsFromString('--semi-space-growth-factor=1');
await main(process.argv);
