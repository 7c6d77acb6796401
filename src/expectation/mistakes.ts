// Finds what can be met by no capture, because it is written wrongly: names that nobody has, and labels of a kind that no message
// has. Such an expectation neither holds nor fails; `%% never:` with a mistyped name would hold on anything.

import { nearestName } from '../core/nearest-name.js';
import type { Budget } from './budget.js';
import type { Roster } from './roster.js';
import { arrowTexts, type Diagram } from './syntax/diagram.js';
import { MESSAGE_KINDS } from './syntax/label.js';
import { plainText } from './syntax/markup.js';

export interface Mistake {
  /** 1-based line of its file. */
  readonly line: number;
  /** A sentence for the user, with what was probably meant. */
  readonly text: string;
}

/** Labels that begin with no kind, or with one that no message has: `[RESP-CHUNCK]`. */
export function kindMistakes(diagram: Diagram): Mistake[] {
  return arrowsIn(diagram).flatMap(({ line, label }) => {
    const [, kind] = /^\[([^\]\s]*)\]/.exec(label) ?? [];
    if (kind !== undefined && MESSAGE_KINDS.has(kind)) return [];
    const kinds = [...MESSAGE_KINDS].map((one) => `[${one}]`).join(', ');
    if (kind === undefined) return [{ line, text: `"${shortened(plainText(label))}": expected one of ${kinds} first` }];
    const nearest = nearestName(kind, MESSAGE_KINDS);
    const meant = nearest === null ? `expected one of ${kinds}` : `nearest: [${nearest}]`;
    return [{ line, text: `[${shortened(plainText(kind))}] is no kind of message; ${meant}` }];
  });
}

/** Participants that say or hear something in the diagram, and whom nobody knows. */
export function nameMistakes(diagram: Diagram, roster: Roster): Mistake[] {
  const used = new Set(arrowsIn(diagram).flatMap(({ from, to }) => [from, to]));
  return [...diagram.participants.values()]
    .filter(({ id, name }) => used.has(id) && !roster.has(name))
    .map(({ name, line }) => ({ line, text: roster.mistake(name) }));
}

/** Of the senders and receivers whose requests a budget counts. */
export function budgetMistakes(budgets: readonly Budget[], roster: Roster): (Mistake & { readonly file: string })[] {
  return budgets.flatMap(({ file, line, names }) =>
    names.filter((name) => !roster.has(name)).map((name) => ({ file, line, text: roster.mistake(name) })),
  );
}

function arrowsIn({ body, nevers }: Diagram): readonly {
  readonly line: number;
  readonly from: string;
  readonly to: string;
  readonly label: string;
}[] {
  return [...arrowTexts(body), ...nevers];
}

function shortened(text: string): string {
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text;
}

/** Characters of a label: enough to find it by. */
const SHOWN = 40;
