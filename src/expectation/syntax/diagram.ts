// Defines the syntax tree of a mermaid sequence diagram, with the source position of each arrow.

/** [start, end) in characters of the parsed text. */
export interface LineSpan {
  readonly start: number;
  readonly end: number;
}

export interface ParticipantText {
  readonly id: string;
  /** The alias, else the id; with the escapes of `readMarkup`. */
  readonly name: string;
  /** 1-based line of its first mention. */
  readonly line: number;
}

export interface ArrowText {
  readonly kind: 'arrow';
  /** 1-based, in the file. */
  readonly line: number;
  /** Participant ids. */
  readonly from: string;
  readonly to: string;
  /** `--x`: it stands for the end of what was cut. */
  readonly isCut: boolean;
  readonly activation: '+' | '-' | '';
  /** The text after the colon, with the escapes of `readMarkup`. */
  readonly label: string;
  /** ns since the arrow above at most (`%% within:`). */
  readonly within: bigint | null;
  /** The whole statement, the activation sign (may be empty), and the text after the colon. */
  readonly span: LineSpan;
  readonly sign: LineSpan;
  readonly text: LineSpan;
}

export type BlockKind = 'par' | 'opt' | 'alt' | 'loop' | 'break' | 'rect';

export interface BlockText {
  readonly kind: BlockKind;
  readonly line: number;
  readonly label: string;
  /** Branches: several if `and` or `else` divide it. */
  readonly parts: readonly (readonly NodeText[])[];
}

export type NodeText = ArrowText | BlockText;

/** `%% never: ARROW` */
export interface NeverText {
  readonly line: number;
  readonly from: string;
  readonly to: string;
  readonly isCut: boolean;
  readonly label: string;
}

export interface Diagram {
  /** Line of `sequenceDiagram`. */
  readonly line: number;
  readonly title: string | null;
  readonly participants: ReadonlyMap<string, ParticipantText>;
  readonly body: readonly NodeText[];
  readonly nevers: readonly NeverText[];
  /** `%% order: strict`: on every lifeline, messages below a response come after it. */
  readonly isStrict: boolean;
}

/** The text is no sequence diagram; the error's message has what was expected at the line. */
export class UnreadableDiagram extends Error {
  readonly line: number;

  constructor(line: number, message: string) {
    super(message);
    this.line = line;
  }
}

/** All arrows of all branches, in the order of the text. */
export function arrowTexts(nodes: readonly NodeText[]): ArrowText[] {
  return nodes.flatMap((node) => (node.kind === 'arrow' ? [node] : node.parts.flatMap(arrowTexts)));
}
