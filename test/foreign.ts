// The one place that looks for data which others test with. It is used where it is present and never copied.
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../shared/foreign/', import.meta.url));

/** Folder of foreign data, or null where this machine has none: then the test is skipped and says so. */
export function foreign(folder: string): string | null {
  const path = `${ROOT}${folder}`;
  return existsSync(path) ? path : null;
}
