// Messages that need not be tried at a depth: one that was matched there came too late for what stands below, and so does
// every later one that would be held against the same rules of order. The same for requests whose answers came too late.

import { ANSWERED_LATE, ANSWERED_LATE_ON_LINE, LATE_ON_LINE, TOO_LATE } from './conflicts.js';

/** What the rules of order look at in a message. */
export interface Ordered {
  /** The same for messages that rules about their objects treat alike. */
  signatureAt(place: number): number;
  /** An answer that its receiver waits for. */
  isAwaited(place: number): boolean;
  /** Place of a request's answer; -1: none. */
  responseTo(place: number): number;
}

interface TooLateRow {
  /** From this place on it is too late; 0: wherever it stands. */
  readonly own: number;
  /** The same of its answer. */
  readonly answer: number;
}

export class TooLate {
  readonly #ordered: Ordered;
  readonly #rows = new Map<number, TooLateRow[]>();
  #hasAnswers = false;

  constructor(ordered: Ordered) {
    this.#ordered = ordered;
  }

  /** @param blame bits of blame.ts, without BLAMED. @param place of what was matched. */
  add(blame: number, place: number): void {
    const answer = this.#ordered.responseTo(place);
    const isAnswerLate = (blame & (ANSWERED_LATE | ANSWERED_LATE_ON_LINE)) !== 0;
    const row: TooLateRow = {
      own: (blame & (TOO_LATE | LATE_ON_LINE)) === 0 ? 0 : place,
      answer: isAnswerLate ? answer : 0,
    };
    this.#hasAnswers ||= isAnswerLate;
    const own = this.#key(place, (blame & TOO_LATE) !== 0, (blame & LATE_ON_LINE) !== 0);
    const answered = this.#key(answer, (blame & ANSWERED_LATE) !== 0, (blame & ANSWERED_LATE_ON_LINE) !== 0);
    const key = own * SPAN + answered;
    const rows = this.#rows.get(key);
    if (rows === undefined) this.#rows.set(key, [row]);
    else if (!rows.some((one) => covers(one, row))) {
      const kept = rows.filter((one) => !covers(row, one));
      this.#rows.set(key, [...kept, row]);
    }
  }

  /** Is a message too late for the same reason as one that was tried? */
  covers(place: number): boolean {
    const row = { own: place, answer: this.#hasAnswers ? this.#ordered.responseTo(place) : 0 };
    const answers = row.answer < 0 || !this.#hasAnswers ? NO_KEYS : this.#keys(row.answer);
    return this.#keys(place).some((own) =>
      answers.some((answer) => this.#rows.get(own * SPAN + answer)?.some((one) => covers(one, row)) === true),
    );
  }

  /** All kinds of rows that a message could be in. */
  #keys(place: number): readonly number[] {
    const keys = [0, this.#key(place, true, false)];
    if (this.#ordered.isAwaited(place)) keys.push(ON_LINE);
    return keys;
  }

  #key(place: number, isLate: boolean, isLateOnLine: boolean): number {
    if (isLate) return FIRST_SIGNATURE + this.#ordered.signatureAt(place);
    return isLateOnLine ? ON_LINE : 0;
  }
}

function covers(one: TooLateRow, other: TooLateRow): boolean {
  return one.own <= other.own && one.answer <= other.answer;
}

const NO_KEYS = [0] as const;
/** Any answer that is waited for, whatever it is about. */
const ON_LINE = 1;
const FIRST_SIGNATURE = 2;
/** More signatures than an observation has, few enough for two in a safe integer. */
const SPAN = 2 ** 26;
