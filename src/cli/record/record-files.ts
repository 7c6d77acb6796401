// Creates the files of a recording: the folder that the user names, and what is in it.

import { createWriteStream, rmdirSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { finished } from 'node:stream/promises';
import { captureReader, pcapngDrops, pcapngHead, pcapngPacket } from '../../index.js';
import { CliError, describeError } from '../cli-error.js';
import { readCapture } from '../input/input.js';
import { makeFolders, type OutputFolder, openOutputFolder } from '../output/output-folder.js';
import { abandonFile, beginFile, finishFile, type Unfinished } from '../output/unfinished-file.js';

export interface RecordFolder {
  readonly path: string;
  /** The folder itself, whatever its path leads to later; open as long as the process. */
  readonly opened: OutputFolder;
  /** Removes the folder if this recording created it and it is empty. */
  removeIfEmpty(): void;
}

/** Creates the user's folder, or one named by the time. @param option that named it. Throws CliError. */
export function recordFolder(path: string | undefined, option = '-w'): RecordFolder {
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
    makeFolders(resolve(folder), made);
    return { path: folder, opened: openOutputFolder(folder), removeIfEmpty };
  } catch (error) {
    removeIfEmpty();
    // Not twice the same path.
    if (error instanceof CliError)
      throw new CliError(`${option} ${folder}: ${error.message.replace(`${resolve(folder)} `, '')}`);
    const code = (error as { code?: string }).code;
    const isFile = code === 'EEXIST' || code === 'ENOTDIR';
    const why = isFile ? FILE_THERE : code === 'ENOENT' ? NO_FOLDERS : describeError(error);
    throw new CliError(`${option} ${folder}: ${why}`);
  }
}

/**
 * Converts tcpdump's file to pcapng.
 *
 * @param keyLog secrets to embed.
 * @param dropped packets that tcpdump dropped.
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
    finishFile(temporary);
  } catch (error) {
    out.destroy();
    abandonFile(temporary);
    throw error instanceof CliError ? error : new CliError(`${to}: ${describeError(error)}`);
  }
}

/** Creates a file that only its owner can read; a link of its name is replaced, not followed. Throws CliError. */
export function begun(path: string): Unfinished {
  try {
    return beginFile({ folder: openOutputFolder(dirname(path)), name: basename(path) }, OWNER_ONLY);
  } catch (error) {
    throw new CliError(`${path}: ${describeError(error)}`);
  }
}

const OWNER_ONLY = 0o600;
const FILE_THERE = 'is a file; record writes several, into a folder';
const NO_FOLDERS = 'no folder can be made there; name another place';
/** LINKTYPE_ETHERNET, for a capture without packets. */
const ETHERNET = 1;
