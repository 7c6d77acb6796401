// Reads the project's own fixtures, gzipped or not.
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';

const ROOT = fileURLToPath(new URL('../../fixtures/', import.meta.url));

/** Path of a fixture as it lies there, e.g. `fixturePath('run-nginx-http1/capture.pcap.gz')`. */
export function fixturePath(name: string): string {
  return `${ROOT}${name}`;
}

/** Bytes of a fixture, e.g. `fixture('run-nginx-http1/capture.pcap')`: the plain file, else its `.gz`. */
export function fixture(name: string): Uint8Array {
  const plain = fixturePath(name);
  return existsSync(plain) ? readFileSync(plain) : gunzipSync(readFileSync(`${plain}.gz`));
}

/** Is there a fixture of this name, plain or gzipped? */
export function exists(name: string): boolean {
  return existsSync(fixturePath(name)) || existsSync(`${fixturePath(name)}.gz`);
}

/** A fixture of one JSON object a line. */
export function fixtureLines<T = Record<string, unknown>>(name: string): T[] {
  return Buffer.from(fixture(name))
    .toString('utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as T);
}
