// Collects facts about this host for `kubeseq doctor`: kernel, permissions, tracefs, tcpdump, and running components.
// It changes nothing.

import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { arch, release } from 'node:os';
import { componentOf, connectionName } from '../../index.js';
import { describeError } from '../cli-error.js';
import { openProcess, targetOf } from '../keys/key-targets.js';
import { foreignUserOf, hasKernelsNumbers, networkOf, processes, socketsOf } from '../keys/processes.js';
import { tracefsMount } from '../keys/tracefs.js';
import { systemProgram } from '../system-program.js';

export interface HostFacts {
  /** Release and machine, as of uname. */
  readonly kernel: string;
  readonly arch: string;
  readonly isRoot: boolean;
  /** Process ids are those of the kernel; in most containers they are not. */
  readonly hasKernelsNumbers: boolean;
  readonly tracefs: 'mounted' | 'mountable' | 'unreadable' | 'absent';
  /** null: unknown, because tracefs is not mounted. */
  readonly hasUprobes: boolean | null;
  /** The mode in brackets in /sys/kernel/security/lockdown; null: the kernel has none. */
  readonly lockdown: string | null;
  /** First line of its version; null: not installed. */
  readonly tcpdump: string | null;
  readonly components: readonly ComponentFacts[];
}

export interface ComponentFacts {
  readonly name: string;
  readonly pid: number;
  readonly binary: string | null;
  readonly goVersion: string | null;
  readonly isStripped: boolean | null;
  /** Bytes from the start of the file; null: no such place. */
  readonly handshakeProbe: number | null;
  readonly recordProbes: { readonly encrypt: number; readonly decrypt: number } | null;
  /** What of it cannot be probed, and why; sentences without a subject. */
  readonly why: readonly string[];
  readonly openConnections: number;
  /** Of those: the other end is another component here. */
  readonly withComponents: number;
  /** It has a network namespace of its own, whose traffic is captured there. */
  readonly hasOwnNetwork: boolean;
}

export function hostFacts(): HostFacts {
  const tracefs = tracefsMount();
  return {
    kernel: release(),
    arch: arch(),
    isRoot: process.getuid?.() === 0,
    hasKernelsNumbers: hasKernelsNumbers(),
    tracefs: tracefs.state,
    hasUprobes: tracefs.state === 'mounted' ? existsSync(`${tracefs.folder}/uprobe_events`) : null,
    lockdown: lockdown(),
    tcpdump: tcpdumpVersion(),
    components: componentsHere(),
  };
}

function lockdown(): string | null {
  try {
    return /\[(\w+)\]/.exec(readFileSync('/sys/kernel/security/lockdown', 'latin1'))?.[1] ?? null;
  } catch {
    return null;
  }
}

function tcpdumpVersion(): string | null {
  try {
    const { status, stdout, stderr } = spawnSync(systemProgram('tcpdump'), ['--version'], { encoding: 'utf8' });
    return status === 0 ? `${stdout}${stderr}`.split('\n')[0] : null;
  } catch {
    // Others could change it: `record` refuses it, and says so.
    return null;
  }
}

function componentsHere(): ComponentFacts[] {
  const running = processes().flatMap((one) => {
    const name = componentOf(one);
    return name === null ? [] : [{ name, pid: one.pid, sockets: socketsOf(one.pid).map(connectionName) }];
  });
  const own = networkOf('self');
  return running.map(({ name, pid, sockets }) => {
    const others = new Set(running.flatMap((one) => (one.pid === pid ? [] : one.sockets)));
    const network = networkOf(pid);
    return {
      name,
      pid,
      ...programFacts(pid, name),
      openConnections: sockets.length,
      withComponents: sockets.filter((socket) => others.has(socket)).length,
      hasOwnNetwork: network !== null && network !== own,
    };
  });
}

function programFacts(
  pid: number,
  name: string,
): Pick<ComponentFacts, 'binary' | 'goVersion' | 'isStripped' | 'handshakeProbe' | 'recordProbes' | 'why'> {
  const nothing = { binary: null, goVersion: null, isStripped: null, handshakeProbe: null, recordProbes: null };
  const foreign = foreignUserOf(pid);
  if (foreign !== null)
    return {
      ...nothing,
      why: [`belongs to another user (uid ${foreign}) and is left out; kubeseq keys --pid ${pid} reads it`],
    };
  try {
    const [opened, binary] = openProcess(pid);
    const target = targetOf(opened, binary, name, name);
    if (typeof target === 'string') return { ...nothing, binary, why: [target] };
    target.opened.close();
    const { found, records, isStripped } = target;
    return {
      binary,
      goVersion: found.goVersion,
      isStripped,
      handshakeProbe: found.offset,
      recordProbes: typeof records === 'string' ? null : records.offsets,
      why: typeof records === 'string' ? [`is ${records}: its connections that are open already cannot be read`] : [],
    };
  } catch (error) {
    return { ...nothing, why: [describeError(error)] };
  }
}
