// The fixtures that have captures, their captures and key logs; what is read in them: whole-fixtures.ts.

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './command.js';
import { fixture } from './fixtures.js';

/** The fixtures that have captures, by their directories. */
export function capturedFixtures(): string[] {
  return readdirSync(join(ROOT, 'fixtures'), { withFileTypes: true })
    .filter((one) => one.isDirectory() && filesIn(one.name, CAPTURE).length > 0)
    .map(({ name }) => name);
}

/** Captures of a fixture, in their order. */
export function fixtureCaptures(name: string): Uint8Array[] {
  return filesIn(name, CAPTURE).map((one) => fixture(one));
}

/** Texts of its key logs. */
export function fixtureKeyLogs(name: string): string[] {
  return filesIn(name, KEY_LOG).map((one) => new TextDecoder().decode(fixture(one)));
}

/** Without `.gz`. */
function filesIn(name: string, pattern: RegExp): string[] {
  return readdirSync(join(ROOT, 'fixtures', name))
    .filter((file) => pattern.test(file))
    .map((file) => `${name}/${file.slice(0, -3)}`)
    .sort();
}

const CAPTURE = /\.pcap(?:ng)?\.gz$/;
const KEY_LOG = /keys.*\.log\.gz$/;
