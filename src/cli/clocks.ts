// Compares the clocks of the captures that a user named, before they are read. Only files can be read a second time.

import { stat } from 'node:fs/promises';
import { type CaptureBytes, clockShifts, type Notice, notice } from '../index.js';

export interface ComparedClocks {
  /** ns to add to the times of each capture. */
  readonly shifts: readonly bigint[];
  readonly notices: readonly Notice[];
}

/** @param read opens one of the files. */
export async function compareClocks(
  files: readonly string[],
  read: (file: string) => CaptureBytes,
): Promise<ComparedClocks> {
  const shifts = files.map(() => 0n);
  if (files.length < 2) return { shifts, notices: [] };
  const again = await Promise.all(files.map(canBeReadAgain));
  const numbers = files.flatMap((_, capture) => (again[capture] ? [capture] : []));
  const found = await clockShifts(
    numbers.map((capture) => ({ captures: [{ capture, bytes: () => read(files[capture]) }] })),
  );
  numbers.forEach((capture, i) => {
    shifts[capture] = found.shifts[i];
  });
  const live = files.filter((_, capture) => !again[capture]);
  const said = live.map((file) =>
    notice('capture.clock-live', `${file === '-' ? 'standard input' : 'a pipe'} can be read only once`),
  );
  return { shifts, notices: [...found.notices, ...said] };
}

async function canBeReadAgain(file: string): Promise<boolean> {
  if (file === '-') return false;
  const found = await stat(file).catch(() => null);
  // A file that is not there says so when it is opened.
  return found === null || !(found.isFIFO() || found.isCharacterDevice() || found.isSocket());
}
