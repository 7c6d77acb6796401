// What the page and its workers say to each other.

/** The code or the look of explorable pages, with its hash (SHA-256, base64) for their policy. */
export interface ExplorerPart {
  readonly text: string;
  readonly sha256: string;
}

/** A file that a reader chose. */
export interface ChosenFile {
  readonly name: string;
  readonly blob: Blob;
}

/** Which part of a capture a reader wants to see. */
export interface WantedView {
  /** `pod/nginx`; empty: everything. */
  readonly follow: string;
  /** Namespace of that object; empty: any. */
  readonly namespace: string;
  /** Mark where its time went. */
  readonly path: boolean;
}

/** What a worker read, `KeptCaptures`, for those after it: the page passes it on. */
export type KeptByPage = object;

/** The task of a worker, which does one. */
export type ToWorker =
  | { readonly kind: 'open'; readonly files: readonly ChosenFile[] }
  | {
      readonly kind: 'view';
      readonly keptCaptures: KeptByPage;
      readonly wanted: WantedView;
      readonly script: ExplorerPart;
      readonly style: ExplorerPart;
    }
  | { readonly kind: 'messages'; readonly keptCaptures: KeptByPage };

/** What was found in the files. */
export interface Found {
  /** Names of the captures. */
  readonly title: string;
  readonly messages: number;
  /** As `kubeseq summary` prints it. */
  readonly summary: string;
  /** What could not be read, what was left out and what helps, a sentence each. */
  readonly remarks: readonly string[];
  /** Objects that can be followed, as `pod/nginx`, with their namespaces; empty: none. */
  readonly objects: readonly { readonly name: string; readonly namespace: string }[];
}

/** One view of them. */
export interface CaptureView {
  /** The explorable page: a Blob, as its text may be as long as the capture. */
  readonly html: Blob;
  readonly mermaid: string;
  /** As `kubeseq path` prints it; empty: not wanted. */
  readonly path: string;
  /** What the page leaves out, or why it is empty, a sentence each. */
  readonly remarks: readonly string[];
}

export type FromWorker =
  | { readonly kind: 'progress'; readonly read: number; readonly total: number; readonly messages: number }
  | { readonly kind: 'found'; readonly found: Found; readonly keptCaptures: KeptByPage }
  | { readonly kind: 'view'; readonly view: CaptureView }
  | { readonly kind: 'messages'; readonly lines: Blob }
  /** `text` is a sentence for the reader. */
  | { readonly kind: 'failed'; readonly text: string };
