// What is held (scripts/held.json), so that what was won stays won. `UPDATE=1` lowers a number that became smaller; to raise one is a commit of
// its own, whose body says what users get for it.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { ROOT } from './command.js';

interface Held {
  /** Of src/, tests not counted. */
  lines: number;
  /** What one POST and its 201 run through: scripts/count-path.js. */
  path: { files: number; functions: number };
  /** Bytes a message, by capture: scripts/held/allocation.js, on this major version of Node.js. */
  allocated: { readonly node: number; readonly room: number } & Record<string, number>;
  measured: {
    /** Shares by which a figure may be above: for noise. */
    readonly room: Readonly<Record<'cpu' | 'peakMiB' | 'testSeconds', number>>;
    /** CPU time of a command in yardsticks (scripts/bench/yardstick.js). */
    messages: number;
    plain: number;
    /** MiB that the plain command has resident at most on 200 MB. */
    peakMiB: number;
    /** Seconds of `npm test` in those of the yardstick (scripts/test.js). */
    testSeconds: number;
  };
}

const PATH = join(ROOT, 'scripts/held.json');
export const HELD = JSON.parse(readFileSync(PATH, 'utf8')) as Held;

/** Compares a number that is held exactly, or with room for noise. */
export function expectHeld<Of>(of: Of, name: keyof Of & string, now: number, room = 0): void {
  const held = of[name] as number;
  if (process.env['UPDATE'] === '1' && now < held * (1 - room)) {
    of[name] = now as Of[typeof name];
    writeFileSync(PATH, `${JSON.stringify(HELD, null, 2)}\n`);
    expect(now).toBeLessThan(held);
    return;
  }
  const more = `${name}: ${now}, and ${held} is held (scripts/held.json). To raise it is a commit of its own that says what users get for it.`;
  expect(now, more).toBeLessThanOrEqual(held * (1 + room));
  const less = `${name}: ${now}, less than the ${held} that is held: UPDATE=1 npx vitest run test/held lowers it`;
  expect(now, less).toBeGreaterThanOrEqual(held * (1 - room));
}
