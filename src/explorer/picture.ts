// Lays out what a page shows as a picture of lines and texts: title, participants, arrows, notes, gaps. A canvas or SVG draws it.

import { elapsedText } from '../core/duration.js';
import { shorten, wrap } from '../render/escape/mermaid-escape.js';
import { KINDS, type ViewNote } from '../render/html/html-format.js';
import { rowParts } from '../render/html/row-parts.js';
import { barsOf, lanePlaces } from './lanes.js';
import { type ChartRow, EVENT, type Model, RESPONSE } from './model.js';
import type { Gap } from './visibility.js';

/** Lengths in px; colours by their names in the page's theme. */
export interface Picture {
  readonly width: number;
  readonly height: number;
  /** From the back to the front. */
  readonly shapes: readonly Shape[];
}

export type Shape = PathShape | TextShape;

/** Straight lines from point to point; closed where it is filled. */
export interface PathShape {
  readonly points: readonly (readonly [x: number, y: number])[];
  readonly stroke?: string;
  readonly fill?: string;
  readonly width?: number;
  readonly dash?: readonly number[];
}

export interface TextShape {
  readonly x: number;
  /** Of the baseline. */
  readonly y: number;
  readonly size: number;
  readonly anchor: 'start' | 'middle' | 'end';
  readonly parts: readonly TextPart[];
}

/** Captured text: who draws it escapes it. */
interface TextPart {
  readonly text: string;
  readonly colour: string;
  readonly bold?: true;
}

/** @param all rows in order; the picture says how many of them it leaves out. @param title lines, the first is large. @param highest px. */
export function pictureOf(
  model: Model,
  all: readonly ChartRow[],
  gaps: ReadonlyMap<ChartRow, Gap>,
  title: readonly string[],
  highest: number,
): Picture {
  const places = lanePlaces(model, all);
  const lanes = Math.max(0, ...places) + 1;
  const lane = Math.max(MIN_LANE, Math.min(LANE, Math.floor((WIDEST - GUTTER - LABEL) / lanes)));
  const xOf = (participant: number): number => GUTTER + (places[participant] + 0.5) * lane;
  const right = GUTTER + lanes * lane;
  const names = model.view.participants.map(({ name }) => name);
  const shapes: Shape[] = [];
  let width = right + LABEL;
  const widen = (x: number, text: string): void => {
    width = Math.min(WIDEST, Math.max(width, x + text.length * CHARACTER + MARGIN));
  };
  let y = MARGIN;
  title.forEach((line, i) => {
    for (const text of linesOf(line, (width - 2 * MARGIN) / CHARACTER)) {
      y += LINE;
      shapes.push(
        textAt(MARGIN, y, i === 0 ? 15 : 12, { text, colour: i === 0 ? 'ink' : 'muted', ...(i === 0 ? BOLD : null) }),
      );
    }
  });
  y += HEAD;
  const top = y - LINE / 2;
  const note = ([, , from, to, ...lines]: ViewNote): void => {
    const span = xOf(to) - xOf(from) + 80;
    const texts = lines.flatMap((line) => linesOf(line, Math.max(460, span) / CHARACTER - 2));
    const wide = Math.max(span, Math.max(...texts.map(({ length }) => length)) * CHARACTER + 2 * MARGIN);
    const x = xOf(from) - 40;
    const box = boxOf(x, y + 9, wide, texts.length * LINE + 8);
    shapes.push({ points: box, fill: 'note', stroke: 'note-line' });
    for (const text of texts) {
      y += LINE;
      shapes.push({ ...textAt(x + wide / 2, y + 9, 12, { text, colour: 'ink' }), anchor: 'middle' });
    }
    width = Math.min(WIDEST, Math.max(width, x + wide + MARGIN));
    y += 18;
  };
  const lines = new Map<ChartRow, number>();
  for (const row of all) {
    const own = model.notesOf(row);
    if (y + ROW + own.length * NOTE > highest - FOOT) break;
    const gap = gaps.get(row);
    y += SPACES[gap?.size ?? 0];
    if (gap?.size === 4) {
      shapes.push({
        points: [
          [0, y - 8],
          [right, y - 8],
        ],
        stroke: 'strong-line',
        dash: [2, 4],
      });
      shapes.push(textAt(MARGIN, y + 6, 11, { text: elapsedText(gap.micros * 1e3), colour: 'muted', ...BOLD }));
      y += 10;
    }
    for (const one of own) if (one[1] === 0) note(one);
    y += ROW;
    lines.set(row, y);
    const { number, time, tag, rest, after } = rowParts(row, model.view.labels[row.index], names);
    const folded = gap === undefined || gap.folded.length === 0 ? '' : `+${gap.folded.length}  `;
    shapes.push({
      ...textAt(GUTTER - 12, y, 11, { text: `${folded}${number}  ${time}`, colour: 'muted' }),
      anchor: 'end',
    });
    const colour = row.failed ? 'problem' : KINDS[row.kind];
    const stops = [row.from, ...row.via, row.to].map(xOf);
    const dash = row.kind === RESPONSE ? [5, 4] : row.kind > EVENT ? [2, 3] : undefined;
    for (let at = 1; at < stops.length; at++)
      shapes.push(...arrowOf(stops[at - 1], stops[at], y, { stroke: colour, dash, width: row.isOnPath ? 3 : 1.6 }));
    const x = Math.min(...stops) + 8;
    widen(x, `${tag} ${rest}${after}`);
    shapes.push(
      textAt(
        x,
        y - 5,
        12,
        ...(tag === '' ? [] : [{ text: `${tag} `, colour, ...BOLD }]),
        { text: rest.trimStart(), colour: row.failed ? 'problem' : 'ink' },
        { text: after, colour: 'muted' },
      ),
    );
    for (const one of own) if (one[1] === 1) note(one);
  }
  const bottom = y + LINE;
  if (lines.size < all.length) {
    const text = `… and ${all.length - lines.size} more messages, which the picture has no room for`;
    shapes.push(textAt(MARGIN, bottom + LINE, 12, { text, colour: 'problem' }));
  }
  const back: Shape[] = [{ points: boxOf(0, 0, width, bottom + FOOT), fill: 'paper' }];
  for (const { request, response } of barsOf(model, [...lines.keys()]))
    back.push({
      points: boxOf(
        xOf(request.to) - 3,
        lines.get(request) ?? 0,
        6,
        (lines.get(response) ?? 0) - (lines.get(request) ?? 0),
      ),
      fill: 'bar',
      stroke: 'bar-line',
    });
  names.forEach((name, i) => {
    if (places[i] < 0) return;
    back.splice(1, 0, {
      points: [
        [xOf(i), top],
        [xOf(i), bottom],
      ],
      stroke: 'strong-line',
    });
    const texts = linesOf(shorten(name), lane / CHARACTER - 1).slice(0, 3);
    texts.forEach((text, at) => {
      const line = top - 6 - (texts.length - 1 - at) * 14;
      back.push({ ...textAt(xOf(i), line, 12, { text, colour: 'ink', ...BOLD }), anchor: 'middle' });
    });
  });
  return { width, height: bottom + FOOT, shapes: [...back, ...shapes] };
}

