// Who may read an output: never more than may read the capture that it copies; what --show-secrets writes is its owner's alone.

import { chmodSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';
import { kubeseq } from '../kit/command.js';
import { fixture } from '../kit/fixtures.js';

const FOLDER = mkdtempSync(join(tmpdir(), 'kubeseq-modes-'));
afterAll(() => rmSync(FOLDER, { recursive: true }));
const CAPTURE = join(FOLDER, 'capture.pcap');
writeFileSync(CAPTURE, gunzipSync(fixture('run-nginx-http1/capture.pcap.gz')));

function modeOf(args: readonly string[], name: string): string {
  const written = join(FOLDER, name);
  const { status, stderr } = kubeseq([...args, CAPTURE, '-w', written]);
  expect(status, stderr).toBe(0);
  const { mode } = statSync(written);
  rmSync(written);
  return (mode & 0o777).toString(8);
}

describe('an output', () => {
  it.each([
    [0o600, '600'],
    [0o640, '640'],
    [0o644, '644'],
  ])('that copies the packets of a capture of mode %o has %s', (mode, expected) => {
    chmodSync(CAPTURE, mode);
    expect(modeOf(['export'], 'copy.pcapng')).toBe(expected);
  });

  it.each([
    [['messages', '--bodies'], 'messages.ndjson'],
    [['messages'], 'messages.csv'],
    [['messages'], 'messages.parquet'],
    [['export'], 'export.ndjson'],
    [['export'], 'copy.pcapng'],
    [['diagram', '--all'], 'diagram.mmd'],
    [['diagram', '--all'], 'page.html'],
    [['object', 'pod/nginx'], 'object.json'],
  ])('of %j --show-secrets as %s is its owner’s alone', (args, name) => {
    chmodSync(CAPTURE, 0o644);
    expect(modeOf([...args, '--show-secrets'], name)).toBe('600');
    expect(modeOf(args, name)).toBe('644');
  });
});
