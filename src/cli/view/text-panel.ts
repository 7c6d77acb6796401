// Shows a long text on a part of the screen, and scrolls in it.

import { cellsOf, wrapToCells } from '../../index.js';

export class TextPanel {
  /** For the head line. */
  readonly title: string;
  readonly #make: (width: number) => readonly string[];
  #width = 0;
  #lines: readonly string[] = [];
  #top = 0;

  /** @param make gives lines for a width in cells; longer ones are wrapped. */
  constructor(title: string, make: (width: number) => readonly string[]) {
    this.title = title;
    this.#make = make;
  }

  /** The lines that are seen. @param height rows. @param width cells. */
  linesFor(height: number, width: number): readonly string[] {
    if (width !== this.#width) {
      this.#width = width;
      this.#lines = this.#make(width).flatMap((line) => wrapped(line, width));
    }
    this.#top = Math.max(0, Math.min(this.#top, this.#lines.length - height));
    return this.#lines.slice(this.#top, this.#top + height);
  }

  /** `12 to 40 of 55`. */
  place(height: number): string {
    if (this.#lines.length <= height) return '';
    return `lines ${this.#top + 1} to ${Math.min(this.#top + height, this.#lines.length)} of ${this.#lines.length}`;
  }

  /** @param lines down; negative: up. The next drawing keeps it within the text. */
  scroll(lines: number): void {
    this.#top = Math.max(0, this.#top + lines);
  }

  /** The line moves to the top; false: no line from the second seen one on has it. */
  search(text: string): boolean {
    const wanted = text.toLowerCase();
    const has = (line: string): boolean => line.toLowerCase().includes(wanted);
    const behind = this.#lines.findIndex((line, i) => i > this.#top && has(line));
    const found = behind === -1 ? this.#lines.findIndex(has) : behind;
    if (found === -1) return false;
    this.#top = found;
    return true;
  }
}

/** Lines of a text, indented as its first one. */
function wrapped(line: string, width: number): readonly string[] {
  if (cellsOf(line) <= width) return [line];
  const indent = (/^ */.exec(line)?.[0] ?? '').slice(0, width >> 1);
  return wrapToCells(line.trimStart(), width - indent.length).map((text) => indent + text);
}
