// How fast an export and a table are read, beside the capture that they were made of: the first case of cases.js.

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
  { name: 'the same, `--until 10s`', args: ['diagram', '--follow', 'pod/nginx', '--until', '10s'] },
];

/**
 * @param {{ kubeseq: string, size: number, rounds: number }} options `size` of the capture in bytes.
 * @returns {Promise<string>} a table of medians, with what it was made on.
 */
export async function savedBench({ kubeseq, size, rounds }) {
  const folder = mkdtempSync(join(tmpdir(), 'kubeseq-bench-saved-'));
  try {
    const about = machine('bench:long');
    const capture = join(folder, 'capture.pcap');
    const saved = join(folder, 'export.ndjson');
    multiply(captureOfCase(CASES[0]), size, capture);
    const story = join(folder, 'story.parquet');
    for (const args of [
      ['export', '-w', saved],
      ['messages', '-o', 'parquet', '-w', story],
    ])
      execFileSync(process.execPath, [kubeseq, ...args, capture, '-q'], { stdio: 'ignore' });
    const files = [
      { file: saved, kind: 'export' },
      { file: story, kind: 'table' },
      { file: capture, kind: 'capture' },
    ];
    const programs = COMMANDS.flatMap(({ name, args }) =>
      files.map(({ file, kind }) => ({
        name,
        file,
        kind,
        command: [process.execPath, kubeseq, ...args, '-q', file],
        runs: /** @type {import('./run.js').Run[]} */ ([]),
      })),
    );
    for (let round = 0; round < rounds; round++)
      for (const { runs, command } of programs) runs.push(await run(command));
    const rows = programs.map(({ name, file, kind, runs }, i) => {
      const megabytes = statSync(file).size / 1e6;
      const of = (/** @type {'seconds' | 'cpu' | 'peak'} */ field) =>
        median(runs.map((one) => one[field] ?? Number.NaN));
      return [
        i % files.length === 0 ? name : '',
        `${kind}, ${megabytes.toFixed(megabytes < 10 ? 1 : 0)} MB`,
        of('seconds').toFixed(2),
        of('cpu').toFixed(2),
        of('peak').toFixed(0),
      ];
    });
    const head = ['command', 'file', 's:', 'CPU s:', 'peak MB:'];
    const medians = `Medians of ${rounds} ${rounds === 1 ? 'run' : 'runs, in turns'}.`;
    return [about, medians, '', table(head, rows)].join('\n');
  } finally {
    rmSync(folder, { recursive: true });
  }
}
