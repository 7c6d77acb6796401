// Handles the keyboard, and explains the chart and the keys in a dialog.

import { button, element } from './element.js';

export function helpDialog(): HTMLDialogElement {
  const dialog = element('dialog', { id: 'help', 'aria-label': 'Help' });
  const table = (rows: readonly (readonly [string, string])[]): HTMLElement =>
    element('dl', {}, ...rows.flatMap(([key, what]) => [element('dt', {}, key), element('dd', {}, what)]));
  dialog.append(
    element('h2', {}, 'What the drawing means'),
    table(MEANINGS),
    element('h2', {}, 'Keys'),
    table(KEYS),
    button('Close', () => dialog.close()),
  );
  return dialog;
}

const MEANINGS = [
  ['solid blue', 'a request'],
  ['dashed grey', 'its response'],
  ['solid violet', 'one event of a watch'],
  ['dotted brown', 'one piece of a stream'],
  ['red', 'refused, failed, or without a response'],
  ['slanted text', 'incomplete: not everything of the message could be read'],
  ['ring', 'a Service by whose address the message went'],
  ['bar', 'on the lifeline of the server, from request to response'],
  ['+12', 'twelve messages are folded here; a click unfolds them'],
  ['3.2 s', 'time in which nothing that is shown happened; it is drawn shorter than it was'],
  ['amber behind an arrow', 'a step of the critical path; the note at it has its time and share'],
  ['orange, green', 'while an arrow is pointed at: what led to it, what came of it'],
  ['dotted path', 'a step that the capture does not prove: other causes are possible'],
  ['perhaps', 'a message behind such a step, paler; the details list the other possible causes'],
] as const;

const KEYS = [
  ['↓ ↑, j k', 'next, previous arrow'],
  ['Home End', 'first, last arrow'],
  ['Enter', 'details of the arrow'],
  ['c', 'to its cause'],
  ['e', 'to the first thing that came of it'],
  ['r', 'from request to response and back'],
  ['o', 'only messages about its object'],
  ['x', 'unfold what is folded before it'],
  ['u', 'unfold everything, fold it again'],
  ['/', 'find text'],
  ['Escape', 'close details, menus; forget the text'],
  ['?', 'this help'],
] as const;

interface KeyActions {
  /** @param step rows forward or back; ±Infinity: the last or first row. */
  move(step: number): void;
  open(): void;
  toCause(): void;
  toEffect(): void;
  toOtherHalf(): void;
  /** To the messages about the object of the arrow. */
  toStory(): void;
  unfoldBefore(): void;
  toggleFolds(): void;
  search(): void;
  escape(): void;
  help(): void;
}

export function listenToKeys(actions: KeyActions): void {
  const table: Readonly<Record<string, () => void>> = {
    ArrowDown: () => actions.move(1),
    j: () => actions.move(1),
    ArrowUp: () => actions.move(-1),
    k: () => actions.move(-1),
    Home: () => actions.move(Number.NEGATIVE_INFINITY),
    End: () => actions.move(Number.POSITIVE_INFINITY),
    c: actions.toCause,
    e: actions.toEffect,
    r: actions.toOtherHalf,
    o: actions.toStory,
    x: actions.unfoldBefore,
    u: actions.toggleFolds,
    '/': actions.search,
    '?': actions.help,
  };
  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector('dialog[open]') !== null) return;
    if (event.key === 'Escape') {
      actions.escape();
      return;
    }
    const { target } = event;
    const isElsewhere = target instanceof Element && target.closest('input, summary, fieldset, #panel') !== null;
    if (isElsewhere || table[event.key] === undefined) return;
    event.preventDefault();
    table[event.key]();
  });
}
