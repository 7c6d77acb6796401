/** Lines of the truth files and messages of kubeseq, as they are in JSON. */
export type Line = Readonly<Record<string, unknown>>;

export interface Recording {
  readonly messages: readonly Line[];
  /** Lines of `causes.jsonl`. */
  readonly truth: readonly Line[];
  readonly turns?: readonly Line[];
  readonly etcd?: readonly Line[];
  readonly webhooks?: readonly Line[];
  readonly audit?: readonly Line[];
}

/** How often there was each outcome. */
export type Counts = Readonly<Record<string, number>>;

export interface Calls {
  readonly counts: Counts;
}

export interface Score {
  readonly messages: number;
  readonly truth: number;
  /** Requests of the truth that kubeseq did not find. */
  readonly notFound: number;
  /** By group: `all:without token requests`, `component:kubelet`, `queue:job-controller / job`. */
  readonly counts: Readonly<Record<string, Counts>>;
  /** Events that were named wrongly. */
  readonly wrong: readonly (readonly [queue: string, request: string, what: string, times: number])[];
  /** Events of watches by whether the write behind them is given. */
  readonly events: Counts;
  readonly etcd: Calls & { readonly methods: Readonly<Record<string, Counts>> };
  readonly webhooks: Calls;
  readonly audit: { readonly requests: number; readonly missed: readonly Line[] };
}

/** Counts and shares from 0 to 1; a share is undefined where nothing is counted. */
export interface Figures {
  readonly truth: number;
  readonly right: number;
  readonly echo: number;
  readonly otherVersion: number;
  readonly otherObject: number;
  readonly none: number;
  readonly last: number;
  readonly again: number;
  readonly falsePositives: number;
  readonly trueNegatives: number;
  readonly continued: number;
  readonly given: number;
  readonly precision: number | undefined;
  readonly recall: number | undefined;
  readonly precisionWithEcho: number | undefined;
}

export function readRecording(
  folder: string,
  options?: { readonly kubeseq?: string; readonly messages?: string; readonly controllers?: readonly string[] },
): Promise<Recording>;
export function score(recording: Recording): Score;
export function sumScores(scores: readonly Score[]): Score;
export function figuresOf(counts?: Counts): Figures;
export function figuresOfCalls(calls: Calls): Pick<Figures, 'precision' | 'recall'>;
