// One arrow as a difference sees it: who says what to whom, with all names made comparable, and what it belongs to. Plain
// data; the two sides may come from captures or from written diagrams.

export interface Item {
  readonly kind: 'request' | 'response' | 'event' | 'data';
  readonly from: string;
  readonly to: string;
  /** As the arrow shows it, generated names replaced. */
  readonly label: string;
  /** For an answer, an event, a piece of a stream: the label of its request; else empty. */
  readonly asked: string;
  /** Objects that it is about, generated names replaced; empty: none. */
  readonly about: readonly string[];
  /** Changes an object. */
  readonly writes: boolean;
  /** Number of its exchange on its side. */
  readonly exchange: number;
  /** Number of this item on its side, and of the one that made it happen, where that is known. */
  readonly seq: number;
  readonly causedBy?: number;
  /** Where it stands: frames of the message, or the line of the diagram. */
  readonly where: { readonly frames: readonly [number, number]; readonly seq: number } | { readonly line: number };
}

/** One of the two flows. */
export interface DiffSide {
  /** What the user called it. */
  readonly name: string;
  /** What its picture tells, in order; and what it leaves out: noise, what led to nothing. */
  readonly items: readonly Item[];
  readonly untold: readonly Item[];
  /** Names from left to right, as its own picture has them. */
  readonly participants: readonly string[];
}

/** What is the same on both sides has the same key. */
export function keyOf({ kind, from, to, label, asked }: Item): string {
  // A label that was wrapped has its blanks elsewhere.
  return [kind, from, to, label.replaceAll(' ', ''), asked.replaceAll(' ', '')].join('\n');
}
