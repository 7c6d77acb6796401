// Collects notices and words those that the user must know, one line for each code.

import { counted, NOTICE_CODES, type Notice, type NoticeCode } from '../../index.js';

export interface NoticesOptions {
  /** Whether only some notices of each code are kept, to limit memory; all are counted. */
  readonly limitNotices?: boolean;
  /** Whether notices of a single capture name it, too: it is read beside another one. */
  readonly namesCapture?: boolean;
  readonly verbose?: true;
}

export class Notices {
  readonly #names: readonly string[];
  readonly #options: NoticesOptions;
  readonly #kept: Notice[] = [];
  readonly #counts = new Map<NoticeCode, number>();

  /** @param names of the captures, which may change while they are read. */
  constructor(names: readonly string[], options: NoticesOptions) {
    this.#names = names;
    this.#options = options;
  }

  get kept(): readonly Notice[] {
    return this.#kept;
  }

  /** Records a notice of the pipeline. */
  came(one: Notice): void {
    const count = (this.#counts.get(one.code) ?? 0) + 1;
    this.#counts.set(one.code, count);
    if (this.#options.limitNotices !== true || count <= MAX_NOTICES) this.#kept.push(one);
  }

  /** Records a notice from outside of the pipeline. */
  add(notices: readonly Notice[]): void {
    for (const one of notices) this.#kept.push(one);
  }

  /** Warnings that concern the output, with `-v` everything; a line each. */
  lines(isTouching: (one: Notice) => boolean = () => true): readonly string[] {
    const { verbose } = this.#options;
    const lines: string[] = [];
    const byCode = new Map<NoticeCode, Notice[]>();
    for (const one of this.#kept) {
      if (verbose !== true && !isTouching(one)) continue;
      const same = byCode.get(one.code) ?? [];
      same.push(one);
      byCode.set(one.code, same);
    }
    for (const [code, same] of byCode) {
      const [severity, meaning] = NOTICE_CODES[code];
      if (verbose === true) {
        for (const one of same) lines.push(`${code}: ${meaning}: ${this.#place(one)}`);
        const unsaid = (this.#counts.get(code) ?? 0) - same.length;
        if (unsaid > 0) lines.push(`${code}: ${unsaid} more`);
      } else if (severity === 'warning') {
        const count = this.#countOf(code, same);
        const more = count === 1 ? '' : ` (${counted(count, 'time')}); the first`;
        lines.push(`${code}: ${meaning}${more}: ${this.#place(same[0])}`);
      }
    }
    return lines;
  }

  /** The number of notices, including those not kept. */
  #countOf(code: NoticeCode, same: readonly Notice[]): number {
    return same.length < MAX_NOTICES ? same.length : (this.#counts.get(code) ?? same.length);
  }

  #place({ detail, origin, connection }: Notice): string {
    const parts = [detail];
    const isNamed = this.#names.length > 1 || this.#options.namesCapture === true;
    if (origin !== undefined) parts.push(`${isNamed ? `${this.#names[origin.capture]} ` : ''}frame ${origin.frame}`);
    if (connection !== undefined) parts.push(connection);
    return parts.join(', ');
  }
}

/** Limit: notices of one code that are printed one by one, more are counted; a capture may have a million. */
const MAX_NOTICES = 1000;
