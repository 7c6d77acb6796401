// Reads the shapes of shapes.txt.

import { textSections } from '../core/text-table.js';
import SHAPES from './shapes.txt?raw';

/** A pattern, and the longest text in characters. */
export type TextPattern = { readonly longest: number; readonly pattern: RegExp };
const SECTIONS = new Map(textSections(SHAPES).map(({ heading, lines }) => [heading, lines]));

/** @returns the shapes of a section that there is, by their names. */
export function shapesOf(heading: string): Readonly<Record<string, TextPattern>> {
  const shapes = SECTIONS.get(heading)?.map((line): [string, TextPattern] => {
    const [, name, longest, source, flags] = /^(\S+) (\S+) \/(.*)\/(i?)$/.exec(line) as RegExpExecArray;
    return [
      name,
      { longest: longest === '-' ? Number.POSITIVE_INFINITY : Number(longest), pattern: new RegExp(source, flags) },
    ];
  });
  return Object.fromEntries(shapes ?? []);
}
