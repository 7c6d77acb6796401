// Finds the captures below one folder by their paths in it: nothing outside is looked at or opened, whatever a path says.

import { type Dirent, opendirSync, realpathSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import type { FileKind } from '../../index.js';
import { CliError, describeError } from '../cli-error.js';
import { kindOfFile } from '../input/file-kind.js';
import { standardStreams } from '../standard-streams.js';

/** Files of one kind. */
export interface FoundFiles {
  readonly paths: readonly string[];
  /** There may be more. */
  readonly isCut: boolean;
}

export class CaptureFolder {
  /** Without links. */
  readonly #root: string;

  /** Throws CliError for what is no directory. */
  constructor(path: string) {
    try {
      this.#root = realpathSync(path);
      opendirSync(this.#root).closeSync();
    } catch (error) {
      throw new CliError(`--below ${path}: ${describeError(error)}`);
    }
  }

  /** Packet captures by their first bytes, as paths in the folder, in alphabetical order; none that is hidden or behind a link. */
  captures(): FoundFiles {
    const { paths, isCut } = filesOfKind('capture', [this.#root], true);
    return { paths: paths.map((path) => relative(this.#root, path)).sort(), isCut };
  }

  /**
   * Finds a capture, and the key logs beside it. What is outside the folder is as if it were not there.
   *
   * @param name its path in the folder. Throws CliError for what is no packet capture there.
   * @returns real paths: no part of them was a link.
   */
  find(name: string): { readonly path: string; readonly keyLogs: FoundFiles } {
    const path = this.#realPath(name);
    if (path === null || statSync(path, { throwIfNoEntry: false })?.isFile() !== true)
      throw new CliError(`${name}: no such file in the folder of captures; open without capture lists what is there`);
    if (kindOfFile(path) !== 'capture')
      throw new CliError(`${name} is not a packet capture (pcap or pcapng, gzipped or not)`);
    return { path, keyLogs: filesOfKind('key log', [dirname(path)], false) };
  }

  /** null: it is not there, or outside. */
  #realPath(name: string): string | null {
    if (name.split(/[/\\]/).includes('..')) return null;
    try {
      const path = realpathSync(resolve(this.#root, name));
      return path.startsWith(join(this.#root, '/')) ? path : null;
    } catch {
      return null;
    }
  }
}

/** @param isDeep also in the folders of these folders. Throws CliError where the command takes too long. */
function filesOfKind(kind: FileKind, folders: string[], isDeep: boolean): { paths: string[]; isCut: boolean } {
  const paths: string[] = [];
  let looked = 0;
  for (const folder of folders)
    for (const entry of entriesOf(folder)) {
      looked += 1;
      if (looked > MAX_LOOKED_AT) return { paths, isCut: true };
      standardStreams().checkTime?.();
      const path = join(folder, entry.name);
      if (entry.name.startsWith('.')) continue;
      if (entry.isDirectory() && isDeep) folders.push(path);
      else if (entry.isFile() && kindOfFile(path) === kind) paths.push(path);
    }
  return { paths, isCut: false };
}

/** In the order of the file system; a folder that cannot be read has none. */
function* entriesOf(folder: string): Generator<Dirent> {
  try {
    const opened = opendirSync(folder);
    try {
      for (let entry = opened.readSync(); entry !== null; entry = opened.readSync()) yield entry;
    } finally {
      opened.closeSync();
    }
  } catch {
    // The next one.
  }
}

/** Limit: files and folders that are looked at for captures or key logs: the first bytes of each are read. */
const MAX_LOOKED_AT = 10_000;
export const LOOKED_AT_ENOUGH = `only the first ${MAX_LOOKED_AT} files and folders there were looked at`;
