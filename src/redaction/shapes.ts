// Reads the shapes of shapes.txt: what a text must look like to be shown.

import { textSections } from '../core/text-table.js';
import SHAPES from './shapes.txt?raw';

/** A pattern, and the longest text in characters. */
export type TextPattern = { readonly longest: number; readonly pattern: RegExp };
type Shapes = Readonly<Record<string, TextPattern>>;

const SECTIONS: ReadonlyMap<string, Shapes> = new Map(
  textSections(SHAPES).map(({ heading, lines }) => [heading, Object.fromEntries(lines.map(shapeOf))]),
);

/** @param heading of a section that shapes.txt has. @returns its shapes by their names. */
export function shapesOf(heading: string): Shapes {
  return SECTIONS.get(heading) as Shapes;
}

/** @param line `NAME LONGEST /PATTERN/`. */
function shapeOf(line: string): [name: string, shape: TextPattern] {
  const [, name, longest, source, flags] = /^(\S+) (\S+) \/(.*)\/(i?)$/.exec(line) as RegExpExecArray;
  return [name, { longest: Number(longest), pattern: new RegExp(source, flags) }];
}
