// Every command once, in a moment: it starts, ends with its status and prints what it is for.

import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { kubeseq } from '../kit/command.js';
import { fixturePath } from '../kit/fixtures.js';

const CAPTURE = fixturePath('run-nginx-http1/capture.pcap.gz');
const FOLDER = mkdtempSync(join(tmpdir(), 'kubeseq-smoke-'));
const PAGE = join(FOLDER, 'page.md');
// A page names files below its folder.
copyFileSync(CAPTURE, join(FOLDER, 'capture.pcap.gz'));
writeFileSync(PAGE, `<!-- kubeseq capture=capture.pcap.gz follow=pod/nginx -->\n\`\`\`mermaid\n\`\`\`\n`);
afterAll(() => rmSync(FOLDER, { recursive: true }));

interface Smoke {
  readonly args: readonly string[];
  readonly prints: RegExp;
  /** 0 by itself. */
  readonly status?: number;
}

const SMOKE: Readonly<Record<string, Smoke>> = {
  diagram: { args: [CAPTURE, '--follow', 'pod/nginx'], prints: /^sequenceDiagram\n[\s\S]*201 Created/ },
  summary: { args: [CAPTURE], prints: /kube-scheduler/ },
  top: { args: [CAPTURE], prints: /kube-scheduler +update +leases/ },
  view: { args: ['--help'], prints: /browse messages/ },
  messages: { args: [CAPTURE, '-o', 'ndjson'], prints: /"verb":"create"/ },
  object: { args: ['pod/nginx', CAPTURE], prints: /nginx/ },
  path: { args: ['pod/nginx', CAPTURE], prints: /nginx/ },
  explain: { args: ['300', CAPTURE], prints: /300/ },
  query: { args: ['--help'], prints: /SQL over messages/ },
  mcp: { args: ['--help'], prints: /Model Context Protocol/ },
  check: { args: [fixturePath('check/run-nginx.md'), CAPTURE], prints: /^pass/m },
  diff: { args: [CAPTURE, CAPTURE, '--follow', 'pod/nginx', '-o', 'json'], prints: /^\{/ },
  docs: { args: [PAGE, '--check', '-q'], prints: /page\.md/, status: 1 },
  export: { args: [CAPTURE], prints: /"body":/ },
  record: { args: ['--help'], prints: /run a command, capture its traffic/ },
  keys: { args: ['--help'], prints: /into a key log/ },
  doctor: { args: ['--help'], prints: /check whether kubeseq can capture/ },
  completion: { args: ['bash'], prints: /complete .*kubeseq/ },
  help: { args: [], prints: /Usage: kubeseq/ },
};

it.each(Object.entries(SMOKE))('%s', (command, { args, prints, status: expected = 0 }) => {
  const { status, stdout, stderr } = kubeseq([command, ...args, ...(QUIET.has(command) ? ['-q'] : [])]);
  expect(status, stderr).toBe(expected);
  expect(`${stdout}${stderr}`).toMatch(prints);
});

it('leaves out no command', () => {
  const commands = [...kubeseq(['--help']).stdout.matchAll(/^ {2}(\w+) (?:\[|<)/gm)].map(([, name]) => name);
  expect(Object.keys(SMOKE)).toEqual(commands);
});

const QUIET = new Set(['diagram', 'summary', 'check']);
