// Finds names and labels that no capture can match because they are misspelt. Such an expectation is an error: `%%
// never:` with a misspelt name would pass on any capture.

import { nearestName } from '../core/nearest-name.js';
import { isNameOfCluster, KNOWN_PROGRAMS } from '../kubernetes/attributed/programs/known-programs.js';
import type { Message, Participant } from '../kubernetes/messages/message.js';
import type { Budget } from './budget.js';
import { arrowTexts, type Diagram } from './syntax/diagram.js';
import { CUT, MESSAGE_KINDS } from './syntax/label.js';
import { plainText, SOFT } from './syntax/markup.js';
import { compilePattern } from './syntax/pattern.js';

export interface Mistake {
  /** 1-based line of its file. */
  readonly line: number;
  /** A sentence for the user, with the most similar name. */
  readonly text: string;
}

/** Labels without a tag, or with an unknown one: `[RESP-CHUNCK]`. */
export function kindMistakes(diagram: Diagram): Mistake[] {
  return arrowsIn(diagram).flatMap(({ line, label, isCut }) => {
    const [, kind] = /^\[([^\]\s]*)\]/.exec(label) ?? [];
    if (kind !== undefined && MESSAGE_KINDS.has(kind)) {
      if (!isCut) return kind === CUT ? [{ line, text: `[${CUT}] is drawn as --x` }] : [];
      return OF_CUTS.has(kind) ? [] : [{ line, text: `--x is a cut; expected [${CUT}], or the request that was cut` }];
    }
    const kinds = [...MESSAGE_KINDS].map((one) => `[${one}]`).join(', ');
    if (kind === undefined) return [{ line, text: `"${shortened(plainText(label))}": expected one of ${kinds} first` }];
    const nearest = nearestName(kind, MESSAGE_KINDS);
    const meant = nearest === null ? `expected one of ${kinds}` : `nearest: [${nearest}]`;
    return [{ line, text: `[${shortened(plainText(kind))}] is no kind of message; ${meant}` }];
  });
}

/** Participants with arrows in the diagram whose names are unknown. */
export function nameMistakes(diagram: Diagram, roster: Roster): Mistake[] {
  const used = new Set(arrowsIn(diagram).flatMap(({ from, to }) => [from, to]));
  return [...diagram.participants.values()]
    .filter(({ id, name }) => used.has(id) && !roster.has(name))
    .map(({ name, line }) => ({ line, text: roster.mistake(name) }));
}

/** Unknown senders and receivers in budgets. */
export function budgetMistakes(budgets: readonly Budget[], roster: Roster): (Mistake & { readonly file: string })[] {
  return budgets.flatMap(({ file, line, names }) =>
    names.filter((name) => !roster.has(name)).map((name) => ({ file, line, text: roster.mistake(name) })),
  );
}

function arrowsIn({ body, nevers }: Diagram): readonly {
  readonly line: number;
  readonly from: string;
  readonly to: string;
  readonly isCut: boolean;
  readonly label: string;
}[] {
  return [...arrowTexts(body), ...nevers];
}

function shortened(text: string): string {
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text;
}

/** Kinds of labels that an arrow of a cut has. */
const OF_CUTS: ReadonlySet<string> = new Set([CUT, 'REQ', 'RPC']);
/** Characters of a label: enough to find it by. */
const SHOWN = 40;

/** Names that an expectation may use: captured ones, those of the user's file, and those of Kubernetes programs. */
export class Roster {
  /** Names of participants, components and processes. */
  readonly #seen = new Set<string>();

  readonly #participants = new Set<Participant>();

  /** @param own names that the user's file declares; no captured participant need have them. */
  constructor(own: Iterable<string> = []) {
    for (const name of own) this.#seen.add(name);
  }

  observe({ from, to, via = [] }: Message): void {
    for (const one of [from, to, ...via]) {
      if (this.#participants.has(one)) continue;
      this.#participants.add(one);
      for (const { name, component } of [one, one.process]) this.#seen.add(name).add(component);
    }
  }

  get isEmpty(): boolean {
    return this.#participants.size === 0;
  }

  /** @param marked result of `readMarkup`, with wildcards. */
  has(marked: string): boolean {
    const pattern = compilePattern(marked.replaceAll(SOFT, ' '), []);
    if (isNameOfCluster(plainText(marked))) return true;
    for (const names of [this.#seen, KNOWN_PROGRAMS]) for (const name of names) if (pattern.fits(name)) return true;
    return false;
  }

  /** The error for an unknown name, in one sentence. */
  mistake(marked: string): string {
    const name = plainText(marked);
    return `no participant is called ${name}, in the capture or in Kubernetes; ${this.#meant(name)}`;
  }

  #meant(name: string): string {
    // Of two equally near names, the captured one.
    const nearest = nearestName(name, [...this.#seen, ...KNOWN_PROGRAMS]);
    if (nearest !== null) return `nearest: ${nearest}`;
    const names = [...this.#seen].sort();
    const more = names.length > SHOWN_NAMES ? ' …' : '';
    const there = names.slice(0, SHOWN_NAMES).join(', ');
    return `there are: ${there}${more}; --participants names others`;
  }
}

const SHOWN_NAMES = 12;
