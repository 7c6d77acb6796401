// What the drawing means and which keys there are, in a dialog.

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
  ['red', 'refused, failed, or without an answer'],
  ['slanted text', 'incomplete: not everything of the message could be read'],
  ['ring', 'a Service by whose address the message went'],
  ['bar', 'on the lifeline of the server, from request to response'],
  ['+12', 'twelve messages are folded here; a click unfolds them'],
  ['3.2 s', 'time in which nothing that is shown happened; it is drawn shorter than it was'],
  ['orange, green', 'while an arrow is pointed at: what led to it, what came of it'],
] as const;

const KEYS = [
  ['↓ ↑, j k', 'next, previous arrow'],
  ['Home End', 'first, last arrow'],
  ['Enter', 'details of the arrow'],
  ['c', 'to its cause'],
  ['e', 'to the first thing that came of it'],
  ['r', 'from request to response and back'],
  ['x', 'unfold what is folded before it'],
  ['u', 'unfold everything, fold it again'],
  ['/', 'find text'],
  ['Escape', 'close details, menus; forget the text'],
  ['?', 'this help'],
] as const;
