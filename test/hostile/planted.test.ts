// The planted corpus over every output of every command: nothing of its secrets is in any, however it is written; with --show-secrets they
// are. Each failure names family, carrier, output and place.

import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { kubeseq } from '../kit/command.js';
import { fixture, fixturePath } from '../kit/fixtures.js';
import { outputs, UNKNOWN } from '../kit/outputs.js';
import { searchable } from '../kit/page-data.js';
import { type Finding, findPlanted, nameOf, PLANTED, piecesOf, writtenForms } from '../kit/planted.js';
import { TRIES_ALL } from '../kit/runs.js';
import { HAS_TSHARK, tshark } from '../kit/tshark.js';

const FOLDER = mkdtempSync(join(tmpdir(), 'kubeseq-planted-'));
const CAPTURE = fixturePath('planted/capture.pcap.gz');
const KEYS = fixturePath('planted/keys.log.gz');
const EXPORT = join(FOLDER, 'export.ndjson');
const REVEALED = join(FOLDER, 'revealed.ndjson');
kubeseq(['export', CAPTURE, '--keylog', KEYS, '-w', EXPORT]);
kubeseq(['export', CAPTURE, '--keylog', KEYS, '--show-secrets', '-w', REVEALED]);

const EXPECTATION = join(FOLDER, 'expected.mmd');
writeFileSync(
  EXPECTATION,
  `sequenceDiagram
    participant A as kubectl
    participant B as kube-apiserver
    A->>B: [REQ] POST /api/v1/namespaces/shop/secrets - never
    A->>B: [REQ] POST /api/v1/namespaces/shop/pods/web-0/exec?command=never
`,
);
const SUBJECT = {
  object: 'pod/spec',
  namespace: 'shop',
  seq: 200,
  expectation: EXPECTATION,
  other: 'fixtures/docker-engine-api/capture.pcap.gz',
};
const ALL = outputs(CAPTURE, SUBJECT).map(({ command, args, behind }) => ({ command, args, behind }));
/** Those that hold all that the others have. */
const RICH = ALL.filter(
  ({ command, args }) =>
    args.includes('--bodies') || command === 'export' || (args.includes('html') && args.includes('--all')),
);
/** Objects whose secrets are in all their versions. */
const OBJECTS = [
  'secret/db',
  'configmap/files',
  'deployment/w',
  'database/orders',
  'helmrelease/web',
  'pod/web-0',
  'job/j',
];
const OF_OBJECTS = OBJECTS.flatMap((name, i) => [
  { command: 'object', args: ['object', '-o', 'json', '--all', name, '-n', 'shop'] },
  // Which hold less: with RUNS=full of each object both.
  ...[
    { command: 'object', args: ['object', '-o', 'text', name, '-n', 'shop'] },
    { command: 'diagram', args: ['diagram', '-o', 'mermaid', '--follow', name, '-n', 'shop', '--layers', 'all'] },
  ].filter((_, j) => TRIES_ALL || j === i % 2),
]);

/** Why `--show-secrets` does not bring these back. */
const NOT_SHOWN: Readonly<Record<string, string>> = {
  'secrets and config maps: broken JSON': 'no decoder reads the body',
  'paths: form of an application': 'forms are not decoded',
  'registry: OAuth2, password': 'forms are not decoded',
  'docker engine: logs': 'payload of a stream',
  'docker engine: progress, error detail': 'of a progress only `error` is read',
  'etcd: Put of another application': 'bytes of no known encoding',
  'etcd: encrypted by the API server': 'bytes of no known encoding',
  'container runtime: ExecSync, stdout': 'payload of a command',
  'container runtime: ExecSync, stderr': 'payload of a command',
  'container runtime: CSI, secrets of a call': 'no table has this call',
  'kubelet: run, output': 'payload of a command',
  'kubelet: containerLogs': 'payload of a stream',
  'kubelet: log of a node': 'payload of a stream',
  'kubelet: label of a metric': 'metrics are not decoded',
  'applications: HTML': 'text of an application',
};

/** Outputs that a secret was found in, by family and carrier. */
const LEAKS = new Map<string, Map<string, string>>();

function report(output: string, findings: readonly Finding[]): string {
  for (const { secret } of findings) {
    const carriers = LEAKS.get(secret.family) ?? new Map<string, string>();
    LEAKS.set(secret.family, carriers.set(secret.carrier, output));
  }
  return findings.map(({ secret, how, around }) => `${nameOf(secret)} | ${output} | ${how} | ${around}`).join('\n');
}

function look(args: readonly string[], file: readonly string[], behind: readonly string[] = []): string {
  const { status, stdout, stderr } = kubeseq([...args, '-v', ...file, ...behind]);
  // An expectation that is not met, and what differs, are status 1.
  expect(status, stderr.slice(0, 500)).toBe(['check', 'diff'].includes(args[0]) ? 1 : 0);
  expect(stdout.length).toBeGreaterThan(100);
  const name = args.join(' ').replaceAll(FOLDER, '');
  return (
    report(name, findPlanted(searchable(args, stdout))) + report(`${name}, on standard error`, findPlanted(stderr))
  );
}

