// npm start: draws the picture of README.md from its fixture; `npm start -- CAPTURE …` runs kubeseq with what is given.

import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { PICTURE } from './picture.js';

const given = process.argv.slice(2);
const program = fileURLToPath(new URL('../bin/kubeseq.js', import.meta.url));
const { status } = spawnSync(process.execPath, [program, ...(given.length > 0 ? given : PICTURE)], {
  stdio: 'inherit',
});
process.exitCode = status ?? 1;
