// `kubeseq diagram` of a long capture: drawn from a temporary file as it is from memory.

import { mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { multiply } from '../scripts/bench/multiply.js';
import { kubeseq } from './command.js';
import { fixture } from './fixtures.js';

const FOLDER = mkdtempSync(join(tmpdir(), 'kubeseq-spooled-'));
const CAPTURE = join(FOLDER, 'long.pcap');
multiply(fixture('run-nginx-http1/capture.pcap'), 22e6, CAPTURE);
/** With names of the user's own, which are held against those of all participants, everything stays in memory. */
const IN_MEMORY = join(FOLDER, 'participants.yaml');
writeFileSync(IN_MEMORY, 'participants: []\n');

describe('a capture of more messages than stay in memory', () => {
  it.each([
    [['--follow', 'pod/nginx']],
    [['--follow', 'pod/nginx', '--since', '20s', '--from', 'kubelet', '-o', 'json']],
  ])('%j', { timeout: 60_000 }, (options) => {
    const [spooled, inMemory] = [[], ['--participants', IN_MEMORY]].map((more) =>
      kubeseq(['diagram', CAPTURE, ...options, ...more]),
    );
    expect(spooled).toEqual(inMemory);
    expect(spooled.status).toBe(0);
    expect(spooled.stdout.length).toBeGreaterThan(1000);
  });

  it('is listed the same', { timeout: 60_000 }, () => {
    const [spooled, inMemory] = [[], ['--bodies']].map((more) =>
      linesOf(kubeseq(['messages', CAPTURE, '--follow', 'pod/nginx', '-o', 'ndjson', ...more]).stdout),
    );
    expect(spooled.length).toBeGreaterThan(500);
    expect(spooled).toEqual(inMemory);
  });

  it('leaves nothing in the temporary directory, and does without', { timeout: 60_000 }, () => {
    const folder = mkdtempSync(join(FOLDER, 'tmp-'));
    const [there, nowhere] = [folder, join(folder, 'none')].map((TMPDIR) =>
      kubeseq(['diagram', CAPTURE, '--follow', 'pod/nginx'], { env: { TMPDIR } }),
    );
    expect(readdirSync(folder)).toEqual([]);
    expect([there.status, nowhere.status, nowhere.stdout]).toEqual([0, 0, there.stdout]);
    expect(there.stderr).not.toContain('TMPDIR');
    expect(nowhere.stderr).toMatch(/all messages stay in memory.*TMPDIR names another directory.*no such file/);
  });
});

/** Without heads and bodies. */
function linesOf(ndjson: string): unknown[] {
  return ndjson
    .trim()
    .split('\n')
    .map((line) => {
      const { headers: _, body: __, ...rest } = JSON.parse(line) as Record<string, unknown>;
      return rest;
    });
}
