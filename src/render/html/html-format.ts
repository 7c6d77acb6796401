// What an explorable page holds beside its rows, as its own code reads it (src/explorer). Plain JSON: three data blocks that
// no browser executes. Knows neither how it is written nor how it is shown.

/** Ids of the blocks. */
export const VIEW_BLOCK = 'kubeseq-view';
/** One JSON object a line, in the order of the rows: a message as `messages -o ndjson` has it, with `headers` and `body`. */
export const MESSAGES_BLOCK = 'kubeseq-messages';
/** One JSON value a line: bodies, each once. */
export const BODIES_BLOCK = 'kubeseq-bodies';

/** What is needed to decide which rows are seen; read before the first paint. */
export interface View {
  readonly participants: readonly ViewParticipant[];
  readonly layers: readonly ViewLayer[];
  /** Reasons for which messages are folded. */
  readonly folds: readonly string[];
  /** Verbs and resources. */
  readonly words: readonly string[];
  /** Messages that the page has no room for. */
  readonly leftOut: number;
  readonly rows: readonly ViewRow[];
}

export interface ViewParticipant {
  readonly name: string;
  readonly component: string;
  readonly evidence: readonly string[];
  readonly box?: string;
}

export interface ViewLayer {
  /** As `--layers` calls it. */
  readonly name: string;
  /** Shown at first. */
  readonly on: boolean;
}

/** Numbers of a message, short because there are thousands; -1 is none. */
export type ViewRow = readonly [
  seq: number,
  /** µs since the first frame; three decimals where the capture has nanoseconds. */
  micros: number,
  /** Index in KINDS. */
  kind: number,
  layer: number,
  from: number,
  to: number,
  exchange: number,
  fold: number,
  verb: number,
  resource: number,
  causedBy: number,
  /** 1: refused, failed, without an answer, or a problem. */
  failed: number,
  /** 1: it tells what went wrong, as `summary` lists it. */
  problem: number,
  /** By whose address it went. */
  ...via: number[],
];

/** Rows that a browser leaves out together while they are far from what is seen. */
export const CHUNK = 32;

export const KINDS = ['request', 'response', 'event', 'data'] as const;

/** What the lines of the messages block have beside a message's own fields. */
export interface MessageLine {
  readonly [field: string]: unknown;
  readonly headers?: readonly (readonly [name: string, value: string])[];
  /** Index of a line of the bodies block. */
  readonly bodyAt?: number;
  /** Bytes of JSON that would have been over the limits of a page. */
  readonly bodyLeftOut?: number;
}
