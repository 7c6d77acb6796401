// Reads processes of this host and their executables from /proc, including those in containers.

import { closeSync, openSync, readdirSync, readFileSync, readlinkSync, readSync, statSync } from 'node:fs';
import { establishedSockets, type HostProcess, type SocketRow } from '../../index.js';
import { isTrusted } from '../files/file-access.js';

/** Every process that may be looked at, by its number. */
export function processes(): HostProcess[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => Number(name))
    .sort((a, b) => a - b)
    .flatMap((pid) => {
      try {
        const [argument] = readFileSync(`/proc/${pid}/cmdline`, 'latin1').split('\0', 1);
        return [{ pid, executable: readlinkSync(`/proc/${pid}/exe`), argument }];
      } catch {
        // It has ended, is a kernel thread, or another user's.
        return [];
      }
    });
}

/**
 * A path by which the user finds the executable of a process in this namespace: its own path, the same within its container
 * (`/proc/PID/root/…`), or where both are something else by now, `/proc/PID/exe`. Throws the system's error.
 *
 * @param identity of the executable, as `identityOf` returns it. What is at a path later is another matter: nothing goes by it.
 */
export function executableOf(pid: number, identity: string): string {
  const running = `/proc/${pid}/exe`;
  const path = readlinkSync(running);
  const here = [path, `/proc/${pid}/root${path}`].find((candidate) => {
    try {
      // The kernel takes white space for the end of a path.
      return !/\s/.test(candidate) && identityOf(candidate) === identity;
    } catch {
      return false;
    }
  });
  return here ?? running;
}

/** A user other than root, the own one and who ran sudo, as whom a process runs or could; null: none, or it has ended. */
export function foreignUserOf(pid: number): number | null {
  try {
    // What is in /proc/PID is owned by root for a process that may not be traced.
    const [, uids = ''] = /^Uid:\t(.*)$/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1')) ?? [];
    return (
      uids
        .split('\t')
        .map(Number)
        .find((uid) => !isTrusted(uid)) ?? null
    );
  } catch {
    return null;
  }
}

/** Equal for two paths of the same file. Throws the system's error. */
export function identityOf(path: string): string {
  const { dev, ino } = statSync(path, { bigint: true });
  return `${dev}:${ino}`;
}

export function isAlive(pid: number): boolean {
  try {
    statSync(`/proc/${pid}`);
    return true;
  } catch {
    return false;
  }
}

/** Threads of a process. */
export function threadsOf(pid: number): number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).map(Number);
  } catch {
    return [];
  }
}

/** The TCP connections that a process has open, also one in a network namespace of its own. */
export function socketsOf(pid: number): SocketRow[] {
  try {
    const inodes = new Set<number>();
    for (const name of readdirSync(`/proc/${pid}/fd`)) {
      try {
        const inode = /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${name}`))?.[1];
        if (inode !== undefined) inodes.add(Number(inode));
      } catch {
        // Closed in the meantime.
      }
    }
    const tables = ['tcp', 'tcp6'].map((name) =>
      establishedSockets(readFileSync(`/proc/${pid}/net/${name}`, 'latin1')),
    );
    return tables.flat().filter(({ inode }) => inodes.has(inode));
  } catch {
    // It has ended, or is another user's.
    return [];
  }
}

/** Names the network namespace of a process; null: it has ended, or is another user's. */
export function networkOf(pid: number | 'self'): string | null {
  try {
    return readlinkSync(`/proc/${pid}/ns/net`);
  } catch {
    return null;
  }
}

/** The process that a thread is of; 0: it has ended. */
export function processOf(thread: number): number {
  try {
    return Number(/^Tgid:\t(\d+)$/m.exec(readFileSync(`/proc/${thread}/status`, 'latin1'))?.[1] ?? 0);
  } catch {
    return 0;
  }
}

/** Processes that run this executable. @param identity as `identityOf` returns it. */
export function processesOf(identity: string): number[] {
  return processes().flatMap(({ pid }) => {
    try {
      return identityOf(`/proc/${pid}/exe`) === identity ? [pid] : [];
    } catch {
      return [];
    }
  });
}

/** Memory of other processes, read only; its creator closes it. */
export class Memory {
  readonly #files = new Map<number, number>();

  /** @returns null where nothing is, or nothing may be read. */
  read(pid: number, address: number, length: number): Buffer | null {
    try {
      let file = this.#files.get(pid);
      if (file === undefined) {
        file = openSync(`/proc/${pid}/mem`, 'r');
        this.#files.set(pid, file);
      }
      const bytes = Buffer.alloc(length);
      return readSync(file, bytes, 0, length, address) === length ? bytes : null;
    } catch {
      return null;
    }
  }

  close(): void {
    for (const file of this.#files.values()) closeSync(file);
    this.#files.clear();
  }
}

/** Whether process numbers here are those that the kernel itself uses: not so in most containers. */
export function hasKernelsNumbers(): boolean {
  try {
    return readlinkSync('/proc/self/ns/pid') === FIRST_PID_NAMESPACE;
  } catch {
    return false;
  }
}

/** include/linux/proc_ns.h: PROC_PID_INIT_INO */
const FIRST_PID_NAMESPACE = 'pid:[4026531836]';
