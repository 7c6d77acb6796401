// Decides what a command reports when traffic could not be decoded: exit status 1 with a reason if nothing was
// decoded, and verdicts of `check` that are neither pass nor fail.

import {
  type BudgetResult,
  type CheckVerdict,
  checkBudgets,
  check as checkDiagram,
  type Diagram,
  failuresUnread,
  isEmpty,
  type Message,
  missingParts,
  type NoticeCode,
  type ObservationIndex,
  type UndecidedExpectation,
  type UnreadPlace,
  UnreadTraffic,
  undecidedIn,
  unreadPlaces,
} from '../index.js';
import { EXIT_DIFFERENT, EXIT_FINE, EXIT_INTERRUPTED, printError } from './cli-error.js';
import type { Session } from './input/session.js';
import type { CommonOptions } from './options.js';

/** The exit status of a command that has written its output. The reason of a failure is printed even with -q. */
export function exitStatusOf(session: Session, options: CommonOptions): number {
  if (session.interrupted) return EXIT_INTERRUPTED;
  const lines = whyUnread(session, options);
  for (const line of lines) printError(line);
  if (lines.length > 0) return EXIT_DIFFERENT;
  if (session.messages === 0 && options.quiet !== true) printError(NOTHING_THERE);
  return EXIT_FINE;
}

/** Why nothing was decoded or no key log fits, with advice; empty: something was decoded, or the capture is empty. */
export function whyUnread(session: Session, { keylog = [] }: CommonOptions): string[] {
  const codes = new Set(unreadPlaces(session.notices).map(({ code }) => code));
  if (codes.size === 0) return [];
  const isClosed = [...codes].some((code) => CLOSED.has(code));
  const isUseless = keylog.length > 0 && isClosed && !session.hasDecrypted;
  if (session.messages > 0 && !isUseless) return [];
  const what = missingParts(session.notices.filter(({ code }) => codes.has(code))).join(', ');
  const first = isUseless
    ? `--keylog ${keylog.join(', ')}: nothing in it fits this capture: ${what}`
    : `nothing of the capture could be read: ${what}`;
  return [first, ...nextSteps(codes, isUseless)];
}

function nextSteps(codes: ReadonlySet<NoticeCode>, isUseless: boolean): string[] {
  const steps: string[] = [];
  if (isUseless || codes.has('tls.bad-tag'))
    steps.push(`give the key log of this very run with --keylog FILE; ${HOW_TO_GET_ONE}`);
  else if (codes.has('tls.no-secret')) steps.push(`give the key log of this run with --keylog FILE; ${HOW_TO_GET_ONE}`);
  else if (codes.has('tls.no-handshake'))
    steps.push(
      `give a key log that reaches back to when the connections were opened (--keylog FILE); ${HOW_TO_GET_ONE}`,
    );
  if (codes.has('tls.unsupported-suite'))
    steps.push('let one side offer a cipher suite that is read: docs/decrypting.md');
  if (codes.has('capture.unknown-link')) steps.push('capture on another interface, or with tcpdump -i any');
  if (codes.has('packet.unknown-encapsulation'))
    steps.push('capture where packets are unwrapped, on the host or router behind');
  if (steps.length === 0)
    steps.push('kubeseq summary --streams names each connection, and kubeseq doctor lists what a recording needs');
  return steps.map((step) => `next: ${step}`);
}

const HOW_TO_GET_ONE = 'kubeseq keys writes one while the programs run, and kubeseq doctor lists what that needs';
export const NOTHING_THERE = 'there is no request and no answer in the capture';
/** Encrypted connections without matching secrets. */
const CLOSED: ReadonlySet<NoticeCode> = new Set(['tls.no-secret', 'tls.no-handshake', 'tls.bad-tag']);

type Budgets = Parameters<typeof checkBudgets>[0];

