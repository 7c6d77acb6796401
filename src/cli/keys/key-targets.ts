// Resolves --pid, --binary and --component to programs, and to the probe's position in each executable.

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
import { CliError, describeError } from '../cli-error.js';
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
  /** Position of the probe for open connections, or why there is none, as a sentence without a subject. */
  readonly records: RecordProbes | string;
  readonly isStripped: boolean;
  /** Name for the user: that of the component, or the path. */
  readonly name: string;
  /** Name of the component or of the executable. */
  readonly program: string;
}

/** Explicitly named programs. Throws CliError if one of them has no such function. */
export function namedTargets(options: TargetOptions): KeyTarget[] {
  const files = (options.binary ?? []).map((file) => ({ file, name: file, program: basename(file) }));
  for (const pid of options.pid ?? []) {
    try {
      const program = basename(readlinkSync(`/proc/${pid}/exe`).replace(/ \(deleted\)$/, ''));
      files.push({ file: executableOf(pid), name: `process ${pid}`, program });
    } catch (error) {
      throw new CliError(
        `--pid ${pid}: ${PROCESS_ERRORS[(error as { code?: string }).code ?? ''] ?? describeError(error)}`,
      );
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
 * Running components, and why others cannot be probed.
 * @param seen identities of executables to skip; each one that is read is added, because reading is most of the work.
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
      target = `process ${process.pid} (${component}): ${describeError(error)}`;
    }
    if (typeof target === 'string' && !isAlive(process.pid)) {
      // An unreadable executable may be readable after a restart.
      seen.delete(identity);
      target = `process ${process.pid} (${component}) ended before it could be listened to`;
    }
    if (typeof target === 'string') refused.push(target);
    else targets.push(target);
  }
  return { targets, refused };
}

/** Threads of the named processes, if only processes were named and the kernel's thread ids are known; else null. */
export function threadsWanted(options: TargetOptions): number[] | null {
  const others = (options.binary ?? []).length + (options.component ?? []).length;
  if (options.pid === undefined || others > 0 || !hasKernelsNumbers()) return null;
  return options.pid.flatMap(threadsOf);
}

/** @returns the target, or a sentence with the reason why there is none. */
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
    return `${file}: ${describeError(error)}`;
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
