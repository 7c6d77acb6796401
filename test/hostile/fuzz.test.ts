// A short run of what `npm run fuzz` does for long: seeds and their mutations through every target, captures that something
// happened to. Found inputs become cases of the tests of what they broke.

import { mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { kubeseq } from '../kit/command.js';
import { fixture, fixturePath } from '../kit/fixtures.js';
import { damagedCapture } from '../kit/fuzz/captures.js';
import { mutateBytes } from '../kit/fuzz/mutate-bytes.js';
import { random } from '../kit/fuzz/random.js';
import { TARGETS } from '../kit/fuzz/targets.js';
import { checkCapture } from '../kit/fuzz/whole.js';

describe.each(TARGETS.filter(({ name }) => name !== 'capture').map((target) => [target.name, target] as const))(
  '%s',
  (_name, target) => {
    it('takes its seeds and 150 mutations of them', () => {
      const seeds = target.seeds();
      expect(seeds.length).toBeGreaterThan(0);
      const until = performance.now() + 1500;
      for (const seed of seeds.slice(0, 30)) target.fuzz(Buffer.from(seed));
      for (let run = 0; run < 150 && performance.now() < until; run++) {
        const dice = random(run);
        target.fuzz(Buffer.from(mutateBytes(dice.pick(seeds), dice, seeds)));
      }
    });
  },
);

describe('captures that something happened to', () => {
  it('each is made of its number alone', () => {
    for (const seed of [1, 7, 4711])
      expect(Buffer.from(damagedCapture(seed)).equals(Buffer.from(damagedCapture(seed)))).toBe(true);
    expect(Buffer.from(damagedCapture(1)).equals(Buffer.from(damagedCapture(2)))).toBe(false);
  });

  it('60 of them: every output, as it must be', () => {
    const capture = TARGETS.find(({ name }) => name === 'capture')!;
    for (let seed = 1; seed <= 60; seed++)
      expect(() => capture.fuzz(Buffer.from(damagedCapture(seed))), `seed ${seed}`).not.toThrow();
  });

  it.each(readdirSync(fixturePath('fuzz')))('what was found by others of them stays as it must be: %s', (name) => {
    expect(() => checkCapture(fixture(`fuzz/${name.replace('.gz', '')}`))).not.toThrow();
  });

  it.each([1, 2, 3, 4, 5, 6])('on the command line: an exit status that is documented (%d)', (seed) => {
    const file = join(mkdtempSync(join(tmpdir(), 'kubeseq-fuzz-')), 'capture');
    writeFileSync(file, damagedCapture(1000 + seed));
    for (const args of [
      ['messages', '-o', 'ndjson', '--bodies'],
      ['diagram', '--all'],
    ]) {
      const { status, stderr } = kubeseq([...args, file]);
      // 1: it is whole enough, and nothing in it could be read, which is said.
      expect(/nothing of the capture could be read/.test(stderr) ? [1] : [0, 2]).toContain(status);
      expect(stderr).not.toMatch(/^\s+at /m);
    }
  });
});
