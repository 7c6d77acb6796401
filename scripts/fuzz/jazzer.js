// npm run fuzz:targets: writes every target as one CommonJS file that exports `fuzz`, with its seeds beside it, for
// jazzer.js or any other fuzzer of that form:
//
//   npx @jazzer.js/core fuzz-targets/hpack/fuzz.cjs --sync fuzz-targets/hpack/seeds -i fuzz-targets -- -max_total_time=120

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundle, ROOT } from './bundle.js';

const folder = mkdtempSync(join(tmpdir(), 'kubeseq-targets-'));
const all = join(folder, 'all.cjs');
await bundle('test/kit/fuzz/targets.ts', all, { counted: false });
const { TARGETS } = createRequire(import.meta.url)(all);
rmSync(folder, { recursive: true });
for (const { name, seeds } of TARGETS) {
  const place = join(ROOT, 'fuzz-targets', name);
  mkdirSync(join(place, 'seeds'), { recursive: true });
  seeds().forEach((seed, i) => {
    writeFileSync(join(place, 'seeds', String(i)), seed);
  });
  const script = join(place, 'target.cjs');
  await bundle('test/kit/fuzz/targets.ts', script, { counted: false });
  writeFileSync(
    join(place, 'fuzz.cjs'),
    `const { TARGETS } = require('./target.cjs');\nmodule.exports.fuzz = TARGETS.find(({ name }) => name === '${name}').fuzz;\n`,
  );
}
process.stdout.write(`${TARGETS.length} targets in fuzz-targets/\n`);
