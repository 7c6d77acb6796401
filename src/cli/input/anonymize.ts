// Learns the names of the captures for `--anonymize` before a command reads them again, asks it in the names that replace them, and
// writes the map of both.

import { randomBytes } from 'node:crypto';
import { closeSync, constants, existsSync, openSync, readFileSync, statSync, unlinkSync, writeSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { Anonymizer, captureName } from '../../index.js';
import { CliError, describeError } from '../cli-error.js';
import type { AnonymousOptions, CommonOptions, LiveOptions } from '../options.js';
import { openOutputFolder } from '../output/output-folder.js';
import { standardStreams, withStreams } from '../standard-streams.js';
import { Session } from './session.js';

type Options = CommonOptions & LiveOptions & { readonly update?: true };

/** Makes what replaces names, as the options of a command have it. Throws CliError. @returns undefined: names stay. */
export function anonymizerOf({ anonymize, anonymizeKey, map }: AnonymousOptions): Anonymizer | undefined {
  if (anonymizeKey !== undefined) return new Anonymizer(keyOf(anonymizeKey));
  if (anonymize === true) return new Anonymizer(randomBytes(KEY_LENGTH));
  if (map !== undefined) throw new CliError('--map writes what --anonymize replaced: give both');
  return undefined;
}

/**
 * Runs a command, with `--anonymize` after the names of its captures were learnt: what its user named is replaced in options and
 * arguments, and paths of captures in what it says. Throws CliError. @returns what it returned.
 */
export async function anonymously<T>(
  args: readonly unknown[],
  options: Options,
  run: (asked: readonly unknown[]) => Promise<T>,
): Promise<T> {
  const given = options as Record<string, unknown>;
  const anonymizer = anonymizerOf(options);
  if (anonymizer === undefined) return run(args);
  const words = args.flat().filter((arg) => typeof arg === 'string');
  const files = words.filter((arg) => !DIAGRAM.test(arg) && (existsSync(arg) || isPattern(arg) || CAPTURE.test(arg)));
  refuse(words, files, options);
  const { keylog, progress, map } = options;
  const file = map === undefined ? undefined : new MapFile(map);
  const hidden = (text: string): string => files.reduce(withoutPath, text);
  try {
    for (const one of files)
      await new Session([one], { keylog, progress, bodies: true, lives: false, quiet: true, pager: false }).eachMessage(
        (message) => anonymizer.learn(message),
      );
    given['anonymizer'] = anonymizer;
    for (const name of ASKED) if (typeof given[name] === 'string') given[name] = anonymizer.asked(given[name]);
    const asked = args.map((arg) => (typeof arg === 'string' && OBJECT.test(arg) ? anonymizer.asked(arg) : arg));
    const streams = standardStreams();
    const said = { ...streams, error: (line: string) => streams.error(hidden(line)) };
    const status = await withStreams(said, () => run(asked));
    file?.write(anonymizer);
    return status;
  } catch (error) {
    file?.abandon();
    throw error instanceof CliError ? new CliError(hidden(error.message)) : error;
  }
}

/** A text in which the path of a capture, or of what is in a folder of captures, is replaced by the name that outputs have for it. */
function withoutPath(text: string, path: string, capture: number): string {
  const quoted = path.replace(/[^\w/]/g, '\\$&');
  return text.replace(new RegExp(`(?<![\\w.-])${quoted}(?:(?<=/)|(?![\\w.-]))[^\\s:,]*`, 'g'), captureName(capture));
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
    const about = statSync(path);
    if (about.isFile() && (about.mode & OF_OTHERS) !== 0) throw new CliError(`others may read it: chmod 600 ${path}`);
    if (key.length >= SHORTEST_KEY && new Set(key).size >= FEWEST_BYTES) return key;
  } catch (error) {
    throw new CliError(`--anonymize-key ${path}: ${describeError(error)}`);
  }
  throw new CliError(
    `--anonymize-key ${path}: expected ${SHORTEST_KEY} random bytes at least: head -c 32 /dev/urandom`,
  );
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
/** A capture that may be missing. */
const CAPTURE = /^\S+\.(?:pcap|pcapng|cap|ndjson|jsonl)\d*(?:\.gz)?$/i;
const GLOB = /[*?[{]/;
/** Bytes. */
const KEY_LENGTH = 32;
const SHORTEST_KEY = 16;
/** Different bytes of a key: 16 random ones have fewer once in 10^7 times. */
const FEWEST_BYTES = 9;
const OF_OTHERS = 0o077;
/** Options in which a user names objects, users and participants. */
const ASKED = ['follow', 'namespace', 'from', 'to', 'selector'];
/** `pod/web`: no file, query or filter. */
const OBJECT = /^[\w.-]+\/[\w.:-]+$/;
