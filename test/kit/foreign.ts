// The one place that looks for data which others test with. It is used where it is present and never copied.
import { existsSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../../shared/', import.meta.url));
const FAULTS = `${ROOT}captures/faults/`;

/** Folder of foreign data, or null where this machine has none: then the test is skipped and says so. */
export function foreign(folder: string): string | null {
  const path = `${ROOT}foreign/${folder}`;
  return existsSync(path) ? path : null;
}

/** Folder of a recording that is too large for a fixture, or null where this machine has none. */
export function recording(name: string): string | null {
  const path = `${ROOT}captures/${name}`;
  return existsSync(path) ? path : null;
}

/** Names of the recordings of faults on a real cluster, each a folder with its truth; none where this machine has none. */
export function recordedFaults(): readonly string[] {
  return existsSync(FAULTS) ? readdirSync(FAULTS).filter((name) => existsSync(`${FAULTS}${name}/truth.json`)) : [];
}

/** A file of one of them. */
export function faultFile(name: string, file: string): string {
  return `${FAULTS}${name}/${file}`;
}
