// The extcap of deploy/, called as Wireshark calls it (https://www.wireshark.org/docs/man-pages/extcap.html).

import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { captureReader } from '../../src/index.js';
import { NO_CAPTURE, SmallServer } from '../kit/capturing.js';
import { ROOT } from '../kit/command.js';
import { Spawned } from '../kit/spawned.js';
import { HAS_TSHARK } from '../kit/tshark.js';

const EXTCAP = join(ROOT, 'deploy/extcap/kubeseq-extcap');
const FOLDER = mkdtempSync(join(tmpdir(), 'extcap-'));
afterAll(() => rmSync(FOLDER, { recursive: true, force: true }));

const KUBESEQ = join(FOLDER, 'kubeseq');
writeFileSync(KUBESEQ, `#!/bin/sh\nexec ${process.execPath} ${ROOT}/bin/kubeseq.js "$@"\n`);
chmodSync(KUBESEQ, 0o755);

function called(...args: readonly string[]): { status: number | null; stdout: string; stderr: string } {
  return spawnSync(EXTCAP, args, { encoding: 'utf8', env: { ...process.env, KUBESEQ } });
}

/** Sentences of Wireshark's grammar: a word, then values in braces. */
function sentences(text: string): { word: string; values: Record<string, string> }[] {
  return text
    .trimEnd()
    .split('\n')
    .map((line) => {
      const [, word, rest] = /^(\w+) ((?:\{\w+=[^{}]*\})+)$/.exec(line)!;
      return { word, values: Object.fromEntries([...rest.matchAll(/\{(\w+)=([^{}]*)\}/g)].map(([, k, v]) => [k, v])) };
    });
}

describe('an extcap', () => {
  it('names its interface, link type and arguments', () => {
    const interfaces = sentences(called('--extcap-interfaces', '--extcap-version=4.4').stdout);
    expect(interfaces.map(({ word }) => word)).toEqual(['extcap', 'interface']);
    const { value } = interfaces[1].values;
    const dlts = sentences(called('--extcap-dlts', '--extcap-interface', value).stdout);
    expect(dlts.map(({ word, values }) => [word, values['number']])).toEqual([['dlt', '276']]);
    const config = sentences(called('--extcap-config', '--extcap-interface', value).stdout);
    expect(config.map(({ word, values }) => [word, values['number'], values['call'], values['type']])).toEqual([
      ['arg', '0', '--command', 'string'],
      ['arg', '1', '--device', 'string'],
      ['arg', '2', '--keys', 'boolflag'],
    ]);
  });

  it('refuses what it does not know', () => {
    expect(called('--what').status).toBe(2);
    expect(called('--capture', '--extcap-interface', 'kubeseq').status).toBe(2);
  });

  it.skipIf(NO_CAPTURE !== '' || !HAS_TSHARK)('is an interface of tshark, which shows the comments', async () => {
    const server = await SmallServer.open();
    // Folders of personal extcaps, of older and of newer versions.
    for (const place of ['.local/lib', '.config']) {
      const folder = join(FOLDER, place, 'wireshark/extcap');
      mkdirSync(folder, { recursive: true });
      symlinkSync(EXTCAP, join(folder, 'kubeseq-extcap'));
    }
    const command = `extcap.kubeseq.command:curl -s http://127.0.0.1:${server.port}/api/v1/namespaces/default/pods/web`;
    const options = ['-o', command, '-o', 'extcap.kubeseq.device:lo', '-f', `tcp port ${server.port}`];
    const fields = ['-T', 'fields', '-e', 'frame.comment'];
    const env = { HOME: FOLDER, XDG_CONFIG_HOME: join(FOLDER, '.config'), KUBESEQ };
    const run = new Spawned('tshark', ['-i', 'kubeseq', ...options, ...fields], { env });
    expect(await run.end()).toBe(0);
    server.close();
    expect(run.stdout).toContain(
      'kubeseq: message 1, curl → kube-apiserver: [REQ] GET /api/v1/namespaces/default/pods/web',
    );
    expect(run.stdout).toContain('[RESP] 200 OK; because of 1 (response)');
  });

  it.skipIf(NO_CAPTURE !== '')('records a command, and gives the packets with comments', async () => {
    const server = await SmallServer.open();
    const fifo = join(FOLDER, 'fifo');
    const url = `http://127.0.0.1:${server.port}/api/v1/namespaces/default/pods/web`;
    const args = ['--capture', '--extcap-interface', 'kubeseq', '--fifo', fifo, '--device', 'lo'];
    const filter = ['--extcap-capture-filter', `tcp port ${server.port}`];
    // A file in place of the pipe: who reads it does not matter to who writes it.
    const extcap = new Spawned(EXTCAP, [...args, ...filter, `--command=curl -s ${url}`], { env: { KUBESEQ } });
    expect(await extcap.end()).toBe(0);
    server.close();
    expect(extcap.stdout).toBe('');
    const bytes = readFileSync(fifo);
    const reader = captureReader({ capture: 0 });
    const frames = [...reader.feed(bytes), ...reader.end()].filter(({ kind }) => kind === 'frame');
    expect(frames.length).toBeGreaterThan(5);
    expect(bytes.toString()).toContain(
      'kubeseq: message 1, curl → kube-apiserver: [REQ] GET /api/v1/namespaces/default/pods/web',
    );
  });
});
