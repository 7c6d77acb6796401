// Defines the data blocks of an explorable page, which the explorer reads: JSON that no browser executes, packed by `html-data.ts`.

/** Ids of the blocks. This one is not packed: places of participants among the lanes of the opening rows, -1 for none. */
export const LANES_BLOCK = 'kubeseq-lanes';
/** One part: the view without its rows. */
export const VIEW_BLOCK = 'kubeseq-view';
/** Parts of the rows: `RowsPart`. */
export const ROWS_BLOCK = 'kubeseq-rows';
/** One JSON object for each line, in the order of the rows: a message as in `messages -o ndjson`, with `headers` and `body`. */
export const MESSAGES_BLOCK = 'kubeseq-messages';
/** One JSON value for each line: bodies, each once. */
export const BODIES_BLOCK = 'kubeseq-bodies';

/** Decides which rows are shown, and how they look. */
export interface View extends ViewHead, RowsPart {}

export interface ViewHead {
  readonly participants: readonly ViewParticipant[];
  readonly layers: readonly ViewLayer[];
  /** Reasons for which messages are folded. */
  readonly folds: readonly string[];
  /** Verbs and resources. */
  readonly words: readonly string[];
  /** Messages over the page's limit. */
  readonly leftOut: number;
  readonly notes: readonly ViewNote[];
  /** What messages are about, each once. */
  readonly objects: readonly ViewObject[];
  /** Rows with which parts of the story begin. */
  readonly chapters: readonly ViewChapter[];
  /** The stories that the page lists, in the order of the list. */
  readonly stories: readonly ViewStory[];
  /** Why messages have no cause, with the `seq` of each. */
  readonly uncaused: readonly (readonly [why: string, ...seqs: number[]])[];
  /** Steps of critical paths; empty if none is marked. */
  readonly path: readonly ViewStep[];
}

export interface RowsPart {
  readonly rows: readonly ViewRow[];
  /** The text on each row's arrow, shortened. */
  readonly labels: readonly string[];
  /** What each row is about: index of an object, -1 for none. */
  readonly about: readonly number[];
  /** µs from the request to the first byte of each row that answers one; -1 for others. */
  readonly latencies: readonly number[];
}

/** `pods`, `default`, `nginx`; null: cluster-scoped or of all namespaces; several objects. Then who deleted each that had the name. */
export type ViewObject = readonly [
  resource: string,
  namespace: string | null,
  name: string | null,
  ...deleted: string[],
];

/** What `--follow` takes, and the `seq` of each of its arrows. */
export type ViewStory = readonly [followed: string, ...seqs: number[]];

export type ViewChapter = readonly [seq: number, title: string];

/** A note beside a row: the row's index, 0 above or 1 below it, the participants that it reaches over, and its lines. */
export type ViewNote = readonly [row: number, place: 0 | 1, from: number, to: number, ...lines: string[]];

export interface ViewParticipant {
  readonly name: string;
  readonly component: string;
  readonly evidence: readonly string[];
  readonly box?: string;
}

/** A message of a critical path. */
export interface ViewStep {
  readonly seq: number;
  /** Of the first message: which path begins. */
  readonly head?: string;
  /** Of the others: how long the step took, its percent of the whole, and who did what. */
  readonly took?: string;
  readonly share?: number;
  readonly what?: string;
}

export interface ViewLayer {
  /** As in `--layers`. */
  readonly name: string;
  /** Shown at first. */
  readonly on: boolean;
}

/** Numbers of a message, compact because a page has thousands; -1 for none. */
export type ViewRow = readonly [
  seq: number,
  /** µs since the first frame; with three decimals if the capture has nanoseconds. */
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
  /** 1: the capture proves `causedBy`; 0: other causes are possible. */
  isProven: number,
  /** 1: without a response, or a problem; 2: refused, or failed. */
  failed: number,
  /** 1: a problem, as `summary` lists it. */
  problem: number,
  /** 1: not everything of the message could be read. */
  partial: number,
  /** Participants whose address the message passed. */
  ...via: number[],
];

/** Rows of a chunk, which a browser skips while it is far from the viewport. */
export const CHUNK = 32;

/** Rows of one part of the rows block: few enough to be parsed between two frames. */
export const ROWS_PART = 4096;

export const KINDS = ['request', 'response', 'event', 'data', 'end'] as const;

/** A line of the messages block: a message's own fields, and these. */
export interface MessageLine {
  readonly [field: string]: unknown;
  readonly headers?: readonly (readonly [name: string, value: string])[];
  /** Index of a line of the bodies block. */
  readonly bodyAt?: number;
  /** Characters of JSON over the limits of a page. */
  readonly bodyLeftOut?: number;
}
