// Finds the captures below one folder by their paths in it: nothing outside is looked at or opened, whatever a path says.

import { type Dirent, readdirSync, realpathSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import type { FileKind } from '../../index.js';
import { CliError, describeError, printError } from '../cli-error.js';
import { kindOfFile } from '../input/file-kind.js';
import { standardStreams } from '../standard-streams.js';

export class CaptureFolder {
  /** Without links. */
  readonly #root: string;

  /** Throws CliError for what is no directory. */
  constructor(path: string) {
    try {
      this.#root = realpathSync(path);
      readdirSync(this.#root);
    } catch (error) {
      throw new CliError(`--below ${path}: ${describeError(error)}`);
    }
  }

  /** Packet captures by their first bytes, as paths in the folder, in alphabetical order; none that is hidden or behind a link. */
  captures(): string[] {
    const paths = filesOfKind('capture', [this.#root], true);
    if (paths.length === 0) printError('no packet capture was found');
    return paths.map((path) => relative(this.#root, path));
  }

  /** Finds a capture, and the key logs beside it, by paths without links. Throws CliError: what is outside is as if it were not there. */
  find(name: string): { readonly path: string; readonly keyLogs: readonly string[] } {
    const path = name.split(/[/\\]/).includes('..') ? null : this.#realFile(name);
    if (path === null)
      throw new CliError(`${name}: no such file in the folder of captures; open without capture lists what is there`);
    if (kindOfFile(path) !== 'capture')
      throw new CliError(`${name} is not a packet capture (pcap or pcapng, gzipped or not)`);
    return { path, keyLogs: filesOfKind('key log', [dirname(path)], false) };
  }

  #realFile(name: string): string | null {
    try {
      const path = realpathSync(resolve(this.#root, name));
      return path.startsWith(join(this.#root, '/')) && statSync(path).isFile() ? path : null;
    } catch {
      return null;
    }
  }
}

/** In alphabetical order. @param isDeep also in the folders of these folders. Throws CliError where the command takes too long. */
function filesOfKind(kind: FileKind, folders: string[], isDeep: boolean): string[] {
  const paths: string[] = [];
  let looked = 0;
  for (const folder of folders)
    for (const entry of entriesOf(folder)) {
      if (++looked > MAX_LOOKED_AT) {
        printError(`only the first ${MAX_LOOKED_AT} files and folders there were looked at`);
        return paths.sort();
      }
      standardStreams().checkTime?.();
      const path = join(folder, entry.name);
      if (entry.name.startsWith('.')) continue;
      if (entry.isDirectory() && isDeep) folders.push(path);
      else if (entry.isFile() && kindOfFile(path) === kind) paths.push(path);
    }
  return paths.sort();
}

/** A folder that cannot be read has none. */
function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

/** Limit: files and folders that are looked at for captures or key logs: the first bytes of each are read. */
const MAX_LOOKED_AT = 10_000;
