// Types of what the commands answer, and of how it is looked at.

import type {
  CheckPatch,
  CheckReport,
  CriticalPath,
  DiagramOptions,
  DiffPaint,
  DiffSide,
  Message,
  ObjectHistory,
  Observation,
  Paint,
  PathStatistics,
  PipelineItem,
  Sequence,
  TraceOptions,
  WeighedDifference,
} from '../../index.js';

/** Pieces of an output: whole, or as they are made. */
export type Pieces = string | Uint8Array | AsyncIterable<string | Uint8Array>;

/** What a format needs beside the result: facts about the captures, and how it is looked at. */
export interface Presentation {
  /** ns since the epoch: the first frame of all captures; null: none was read yet. */
  readonly firstTime: bigint | null;
  /** The same; 0 if there is none. */
  readonly first: bigint;
  /** Names of the captures, if there are several. */
  readonly captures: readonly string[] | undefined;
  /** Digits of a second's fraction that a capture has. */
  digits(capture: number): number;
  /** Cells of the terminal; undefined: lines are as long as they are. */
  readonly width: number | undefined;
  /** false: a browser draws without its sandbox. */
  readonly sandbox: boolean | undefined;
  readonly paint: Paint;
  readonly diffPaint: DiffPaint;
}

/** What `diagram` answers. */
export interface DrawnDiagram {
  readonly sequence: Sequence;
  readonly observation: Observation;
  readonly drawing: DiagramOptions;
  /** Names of the captures, for the title of a page. */
  readonly names: readonly string[];
  /** No message is left out by the user. */
  readonly isAll: boolean;
  readonly story?: TraceOptions['story'];
  readonly frames?: true;
  readonly wide?: true;
  /** Said below the text. */
  readonly hint: string;
  /** Takes what the format has to say of itself. */
  readonly remark: (text: string) => void;
}

/** What `messages` and `export` answer. */
export interface CapturedItems {
  /** What the user selects, in order, once. */
  readonly batches: AsyncIterable<readonly PipelineItem[]>;
  /** With heads and bodies. */
  readonly bodies: boolean;
  readonly isAll: boolean;
  readonly story?: TraceOptions['story'];
  /** Names of the captures; may grow while they are read. */
  readonly names: readonly string[];
  readonly redacted: boolean;
  /** The capture itself, with comments in it. */
  readonly copy?: AsyncIterable<Uint8Array>;
}

/** What `path` answers: of one object, or statistics of several. */
export interface MeasuredPaths {
  readonly paths: readonly CriticalPath[];
  readonly statistics?: PathStatistics;
}

/** What `object` answers. */
export interface HistoryOfObject {
  readonly life: ObjectHistory;
  readonly all?: true;
}

/** What `diff` answers. */
export interface ComparedCaptures {
  readonly difference: WeighedDifference;
  readonly sides: readonly [DiffSide, DiffSide];
  readonly isStat: boolean;
  readonly all?: true;
}

/** What `check` answers. */
export interface CheckedCapture {
  readonly report: CheckReport;
  readonly patches: readonly CheckPatch[];
}

/** What `explain` answers. */
export interface ExplainedMessages {
  readonly messages: readonly Message[];
  /** Numbers of those that are explained. */
  readonly seqs: readonly number[];
  /** Numbers of others in the same frame. */
  readonly more: readonly number[];
  readonly isChain: boolean;
}
