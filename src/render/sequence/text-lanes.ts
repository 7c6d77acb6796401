// Draws the lanes of participants in text diagrams: under their names, or narrow under their short ids, with a legend.

import type { Arrow, Sequence } from '../../diagram/model.js';
import { cellsOf } from '../escape/cells.js';
import { escapeTerminal } from '../escape/terminal-escape.js';

export interface TextLanes {
  /** Lines above the lanes. */
  readonly header: readonly string[];
  /** Of a participant, by its id; empty: unknown. */
  nameOf(id: string): string;
  /** Lanes without an arrow. */
  empty(): string;
  arrow(arrow: Arrow): string;
}

//   kubectl    kube-apiserver  kubelet (node-1)
//   |          |               |
//   |--------->|               |                 [REQ] POST …
class Lanes implements TextLanes {
  readonly header: readonly string[];
  readonly #names: ReadonlyMap<string, string>;
  readonly #columns = new Map<string, number>();
  readonly #width: number;

  /** @param heads by participant: what stands above its lane. @param least cells of a lane. */
  constructor(names: ReadonlyMap<string, string>, heads: readonly string[], room: number, least: number) {
    this.#names = names;
    let column = 0;
    [...names.keys()].forEach((id, i) => {
      this.#columns.set(id, column);
      column += Math.max(cellsOf(heads[i]) + room, least);
    });
    this.#width = column;
    const ends = [...[...this.#columns.values()].slice(1), column];
    const starts = [...this.#columns.values()];
    const padded = heads.map((head, i) => `${head}${' '.repeat(ends[i] - starts[i] - cellsOf(head))}`);
    this.header = [padded.join(''), this.empty()];
  }

  nameOf(id: string): string {
    return this.#names.get(id) ?? '';
  }

  empty(): string {
    return this.#bars().join('');
  }

  arrow({ from, to, message }: Arrow): string {
    const cells = this.#bars();
    const a = this.#columns.get(from) ?? 0;
    const b = this.#columns.get(to) ?? 0;
    if (a === b) cells.splice(a + 1, 2, '<', ')');
    const [left, right] = a < b ? [a, b] : [b, a];
    const isDotted = message.kind === 'response' || message.kind === 'end';
    for (let at = left + 1; at < right; at++) if (cells[at] !== '|' || !isDotted) cells[at] = isDotted ? '.' : '-';
    if (a < b) cells[b - 1] = message.kind === 'end' ? 'x' : '>';
    else if (a > b) cells[b + 1] = message.kind === 'end' ? 'x' : '<';
    return cells.join('');
  }

  #bars(): string[] {
    const cells = new Array<string>(this.#width).fill(' ');
    for (const at of this.#columns.values()) cells[at] = '|';
    return cells;
  }
}

/** For more participants than there is room for lanes: `AS --> L2`. */
class ArrowEnds implements TextLanes {
  readonly header: readonly string[];
  readonly #names: ReadonlyMap<string, string>;
  /** Cells of the longest id. */
  readonly #longest: number;

  constructor(names: ReadonlyMap<string, string>) {
    this.#names = names;
    this.#longest = Math.max('from'.length, ...[...names.keys()].map((id) => id.length));
    this.header = [this.#row('from', '-->', 'to')];
  }

  nameOf(id: string): string {
    return this.#names.get(id) ?? '';
  }

  empty(): string {
    return ' '.repeat(this.header[0].length);
  }

  arrow({ from, to, message }: Arrow): string {
    const line = message.kind === 'response' ? '..>' : message.kind === 'end' ? '..x' : '-->';
    return this.#row(from, line, to);
  }

  #row(from: string, line: string, to: string): string {
    return `${from.padStart(this.#longest)} ${line} ${to.padEnd(this.#longest)}`;
  }
}

/** Lanes under the names of their participants. */
export function wideLanes({ participants }: Sequence): TextLanes {
  const names = namesOf(participants);
  return new Lanes(names, [...names.values()], 2, MIN_LANE);
}

/** Lanes under short ids, as wide as there is room. @param cells for all of them. */
export function narrowLanes({ participants }: Sequence, cells: number): TextLanes {
  const names = namesOf(participants);
  const ids = participants.map(({ id }) => id);
  for (let least = MOST_NARROW; least >= LEAST_NARROW; least--) {
    const lanes = new Lanes(names, ids, 1, least);
    if (lanes.empty().length <= cells) return lanes;
  }
  return new ArrowEnds(names);
}

/** `AS kube-apiserver`, for each id. */
export function legendOf({ participants }: Sequence): readonly string[] {
  return [...namesOf(participants)].map(([id, name]) => `${id} ${name}`);
}

function namesOf(participants: Sequence['participants']): ReadonlyMap<string, string> {
  return new Map(participants.map(({ id, name }) => [id, escapeTerminal(name).slice(0, MAX_NAME)]));
}

const MIN_LANE = 10;
/** Cells of a narrow lane, where there is room and at least. */
const MOST_NARROW = 6;
const LEAST_NARROW = 4;
/** Limit: characters of a participant's name in text diagrams. */
const MAX_NAME = 30;
