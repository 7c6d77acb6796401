// The library in a browser: from fixtures of several kinds Chromium makes the lines that the command prints, byte by byte. There captures are
// inflated, records decrypted and certificates read by other code, whose functions platform.test.ts holds against Node.js one by one.

import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BROWSER, openBrowser, type TestBrowser } from '../kit/browser.js';
import { kubeseq, ROOT } from '../kit/command.js';
import { fixturePath } from '../kit/fixtures.js';
import { TRIES_ALL } from '../kit/runs.js';
import { WITH_CAPTURES } from '../kit/whole-fixtures.js';

const FOLDER = mkdtempSync(join(tmpdir(), 'kubeseq-browser-'));
const ORIGIN = 'http://kubeseq.test/';

/** What a program that uses the library has: found by its name, and bundled for browsers. */
const PROGRAM = `import { messageLines } from './dist/browser.js';
globalThis.linesOf = async (files, secrets) => {
  const captures = await Promise.all(files.map(async ({ name, base64 }) =>
    Object.assign(await (await fetch('data:;base64,' + base64)).blob(), { name })));
  const parts = [];
  for await (const part of messageLines(captures, { secrets })) parts.push(part);
  return new Blob(parts).text();
};`;

let browser: TestBrowser;
let linesOf: (files: readonly string[], keyLogs: readonly string[]) => Promise<string>;

beforeAll(async () => {
  if (BROWSER === undefined) return;
  const { outputFiles } = await build({
    stdin: { contents: PROGRAM, resolveDir: ROOT },
    bundle: true,
    write: false,
    platform: 'browser',
    format: 'iife',
  });
  browser = await openBrowser();
  const { page, complaints } = await browser.open('about:blank', { until: 'load' });
  await page.route(`${ORIGIN}**`, (route) =>
    route.fulfill({ contentType: 'text/html', body: '<!doctype html><title>library</title>' }),
  );
  await page.goto(ORIGIN);
  await page.addScriptTag({ content: outputFiles[0].text });
  expect(complaints).toEqual([]);
  linesOf = (files, keyLogs) => {
    const given = files.map((file) => ({ name: file, base64: readFileSync(file).toString('base64') }));
    const texts = keyLogs.map((file) => gunzipSync(readFileSync(file)).toString());
    // The page's own types are not those of Node.js.
    return page.evaluate(`linesOf(${JSON.stringify(given)}, ${JSON.stringify(texts)})`) as Promise<string>;
  };
}, 120_000);

afterAll(async () => {
  await browser?.close();
  rmSync(FOLDER, { recursive: true });
});

/** Paths of the files in a folder of fixtures, as they lie there. */
function filesIn(folder: string, pattern: RegExp): string[] {
  const files = readdirSync(fixturePath(folder)).filter((file) => pattern.test(file));
  return files.sort().map((file) => fixturePath(`${folder}/${file}`));
}

const withKeys = (keyLogs: readonly string[]): string[] => keyLogs.flatMap((file) => ['--keylog', file]);

/** Fails with the first line that differs: a difference in thousands of them is no help. */
async function expectSame(captures: readonly string[], keyLogs: readonly string[] = []): Promise<void> {
  const { stdout, status } = kubeseq(['messages', '-o', 'ndjson', '-q', ...withKeys(keyLogs), ...captures]);
  // Nothing of it can be read.
  expect(stdout === '').toBe(status === 1);
  const found = await linesOf(captures, keyLogs);
  const [own, others] = [found, stdout].map((text) => text.split('\n'));
  const at = others.findIndex((line, i) => line !== own[i]);
  expect({ at, line: own[at] }).toEqual({ at, line: others[at] });
  expect(found === stdout).toBe(true);
}

/** Plain HTTP, every cipher and HPACK from the middle of connections, pcapng, certificates, formats of bodies; with RUNS=full all. */
const FOLDERS = TRIES_ALL
  ? WITH_CAPTURES
  : [
      ...['run-nginx-http1', 'docker-engine-api', 'clients-tls', 'egress-tls', 'late-start-tls'],
      ...['range-stream-tls', 'fuzz', 'planted'],
    ];

describe.skipIf(BROWSER === undefined)('in a browser', () => {
  it.each(FOLDERS)('%s: the messages of the command, byte by byte', async (name) => {
    const captures = filesIn(name, /\.pcap(?:ng)?(?:\.gz)?$/).filter((file) => !file.includes('with-secrets'));
    await expectSame(captures, filesIn(name, /^(?:true-)?keys\.log(?:\.gz)?$/));
  });

  it('reads secrets inside a capture', () => expectSame(filesIn('run-nginx-tls', /with-secrets/)));

  it.each(['parquet', 'ndjson'])('reads messages that were saved as %s', async (format) => {
    const saved = join(FOLDER, `saved.${format}`);
    const [capture] = filesIn('exec-logs-portforward-tls', /^capture/);
    const keyLogs = filesIn('exec-logs-portforward-tls', /keys\.log/);
    expect(kubeseq(['messages', '-q', '-w', saved, ...withKeys(keyLogs), capture]).status).toBe(0);
    await expectSame([saved]);
  });
});
