// Draws what is shown as a picture, with the colours of the page. Its policy allows no image, so nothing is drawn by way of one.

import { KINDS } from '../../render/html/html-format.js';
import { rowParts } from '../../render/html/row-parts.js';
import { lanePlaces } from '../lanes.js';
import { type ChartRow, EVENT, type Model, RESPONSE } from '../model.js';
import { lineNode } from './element.js';

/** @returns a PNG. @param all rows in order; the picture says how many of them it leaves out. */
export async function pictureOf(model: Model, all: readonly ChartRow[]): Promise<Blob> {
  const rows = all.slice(0, MAX_ROWS);
  const places = lanePlaces(model, rows);
  const lanes = Math.max(0, ...places) + 1;
  const lane = Math.max(MIN_LANE, Math.min(LANE, Math.floor((WIDEST - GUTTER - LABEL) / lanes)));
  const canvas = document.createElement('canvas');
  const [width, height] = [GUTTER + lanes * lane + LABEL, HEAD + (rows.length + 1) * ROW + ROW];
  const scale = height * 2 <= LONGEST_SIDE && width * 2 <= LONGEST_SIDE ? 2 : 1;
  canvas.width = width * scale;
  canvas.height = height * scale;
  const context = canvas.getContext('2d');
  if (context === null) throw new Error('this browser has no canvas');
  context.scale(scale, scale);
  const style = getComputedStyle(document.documentElement);
  const colour = (name: string): string => style.getPropertyValue(`--${name}`);
  context.fillStyle = colour('paper');
  context.fillRect(0, 0, width, height);
  const xOf = (participant: number): number => GUTTER + (places[participant] + 0.5) * lane;
  const text = (words: string, x: number, y: number, name: string, font: string, most?: number): void => {
    context.font = `${font} ${style.fontFamily}`;
    context.fillStyle = colour(name);
    context.fillText(lineNode(words).data, x, y, most);
  };

  model.view.participants.forEach(({ name }, i) => {
    if (places[i] < 0) return;
    context.strokeStyle = colour('strong-line');
    context.setLineDash([]);
    context.lineWidth = 1;
    line(context, xOf(i), HEAD - 8, xOf(i), height - ROW);
    context.textAlign = 'center';
    text(name, xOf(i), HEAD - 16, 'ink', '600 12px', lane - 8);
  });
  const names = model.view.participants.map(({ name }) => name);
  rows.forEach((row, i) => {
    const y = HEAD + (i + 1) * ROW;
    const { number, time, tag, rest, after } = rowParts(row, model.view.labels[row.index], names);
    context.textAlign = 'right';
    text(`${number}  ${time}`, GUTTER - 12, y, 'muted', '11px', GUTTER - 16);
    const name = row.failed ? 'problem' : KINDS[row.kind];
    context.strokeStyle = colour(name);
    context.fillStyle = colour(name);
    context.lineWidth = row.isOnPath ? 3 : 1.6;
    context.setLineDash(row.kind === RESPONSE ? [5, 4] : row.kind > EVENT ? [2, 3] : []);
    const stops = [row.from, ...row.via, row.to].map(xOf);
    for (let at = 1; at < stops.length; at++) arrow(context, stops[at - 1], stops[at], y);
    context.textAlign = 'left';
    text(`${tag} ${rest}${after}`.trim(), Math.min(...stops) + 8, y - 5, row.failed ? 'problem' : 'ink', '12px', width);
  });
  context.textAlign = 'left';
  const left = all.length - rows.length;
  if (left > 0)
    text(`… and ${left} more messages, which the picture has no room for`, 12, height - 12, 'problem', '12px');
  const made = await new Promise<Blob | null>((done) => canvas.toBlob(done, 'image/png'));
  if (made === null) throw new Error('the picture is too large for this browser');
  return made;
}

function arrow(context: CanvasRenderingContext2D, x1: number, x2: number, y: number): void {
  if (x1 === x2) {
    line(context, x1, y - 5, x1 + SELF, y - 5);
    line(context, x1 + SELF, y - 5, x1 + SELF, y + 3);
    line(context, x1 + SELF, y + 3, x1, y + 3);
  } else line(context, x1, y, x2, y);
  const [tipY, side] = x1 === x2 ? [y + 3, 1] : [y, x1 < x2 ? -1 : 1];
  context.beginPath();
  context.moveTo(x2, tipY);
  context.lineTo(x2 + side * 9, tipY - 4.5);
  context.lineTo(x2 + side * 9, tipY + 4.5);
  context.fill();
}

function line(context: CanvasRenderingContext2D, x1: number, y1: number, x2: number, y2: number): void {
  context.beginPath();
  context.moveTo(x1, y1);
  context.lineTo(x2, y2);
  context.stroke();
}

/** px. */
const GUTTER = 140;
const LANE = 180;
const MIN_LANE = 90;
const HEAD = 52;
const ROW = 34;
/** Room for labels right of the last lane. */
const LABEL = 260;
const WIDEST = 8000;
const SELF = 30;
/** Limit: rows of the picture of a page: browsers draw no canvas that is higher than 16,384 pixels; the picture says how many more there are. */
const MAX_ROWS = 450;
/** px that a canvas may be wide or high in every browser. */
const LONGEST_SIDE = 16_384;
