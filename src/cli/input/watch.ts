// Follows rings of capture files while they are written, as `tail -F` does, and merges their frames by time.

import { statSync } from 'node:fs';
import { notice, type PipelineInput } from '../../index.js';
import { CliError } from '../cli-error.js';
import { isPattern, matchesOf } from './glob.js';
import { filesIn } from './inputs.js';
import { Ring } from './ring.js';
import { compareNames, ringOf } from './ring-names.js';

export interface Watching {
  /** Directories and patterns. */
  readonly names: readonly string[];
  /** Called after each read. */
  came(): void;
  /** A file is begun. @returns its number as a capture. */
  begin(file: string): number;
  isStopped(): boolean;
  /** Resolves after this many ms, or on stop. */
  pause(ms: number): Promise<void>;
}

/** The directories and patterns to follow. Throws CliError for a single file. */
export function watchedNames(names: readonly string[]): readonly string[] {
  for (const name of names) {
    if (isPattern(name) || statSync(name, { throwIfNoEntry: false })?.isDirectory() === true) continue;
    throw new CliError(`--watch ${name}: expected a directory or a pattern in quotes, like 'ring/*.pcap'`);
  }
  return names;
}

/** Emits frames as they are written, until stop; several rings are merged by time. */
export async function* watch(watching: Watching): AsyncGenerator<readonly PipelineInput[]> {
  const rings = new Map<string, Ring>();
  let isSaid = false;
  try {
    while (!watching.isStopped()) {
      await look(watching, rings);
      if (rings.size > 1 && !isSaid) {
        isSaid = true;
        yield [notice('capture.clock-live', 'rings are followed as they are written')];
      }
      let moved = false;
      for (let going = true; going && !watching.isStopped(); ) {
        going = false;
        // Each round reads a chunk of every ring, so that their packets have about the same time.
        const round: PipelineInput[][] = [];
        for (const ring of rings.values()) {
          const items = await ring.next();
          if (items === null) continue;
          going = true;
          if (items.length > 0) round.push(items);
        }
        if (round.length > 0) {
          watching.came();
          moved = true;
          yield round.length === 1 ? round[0] : inOrder(round);
        }
      }
      if (!moved) await watching.pause(POLL_MS);
    }
    for (const ring of rings.values()) yield ring.end();
  } finally {
    for (const ring of rings.values()) await ring.close();
  }
}

/** Finds new and rewritten files. */
async function look({ names, begin }: Watching, rings: Map<string, Ring>): Promise<void> {
  const files = (await Promise.all(names.map((name) => (isPattern(name) ? matchesOf(name) : filesIn(name))))).flat();
  const here = new Set(files);
  for (const file of files.sort(compareNames)) {
    // Until gzip (-z) is done, its input file exists too.
    if (file.endsWith('.gz') && here.has(file.slice(0, -3))) continue;
    const key = ringOf(file) ?? file;
    let ring = rings.get(key);
    if (ring === undefined) {
      if (rings.size === MAX_RINGS) throw new CliError(`--watch: ${TOO_MANY}`);
      ring = new Ring(begin);
      rings.set(key, ring);
    }
    await ring.see(file);
  }
  for (const ring of rings.values()) ring.sawAll();
}

/** Merges lists of frames by time; items without a time stay in front of the next frame. */
function inOrder(lists: readonly (readonly PipelineInput[])[]): PipelineInput[] {
  const out: PipelineInput[] = [];
  const at = lists.map(() => 0);
  const timeAt = (i: number): bigint => {
    const item = lists[i][at[i]];
    return item.kind === 'frame' ? item.origin.time : -1n;
  };
  for (;;) {
    let earliest = -1;
    for (let i = 0; i < lists.length; i++)
      if (at[i] < lists[i].length && (earliest < 0 || timeAt(i) < timeAt(earliest))) earliest = i;
    if (earliest < 0) return out;
    out.push(lists[earliest][at[earliest]]);
    at[earliest] += 1;
  }
}

/** Limit: captures that `--watch` follows at once, each with a chunk in memory; more are an error. */
const MAX_RINGS = 1024;
const TOO_MANY = `the files are more than ${MAX_RINGS} captures by their names; name fewer with a pattern in quotes, like 'ring/*.pcap'`;
/** ms between two reads of an idle ring. */
const POLL_MS = 100;
