// `kubeseq diagram` of a long capture: drawn from a temporary file as it is from memory.

import { mkdtempSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { multiply } from '../../scripts/bench/multiply.js';
import { kubeseq } from '../kit/command.js';
import { fixture, fixturePath } from '../kit/fixtures.js';

const FOLDER = mkdtempSync(join(tmpdir(), 'kubeseq-spooled-'));
const CAPTURE = join(FOLDER, 'long.pcap');
multiply(fixture('run-nginx-http1/capture.pcap'), 22e6, CAPTURE);
describe('a capture of more messages than stay in memory', () => {
  it('is drawn the same, leaves nothing in the temporary directory, and does without one', { timeout: 60_000 }, () => {
    const follow = ['diagram', CAPTURE, '--follow', 'pod/nginx', '-o', 'json'];
    const TMPDIR = mkdtempSync(join(FOLDER, 'tmp-'));
    const spooled = kubeseq(follow, { env: { TMPDIR } });
    const without = kubeseq(follow, { env: { TMPDIR: join(TMPDIR, 'none') } });
    expect(readdirSync(TMPDIR)).toEqual([]);
    expect(spooled.stdout.length).toBeGreaterThan(1000);
    expect([spooled.status, without.status, without.stdout]).toEqual([0, 0, spooled.stdout]);
    expect(spooled.stderr).not.toContain('TMPDIR');
    expect(without.stderr).toMatch(/all messages stay in memory.*TMPDIR names another directory.*no such file/);
  });

  it('is drawn the same where a connection failed', { timeout: 60_000 }, () => {
    const captures = [CAPTURE, fixturePath('egress-tls/control-plane.pcap.gz')];
    const follow = ['diagram', ...captures, '--follow', 'pod/nginx', '-o', 'json'];
    const spooled = kubeseq(follow);
    const inMemory = kubeseq(follow, { env: { TMPDIR: join(FOLDER, 'none') } });
    // The second capture has a refused connection: the answers of its server are read when the diagram is built.
    expect(spooled.stdout.length).toBeGreaterThan(1000);
    expect([spooled.status, spooled.stdout]).toEqual([0, inMemory.stdout]);
  });

  it('is listed the same', { timeout: 60_000 }, () => {
    const [spooled, inMemory] = [[], ['--bodies']].map((more) =>
      linesOf(kubeseq(['messages', CAPTURE, '--follow', 'pod/nginx', '-o', 'ndjson', ...more]).stdout),
    );
    expect(spooled.length).toBeGreaterThan(500);
    expect(spooled).toEqual(inMemory);
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
