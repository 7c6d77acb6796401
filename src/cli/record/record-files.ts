// The files of a recording: a folder for the user, and one of our own, for its owner only, that goes with the process.
// Knows files and their modes.

import { createWriteStream, existsSync, mkdirSync, mkdtempSync, rmdirSync, rmSync, statSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { finished } from 'node:stream/promises';
import { captureReader, pcapngDrops, pcapngHead, pcapngPacket } from '../../index.js';
import { CliError } from '../cli-error.js';
import { readCapture, sayWhy } from '../input/input.js';
import { foreignFolder } from '../trusted.js';
import { abandonFile, beginFile, finishFile, type Unfinished } from '../unfinished.js';

export interface RecordFolder {
  readonly path: string;
  /** Removes it again, where it was made for this recording and nothing is in it. */
  removeIfEmpty(): void;
}

/** Makes the folder that the user named, or one named after the time. Throws Trouble. */
export function recordFolder(path: string | undefined): RecordFolder {
  const stamp = new Date().toISOString().replace(/[-:]|\.\d+/g, '');
  const folder = path ?? `kubeseq-${stamp}`;
  const made: string[] = [];
  const removeIfEmpty = (): void => {
    try {
      for (const one of made) rmdirSync(one);
    } catch {
      // Something is in it.
    }
  };
  try {
    const foreign = foreignFolder(folder);
    if (foreign !== null) throw new CliError(`-w ${folder}: ${foreign}`);
    makeFolders(resolve(folder), made);
    if (!statSync(folder).isDirectory()) throw new CliError(`-w ${folder}: ${FILE_THERE}`);
  } catch (error) {
    removeIfEmpty();
    if (error instanceof CliError) throw error;
    const code = (error as { code?: string }).code;
    const isFile = code === 'EEXIST' || code === 'ENOTDIR';
    const why = isFile ? FILE_THERE : code === 'ENOENT' ? NO_FOLDERS : sayWhy(error);
    throw new CliError(`-w ${folder}: ${why}`);
  }
  return { path: folder, removeIfEmpty };
}

/**
 * Makes a folder and those above it that are not there. node's own `recursive` never ends where a file system knows a folder and
 * takes none into it, as /proc does.
 * @param made gets those that were made, the deepest first.
 */
function makeFolders(path: string, made: string[]): void {
  if (existsSync(path)) return;
  makeFolders(dirname(path), made);
  mkdirSync(path);
  made.unshift(path);
}

/** A folder for what nobody else may read: it is removed when the process ends, however it does that by itself. */
export function privateFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'kubeseq-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/**
 * Writes what tcpdump wrote as pcapng.
 *
 * @param keyLog secrets that go into it; absent: none.
 * @param dropped packets that tcpdump lost.
 */
export async function writePcapng(from: string, to: string, dropped: number, keyLog?: string): Promise<void> {
  const temporary = begun(to);
  const out = createWriteStream(temporary.path, { fd: temporary.file });
  const failed = finished(out);
  failed.catch(() => {});
  let last = 0n;
  let hasHead = false;
  const begin = (linkType: number): void => {
    if (!hasHead) out.write(pcapngHead(linkType, { keyLog }));
    hasHead = true;
  };
  try {
    const reader = captureReader({ capture: 0 });
    const take = (items: ReturnType<typeof reader.feed>): void => {
      for (const item of items) {
        if (item.kind === 'capture-report') begin(item.linkTypes[0] ?? ETHERNET);
        if (item.kind !== 'frame') continue;
        begin(item.linkType);
        last = item.origin.time;
        out.write(pcapngPacket(item));
      }
    };
    for await (const chunk of readCapture(from)) {
      take(reader.feed(chunk));
      if (out.writableNeedDrain) await Promise.race([new Promise<void>((go) => out.once('drain', () => go())), failed]);
    }
    take(reader.end());
    out.end(pcapngDrops(last, dropped));
    await failed;
    await rename(temporary.path, to);
    finishFile(temporary);
  } catch (error) {
    out.destroy();
    abandonFile(temporary);
    throw error instanceof CliError ? error : new CliError(`${to}: ${sayWhy(error)}`);
  }
}

/** Begins a file that only its owner can read. Throws Trouble. */
export function begun(path: string): Unfinished {
  try {
    return beginFile(path, OWNER_ONLY);
  } catch (error) {
    throw new CliError(`${path}: ${sayWhy(error)}`);
  }
}

const OWNER_ONLY = 0o600;
const FILE_THERE = 'is a file; record writes several, into a folder';
const NO_FOLDERS = 'no folder can be made there; name another place';
/** LINKTYPE_ETHERNET, for a capture without packets. */
const ETHERNET = 1;
