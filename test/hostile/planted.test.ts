// The planted corpus over every output of every command: nothing of its secrets is in any, however it is written; options that show more
// show what they say. Each failure names family, carrier, look, output and place.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { kubeseq } from '../kit/command.js';
import { fixture } from '../kit/fixtures.js';
import { outputs, UNKNOWN } from '../kit/outputs.js';
import { searchable } from '../kit/page-data.js';
import { LOOKS, nameOf } from '../kit/planted/corpus.js';
import { LeakSearch, plantedFiles } from '../kit/planted/leaks.js';
import { piecesOf, writtenForms } from '../kit/planted/search.js';
import { TRIES_ALL } from '../kit/runs.js';
import { HAS_TSHARK, tshark } from '../kit/tshark.js';

const FILES = plantedFiles();
const { planted: PLANTED, captured: CAPTURED, revealed: REVEALED } = FILES;
const LEAKS = new LeakSearch(FILES);
/** What is drawn and counted has redacted messages alone: two looks tell whether it does; with RUNS=full all. */
const SOME = TRIES_ALL ? FILES : plantedFiles(['letters', 'number']);
const SOME_LEAKS = TRIES_ALL ? LEAKS : new LeakSearch(SOME);
/** Those of packages stand in package-outputs.test.ts. */
const OUTPUTS = outputs(FILES.capture, FILES.subject).filter(({ needs }) => needs === undefined);
/** Those that hold all that the others have. */
const RICH = OUTPUTS.filter(({ command, format, args }) =>
  format === 'files' ? false : args.includes('--bodies') || command === 'export',
);

describe('the corpus', () => {
  it('is large, in many looks, and no two secrets are alike', () => {
    expect(PLANTED.length).toBeGreaterThan(3000);
    for (const look of LOOKS) expect(PLANTED.filter(({ form }) => form === look).length).toBeGreaterThan(380);
    expect(new Set(PLANTED.map(({ text }) => text)).size).toBe(PLANTED.length);
    expect(new Set(PLANTED.map(nameOf)).size).toBe(PLANTED.length);
  });

  it('can be found in every form, whole and in pieces', () => {
    for (const secret of PLANTED.filter((_, i) => i % 5 === 0))
      for (const piece of piecesOf(secret.text))
        for (const [how, text] of writtenForms(piece)) {
          if (text.length < 8) continue;
          if (!LEAKS.namesIn(`x ${text} y`).has(nameOf(secret))) expect([nameOf(secret), how]).toEqual([]);
        }
    const [secret] = PLANTED.filter(({ form }) => form === 'uuid');
    for (const by of ['', 'a', 'ab'])
      for (const encoding of ['base64', 'base64url', 'hex'] as const) {
        const packed = gzipSync(`${by} ${secret.text}`).toString(encoding);
        expect(LEAKS.namesIn(`x "${packed}" y`)).toEqual(new Set([nameOf(secret)]));
        const inside = Buffer.from(JSON.stringify({ a: JSON.stringify({ b: packed }) })).toString('base64');
        expect(LEAKS.namesIn(`x '${inside}'`)).toEqual(new Set([nameOf(secret)]));
      }
  });

  it('is looked for in every command: a new one needs a row in outputs.ts', () => {
    expect(UNKNOWN).toEqual([]);
    expect(OUTPUTS.length).toBeGreaterThan(50);
    expect(RICH.length).toBeGreaterThan(2);
  });

  it('comes back with --show secrets, but what is no message', () => {
    const names = new Set<string>();
    for (const args of [
      ['messages', '-o', 'ndjson', '--bodies'],
      ['diagram', '-o', 'mermaid', '--all', '--layers', 'all'],
    ])
      for (const name of LEAKS.namesIn(kubeseq([...args, '--show', 'secrets', ...CAPTURED]).stdout)) names.add(name);
    // Of words pieces are alike.
    const wrong = PLANTED.filter((one) => (names.has(nameOf(one)) ? one.isLost && one.form !== 'words' : !one.isLost));
    expect(wrong.map(nameOf)).toEqual([]);
  });

  it('comes back in the packed data of a page, which are looked into', () => {
    const args = ['diagram', '-o', 'html', '--all', '--layers', 'all', '--show', 'secrets'];
    const { stdout } = kubeseq([...args, ...CAPTURED]);
    expect(LEAKS.namesIn(searchable(args, stdout)).size / PLANTED.length).toBeGreaterThan(0.9);
    expect(LEAKS.namesIn(stdout).size / PLANTED.length).toBeLessThan(0.5);
  });

  it('comes back from an export that has it with --show secrets only', () => {
    const args = ['messages', '-o', 'ndjson', '--bodies', '--show', 'secrets'];
    expect(kubeseq([...args, REVEALED]).stdout).toBe(kubeseq([...args, ...CAPTURED]).stdout);
  });

  it.skipIf(!HAS_TSHARK)('is in the capture also where nothing shows it', () => {
    const capture = fixture('planted/capture.pcap');
    const keys = join(FILES.folder, 'keys.log');
    writeFileSync(keys, fixture('planted/keys.log'));
    const decrypted = tshark(capture, ['http.file_data'], ['-o', `tls.keylog_file:${keys}`, '-Y', 'http && tls']);
    const found = LEAKS.namesIn([Buffer.from(capture).toString('latin1'), ...decrypted.flat()].join('\n'));
    const lost = PLANTED.filter(({ isLost, carrier }) => isLost && !carrier.includes(' | '));
    expect(lost.map(nameOf).filter((name) => !found.has(name))).toEqual([]);
    expect(lost.length).toBe(15);
  });
});

