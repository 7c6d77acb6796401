// Compares the clocks of the captures that a user named, before they are read. Only files can be read a second time.

import { clockShifts, type Notice, notice } from '../index.js';
import { clocksOf, type Input } from './inputs.js';

export interface ComparedClocks {
  /** ns to add to the times of each capture. */
  readonly shifts: readonly bigint[];
  readonly notices: readonly Notice[];
}

/** @param read opens one of the files. */
export async function compareClocks(
  inputs: readonly Input[],
  read: (file: string) => AsyncGenerator<Uint8Array>,
): Promise<ComparedClocks> {
  const shifts = inputs.map(() => 0n);
  if (inputs.length < 2) return { shifts, notices: [] };
  const clocks = clocksOf(inputs, read);
  const found = await clockShifts(clocks);
  clocks.forEach(({ captures }, i) => {
    for (const { capture } of captures) shifts[capture] = found.shifts[i];
  });
  const live = inputs.filter(({ beginning }) => beginning === null);
  const said = live.map(({ file }) =>
    notice(
      'capture.clock-live',
      `${file === '-' ? 'standard input' : 'what is still written or a pipe'} can be read only once`,
    ),
  );
  return { shifts, notices: [...found.notices, ...said] };
}
