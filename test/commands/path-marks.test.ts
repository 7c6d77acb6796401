// A diagram with the critical path marked, held against what `kubeseq path` prints of the same capture.

import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { kubeseq } from '../kit/command.js';
import { fixturePath } from '../kit/fixtures.js';
import { parseMermaid } from '../kit/mermaid.js';

const NGINX = [
  fixturePath('run-nginx-tls/capture.pcap.gz'),
  ...['--keylog', fixturePath('run-nginx-tls/keys.log.gz'), '-q'],
];
const MARKED = ['--follow', 'pod/nginx', '--path', '--all', '--layers', 'all'];

interface Leg {
  /** Numbers of messages. */
  readonly from: number;
  readonly to: number;
}

function legs(): readonly Leg[] {
  const { stdout } = kubeseq(['path', 'pod/nginx', '-o', 'json', ...NGINX]);
  const [path] = JSON.parse(stdout) as readonly { readonly legs: readonly Leg[] }[];
  return path.legs;
}

it('marks each message of the path, with the share of its step; the shares are the whole', () => {
  const { stdout, status } = kubeseq([...NGINX, ...MARKED]);
  expect(status).toBe(0);
  const marked: number[] = [];
  let isMarked = false;
  for (const line of stdout.split('\n')) {
    if (line.trim().startsWith('rect rgba(255, 170')) isMarked = true;
    else if (line.trim() === 'end') isMarked = false;
    const seq = /^ *%% (\d+)$/.exec(line)?.[1];
    if (isMarked && seq !== undefined) marked.push(Number(seq));
  }
  const path = legs();
  expect(marked).toEqual([path[0].from, ...path.map(({ to }) => to)]);
  const shares = [...stdout.matchAll(/Note over [^:]*: [\d.]+ m?s, (\d+) #37;: /g)].map(([, share]) => Number(share));
  expect(shares).toHaveLength(path.length);
  expect(Math.abs(shares.reduce((sum, one) => sum + one, 0) - 100)).toBeLessThanOrEqual(path.length / 2);
  expect(stdout).not.toContain('of the path not drawn');
});

it('draws them whatever else would be folded away, and counts those that are not selected', () => {
  expect(kubeseq([...NGINX, '--follow', 'pod/nginx', '--path']).stdout).not.toContain('of the path not drawn');
  const { stdout } = kubeseq([...NGINX, '--follow', 'pod/nginx', '--path', '--where', 'verb != "create"']);
  const drawn = [...stdout.matchAll(/ #37;: /g)].length;
  expect(stdout).toContain(`${legs().length - drawn} steps of the path not drawn: kubeseq path has all`);
});

it('is a diagram for mermaid, and an expectation that its capture meets', async () => {
  const { stdout } = kubeseq([...NGINX, '--follow', 'pod/nginx', '--path']);
  await parseMermaid(stdout);
  const file = join(mkdtempSync(join(tmpdir(), 'kubeseq-path-')), 'nginx.mmd');
  writeFileSync(file, stdout);
  expect(kubeseq(['check', file, ...NGINX]).status).toBe(0);
});

it.each([
  [['--path'], '--path marks the critical path of one object: give it with --follow'],
  [
    ['--path', '--follow', 'pod/nginx', '-o', 'json'],
    '--path marks a diagram, which -o json is not; kubeseq path prints it',
  ],
])('refuses %j', (args, why) => {
  expect(kubeseq([...NGINX, ...args])).toMatchObject({ status: 2, stderr: `kubeseq: ${why}\n` });
});

it('says why nothing is marked, as path does', () => {
  const late = ['fixtures/late-start-tls/capture.pcap.gz', '--keylog', 'fixtures/late-start-tls/keys.log.gz'];
  const why =
    'kubeseq: node/node-1: it existed before the capture and was Ready when first seen (message 4): there is no start to measure\n';
  const marked = kubeseq([...late, '--follow', 'node/node-1', '--path']);
  expect(marked).toMatchObject({ status: 0, stderr: expect.stringContaining(why) });
  expect(marked.stdout).toContain('sequenceDiagram');
  expect(kubeseq(['path', 'node/node-1', ...late]).stderr).toContain(why);
  expect(kubeseq([...late, '--follow', 'node/node-1']).stderr).not.toContain('no start to measure');
});
