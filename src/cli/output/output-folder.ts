// Opens the folder of an output file step by step, so that what was checked is what is written into, whatever its path leads to later.

import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readlinkSync,
  rmSync,
  type Stats,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, isAbsolute, join, parse, resolve } from 'node:path';
import { CliError } from '../cli-error.js';
import { foreignFolder, foreignLink } from '../files/file-access.js';

/** A folder that stays open until its owner closes it. */
export class OutputFolder {
  readonly #file: number | null;
  readonly #path: string;

  /** @param file descriptor of it; null where the system has no paths through descriptors: its own path then counts. */
  constructor(path: string, file: number | null) {
    this.#path = path;
    this.#file = file;
  }

  /** The path of something in this very folder, as this process may use it, or one that has its descriptor as `descriptor`. */
  entry(name: string, descriptor = this.#file): string {
    return this.#file === null ? join(this.#path, name) : `/proc/self/fd/${descriptor}/${name}`;
  }

  /** For programs that write into it; null: they get its path. */
  get descriptor(): number | null {
    return this.#file;
  }

  /** The same folder's path for the user. */
  get path(): string {
    return this.#path;
  }

  stats(): Stats {
    return this.#file === null ? lstatSync(this.#path) : fstatSync(this.#file);
  }

  close(): void {
    if (this.#file !== null) closeSync(this.#file);
  }
}

/** The file that a path names, in its opened folder. */
export interface OutputPlace {
  readonly folder: OutputFolder;
  readonly name: string;
  /** What is there; never a link but one that leads nowhere. */
  readonly found: Stats | undefined;
}

/**
 * Follows a path from the root, folder by folder. Root goes through no folder that other users own or may write, and follows no
 * link of theirs: where everybody may write, as in /tmp, entries of root alone. The caller closes the folder.
 *
 * Throws CliError with what to do, or the system's error.
 */
export function outputPlace(path: string): OutputPlace {
  const absolute = resolve(path);
  const { root } = parse(absolute);
  // Of its parts none is `..`: those of links are taken as the system takes them.
  const left = absolute
    .slice(root.length)
    .split(/[\\/]/)
    .filter((part) => part !== '');
  const opened: OutputFolder[] = [openFolder(root, root)];
  let links = 0;
  try {
    check(opened[0]);
    for (;;) {
      const folder = opened[opened.length - 1];
      const name = left.shift() ?? '.';
      if (name === '..') {
        if (opened.length > 1) opened.pop()!.close();
        continue;
      }
      const found = lstatSync(folder.entry(name), { throwIfNoEntry: false });
      if (found?.isSymbolicLink() === true) {
        const target = readlinkSync(folder.entry(name));
        const isLast = left.length === 0;
        const foreign = foreignLink(found);
        if (foreign !== null) throw new CliError(`${isLast ? '' : `${join(folder.path, name)} `}${foreign}`);
        if (isLast && !existsSync(folder.entry(name))) return place(opened, name, found);
        links += 1;
        if (links > LINKS_LIMIT) throw new CliError('has too many links');
        if (isAbsolute(target)) for (const one of opened.splice(1)) one.close();
        left.unshift(...target.split(/[\\/]/).filter((part) => part !== '' && part !== '.'));
        continue;
      }
      if (left.length === 0) return place(opened, name, found);
      const next = openFolder(folder.entry(name), join(folder.path, name));
      opened.push(next);
      check(next);
    }
  } catch (error) {
    for (const one of opened) one.close();
    throw error;
  }
}

function place(opened: readonly OutputFolder[], name: string, found: Stats | undefined): OutputPlace {
  for (const one of opened.slice(0, -1)) one.close();
  return { folder: opened[opened.length - 1], name, found };
}

function openFolder(path: string, shown: string): OutputFolder {
  if (!HAS_DESCRIPTOR_PATHS) return new OutputFolder(shown, null);
  return new OutputFolder(shown, openSync(path, O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW));
}

function check(folder: OutputFolder): void {
  const foreign = foreignFolder(folder.stats());
  if (foreign !== null) throw new CliError(`${folder.path} ${foreign}`);
}

/** Opens a folder, which has to be there, as root may write into it. Throws as `outputPlace`. */
export function openOutputFolder(path: string): OutputFolder {
  const { folder } = outputPlace(join(resolve(path), 'x'));
  return folder;
}

/**
 * Creates a folder and its missing parents, each in its opened parent. node's `recursive` does not terminate on file systems that refuse new folders, such
 * as /proc.
 * @param made receives the created folders, the deepest first.
 */
export function makeFolders(path: string, made: string[]): void {
  if (existsSync(path)) return;
  makeFolders(dirname(path), made);
  const parent = openOutputFolder(dirname(path));
  try {
    // Whatever the umask is, others may not write into what is made here.
    mkdirSync(parent.entry(basename(path)), 0o755);
    made.unshift(path);
  } finally {
    parent.close();
  }
}

/** Creates a private folder that is removed when the process ends. */
export function privateFolder(name = 'kubeseq-'): string {
  const folder = mkdtempSync(join(tmpdir(), name));
  // One listener for all: Node.js warns of more than ten.
  if (PRIVATE_FOLDERS.push(folder) === 1)
    process.on('exit', () => {
      for (const one of PRIVATE_FOLDERS) rmSync(one, { recursive: true, force: true });
    });
  return folder;
}

const PRIVATE_FOLDERS: string[] = [];

/** include/uapi/asm-generic/fcntl.h: opens a place without reading it, which its permissions need not allow. */
const O_PATH = 0o10000000;
const HAS_DESCRIPTOR_PATHS = process.platform === 'linux' && existsSync('/proc/self/fd');
/** Limit: links of one path, as of the kernel (path_resolution(7)). */
const LINKS_LIMIT = 40;
