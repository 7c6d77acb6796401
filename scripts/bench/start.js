// npm run bench:start: what kubeseq takes to start, as multiples of what Node.js takes for nothing: `--version`, and the first
// picture of README.md. Each runs in turns with the others; medians of CPU time. Bounds are said; with `--write` the table
// goes into docs/performance.md.
//
//   npm run bench:start [-- --rounds N] [--kubeseq PATH] [--write]

import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { PICTURE } from '../picture.js';
import { ROOT } from './cases.js';
import { machine, median, option, publish, table } from './page.js';

const KUBESEQ = option('kubeseq', join(ROOT, 'bin/kubeseq.js'));
const ROUNDS = Number(option('rounds', '15'));

const about = machine('bench:start');
const measured = [
  { name: '`node -e 0`', command: ['-e', '0'], bound: null },
  { name: '`kubeseq --version`', command: [KUBESEQ, '--version'], bound: 2 },
  {
    name: `\`kubeseq ${PICTURE.map((word) => (word.includes(' ') ? `'${word}'` : word)).join(' ')}\``,
    command: [KUBESEQ, ...PICTURE],
    bound: 6,
  },
].map((one) => ({ ...one, times: /** @type {number[]} */ ([]) }));
// The first round fills the caches of the system.
for (let round = -1; round < ROUNDS; round++)
  for (const { command, times } of measured) {
    const ms = cpuOf([process.execPath, ...command]);
    if (round >= 0) times.push(ms);
  }
const [own] = measured.map(({ times }) => median(times));
const rows = measured.map(({ name, times, bound }) => {
  const ratio = median(times) / own;
  const verdict = bound === null ? '' : `; at most ${bound}: ${ratio <= bound ? 'met' : '**missed**'}`;
  return [name, median(times).toFixed(0), Math.min(...times).toFixed(0), `${ratio.toFixed(2)}${verdict}`];
});
const text = [
  about,
  `Medians of ${ROUNDS} ${ROUNDS === 1 ? 'run' : 'runs, in turns'}.`,
  '',
  table(['command', 'CPU ms:', 'least:', "times Node's own start"], rows),
];
publish(text.join('\n'), 'docs/performance.md', 'start');

/** CPU time of all threads in ms, as bash has it: GNU time counts in hundredths of a second. @param {readonly string[]} command */
function cpuOf(command) {
  const script = 'TIMEFORMAT="%3U %3S"; { time "$@" >/dev/null 2>&1; } 2>&1';
  const said = execFileSync('bash', ['-c', script, 'bash', ...command], { cwd: ROOT, encoding: 'utf8' });
  const [user, system] = said.split(' ').map(Number);
  return (user + system) * 1000;
}
