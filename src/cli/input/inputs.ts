// Resolves the inputs of a command to capture files in the order of their first packets.

import { readdirSync, readFileSync, statSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import {
  beginningOf,
  type CaptureBeginning,
  type CaptureBytes,
  type CaptureSource,
  counted,
  framesOf,
  type Notice,
  notice,
} from '../../index.js';
import { CliError, describeError } from '../cli-error.js';
import { isPattern, matchesOf } from './glob.js';
import { hold, readCapture } from './input.js';
import { compareNames, isRingSecrets, RING_FILE, ringOf, ringSecretsIn } from './ring-names.js';

/** A capture; its number is its index. */
export interface Input {
  readonly file: string;
  /** null: it can be read only once (standard input, a pipe, a file that grows), or it is the only one. */
  readonly beginning: CaptureBeginning | null;
}

export interface Inputs {
  readonly inputs: readonly Input[];
  readonly notices: readonly Notice[];
}

/**
 * @param names arguments of a command: files, `-`, directories, patterns. Throws CliError if there is nothing to read.
 * @param growing files are followed as they grow, so nothing is known of them beforehand.
 * @returns files of a ring are held; whoever has the inputs releases them.
 */
export async function inputsOf(names: readonly string[], growing = false): Promise<Inputs> {
  if (names.filter((name) => name === '-').length > 1) throw new CliError(STDIN_TWICE);
  const groups = await Promise.all(names.map(filesOf));
  const isOne = groups.length === 1 && groups[0] === null;
  const notices: Notice[] = [];
  const inputs: Input[] = [];
  for (const [i, files] of groups.entries()) {
    if (files === null) {
      const again = !isOne && !growing && (await canBeReadAgain(names[i]));
      inputs.push({ file: names[i], beginning: again ? await beginningOf(readCapture(names[i])) : null });
      continue;
    }
    const found: { file: string; beginning: CaptureBeginning }[] = [];
    // Sequentially, because a ring may have thousands of files.
    for (const file of files) {
      const beginning = await beginningOf(readCapture(file));
      if (beginning.format !== 'unknown' && beginning.format !== 'empty') found.push({ file, beginning });
    }
    if (found.length === 0) throw new CliError(`${names[i]}: ${NOTHING_THERE}`);
    if (found.length < files.length) {
      const left = files.length - found.length;
      notices.push(notice('capture.skipped', `${left} of ${counted(files.length, 'file')}`));
    }
    for (const one of found.sort(byTime)) inputs.push(one);
  }
  return { inputs, notices };
}

/**
 * Inputs as they are read together.
 * @param read opens one to be read. @param look opens one for a look before that.
 */
export function sourcesOf(
  inputs: readonly Input[],
  read: (file: string, capture: number) => CaptureBytes,
  look: (file: string) => CaptureBytes,
): CaptureSource[] {
  return inputs.map(({ file, beginning }, capture) => ({
    beginning,
    once: file === '-' ? 'standard input' : 'what is still written or a pipe',
    clock: ringOf(file) ?? file,
    bytes: () => read(file, capture),
    look: () => look(file),
  }));
}

/** ns since the epoch: the last frame of all captures; null: there is none, or one of them can be read only once. */
export async function lastTimeOf(inputs: readonly Input[]): Promise<bigint | null> {
  // Of a ring, whose files are in the order of time, only the last.
  const files = new Map(inputs.map(({ file }) => [ringOf(file) ?? file, file]));
  let last: bigint | null = null;
  for (const file of files.values()) {
    if (!(await canBeReadAgain(file))) return null;
    for await (const batch of (await framesOf([readCapture(file)])) ?? [])
      for (const item of batch)
        if (item.kind === 'frame' && (last === null || item.origin.time > last)) last = item.origin.time;
  }
  return last;
}

/** Key logs that `record --ring` wrote beside its captures. @param names arguments of a command. */
export function ringSecretPaths(names: readonly string[]): string[] {
  const folders = names.filter((name) => statSync(name, { throwIfNoEntry: false })?.isDirectory() === true);
  return folders.flatMap((folder) => readdirSync(folder).map((name) => join(folder, name))).filter(isRingSecrets);
}

/** Their texts. Throws CliError. */
export function ringSecretsOf(names: readonly string[]): string[] {
  return ringSecretPaths(names).flatMap((path) => {
    try {
      return ringSecretsIn(path, readFileSync(path, 'latin1'));
    } catch (error) {
      // While a ring is read, its oldest file goes.
      if ((error as { code?: unknown }).code === 'ENOENT') return [];
      throw new CliError(`${path}: ${describeError(error)}`);
    }
  });
}

/** null: the name is a single input. */
async function filesOf(name: string): Promise<string[] | null> {
  if (name === '-') return null;
  const found = await stat(name).catch(() => null);
  if (found?.isDirectory() === true)
    // While a ring is read, its oldest file gives its name to a new one.
    return (await filesIn(name)).filter((file) => !RING_FILE.test(basename(file)) || hold(file));
  if (found !== null || !isPattern(name)) return null;
  const files = await onlyFiles(await matchesOf(name));
  if (files.length === 0) throw new CliError(`${name}: no file matches; check the pattern`);
  return files;
}

/** Files of a directory without subfolders, hidden files, and files that kubeseq is writing. */
export async function filesIn(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch((error: unknown) => {
    throw new CliError(`${folder}: ${describeError(error)}`);
  });
  const shown = names.filter((name) => !name.startsWith('.') && !name.endsWith('.part'));
  return onlyFiles(shown.filter((name) => !isRingSecrets(name)).map((name) => join(folder, name)));
}

async function onlyFiles(paths: readonly string[]): Promise<string[]> {
  const found = await Promise.all(paths.map((path) => stat(path).catch(() => null)));
  return paths.filter((_, i) => found[i]?.isFile() === true);
}

async function canBeReadAgain(file: string): Promise<boolean> {
  if (file === '-') return false;
  const found = await stat(file).catch(() => null);
  // A missing file is reported when it is opened.
  return found === null || !(found.isFIFO() || found.isCharacterDevice() || found.isSocket());
}

/** By time, then by name. */
function byTime(
  a: { file: string; beginning: CaptureBeginning },
  b: { file: string; beginning: CaptureBeginning },
): number {
  const [x, y] = [a.beginning.first, b.beginning.first];
  if (x !== y && x !== null && y !== null) return x < y ? -1 : 1;
  return compareNames(a.file, b.file);
}

const NOTHING_THERE = 'no capture (pcap or pcapng, gzipped or not), no audit log and no saved messages in it';
/** Standard input can be read only once. */
export const STDIN_TWICE = 'standard input (-) is named twice, and can be read only once; name a file for the other';
