// Keeps a spool of messages in a file of the temporary directory, which no other program can open and which is gone when this one ends.

import { randomBytes } from 'node:crypto';
import { closeSync, constants, openSync, unlinkSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SpoolStorage } from '../../index.js';
import { CliError, describeError } from '../cli-error.js';
import { readInto } from '../files/random-access.js';

export class SpoolFile implements SpoolStorage {
  readonly #file: number;

  /** Throws the system's error where the temporary directory cannot be written. */
  constructor() {
    const path = join(tmpdir(), `kubeseq-${randomBytes(8).toString('hex')}`);
    const flags = constants.O_RDWR | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
    this.#file = openSync(path, flags, OWN);
    // It stays open without a name, and goes with its descriptor.
    unlinkSync(path);
  }

  /** Throws CliError, for example where the disk is full. */
  append(bytes: Uint8Array): void {
    try {
      for (let at = 0; at < bytes.length; ) at += writeSync(this.#file, bytes, at);
    } catch (error) {
      throw new CliError(
        `messages go into a temporary file in ${tmpdir()} (TMPDIR names another directory): ${describeError(error)}`,
      );
    }
  }

  /** Throws CliError where another program cut the file. */
  read(into: Uint8Array, position: number): void {
    if (readInto(into, this.#file, position).length < into.length)
      throw new CliError('the temporary file with messages was cut');
  }

  close(): void {
    closeSync(this.#file);
  }
}

/** Its owner alone may read it. */
const OWN = 0o600;
