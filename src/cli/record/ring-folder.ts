// Opens the folder of a ring, which has to be its owner's alone: tcpdump writes over whatever has the names of its files.

import { chmodSync, lstatSync, readdirSync, type Stats } from 'node:fs';
import { CliError } from '../cli-error.js';
import { RING_NAME } from '../input/ring-names.js';
import type { OutputFolder } from '../output/output-folder.js';
import { recordFolder } from './record-files.js';

/** Makes the folder, or takes one that is there. @returns it opened, with mode 0700. Throws CliError. */
export function ringFolder(path: string): OutputFolder {
  const { opened: folder } = recordFolder(path, '--ring');
  const uidOf = (name: string): number => lstatSync(folder.entry(name), { throwIfNoEntry: false })?.uid ?? -1;
  const inside = readdirSync(folder.entry('.')).map((name) => ({ name, uid: uidOf(name) }));
  const why = unfitFolder(folder.stats(), inside, process.geteuid?.() ?? 0);
  if (why !== null)
    throw new CliError(`--ring ${path}: ${why}; name a folder that is not there yet, and kubeseq makes it`);
  chmodSync(folder.entry('.'), OWNER_ONLY);
  return folder;
}

/**
 * @param folder one that is there. @param inside what is in it. @param own number of the user.
 * @returns why no ring is written there; null: it is.
 */
export function unfitFolder(
  { uid, mode }: Pick<Stats, 'uid' | 'mode'>,
  inside: readonly { readonly name: string; readonly uid: number }[],
  own: number,
): string | null {
  const shown = `mode ${(mode & 0o7777).toString(8)}`;
  if (uid !== own) return `belongs to another user (uid ${uid})`;
  if ((mode & WRITTEN_BY_OTHERS) !== 0) return `others may write into it (${shown})`;
  const other = inside.find((one) => one.uid !== own || !RING_NAME.test(one.name));
  if (other !== undefined) return `there is something else in it than a ring of yours (${other.name})`;
  return inside.length > 0 && (mode & OTHERS) !== 0 ? `others may look into the ring that is there (${shown})` : null;
}

const OWNER_ONLY = 0o700;
const OTHERS = 0o077;
const WRITTEN_BY_OTHERS = 0o022;
