// Reads the lists of lists.txt.

import { textSections } from '../core/text-table.js';
import LISTS from './lists.txt?raw';

const SECTIONS = new Map(textSections(LISTS).map(({ heading, lines }) => [heading, lines]));

/** @returns the words of a list that there is. */
export function listOf(heading: string): ReadonlySet<string> {
  return new Set([...linesOf(heading)].flatMap((line) => line.split(' ')));
}

/** @returns the same, where each line is one text. */
export function linesOf(heading: string): ReadonlySet<string> {
  return new Set(SECTIONS.get(heading) as readonly string[]);
}
