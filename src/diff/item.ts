// Defines an item of a flow: one arrow with comparable names, and the exchange and cause that it belongs to.

export interface Item {
  readonly kind: 'request' | 'response' | 'event' | 'data';
  readonly from: string;
  readonly to: string;
  /** Label with generated names replaced. */
  readonly label: string;
  /** For a response, an event or stream data: the label of its request; else empty. */
  readonly asked: string;
  /** Objects that it is about, with generated names replaced. */
  readonly about: readonly string[];
  /** Does it change an object? */
  readonly writes: boolean;
  /** Number of its exchange in its flow. */
  readonly exchange: number;
  /** Number of this item in its flow, and of its cause if known. */
  readonly seq: number;
  readonly causedBy?: number;
  /** Frames of the message, or line of the diagram. */
  readonly where: { readonly frames: readonly [number, number]; readonly seq: number } | { readonly line: number };
}

/** One of the two flows. */
export interface DiffSide {
  /** Name as the user wrote it. */
  readonly name: string;
  /** Drawn items in order, and those left out: noise, messages without effect. */
  readonly items: readonly Item[];
  readonly untold: readonly Item[];
  /** Lifelines from left to right. */
  readonly participants: readonly string[];
}

/** Equal items have equal keys. */
export function keyOf({ kind, from, to, label, asked }: Item): string {
  // Wrapping moves blanks.
  return [kind, from, to, label.replaceAll(' ', ''), asked.replaceAll(' ', '')].join('\n');
}
