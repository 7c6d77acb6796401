// Which programs a user means with --pid, --binary and --component, and where the probe goes in each. Reads executables;
// sets no probe.

import { COMPONENTS, componentOf, findGoFunction, type GoFunction, KEY_LOG_FUNCTION } from '../index.js';
import { sayWhy } from './input.js';
import { executableOf, hasKernelsNumbers, identityOf, isAlive, processes, reading, threadsOf } from './processes.js';
import { Trouble } from './trouble.js';

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
  /** Who it is, for the user: a component's name, or the path. */
  readonly name: string;
}

/** Explicitly named programs. Throws Trouble where one of them has no such function. */
export function namedTargets(options: TargetOptions): KeyTarget[] {
  const files = (options.binary ?? []).map((file) => ({ file, name: file }));
  for (const pid of options.pid ?? []) {
    try {
      files.push({ file: executableOf(pid), name: `process ${pid}` });
    } catch (error) {
      throw new Trouble(`--pid ${pid}: ${PROCESS_ERRORS[(error as { code?: string }).code ?? ''] ?? sayWhy(error)}`);
    }
  }
  return unique(
    files.map(({ file, name }) => {
      const target = targetOf(file, name);
      if (typeof target === 'string') throw new Trouble(target);
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
      target = targetOf(file, component);
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

function targetOf(file: string, name: string): KeyTarget | string {
  try {
    const found = reading(file, (read) => findGoFunction(read, KEY_LOG_FUNCTION));
    if (typeof found !== 'string') return { binary: file, identity: identityOf(file), found, name };
    return `${file} is ${found}: no TLS secrets can be had from it this way`;
  } catch (error) {
    return `${file}: ${sayWhy(error)}`;
  }
}

function unique(targets: readonly KeyTarget[]): KeyTarget[] {
  return targets.filter(({ identity }, i) => targets.findIndex((one) => one.identity === identity) === i);
}

const PROCESS_ERRORS: Readonly<Record<string, string | undefined>> = {
  ENOENT: 'no such process, or one without an executable',
  EACCES: "somebody else's process: try sudo",
  EPERM: "somebody else's process: try sudo",
};
