// How fast an export is read, beside the capture that it was made of: the first case of cases.js.

import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CASES, captureOfCase } from './cases.js';
import { multiply } from './multiply.js';
import { machine, median, table } from './page.js';
import { run } from './run.js';

/** Arguments before the file. */
const COMMANDS = [
  { name: '`messages -o ndjson`', args: ['messages', '-o', 'ndjson'] },
  { name: '`summary`', args: ['summary'] },
  { name: '`diagram --follow pod/nginx`', args: ['diagram', '--follow', 'pod/nginx'] },
];

/**
 * @param {{ kubeseq: string, size: number, rounds: number }} options `size` of the capture in bytes.
 * @returns {Promise<string>} a table of medians, with what it was made on.
 */
export async function savedBench({ kubeseq, size, rounds }) {
  const folder = mkdtempSync(join(tmpdir(), 'kubeseq-bench-saved-'));
  try {
    const about = machine('bench');
    const capture = join(folder, 'capture.pcap');
    const saved = join(folder, 'export.ndjson');
    multiply(captureOfCase(CASES[0]), size, capture);
    execFileSync(process.execPath, [kubeseq, 'export', capture, '-w', saved, '-q'], { stdio: 'ignore' });
    const programs = COMMANDS.flatMap(({ name, args }) =>
      [saved, capture].map((file) => ({
        name,
        file,
        command: [process.execPath, kubeseq, ...args, '-q', file],
        runs: /** @type {import('./run.js').Run[]} */ ([]),
      })),
    );
    for (let round = 0; round < rounds; round++)
      for (const { runs, command } of programs) runs.push(await run(command));
    const rows = programs.map(({ name, file, runs }, i) => {
      const megabytes = statSync(file).size / 1e6;
      const of = (/** @type {'seconds' | 'cpu' | 'peak'} */ field) =>
        median(runs.map((one) => one[field] ?? Number.NaN));
      return [
        i % 2 === 0 ? name : '',
        `${file === saved ? 'export' : 'capture'}, ${megabytes.toFixed(0)} MB`,
        of('seconds').toFixed(2),
        of('cpu').toFixed(2),
        (megabytes / of('seconds')).toFixed(0),
        of('peak').toFixed(0),
      ];
    });
    const head = ['command', 'file', 's:', 'CPU s:', 'MB/s:', 'peak MB:'];
    const medians = `Medians of ${rounds} ${rounds === 1 ? 'run' : 'runs, in turns'}.`;
    return [about, medians, '', table(head, rows)].join('\n');
  } finally {
    rmSync(folder, { recursive: true });
  }
}
