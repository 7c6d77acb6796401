// A first look at the captures that a user named, before they are read: their clocks, and whose their loopbacks are. Only files
// can be read a second time.

import { alignClocks, type Notice, notice } from '../../index.js';
import { clocksOf, type Input } from './inputs.js';

export interface ScannedCapture {
  /** ns to add to the times of each capture. */
  readonly shifts: readonly bigint[];
  /** An address of the host on whose loopback each captured; null: not known. */
  readonly hosts: readonly (string | null)[];
  readonly notices: readonly Notice[];
}

/** @param read opens one of the files. */
export async function lookFirst(
  inputs: readonly Input[],
  read: (file: string) => AsyncGenerator<Uint8Array>,
): Promise<ScannedCapture> {
  const shifts = inputs.map(() => 0n);
  const hosts: (string | null)[] = inputs.map(() => null);
  if (inputs.length < 2) return { shifts, hosts, notices: [] };
  const clocks = clocksOf(inputs, read);
  const found = await alignClocks(clocks);
  clocks.forEach(({ captures }, i) => {
    for (const { capture } of captures) {
      shifts[capture] = found.shifts[i];
      hosts[capture] = found.hosts[i];
    }
  });
  const live = inputs.filter(({ beginning }) => beginning === null);
  const said = live.map(({ file }) =>
    notice(
      'capture.clock-live',
      `${file === '-' ? 'standard input' : 'what is still written or a pipe'} can be read only once`,
    ),
  );
  return { shifts, hosts, notices: [...found.notices, ...said] };
}
