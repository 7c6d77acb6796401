// Keeps a spool of messages in a file of the temporary directory, which no other program can open and which is gone when this one ends.

import { randomBytes } from 'node:crypto';
import { closeSync, constants, openSync, readSync, unlinkSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SpoolStorage } from '../../index.js';
import { CliError, describeError } from '../cli-error.js';

export class SpoolFile implements SpoolStorage {
  readonly #file: number;

  /** Throws CliError where the temporary directory cannot be written. */
  constructor() {
    const path = join(tmpdir(), `kubeseq-${randomBytes(8).toString('hex')}`);
    const flags = constants.O_RDWR | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
    try {
      this.#file = openSync(path, flags, OWN);
      // It stays open without a name, and goes with its descriptor.
      unlinkSync(path);
    } catch (error) {
      throw unusable(error);
    }
  }

  append(bytes: Uint8Array): void {
    try {
      for (let at = 0; at < bytes.length; ) at += writeSync(this.#file, bytes, at);
    } catch (error) {
      throw unusable(error);
    }
  }

  read(into: Uint8Array, position: number): void {
    for (let at = 0; at < into.length; ) {
      const read = readSync(this.#file, into, at, into.length - at, position + at);
      if (read === 0) throw new CliError('the temporary file with messages was cut');
      at += read;
    }
  }

  close(): void {
    closeSync(this.#file);
  }
}

function unusable(error: unknown): CliError {
  return new CliError(
    `messages beyond memory go into the temporary directory ${tmpdir()} (TMPDIR names another): ${describeError(error)}`,
  );
}

/** Its owner alone may read it. */
const OWN = 0o600;
