// What the diagram of one story takes in captures of 1 and 4 GB: the first case of cases.js, in whose copies the followed Pod has
// other names, so that the story stays the same; and with the same name in each copy, so that it grows.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CASES, captureOfCase } from './cases.js';
import { multiply } from './multiply.js';
import { captureOf } from './packets.js';
import { machine, median, table } from './page.js';
import { run } from './run.js';

const FOLLOWED = 'nginx';
const DIAGRAM = ['diagram', '--follow', `pod/${FOLLOWED}`];

/**
 * @param {{ kubeseq: string, size: number, rounds: number }} options `size` of the smaller capture in bytes.
 * @returns {Promise<string>} a table of medians, with what it was made on.
 */
export async function diagramBench({ kubeseq, size, rounds }) {
  const folder = mkdtempSync(join(tmpdir(), 'kubeseq-bench-diagram-'));
  try {
    const about = machine('bench:long');
    const capture = captureOfCase(CASES[0]);
    const [one, four, same] = ['one', 'four', 'same'].map((name) => join(folder, `${name}.pcap`));
    const own = { objects: true, renamed: FOLLOWED, hosts: HOSTS };
    const { copies, bytes } = multiply(capture, size, one, own);
    multiply(capture, size * 4, four, own);
    multiply(capture, size, same);
    const twentieth = Math.round((copies * captureOf(capture).seconds) / 20);
    const [small, large] = [bytes, bytes * 4].map((length) => `${(length / 1e9).toFixed(1)} GB`);
    const programs = [
      { name: '`messages -o ndjson`', of: small, command: ['messages', '-o', 'ndjson', one] },
      { name: `\`diagram --follow pod/${FOLLOWED}\``, of: small, command: [...DIAGRAM, one] },
      { name: 'the same', of: large, command: [...DIAGRAM, four] },
      {
        name: `the same, \`--until ${twentieth}s\``,
        of: small,
        command: [...DIAGRAM, '--until', `${twentieth}s`, one],
      },
      { name: 'the same, each copy with the same name', of: small, command: [...DIAGRAM, same] },
    ].map((program) => ({ ...program, runs: /** @type {import('./run.js').Run[]} */ ([]) }));
    for (let round = 0; round < rounds; round++)
      for (const { runs, command } of programs) runs.push(await run([process.execPath, kubeseq, ...command, '-q']));
    const figures = programs.map(({ runs }) => ({
      seconds: median(runs.map(({ seconds }) => seconds)),
      cpu: median(runs.map((each) => each.cpu ?? Number.NaN)),
      peak: median(runs.map((each) => each.peak ?? Number.NaN)),
    }));
    const [messages, whole, longer, part] = figures;
    const bounds = [
      '',
      `${bound(whole.peak, MOST_MB)} MB; ${bound(whole.cpu / messages.cpu, 1.15)} of the CPU time of \`messages\``,
      `${bound(longer.peak / whole.peak, 1.15)} of the memory`,
      `${bound(part.seconds / whole.seconds, 0.1)} of the time`,
      '',
    ];
    const head = ['command', 'capture', 's:', 'CPU s:', 'peak MB:', 'bounds'];
    const rows = programs.map(({ name, of }, i) => {
      const { seconds, cpu, peak } = figures[i];
      return [name, of, seconds.toFixed(1), cpu.toFixed(1), peak.toFixed(0), bounds[i]];
    });
    const medians = `Medians of ${rounds} ${rounds === 1 ? 'run' : 'runs, in turns'}.`;
    return [about, medians, '', table(head, rows)].join('\n');
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function bound(/** @type {number} */ value, /** @type {number} */ most) {
  const shown = value >= 10 ? value.toFixed(0) : value.toFixed(2);
  return `${shown}: ${value <= most ? 'met' : '**missed**'}, at most ${most}`;
}

const MOST_MB = 300;
/** A cluster lives on: after so many copies the same hosts come again. */
const HOSTS = 100;