describe('the corpus', () => {
  it('is large, and no two secrets share a piece', () => {
    expect(PLANTED.length).toBeGreaterThan(300);
    expect(new Set(PLANTED.map(({ family }) => family)).size).toBeGreaterThanOrEqual(12);
    expect(new Set(PLANTED.map(({ text }) => text)).size).toBe(PLANTED.length);
    expect(new Set(PLANTED.map(nameOf)).size).toBe(PLANTED.length);
  });

  it('can be found in every form, whole and in pieces', () => {
    for (const secret of PLANTED)
      for (const piece of piecesOf(secret.text))
        for (const [how, text] of writtenForms(piece)) {
          if (text.length < 8) continue;
          expect([how, findPlanted(`x ${text} y`).map((one) => one.secret)]).toEqual([
            how,
            expect.arrayContaining([secret]),
          ]);
        }
    const { text } = PLANTED[3];
    for (const by of ['', 'a', 'ab'])
      for (const encoding of ['base64', 'base64url', 'hex'] as const) {
        const packed = gzipSync(`${by} ${text}`).toString(encoding);
        expect(findPlanted(`x "${packed}" y`).map((one) => one.secret)).toEqual([PLANTED[3]]);
        const inside = Buffer.from(JSON.stringify({ a: JSON.stringify({ b: packed }) })).toString('base64');
        expect(findPlanted(`x '${inside}'`).map((one) => one.secret)).toEqual([PLANTED[3]]);
      }
  });

  it('is looked for in every command: a new one needs a row in outputs.ts', () => {
    expect(UNKNOWN).toEqual([]);
    expect(ALL.length).toBeGreaterThan(12);
    expect(RICH.length).toBeGreaterThan(3);
  });

  it('comes back with --show-secrets, but for those with a reason', () => {
    const found = new Set<string>();
    for (const args of [
      ['messages', '-o', 'ndjson', '--bodies'],
      ['diagram', '-o', 'mermaid', '--all', '--layers', 'all'],
    ]) {
      const { stdout } = kubeseq([...args, '--show-secrets', '--keylog', KEYS, CAPTURE]);
      for (const { secret } of findPlanted(stdout)) found.add(nameOf(secret));
    }
    const missing = PLANTED.map(nameOf).filter((name) => !found.has(name));
    expect(missing.filter((name) => NOT_SHOWN[name] === undefined)).toEqual([]);
    expect(found.size / PLANTED.length).toBeGreaterThan(0.95);
  });

  it('comes back in the packed data of a page, which are looked into', () => {
    const args = ['diagram', '-o', 'html', '--all', '--layers', 'all', '--show-secrets'];
    const { stdout } = kubeseq([...args, '--keylog', KEYS, CAPTURE]);
    const names = (text: string) => new Set(findPlanted(text).map(({ secret }) => nameOf(secret)));
    expect(names(searchable(args, stdout)).size / PLANTED.length).toBeGreaterThan(0.9);
    expect(names(stdout).size / PLANTED.length).toBeLessThan(0.5);
  });

  it.skipIf(!HAS_TSHARK)('is in the capture also where nothing shows it', () => {
    const capture = fixture('planted/capture.pcap');
    const texts = [Buffer.from(capture).toString('latin1')];
    const keys = join(FOLDER, 'keys.log');
    writeFileSync(keys, fixture('planted/keys.log'));
    for (const [data] of tshark(capture, ['http.file_data'], ['-o', `tls.keylog_file:${keys}`, '-Y', 'http && tls']))
      texts.push(data);
    const found = new Set(texts.flatMap((text) => findPlanted(text)).map(({ secret }) => nameOf(secret)));
    expect(Object.keys(NOT_SHOWN).filter((name) => !found.has(name))).toEqual([]);
  });
});

describe('no secret is in', () => {
  it.each([
    ...ALL.map(({ args, behind }) => [args.join(' '), args, behind] as const),
    ...OF_OBJECTS.map(({ args }) => [args.join(' '), args, []] as const),
  ])('%s', (_name, args, behind) => {
    expect(look(args, ['--keylog', KEYS, CAPTURE], behind)).toBe('');
  });

  it.each(
    RICH.flatMap(({ args }) => [
      // An export has fewer secrets than one that was made with --show-secrets.
      ...(TRIES_ALL ? [[`an export: ${args.join(' ')}`, args, EXPORT] as const] : []),
      [`an export made with --show-secrets: ${args.join(' ')}`, args, REVEALED] as const,
    ]),
  )('%s', (_name, args, file) => {
    expect(look(args, [file])).toBe('');
  });

  it('an export', () => {
    expect(report('export', findPlanted(readFileSync(EXPORT, 'utf8')))).toBe('');
  });

  it('the reports and corrected expectations of check', () => {
    const reports = ['text.txt', 'report.json', 'report.xml', 'summary.md'].map((name) => join(FOLDER, name));
    const corrected = join(FOLDER, 'corrected');
    const files = [...reports.flatMap((file) => ['--report', file]), '--corrected', corrected];
    const args = ['check', '--all-failures', ...files, EXPECTATION];
    expect(look(args, ['--keylog', KEYS, CAPTURE])).toBe('');
    const written = readdirSync(corrected, { recursive: true, withFileTypes: true })
      .filter((one) => one.isFile())
      .map((one) => join(one.parentPath, one.name));
    expect(written).not.toEqual([]);
    for (const file of [...reports, ...written]) {
      const text = readFileSync(file, 'utf8');
      expect(text, file).toContain('kube-apiserver');
      expect(report(file.replaceAll(FOLDER, ''), findPlanted(text))).toBe('');
    }
  });

  it('any output, by family', () => {
    const rows = [...LEAKS].map(
      ([family, carriers]) => `${family}: ${carriers.size} of ${PLANTED.filter((one) => one.family === family).length}`,
    );
    expect(rows.sort().join('\n')).toBe('');
  });
});
