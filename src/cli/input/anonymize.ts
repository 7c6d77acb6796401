// Learns the names of the captures for `--anonymize` before a command reads them again, asks it in the names that replace them, and
// writes the map of both.

import { randomBytes } from 'node:crypto';
import { closeSync, constants, existsSync, openSync, readFileSync, statSync, unlinkSync, writeSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { Anonymizer } from '../../index.js';
import { CliError, describeError } from '../cli-error.js';
import type { CommonOptions, LiveOptions } from '../options.js';
import { openOutputFolder } from '../output/output-folder.js';
import { Session } from './session.js';

type Options = CommonOptions & LiveOptions & { readonly update?: true };

/** Runs a command, with `--anonymize` after the names of its captures were learnt. Throws CliError. @returns the exit status. */
export async function anonymously(
  args: readonly string[],
  given: Options,
  run: () => Promise<number>,
): Promise<number> {
  const options: Options & { anonymizer?: Anonymizer } = given;
  const { anonymize, anonymizeKey, map } = options;
  if (anonymize !== true && anonymizeKey === undefined) {
    if (map !== undefined) throw new CliError('--map writes what --anonymize replaced: give both');
    return run();
  }
  const files = args.filter((arg) => !DIAGRAM.test(arg) && (existsSync(arg) || isPattern(arg)));
  refuse(args, files, options);
  const anonymizer = new Anonymizer(anonymizeKey === undefined ? randomBytes(KEY_LENGTH) : keyOf(anonymizeKey));
  const file = map === undefined ? undefined : new MapFile(map);
  try {
    const { keylog, progress } = options;
    for (const one of files)
      await new Session([one], { keylog, progress, bodies: true, quiet: true, pager: false }).eachMessage((message) =>
        anonymizer.learn(message),
      );
    options.anonymizer = anonymizer;
    const status = await run();
    file?.write(anonymizer);
    return status;
  } catch (error) {
    file?.abandon();
    throw error;
  }
}

/** Throws CliError for what would show names, or cannot be read twice. */
function refuse(args: readonly string[], files: readonly string[], options: Options): void {
  const { interface: captured, live, watch, participants, showSecrets, update } = options;
  if (captured !== undefined || live === true || watch === true || args.includes('-') || !files.every(isFile))
    throw new CliError('--anonymize reads captures twice, first for their names: write them to a file before');
  if (participants !== undefined)
    throw new CliError('--participants gives names, --anonymize replaces them: leave one out');
  if (showSecrets === true)
    throw new CliError('--anonymize hides names, --show secrets shows everything: leave one out');
  if (update === true)
    throw new CliError('--update would write the replaced names into EXPECTED: leave out --anonymize');
}

/** A regular file, a folder of them, or a pattern. */
function isFile(path: string): boolean {
  return !existsSync(path) || statSync(path).isFile() || statSync(path).isDirectory();
}

/** A pattern of file names; a query has blanks. */
function isPattern(text: string): boolean {
  return GLOB.test(text) && !/\s/.test(text);
}

function keyOf(path: string): Uint8Array {
  try {
    const key = readFileSync(path);
    if (key.length >= SHORTEST_KEY) return key;
  } catch (error) {
    throw new CliError(`--anonymize-key ${path}: ${describeError(error)}`);
  }
  throw new CliError(
    `--anonymize-key ${path}: expected ${SHORTEST_KEY} random bytes at least: head -c 32 /dev/urandom`,
  );
}

/**
 * What a user asks with, in the names that replace those of the captures: arguments that are no files, and options. Those that the
 * captures do not have stay.
 */
export function askedAnonymously<Args extends readonly unknown[], Asked>(
  args: Args,
  options: Asked & CommonOptions,
): [Args, Asked] {
  const { anonymizer } = options;
  if (anonymizer === undefined) return [args, options];
  const asked = (text: string): string => anonymizer.asked(text);
  const inQuotes = (text: string): string => text.replace(/"[^"]*"|'[^']*'/g, asked);
  const argument = (one: unknown): unknown => {
    if (Array.isArray(one)) return one.map(argument);
    if (typeof one !== 'string' || existsSync(one) || isPattern(one) || DIAGRAM.test(one)) return one;
    return /\s/.test(one) ? inQuotes(one) : asked(one);
  };
  const given = options as Readonly<Record<string, unknown>>;
  const changed = Object.fromEntries(
    ['follow', 'namespace', 'from', 'to', 'selector', 'where'].flatMap((name) => {
      const text = given[name];
      return typeof text === 'string' ? [[name, name === 'where' ? inQuotes(text) : asked(text)]] : [];
    }),
  );
  return [args.map(argument) as unknown as Args, { ...options, ...changed }];
}

/** The file of `--map`: it is new, and its owner's alone. */
class MapFile {
  readonly #path: string;
  readonly #file: number;

  constructor(path: string) {
    this.#path = path;
    const folder = openOutputFolder(dirname(resolve(path)));
    try {
      const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
      this.#file = openSync(folder.entry(basename(path)), flags, 0o600);
    } catch (error) {
      const isThere = (error as { code?: string }).code === 'EEXIST';
      throw new CliError(
        `--map ${path}: ${isThere ? 'is there already; it is not overwritten' : describeError(error)}`,
      );
    } finally {
      folder.close();
    }
  }

  /** A JSON object: what stands for a name, and the name. */
  write({ entries }: Anonymizer): void {
    const rows = [...entries].map(([name, replaced]) => `${JSON.stringify(replaced)}: ${JSON.stringify(name)}`);
    writeSync(this.#file, `{\n${rows.join(',\n')}\n}\n`);
    closeSync(this.#file);
  }

  abandon(): void {
    closeSync(this.#file);
    unlinkSync(this.#path);
  }
}

const DIAGRAM = /\.(?:mmd|md|markdown)(?:#.*)?$/i;
const GLOB = /[*?[{]/;
/** Bytes. */
const KEY_LENGTH = 32;
const SHORTEST_KEY = 16;
