// Defines an item of a comparison: one arrow with comparable names, its exchange and its cause.

export interface Item {
  readonly kind: 'request' | 'response' | 'event' | 'data';
  readonly from: string;
  readonly to: string;
  /** Label with generated names replaced. */
  readonly label: string;
  /** For a response, an event or stream data: the label of its request; else empty. */
  readonly requestLabel: string;
  /** Objects that it is about, with generated names replaced. */
  readonly about: readonly string[];
  /** Whether it is a request that changes an object. */
  readonly writes: boolean;
  /** Number of its exchange on its side. */
  readonly exchange: number;
  /** Number of this item on its side. */
  readonly seq: number;
  /** `seq` of the item that it certainly follows from, if there is one. */
  readonly follows?: number;
  /** Frames and number of the message, or line of the diagram. */
  readonly where: { readonly frames: readonly [number, number]; readonly seq: number } | { readonly line: number };
}

/** One of the two captures or diagrams that are compared. */
export interface DiffSide {
  /** Name as the user wrote it. */
  readonly name: string;
  /** Items that a diagram draws, in order. */
  readonly items: readonly Item[];
  /** Items that a diagram leaves out: background traffic, messages without effect. */
  readonly notDrawn: readonly Item[];
  /** Lifelines from left to right. */
  readonly participants: readonly string[];
}

/** Equal items have equal keys. */
export function keyOf({ kind, from, to, label, requestLabel }: Item): string {
  // A diagram wraps long labels, which adds and removes blanks.
  return [kind, from, to, label.replaceAll(' ', ''), requestLabel.replaceAll(' ', '')].join('\n');
}
