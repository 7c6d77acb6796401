// Records, as bits, why the message matched at one depth of the search keeps a later arrow from being matched, and skips
// messages that the same reason excludes.

export function addConflict(conflicts: Uint8Array, depth: number, reasons: number): void {
  conflicts[depth] |= reasons;
}

/** The message at that depth is too late, and so is any later one about the same objects. */
export const TOO_LATE = 1;
/** The message is a response that came too late on its receiver's lifeline, and so is any later response. */
export const LATE_ON_LINE = 2;
/** The message is a request whose response is too late, for one of the two reasons above. */
export const ANSWERED_LATE = 4;
export const ANSWERED_LATE_ON_LINE = 8;
/** Another reason: any other message may fit. */
export const CONFLICT = 16;

/** The reasons against a response as reasons against its request. */
export function ofAnswer(reasons: number): number {
  return reasons >= ANSWERED_LATE ? CONFLICT : reasons * (ANSWERED_LATE / TOO_LATE);
}

/** The properties of a message that the rules of order compare. */
export interface Ordered {
  /** Equal for messages that the rules about objects treat alike. */
  signatureAt(place: number): number;
  /** Is it a response that its receiver waits for? */
  isAwaited(place: number): boolean;
  /** Place of a request's response; -1: none. */
  responseTo(place: number): number;
}

interface TooLateRow {
  /** The message is too late from this place on; 0: at any place. */
  readonly own: number;
  /** The same for its response. */
  readonly answer: number;
}

/** Excludes messages, and requests whose responses, are at least as late as one that failed under the same rules. */
export class TooLate {
  readonly #ordered: Ordered;
  readonly #rows = new Map<number, TooLateRow[]>();
  #hasAnswers = false;

  constructor(ordered: Ordered) {
    this.#ordered = ordered;
  }

  /** @param conflicts bits without CONFLICT. @param place of the message that was matched. */
  add(conflicts: number, place: number): void {
    const answer = this.#ordered.responseTo(place);
    const isAnswerLate = (conflicts & (ANSWERED_LATE | ANSWERED_LATE_ON_LINE)) !== 0;
    const row: TooLateRow = {
      own: (conflicts & (TOO_LATE | LATE_ON_LINE)) === 0 ? 0 : place,
      answer: isAnswerLate ? answer : 0,
    };
    this.#hasAnswers ||= isAnswerLate;
    const own = this.#key(place, (conflicts & TOO_LATE) !== 0, (conflicts & LATE_ON_LINE) !== 0);
    const answered = this.#key(answer, (conflicts & ANSWERED_LATE) !== 0, (conflicts & ANSWERED_LATE_ON_LINE) !== 0);
    const key = own * SPAN + answered;
    const rows = this.#rows.get(key);
    if (rows === undefined) this.#rows.set(key, [row]);
    else if (!rows.some((one) => covers(one, row))) {
      const kept = rows.filter((one) => !covers(row, one));
      this.#rows.set(key, [...kept, row]);
    }
  }

  /** Is a message too late for the same reason as one that failed? */
  covers(place: number): boolean {
    const row = { own: place, answer: this.#hasAnswers ? this.#ordered.responseTo(place) : 0 };
    const answers = row.answer < 0 || !this.#hasAnswers ? NO_KEYS : this.#keys(row.answer);
    return this.#keys(place).some((own) =>
      answers.some((answer) => this.#rows.get(own * SPAN + answer)?.some((one) => covers(one, row)) === true),
    );
  }

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
/** Any response that its receiver waits for. */
const ON_LINE = 1;
const FIRST_SIGNATURE = 2;
/** Above the number of signatures of an observation; the product of two is still a safe integer. */
const SPAN = 2 ** 26;
