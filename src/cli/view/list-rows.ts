// Draws the lines of the list of `view`: number, time, sender, receiver and label of a message, as the width allows.

import {
  cellsOf,
  cutToCells,
  escapeTerminal,
  formatOffset,
  latencyText,
  type Message,
  shortWords,
} from '../../index.js';
import type { ListRow } from './message-list.js';

/** How a row of the screen looks. */
export type Look = 'plain' | 'head' | 'dim' | 'bad' | 'chosen' | 'chosen-bad';

export interface ScreenRow {
  /** Not wider than the screen. */
  readonly text: string;
  readonly look: Look;
}

export interface ListRowFacts {
  /** ns since the epoch: zero of the printed times. */
  readonly first: bigint;
  readonly names: readonly string[];
  /** Methods and paths in place of a few words. */
  readonly hasFullLabels: boolean;
}

export class ListColumns {
  readonly #width: number;
  /** Cells of a participant's name. */
  readonly #name: number;
  readonly #hasLatency: boolean;
  readonly #hasFrame: boolean;

  /** @param width cells of the screen. */
  constructor(width: number) {
    this.#width = width;
    this.#name = width < 90 ? 14 : width < 110 ? 20 : 24;
    this.#hasLatency = width >= 110;
    this.#hasFrame = width >= 140;
  }

  get head(): string {
    return this.#joined(' ', {
      seq: 'MESSAGE',
      time: 'TIME',
      frame: 'FRAME',
      from: 'FROM',
      to: 'TO',
      latency: 'LATENCY',
      label: 'LABEL',
    });
  }

  /** @param mark one character for how it belongs to the message with the cursor. */
  row({ entry, folded }: ListRow, mark: string, { first, names, hasFullLabels }: ListRowFacts): string {
    const { message, from, to } = entry;
    const answer = folded.find(({ kind }) => kind === 'response');
    return this.#joined(mark, {
      seq: String(message.seq),
      time: formatOffset(message.time - first),
      frame: String(message.frames[1]),
      from: names[from] ?? '',
      to: names[to] ?? '',
      latency: latencyText(answer ?? message),
      label: `${labelText(message, hasFullLabels)}${foldedText(folded, hasFullLabels)}`,
    });
  }

  #joined(
    mark: string,
    cells: Readonly<Record<'seq' | 'time' | 'frame' | 'from' | 'to' | 'latency' | 'label', string>>,
  ): string {
    const name = (text: string): string => padded(cutToCells(text, this.#name), this.#name);
    const parts = [
      `${mark}${cells.seq.padStart(7)}`,
      cells.time.padStart(11),
      ...(this.#hasFrame ? [cells.frame.padStart(7)] : []),
      name(cells.from),
      name(cells.to),
      ...(this.#hasLatency ? [cells.latency.padStart(8)] : []),
    ];
    const left = parts.join('  ');
    return cutToCells(`${left}  ${cutToCells(cells.label, Math.max(8, this.#width - cellsOf(left) - 2))}`, this.#width);
  }
}

/** What follows in the line of a folded exchange: `→ 201 Created, 3 events`. */
function foldedText(folded: readonly Message[], isFull: boolean): string {
  const answer = folded.find(({ kind }) => kind === 'response');
  const others = folded.length - (answer === undefined ? 0 : 1);
  const parts = [
    ...(answer === undefined ? [] : [labelText(answer, isFull)]),
    ...(others === 0 ? [] : [`${others} more`]),
  ];
  return parts.length === 0 ? '' : `  → ${parts.join(', ')}`;
}

function labelText(message: Message, isFull: boolean): string {
  return escapeTerminal(isFull ? message.label : shortWords(message));
}

function padded(text: string, cells: number): string {
  return text + ' '.repeat(Math.max(0, cells - cellsOf(text)));
}