/** Gives the verdicts on one observation. */
export class Judge {
  readonly #observation: ObservationIndex;
  readonly #session: Session;
  readonly #unread: UnreadTraffic;
  /** Why nothing can be decided; null: something was decoded. */
  readonly #nothing: string | null;

  /** @param everything all of the observation: `facts` may be about a selection. */
  constructor(observation: ObservationIndex, everything: readonly Message[], session: Session, options: CommonOptions) {
    this.#observation = observation;
    this.#session = session;
    this.#unread = new UnreadTraffic(unreadPlaces(session.notices), everything);
    this.#nothing = everything.length > 0 ? null : nothingRead(session, options).join('; ');
  }

  verdict(diagram: Diagram, allFailures: boolean | undefined): CheckVerdict {
    const verdict = checkDiagram(diagram, this.#observation, { allFailures });
    if (verdict.undecided !== null || isEmpty(diagram) || this.#session.interrupted) return verdict;
    const why = this.#nothing ?? this.#whyUndecided(diagram, verdict);
    return why === null ? verdict : { ...verdict, met: false, undecided: why };
  }

  budgets(budgets: Budgets): BudgetResult[] {
    const results = checkBudgets(budgets, this.#observation);
    const undecided = this.#session.interrupted ? null : this.#nothing;
    return undecided === null ? results : results.map((one) => ({ ...one, undecided }));
  }

  /** Why an expectation cannot be rewritten: its missing arrows may be in unread traffic. null: it can. */
  whyKept(diagram: Diagram): string | null {
    if (this.#nothing !== null) return this.#nothing;
    const verdict = checkDiagram(diagram, this.#observation, { allFailures: true });
    return this.#sentence(failuresUnread(diagram, verdict, this.#unread), 'may be');
  }

  /** @returns null: the verdict stands. */
  #whyUndecided(diagram: Diagram, verdict: CheckVerdict): string | null {
    if (undecidedIn(diagram, verdict, this.#unread).length === 0) return null;
    // The first failure may be in unread traffic; another one decides.
    const whole = verdict.met ? verdict : checkDiagram(diagram, this.#observation, { allFailures: true });
    return this.#sentence(
      undecidedIn(diagram, whole, this.#unread),
      verdict.met ? 'must never occur, and may be' : 'may be',
    );
  }

  #sentence(undecided: readonly UndecidedExpectation[], what: string): string | null {
    if (undecided.length === 0) return null;
    const lines = [...new Set(undecided.map(({ line }) => line))];
    const places = new Set(undecided.flatMap((one) => one.places));
    const arrows = `${lines.length === 1 ? 'the arrow of line' : 'the arrows of lines'} ${lines.join(', ')}`;
    return `${arrows} ${what} in what could not be read: ${placesText([...places], this.#session)}`;
  }
}

/** `2 encrypted connections without secrets (192.0.2.1:40000 to 192.0.2.10:2379, …)` */
export function placesText(places: readonly UnreadPlace[], session: Session): string {
  const ends = new Set(places.map(({ code, ends: at }) => `${code} ${at?.client} ${at?.server}`));
  const notices = session.notices.filter((one) =>
    unreadPlaces([one]).some(({ code, ends: at }) => ends.has(`${code} ${at?.client} ${at?.server}`)),
  );
  const shown = places
    .slice(0, SHOWN_PLACES)
    .flatMap(({ ends: at }) => (at === null ? [] : [`${at.client} to ${at.server}`]));
  const more = places.length > SHOWN_PLACES ? ', …' : '';
  const which = shown.length === 0 ? '' : ` (${shown.join(', ')}${more})`;
  return `${missingParts(notices).join(', ')}${which}; give their key log with --keylog, see kubeseq summary --streams`;
}

/** The reasons for an observation without messages. */
export function nothingRead(session: Session, options: CommonOptions): readonly string[] {
  const why = whyUnread(session, options);
  return why.length === 0 ? [NOTHING_THERE] : why;
}

const SHOWN_PLACES = 3;