function textAt(x: number, y: number, size: number, ...parts: readonly TextPart[]): TextShape {
  return { x, y, size, anchor: 'start', parts };
}

/** At most so many characters each, broken at blanks where there are any. */
function linesOf(text: string, most: number): string[] {
  const width = Math.max(8, Math.floor(most));
  return wrap(text, width).flatMap((line) => line.match(new RegExp(`.{1,${width}}`, 'gsu')) ?? ['']);
}

function boxOf(x: number, y: number, width: number, height: number): PathShape['points'] {
  return [
    [x, y],
    [x + width, y],
    [x + width, y + height],
    [x, y + height],
    [x, y],
  ];
}

function arrowOf(x1: number, x2: number, y: number, look: Omit<PathShape, 'points'>): PathShape[] {
  const isSelf = x1 === x2;
  const tip = isSelf ? y + 3 : y;
  const side = isSelf || x1 > x2 ? 9 : -9;
  const way: PathShape['points'] = isSelf
    ? [
        [x1, y - 5],
        [x1 + SELF, y - 5],
        [x1 + SELF, tip],
        [x1, tip],
      ]
    : [
        [x1, y],
        [x2, y],
      ];
  const head: PathShape['points'] = [
    [x2, tip],
    [x2 + side, tip - 4.5],
    [x2 + side, tip + 4.5],
  ];
  return [
    { points: way, ...look },
    { points: head, fill: look.stroke },
  ];
}

const BOLD = { bold: true } as const;
/** px. */
const MARGIN = 12;
const GUTTER = 180;
const LANE = 180;
const MIN_LANE = 90;
const HEAD = 60;
const ROW = 34;
const LINE = 17;
/** A note of one line. */
const NOTE = 40;
/** Below the last lifeline. */
const FOOT = 40;
/** Before a row, by the size of its gap. */
const SPACES = [0, 3, 8, 16, 22] as const;
/** Room for labels right of the last lane. */
const LABEL = 260;
/** About the width of a character of 12 px. */
const CHARACTER = 6.6;
const SELF = 30;
/** Limit: px of a picture of a page: what is wider nobody reads. */
const WIDEST = 8000;
