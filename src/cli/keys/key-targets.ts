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
import { OpenedProgram } from './opened-program.js';
import { executableOf, foreignUserOf, hasKernelsNumbers, isAlive, processes, threadsOf } from './processes.js';

export interface TargetOptions {
  readonly pid?: readonly number[];
  readonly binary?: readonly string[];
  readonly component?: readonly string[];
}

export interface KeyTarget {
  /** Path for the user, that holds in this namespace. */
  readonly binary: string;
  /** What everything goes by; whoever has the target closes it. */
  readonly opened: OpenedProgram;
  readonly found: GoFunction;
  /** Position of the probe for open connections, or why there is none, as a sentence without a subject. */
  readonly records: RecordProbes | string;
  readonly isStripped: boolean;
  /** Name for the user: that of the component, or the path. */
  readonly name: string;
  /** Name of the component or of the executable. */
  readonly program: string;
}

/** Explicitly named programs, whosever they are. Throws CliError if one of them has no such function. */
export function namedTargets(options: TargetOptions): KeyTarget[] {
  const targets: KeyTarget[] = [];
  const add = (named: string, open: () => OpenedExecutable, name?: string): void => {
    let opened: OpenedProgram;
    let file: string;
    let program: string;
    try {
      [opened, file, program] = open();
    } catch (error) {
      const why = name === undefined ? undefined : PROCESS_ERRORS[(error as { code?: string }).code ?? ''];
      throw new CliError(`${named}: ${why ?? describeError(error)}`);
    }
    const target = targetOf(opened, file, name ?? file, program);
    if (typeof target === 'string') throw new CliError(target);
    if (targets.some((one) => one.opened.identity === opened.identity)) opened.close();
    else targets.push(target);
  };
  for (const file of options.binary ?? []) add(file, () => [new OpenedProgram(file), file, basename(file)]);
  for (const pid of options.pid ?? []) add(`--pid ${pid}`, () => openProcess(pid), `process ${pid}`);
  return targets;
}

/**
 * Running components of root, of this user and of who ran sudo, and why others are not probed: what other users run may have
 * any name, and is read only if it is named by its process or file.
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
    const foreign = foreignUserOf(process.pid);
    if (foreign !== null) {
      const why = leftOut(component, foreign);
      if (!refused.includes(why)) refused.push(why);
      continue;
    }
    let target: KeyTarget | string;
    let identity = '';
    try {
      const [opened, file] = openProcess(process.pid);
      identity = opened.identity;
      if (seen.has(identity)) {
        opened.close();
        continue;
      }
      seen.add(identity);
      target = targetOf(opened, file, component, component);
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

/** An executable, the path by which the user finds it, and its name. */
type OpenedExecutable = readonly [OpenedProgram, string, string];

/** Opens what a process runs. Throws the system's error. */
export function openProcess(pid: number): OpenedExecutable {
  const running = `/proc/${pid}/exe`;
  const opened = new OpenedProgram(running);
  return [opened, executableOf(pid, opened.identity), basename(readlinkSync(running).replace(/ \(deleted\)$/, ''))];
}

/** Threads of the named processes, if only processes were named and the kernel's thread ids are known; else null. */
export function threadsWanted(options: TargetOptions): number[] | null {
  const others = (options.binary ?? []).length + (options.component ?? []).length;
  if (options.pid === undefined || others > 0 || !hasKernelsNumbers()) return null;
  return options.pid.flatMap(threadsOf);
}

/** @param opened is closed where there is no target. @returns the target, or a sentence with the reason why there is none. */
export function targetOf(opened: OpenedProgram, file: string, name: string, ofProgram: string): KeyTarget | string {
  try {
    const target = opened.read((read): KeyTarget | string => {
      const program = openGoProgram(read);
      const found = typeof program === 'string' ? program : program.find(KEY_LOG_FUNCTION);
      if (typeof program === 'string' || typeof found === 'string')
        return `${file} is ${found}: no TLS secrets can be had from it this way`;
      const records = findRecordProbes(program);
      return { binary: file, opened, found, records, isStripped: program.isStripped, name, program: ofProgram };
    });
    if (typeof target === 'string') opened.close();
    return target;
  } catch (error) {
    opened.close();
    return `${file}: ${describeError(error)}`;
  }
}

/** Without the number of a process: who starts many of them makes one line. */
function leftOut(component: string, uid: number): string {
  return `${component} of another user (uid ${uid}) is left out: a program of any kind may have that name; kubeseq keys --pid PID reads it`;
}

/** What can be read without components. */
export const COMMAND_READ =
  'of a command itself record --keys reads what Go programs and those that know SSLKEYLOGFILE (curl, Python) say; a Java client needs an agent that writes a key log, such as extract-tls-secrets, and --keylog FILE';
const PROCESS_ERRORS: Readonly<Record<string, string | undefined>> = {
  ENOENT: 'no such process, or one without an executable',
  EACCES: "another user's process: try sudo",
  EPERM: "another user's process: try sudo",
};
