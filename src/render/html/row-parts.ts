// Formats one row of a page, alike for the list in the file and for the rows that the page's script makes.

import { elapsedText } from '../../core/duration.js';
import { formatOffset } from '../time.js';
import { KINDS } from './html-format.js';

/** What the text and the look of a row depend on. */
export interface RowFacts {
  readonly seq: number;
  /** µs since the first frame. */
  readonly micros: number;
  /** Index in KINDS. */
  readonly kind: number;
  /** Indices of participants. */
  readonly from: number;
  readonly to: number;
  readonly via: readonly number[];
  readonly failed: boolean;
  readonly partial: boolean;
  /** On a critical path that is marked. */
  readonly isOnPath?: boolean;
  /** µs from the request to the first byte of its answer; absent or -1: it answers nothing. */
  readonly latency?: number;
}

export interface RowParts {
  /** Fixed words and numbers only: kind, ends, direction, failure. */
  readonly className: string;
  readonly number: string;
  readonly time: string;
  /** For readers that see no arrow: who sends to whom. */
  readonly ends: string;
  /** `[REQ]`; empty if the label has none. */
  readonly tag: string;
  readonly rest: string;
  /** How long the answer took, ` 5.5 ms`; empty: it is none. */
  readonly after: string;
}

/** @param names of participants, as captured: whoever prints the parts escapes them. */
export function rowParts(row: RowFacts, label: string, names: readonly string[]): RowParts {
  const { seq, micros, kind, from, to, via, failed, partial, isOnPath, latency = -1 } = row;
  const [, tag = '', rest] = /^(\[[A-Z-]+\])?([\s\S]*)$/.exec(label) as RegExpExecArray;
  const direction = from === to ? 'self' : from < to ? 'right' : 'left';
  const by = via.length === 0 ? '' : ` by v${via[0]}`;
  return {
    className: `row ${KINDS[kind]} f${from} t${to} ${direction}${failed ? ' failed' : ''}${partial ? ' partial' : ''}${isOnPath === true ? ' onpath' : ''}${by}`,
    number: `#${seq}`,
    time: formatOffset(BigInt(Math.trunc(micros)) * 1000n),
    ends: `${names[from]} to ${names[to]}${via.map((one) => ` by way of ${names[one]}`).join('')}: `,
    tag,
    rest,
    after: latency < 0 ? '' : ` ${elapsedText(latency * 1e3)}`,
  };
}
