// What a page's author has to correct, with its place.

export class PageError extends Error {
  /** Of the page, from 1. */
  readonly line: number;

  constructor(line: number, message: string) {
    super(message);
    this.line = line;
  }
}
