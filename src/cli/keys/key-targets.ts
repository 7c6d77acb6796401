// Which programs a user means with --pid, --binary and --component, and where the probe goes in each. Reads executables;
// sets no probe.

import { readlinkSync } from 'node:fs';
import { basename } from 'node:path';
import {
  COMPONENTS,
  componentOf,
  findRecordProbes,
  type GoFunction,
  KEY_LOG_FUNCTION,
  openGoProgram,
  type RecordProbes,
} from '../../index.js';
import { CliError } from '../cli-error.js';
import { sayWhy } from '../input/input.js';
import { executableOf, hasKernelsNumbers, identityOf, isAlive, processes, reading, threadsOf } from './processes.js';

export interface TargetOptions {
  readonly pid?: readonly number[];
  readonly binary?: readonly string[];
  readonly component?: readonly string[];
}

export interface KeyTarget {
  /** Path that holds in this namespace. */
  readonly binary: string;
  readonly identity: string;
  readonly found: GoFunction;
  /** Where connections are heard that are open already; a sentence without subject: why they are not. */
  readonly records: RecordProbes | string;
  readonly isStripped: boolean;
  /** Who it is, for the user: a component's name, or the path. */
  readonly name: string;
  /** Name of the component or of the executable. */
  readonly program: string;
}

/** Explicitly named programs. Throws Trouble where one of them has no such function. */
export function namedTargets(options: TargetOptions): KeyTarget[] {
  const files = (options.binary ?? []).map((file) => ({ file, name: file, program: basename(file) }));
  for (const pid of options.pid ?? []) {
    try {
      const program = basename(readlinkSync(`/proc/${pid}/exe`).replace(/ \(deleted\)$/, ''));
      files.push({ file: executableOf(pid), name: `process ${pid}`, program });
    } catch (error) {
      throw new CliError(`--pid ${pid}: ${PROCESS_ERRORS[(error as { code?: string }).code ?? ''] ?? sayWhy(error)}`);
    }
  }
  return unique(
    files.map(({ file, name, program }) => {
      const target = targetOf(file, name, program);
      if (typeof target === 'string') throw new CliError(target);
      return target;
    }),
  );
}

/**
 * Components that run now, and why others of them can not be listened to.
 * @param seen identities of executables that are passed over; each that is read is added, as reading is most of the work.
 */
export function runningTargets(
  options: TargetOptions,
  seen: Set<string> = new Set(),
): { readonly targets: KeyTarget[]; readonly refused: string[] } {
  const targets: KeyTarget[] = [];
  const refused: string[] = [];
  const wanted = options.component ?? COMPONENTS;
  for (const process of processes()) {
    const component = componentOf(process, wanted);
    if (component === null) continue;
    let target: KeyTarget | string;
    let identity = '';
    try {
      const file = executableOf(process.pid);
      identity = identityOf(file);
      if (seen.has(identity)) continue;
      seen.add(identity);
      target = targetOf(file, component, component);
    } catch (error) {
      target = `process ${process.pid} (${component}): ${sayWhy(error)}`;
    }
    if (typeof target === 'string' && !isAlive(process.pid)) {
      // What could not be read now may be there when it starts again.
      seen.delete(identity);
      target = `process ${process.pid} (${component}) ended before it could be listened to`;
    }
    if (typeof target === 'string') refused.push(target);
    else targets.push(target);
  }
  return { targets, refused };
}

/** Threads of the processes that were named, where they are all that was named and can be told apart; else null. */
export function threadsWanted(options: TargetOptions): number[] | null {
  const others = (options.binary ?? []).length + (options.component ?? []).length;
  if (options.pid === undefined || others > 0 || !hasKernelsNumbers()) return null;
  return options.pid.flatMap(threadsOf);
}

/** @returns or a sentence that says why the program has no such function. */
export function targetOf(file: string, name: string, ofProgram: string): KeyTarget | string {
  try {
    return reading(file, (read) => {
      const program = openGoProgram(read);
      const found = typeof program === 'string' ? program : program.find(KEY_LOG_FUNCTION);
      if (typeof program === 'string' || typeof found === 'string')
        return `${file} is ${found}: no TLS secrets can be had from it this way`;
      return {
        binary: file,
        identity: identityOf(file),
        found,
        records: findRecordProbes(program),
        isStripped: program.isStripped,
        name,
        program: ofProgram,
      };
    });
  } catch (error) {
    return `${file}: ${sayWhy(error)}`;
  }
}

function unique(targets: readonly KeyTarget[]): KeyTarget[] {
  return targets.filter(({ identity }, i) => targets.findIndex((one) => one.identity === identity) === i);
}

const PROCESS_ERRORS: Readonly<Record<string, string | undefined>> = {
  ENOENT: 'no such process, or one without an executable',
  EACCES: "another user's process: try sudo",
  EPERM: "another user's process: try sudo",
};
