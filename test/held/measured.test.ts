// What is measured is held with room for its noise: CPU time beside the yardstick, memory of the main job. It runs alone.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { CASES } from '../../scripts/bench/cases.js';
import { inYardsticks, peakOf } from '../../scripts/bench/yardsticks.js';
import { HELD } from '../kit/held.js';

const { room, messages, plain, peakMiB } = HELD.measured;
const FOLDER = mkdtempSync(join(tmpdir(), 'kubeseq-held-'));
afterAll(() => rmSync(FOLDER, { recursive: true }));

/** HTTP/1.1: what has nothing to decrypt is slowed by nothing else. */
const [CASE] = CASES;
const CPU = { folder: FOLDER, size: 12e6, rounds: 5 };

it('`kubeseq messages` takes no more CPU time', () => {
  const now = inYardsticks(CASE, { ...CPU, args: ['messages', '-o', 'ndjson', '-q'] });
  expect(now, 'yardsticks').toBeLessThanOrEqual(messages * (1 + room.cpu));
});

it('the plain command takes no more CPU time', () => {
  const now = inYardsticks(CASE, { ...CPU, args: ['diagram', '-o', 'mermaid', '-q'] });
  expect(now, 'yardsticks').toBeLessThanOrEqual(plain * (1 + room.cpu));
});

it('the plain command has no more memory resident on 200 MB', () => {
  const now = peakOf(CASE, { folder: FOLDER, size: 200e6, args: ['diagram', '-o', 'mermaid', '-q'] });
  expect(now, 'MiB').toBeLessThanOrEqual(peakMiB * (1 + room.peakMiB));
});