describe('no secret is in', () => {
  it.each(OUTPUTS.map((one) => [one.name, one] as const))('%s', (_name, output) => {
    const isRich = RICH.includes(output);
    const { said, leaks } = (isRich ? LEAKS : SOME_LEAKS).said(output, isRich ? CAPTURED : SOME.captured);
    expect(leaks).toEqual([]);
    // An expectation that is not met, and what differs, are status 1.
    const isOther = ['check', 'diff'].includes(output.command) && !output.args.includes('--update');
    expect(said.status, said.texts[1][1].slice(0, 500)).toBe(isOther ? 1 : 0);
    const written = said.texts.filter(([where]) => where !== 'standard error').map(([, text]) => text);
    expect(Math.max(...written.map((text) => text.length))).toBeGreaterThan(100);
    // What is rewritten is said as it was and as it is.
    if (output.args.includes('--update')) expect(said.texts[1][1].match(/ becomes /g)).toHaveLength(4);
    if (output.args.includes('--report')) expect(said.texts).toHaveLength(2 + 1 + 1 + 4);
  });

  it.each(RICH.map((one) => [one.name, one] as const))('an export made with --show secrets: %s', (_name, output) => {
    expect(LEAKS.said(output, [REVEALED]).leaks).toEqual([]);
  });
});

describe('an option that shows more', () => {
  const FIELDS = join(FILES.folder, 'fields.txt');
  writeFileSync(FIELDS, '# what everybody may see\ndatabases.spec.engine\n\nDatabase.spec.map.* # a map\n');
  const usual = shown();
  /** Names of planted secrets that messages and their bodies have with these options alone. */
  function shown(...options: string[]): string[] {
    const { stdout } = kubeseq(['messages', '-q', '-o', 'ndjson', '--bodies', ...options, ...CAPTURED]);
    return [...LEAKS.namesIn(stdout)];
  }
  const more = (option: string): string[] =>
    shown('--show', option).filter((name) => !usual.includes(name) && !name.endsWith('| words'));

  it.each<[string, RegExp, readonly string[]]>([
    [
      'commands',
      /^(?:commands|kubelet|URLs: (?:program|encoded bearer)|servers: Cmd|objects: postStart|specs of pods: .*(?:args|command)$|registry: config, (?:Cmd|Entry)|docker engine: (?:docker (?:create, command|exec)|inspect, (?:Args|Cmd|health))|container runtime: .*, (?:args|command)$)/,
      ['commands: exec, mysql -p…', 'commands: container args', 'container runtime: ExecSync, command'],
    ],
    [
      'text',
      /^(?:events and statuses|texts: (?:words of a policy|webhook that failed|bearer token .* reserved|JWT .* reserved)|objects: Warning|admission and aggregated: (?:warning|verdict)|docker engine: inspect, error|registry: error, message|container runtime: .*(?:message|error)$)/,
      ['events and statuses: Unhealthy, output of a probe', 'events and statuses: a bare secret'],
    ],
    [
      `field=@${FIELDS}`,
      /^custom resources: (?:spec.engine: an innocent name|value of a map)$/,
      ['custom resources: spec.engine: an innocent name', 'custom resources: value of a map'],
    ],
    ['field=secrets.data.*', /^$/, []],
  ])('--show %s', (option, families, some) => {
    const found = more(option);
    expect(found.filter((name) => !families.test(name))).toEqual([]);
    expect(found).toEqual(expect.arrayContaining([...some]));
  });

  it.each([
    ['databases', 'it has to name a resource or kind and a field in it'],
    ['*.spec.x', 'its resource or kind cannot be *'],
    [`@${FILES.folder}/none`, 'no such file; check the path'],
  ])('--show-field %s is one sentence', (field, sentence) => {
    const { stderr, status } = kubeseq(['messages', '--show-field', field, ...CAPTURED]);
    expect([status, stderr.trim()]).toEqual([2, `kubeseq: --show-field ${field}: ${sentence}`]);
  });
});

describe('secrets of TLS', () => {
  const KEYS = join(FILES.folder, 'tls.log');
  writeFileSync(KEYS, fixture('clients-tls/keys.log'));
  const secrets = Buffer.from(fixture('clients-tls/keys.log'))
    .toString()
    .split('\n')
    .map((line) => line.split(' ')[2])
    .filter((secret) => /^[0-9a-f]{64,}$/i.test(secret ?? ''));

  it.each([
    ['messages', '-o', 'ndjson', '--bodies', '--show-secrets'],
    ['export', '--show-secrets'],
    ['diagram', '--all', '--layers', 'all', '-o', 'html', '--show-secrets'],
    ['diagram', '--all', '--layers', 'all', '-o', 'json'],
    ['summary', '--streams', '-o', 'json'],
  ])('are nowhere, not even with --show-secrets: %s %s %s', (...args) => {
    const { status, stdout, stderr } = kubeseq([
      ...args,
      '-v',
      'fixtures/clients-tls/capture.pcap.gz',
      '--keylog',
      KEYS,
    ]);
    expect(status).toBe(0);
    expect(stdout.length).toBeGreaterThan(1000);
    expect(secrets.length).toBeGreaterThan(10);
    const text = `${searchable(args, stdout)}${stderr}`;
    const base64 = (secret: string): string => Buffer.from(secret, 'hex').toString('base64').slice(0, 40);
    const lower = text.toLowerCase();
    expect(secrets.filter((secret) => lower.includes(secret) || text.includes(base64(secret)))).toEqual([]);
  });
});
