// Opens an executable once: what is read of it and where the kernel sets probes is one file, whatever its path leads to later.

import { closeSync, constants, fstatSync, openSync } from 'node:fs';
import type { ReadAt } from '../../index.js';
import { CliError } from '../cli-error.js';
import { readInto } from '../files/random-access.js';

/** An executable that stays open until its owner closes it. */
export class OpenedProgram {
  /** Equal for two paths of one file, as `identityOf` returns it; held as long as the file is open. */
  readonly identity: string;
  readonly #file: number;
  readonly #size: number;

  /** @param path also `/proc/PID/exe`, which leads to what runs. Throws the system's error, or CliError where it is no file. */
  constructor(path: string) {
    // A pipe would wait for its writer, a terminal would become this program's.
    this.#file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
    const stats = fstatSync(this.#file, { bigint: true });
    this.identity = `${stats.dev}:${stats.ino}`;
    this.#size = Number(stats.size);
    if (stats.isFile()) return;
    this.close();
    throw new CliError('is no regular file');
  }

  /** The path of this very file for the kernel, as this process writes it: no other process can change where it leads. */
  get kernelPath(): string {
    return `/proc/self/fd/${this.#file}`;
  }

  /** Reads it within the budget of one program. Throws the system's error, or CliError where the budget is used up. */
  read<T>(use: (read: ReadAt) => T): T {
    let left = BYTES_LIMIT;
    const begun = process.cpuUsage();
    // Memory that is not used again would be several hundred MB until it is collected.
    let scratch = new Uint8Array(0);
    return use((offset, wanted) => {
      const length = Math.max(0, Math.min(wanted, this.#size - offset));
      left -= length;
      const { user, system } = process.cpuUsage(begun);
      if (left < 0 || user + system > CPU_LIMIT_US) throw new CliError(TOO_MUCH);
      if (scratch.length < length) scratch = new Uint8Array(length);
      return readInto(scratch.subarray(0, length), this.#file, offset);
    });
  }

  close(): void {
    closeSync(this.#file);
  }
}

/** Limit in bytes: what is read of one program, parts that are read again included. */
const BYTES_LIMIT = 1024 * 1024 * 1024;
/** Limit in µs: processor time in which one program is read. */
const CPU_LIMIT_US = 2_000_000;
const TOO_MUCH = `takes more than ${BYTES_LIMIT / 1024 / 1024} MiB or ${CPU_LIMIT_US / 1_000_000} s to read, the most that is spent on one program: it was not built as Go programs are`;
