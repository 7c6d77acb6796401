// Scans a Markdown page for fenced code blocks (CommonMark 0.31, 4.5).

export interface PageLine {
  /** Without its line break. */
  readonly text: string;
  /** Offset of its first character. */
  readonly start: number;
  /** Offset after its line break. */
  readonly end: number;
}

export function linesOf(page: string): PageLine[] {
  const lines: PageLine[] = [];
  for (let start = 0; start < page.length; ) {
    const found = page.indexOf('\n', start);
    const end = found < 0 ? page.length : found + 1;
    lines.push({ text: page.slice(start, end).replace(/\r?\n$/, ''), start, end });
    start = end;
  }
  return lines;
}

export interface Fence {
  readonly mark: string;
  readonly info: string;
}

/** Three or more backticks or tildes, indented by three blanks at most; null: the line opens no fence. */
export function openingFence(line: string): Fence | null {
  const match = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})\s*(\S*)/.exec(line);
  return match === null ? null : { mark: match[1], info: match[2] };
}

/** Index of the line that closes a fence, with a mark at least as long; -1: the fence is not closed. */
export function closingFence(lines: readonly PageLine[], open: number, { mark }: Fence): number {
  return lines.findIndex(
    ({ text }, at) => at > open && /^ {0,3}(`{3,}|~{3,})[ \t]*$/.exec(text)?.[1].startsWith(mark) === true,
  );
}
