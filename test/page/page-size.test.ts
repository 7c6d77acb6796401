// A page is small enough to be mailed; what is packed in it is what `messages` prints.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { BODIES_BLOCK, MESSAGES_BLOCK, type MessageLine } from '../../src/render/html/html-format.js';
import { kubeseq } from '../kit/command.js';
import { fixture } from '../kit/fixtures.js';
import { packedLines, packedParts, rowsIn, unpackedPage, viewIn } from '../kit/page-data.js';

const FOLDER = mkdtempSync(join(tmpdir(), 'kubeseq-page-size-'));
afterAll(() => rmSync(FOLDER, { recursive: true }));

describe('the page of deployment-tls', () => {
  const keys = join(FOLDER, 'keys.log');
  writeFileSync(keys, fixture('deployment-tls/keys.log'));
  const captures = ['control-plane', 'node-1'].map((name) => `fixtures/deployment-tls/${name}.pcap.gz`);
  const input = [...captures, '--keylog', keys];
  const path = join(FOLDER, 'deployment.html');
  kubeseq(['diagram', '-q', ...input, '-w', path]);
  const html = readFileSync(path, 'utf8');
  const lines = kubeseq(['messages', '-q', '-o', 'ndjson', '--bodies', ...input])
    .stdout.trim()
    .split('\n')
    .map((line) => JSON.parse(line) as MessageLine & { readonly body?: unknown });
  const view = viewIn(html);

  it('has at most 1.5 MB, a fifth of its text and less', () => {
    expect(lines.length).toBeGreaterThan(4000);
    const size = Buffer.byteLength(html);
    expect(size).toBeLessThanOrEqual(1_500_000);
    expect(size / Buffer.byteLength(unpackedPage(html))).toBeLessThan(0.2);
  });

  it('has a row for every message: number, time, ends, label', () => {
    const rows = rowsIn(view);
    expect(rows.map(({ number }) => number)).toEqual(lines.map(({ seq }) => `#${seq}`));
    const zero = micros(String(lines[0]['time'])) - BigInt(rows[0].time.replace('.', ''));
    for (const [i, line] of lines.entries()) {
      const { time, ends, tag, rest } = rows[i];
      expect(zero + BigInt(time.replace('.', ''))).toBe(micros(String(line['time'])));
      const [from, to] = view.rows[i].slice(4, 6).map((one) => view.participants[one].name);
      expect(ends.startsWith(`${from} to ${to}`)).toBe(true);
      const label = String(line['label']);
      // Longer ones are shortened in their middle, ids to twelve digits.
      if (`${tag}${rest}`.includes('…')) expect(label.startsWith(`${tag}${rest}`.split('…')[0])).toBe(true);
      else expect(`${tag}${rest}`).toBe(label);
    }
  });

  it('has all fields and bodies of every message', () => {
    const bodies = packedLines(html, BODIES_BLOCK);
    const details = packedLines(html, MESSAGES_BLOCK).map((line) => JSON.parse(line) as MessageLine);
    expect(details).toHaveLength(lines.length);
    for (const [i, { bodyAt, ...fields }] of details.entries()) {
      const body = bodyAt === undefined ? {} : { body: JSON.parse(bodies[bodyAt]) as unknown };
      expect({ ...fields, ...body }).toEqual(lines[i]);
    }
  });

  it('is packed in parts, so that a browser need not inflate all of it at once', () => {
    for (const id of [MESSAGES_BLOCK, BODIES_BLOCK]) {
      const parts = packedParts(html, id);
      expect(parts.length).toBeGreaterThan(4);
      for (const part of parts.slice(0, -1)) expect(part.length).toBeLessThan(2 * 1024 * 1024);
    }
  });
});

/** µs since the epoch of a time in RFC 3339. */
function micros(time: string): bigint {
  const [second, fraction] = time.slice(0, -1).split('.');
  return BigInt(Date.parse(`${second}Z`)) * 1000n + BigInt(fraction.slice(0, 6).padEnd(6, '0'));
}
