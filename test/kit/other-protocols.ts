// What clients and servers of other protocols send (fixtures/other-protocols).

import type { Side } from '../../src/tcp/stream-event.js';
import { fixtureLines } from './fixtures.js';

export interface SpokenTurn {
  readonly from: Side;
  readonly bytes: Uint8Array;
}

export interface OtherProtocol {
  readonly protocol: string;
  /** What kubeseq calls it, with a version that is told; null: nothing. */
  readonly named: string | null;
  readonly port: number;
  /** How tshark calls it. */
  readonly dissector: string | null;
  readonly source: string;
  readonly turns: readonly SpokenTurn[];
}

interface Line extends Omit<OtherProtocol, 'turns'> {
  readonly turns: readonly { readonly from: Side; readonly text?: string; readonly hex?: string }[];
}

export const OTHER_PROTOCOLS: readonly OtherProtocol[] = fixtureLines<Line>('other-protocols/first-bytes.jsonl').map(
  ({ turns, ...row }) => ({
    ...row,
    turns: turns.map(({ from, text, hex }) => ({
      from,
      bytes: Uint8Array.from(text === undefined ? Buffer.from(hex!, 'hex') : Buffer.from(text, 'latin1')),
    })),
  }),
);

/** The same without its first bytes. */
export function cutOff(turns: readonly SpokenTurn[], count: number): SpokenTurn[] {
  let left = count;
  return turns.flatMap(({ from, bytes }) => {
    const rest = bytes.subarray(Math.min(left, bytes.length));
    left -= bytes.length - rest.length;
    return rest.length === 0 ? [] : [{ from, bytes: rest }];
  });
}

/** All bytes of a side that it sends before, and after, the other one has sent some. */
export function bytesOf(turns: readonly SpokenTurn[], side: Side): Uint8Array {
  return Uint8Array.from(turns.flatMap(({ from, bytes }) => (from === side ? [...bytes] : [])));
}
