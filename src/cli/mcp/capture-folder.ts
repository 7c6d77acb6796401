// Finds the captures below one folder by their paths in it: nothing outside is looked at or opened, whatever a path says.

import { type Dirent, readdirSync, realpathSync, statSync } from 'node:fs';
import { dirname, isAbsolute, join, relative, resolve } from 'node:path';
import type { FileKind } from '../../index.js';
import { CliError, describeError, printError } from '../cli-error.js';
import { kindOfFile } from '../files/file-kind.js';
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

  /** The folder becomes the working directory, so that answers name what is in it by its path there. @returns the path of any file from there. */
  enter(): (path: string) => string {
    const before = process.cwd();
    process.chdir(this.#root);
    return (path) => relative(this.#root, resolve(before, path));
  }

  /**
   * Finds a capture, and the key logs beside it, as paths in the folder without links. Throws CliError: what is outside or hidden is as if
   * it were not there.
   */
  find(name: string): { readonly path: string; readonly keyLogs: readonly string[] } {
    const path = isAbsolute(name) || HIDDEN.test(name) ? null : this.#realFile(name);
    if (path === null)
      throw new CliError(`${name}: no such file in the folder of captures; open without capture lists what is there`);
    if (kindOfFile(path) !== 'capture')
      throw new CliError(`${name} is not a packet capture (pcap or pcapng, gzipped or not)`);
    const keyLogs = filesOfKind('key log', [dirname(path)], false);
    return { path: relative(this.#root, path), keyLogs: keyLogs.map((one) => relative(this.#root, one)) };
  }

  #realFile(name: string): string | null {
    try {
      const path = realpathSync(resolve(this.#root, name));
      const inside = path.startsWith(join(this.#root, '/')) && !HIDDEN.test(relative(this.#root, path));
      return inside && statSync(path).isFile() ? path : null;
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

/** A part of a path that begins with a dot, `..` too; `.` is the folder itself. */
const HIDDEN = /(?:^|[/\\])\.[^/\\]/;
/** Limit: files and folders that are looked at for captures or key logs: the first bytes of each are read. */
const MAX_LOOKED_AT = 10_000;
