#!/usr/bin/env node
import { setFlagsFromString } from 'node:v8';

// Before anything is loaded: the heap may double from one full collection to the next, not quadruple. Messages that were
// printed are garbage; on a long capture this costs no time and saves 35 MB (docs/performance.md).
setFlagsFromString('--heap-growing-percent=100');

const { main } = await import('../dist/cli/main.js');
await main(process.argv);
