// Nothing read is no success: a capture of which nothing could be opened, and a key log that fits nothing, end with status 1 and
// the next step in words; a capture without traffic does not. An interrupted reading is no cut capture.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { kubeseq } from '../kit/command.js';
import { fixture } from '../kit/fixtures.js';
import { conversation, packets, pcap } from '../kit/packetiser.js';
import { kubeseqSpawned } from '../kit/spawned.js';

const FOLDER = mkdtempSync(join(tmpdir(), 'kubeseq-unread-'));
afterAll(() => rmSync(FOLDER, { recursive: true }));
// 20 connections, of which the key log has 20, and one that is older than the capture (tshark: no ClientHello).
const TLS = 'fixtures/clients-tls/capture.pcap.gz';
const OTHERS_KEYS = 'fixtures/run-nginx-tls/keys.log.gz';

function file(name: string, bytes: Uint8Array): string {
  const path = join(FOLDER, name);
  writeFileSync(path, bytes);
  return path;
}

describe('nothing could be opened: status 1, and the next step', () => {
  const commands: [string, string[], RegExp][] = [
    ['diagram', ['diagram', TLS], /no messages in the capture/],
    ['messages', ['messages', TLS, '-o', 'ndjson'], /^$/],
    ['object', ['object', 'pod/nginx', TLS], /^$/],
    ['summary', ['summary', TLS], /connections {3}21: 0 decoded, 21 encrypted/],
  ];
  it.each(commands)('%s', (_, args, output) => {
    const { status, stdout, stderr } = kubeseq([...args, '-q']);
    const [first, next] = stderr.split('\n');
    expect(first).toMatch(
      /^kubeseq: nothing of the capture could be read: 20 encrypted connections without secrets, 1 /,
    );
    expect(next).toMatch(/^kubeseq: next: .*--keylog FILE; kubeseq keys .* kubeseq doctor /);
    expect(stdout).toMatch(output);
    expect(status).toBe(1);
  });

  it.each(['diagram', 'summary'])('%s: a key log that fits nothing', (command) => {
    const { status, stderr } = kubeseq([command, TLS, '--keylog', OTHERS_KEYS, '-q']);
    expect(stderr).toMatch(/^kubeseq: --keylog \S+keys\.log\.gz: nothing in it fits this capture: 20 encrypted /);
    expect(stderr).toMatch(/next: give the key log of this very run/);
    expect(status).toBe(1);
  });

  it('a key log that fits nothing, beside traffic that needs none', () => {
    const plain = 'fixtures/run-nginx-http1/capture.pcap.gz';
    const ran = kubeseq(['summary', plain, TLS, '--keylog', OTHERS_KEYS, '-q']);
    expect([ran.status, ran.stderr]).toEqual([1, expect.stringMatching(/nothing in it fits/)]);
    // There is nothing that it would have to open.
    expect(kubeseq(['summary', plain, '--keylog', OTHERS_KEYS, '-q'])).toMatchObject({ status: 0, stderr: '' });
  });

  it('one that opens some is read', () => {
    expect(kubeseq(['summary', TLS, '--keylog', 'fixtures/clients-tls/keys.log.gz', '-q'])).toMatchObject({
      status: 0,
    });
  });
});

describe('nothing is there: status 0, as for tshark and kubectl', () => {
  it.each([
    ['no packets', pcap([])],
    ['a connection without payload', pcap(packets(conversation([])))],
  ])('%s', (name, bytes) => {
    const path = file(`${name.replaceAll(' ', '-')}.pcap`, bytes);
    const { status, stderr } = kubeseq(['diagram', path]);
    expect([status, stderr]).toEqual([0, expect.stringMatching(/there is no request and no answer in the capture\n$/)]);
    expect(kubeseq(['messages', path, '-q', '-o', 'ndjson'])).toEqual({ status: 0, stdout: '', stderr: '' });
  });
});

it('Ctrl-C: interrupted after so many MB, and not cut', { timeout: 60_000 }, async () => {
  const capture = Buffer.from(fixture('run-nginx-http1/capture.pcap'));
  const frames = capture.subarray(24);
  const path = file('long.pcap', Buffer.concat([capture, ...Array.from({ length: 60 }, () => frames)]));
  const command = kubeseqSpawned(['messages', path, '-o', 'ndjson']);
  await command.until(({ stdout }) => stdout !== '');
  expect(await command.end('SIGINT')).toBe(130);
  expect(command.stderr).toMatch(/^kubeseq: capture\.interrupted: .*: interrupted after \d+\.\d MB$/m);
  expect(command.stderr).not.toMatch(/truncated/);
});
