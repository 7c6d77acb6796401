// An expectation as it was written: what mermaid's grammar for sequence diagrams makes of a text, with the places it was
// read from. Knows the grammar's words; nothing of captures.

/** A piece of the text that was read, [start, end) in characters, for whoever rewrites it. */
export interface LineSpan {
  readonly start: number;
  readonly end: number;
}

export interface ParticipantText {
  readonly id: string;
  /** What is shown: the alias, else the id; escapes of markup.ts in it. */
  readonly name: string;
  /** 1-based; of its first mention. */
  readonly line: number;
}

export interface ArrowText {
  readonly kind: 'arrow';
  /** 1-based, in the file. */
  readonly line: number;
  /** Participant ids. */
  readonly from: string;
  readonly to: string;
  /** `->>`, `-->>` … */
  readonly style: string;
  readonly activation: '+' | '-' | '';
  /** What the arrow says; escapes of markup.ts in it. */
  readonly label: string;
  /** ns that may pass since the arrow above (`%% within:`). */
  readonly within: bigint | null;
  /** The whole statement, the sign that activates (empty where there is none), and the text behind the colon. */
  readonly span: LineSpan;
  readonly sign: LineSpan;
  readonly text: LineSpan;
}

export type BlockKind = 'par' | 'opt' | 'alt' | 'loop' | 'critical' | 'break' | 'rect';

export interface BlockText {
  readonly kind: BlockKind;
  readonly line: number;
  readonly label: string;
  /** Its branches: one, more where `and`, `else` or `option` part them. */
  readonly parts: readonly (readonly NodeText[])[];
}

export type NodeText = ArrowText | BlockText;

/** `%% never: ARROW` */
export interface NeverText {
  readonly line: number;
  readonly from: string;
  readonly to: string;
  readonly label: string;
}

export interface Diagram {
  /** Of `sequenceDiagram`. */
  readonly line: number;
  /** `title`, where there is one. */
  readonly title: string | null;
  readonly participants: ReadonlyMap<string, ParticipantText>;
  readonly body: readonly NodeText[];
  readonly nevers: readonly NeverText[];
  /** `%% order: strict`: on every lifeline, what stands below an answer comes after it. */
  readonly isStrict: boolean;
}

/** What is no sequence diagram, with the line and what was expected there. */
export class UnreadableDiagram extends Error {
  readonly line: number;

  constructor(line: number, message: string) {
    super(message);
    this.line = line;
  }
}

/** All arrows in the order of the text, those of every branch. */
export function arrowTexts(nodes: readonly NodeText[]): ArrowText[] {
  return nodes.flatMap((node) => (node.kind === 'arrow' ? [node] : node.parts.flatMap(arrowTexts)));
}
