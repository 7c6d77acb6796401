// The secrets of planted-kinds.ts over every output of every command, raw and in other encodings: each failure names family, carrier, look
// and output.

import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { kubeseq } from '../kit/command.js';
import { outputs } from '../kit/outputs.js';
import { searchable } from '../kit/page-data.js';
import { nameOf, searchFor, withoutWords } from '../kit/planted.js';
import { kindsCapture, LOOKS } from '../kit/planted-kinds.js';

const FOLDER = mkdtempSync(join(tmpdir(), 'kubeseq-kinds-'));
const { planted: PLANTED, capture } = kindsCapture();
const findPlanted = searchFor(PLANTED);
const CAPTURE = join(FOLDER, 'kinds.pcap');
writeFileSync(CAPTURE, capture);
const REVEALED = join(FOLDER, 'revealed.ndjson');
kubeseq(['export', CAPTURE, '--show-secrets', '-w', REVEALED]);
const EXPECTATION = join(FOLDER, 'expected.mmd');
writeFileSync(
  EXPECTATION,
  'sequenceDiagram\n    participant A as kubectl\n    participant B as kube-apiserver\n    A->>B: [REQ] POST /api/v1/nowhere\n',
);
const SUBJECT = {
  object: 'thing/t',
  namespace: 'app',
  seq: 1,
  expectation: EXPECTATION,
  other: 'fixtures/docker-engine-api/capture.pcap.gz',
};
const ALL = outputs(CAPTURE, SUBJECT).map(({ args, behind }) => ({ args, behind }));
/** Those that hold all that the others have. */
const RICH = ALL.filter(({ args }) => args.includes('--bodies') || args[0] === 'export');
const OF_OBJECTS = ['secret/t', 'configmap/t', 'helmrelease/t', 'pod/t'].map((name) => ({
  args: ['object', '-o', 'json', '--all', name, '-n', 'app'],
  behind: [] as readonly string[],
}));
const WITH_TEXT = [
  ['messages', '-o', 'ndjson', '--bodies', '--show-text'],
  ['diagram', '-o', 'mermaid', '--all', '--layers', 'all', '--show-text'],
].map((args) => ({ args, behind: [] as readonly string[] }));

/** What is shown by a rule, with the rule. */
const SHOWN: readonly (readonly [RegExp, string])[] = [
  [/^challenges: repository of a scope /, 'the name of a repository'],
  [/^URLs: (?:Host, nothing else|host of CONNECT) /, 'the name of a host'],
  [/^values of labels: (?:app|app\.kubernetes\.io\/(?:instance|version)|helm\.sh\/chart|pod-template-hash) /, 'a name'],
  [/^values of labels: .* words$/, 'plain words of a label'],
  [/^selectors: .* words$/, 'plain words of a label'],
  [/^keys: (?:labels|nodeSelector|CRI labels|docker label.*): value \| words$/, 'plain words of a label'],
];

/** Words of two secrets may be alike, so what is shown as a name is taken out before the others are looked for. */
const withoutNames = withoutWords(
  PLANTED.filter((secret) => SHOWN.some(([carrier]) => carrier.test(nameOf(secret)))).map(({ text }) => text),
);

/** Carriers that were found in an output, each with the first one and how. */
const LEAKS = new Map<string, string>();

function look(args: readonly string[], file: string, behind: readonly string[]): string[] {
  const { status, stdout, stderr } = kubeseq([...args, '-v', file, ...behind]);
  // What is not met, differs or is not found is status 1.
  expect([0, 1], stderr.slice(0, 500)).toContain(status);
  const findings = [searchable(args, stdout), stderr].flatMap((text) => findPlanted(withoutNames(text)));
  return findings.map(({ secret, how, around }) => {
    const line = `${nameOf(secret)} | ${args.join(' ').replaceAll(FOLDER, '')} | ${how} | ${around}`;
    if (!LEAKS.has(nameOf(secret))) LEAKS.set(nameOf(secret), line);
    return line;
  });
}

describe('the secrets by kind', () => {
  it('are many, in six looks, no two alike', () => {
    expect(PLANTED.length).toBeGreaterThan(1000);
    for (const form of LOOKS) expect(PLANTED.filter((one) => one.form === form).length).toBeGreaterThan(150);
    expect(new Set(PLANTED.map(({ text }) => text)).size).toBe(PLANTED.length);
    expect(new Set(PLANTED.map(nameOf)).size).toBe(PLANTED.length);
  });

  it('come back with --show-secrets', () => {
    const args = ['messages', '-o', 'ndjson', '--bodies', '--show-secrets', CAPTURE];
    const found = new Set(findPlanted(kubeseq(args).stdout).map(({ secret }) => nameOf(secret)));
    const missing = PLANTED.map(nameOf).filter((name) => !found.has(name));
    expect(missing.join('\n')).toBe('');
  });
});

describe('no secret is in', () => {
  it.each([...ALL, ...OF_OBJECTS, ...WITH_TEXT].map(({ args, behind }) => [args.join(' '), args, behind] as const))(
    '%s',
    (_name, args, behind) => {
      expect(look(args, CAPTURE, behind)).toEqual([]);
    },
  );

  it.each(RICH.map(({ args, behind }) => [args.join(' '), args, behind] as const))(
    'an export made with --show-secrets: %s',
    (_name, args, behind) => {
      expect(look(args, REVEALED, behind)).toEqual([]);
    },
  );

  it('any output, by carrier', () => {
    expect([...LEAKS.values()].sort().join('\n')).toBe('');
  });
});
