// Draws a picture as a PNG, on a canvas, or as SVG, in the colours of the page. Its policy allows no image, so nothing is drawn by way of one.

import { escapeXml } from '../../render/escape/html-escape.js';
import type { PathShape, Picture, TextShape } from '../picture.js';
import { lineNode } from './element.js';

/** Looks a colour of the page's theme up. */
type Colours = (name: string) => string;

export async function pngOf({ width, height, shapes }: Picture): Promise<Blob> {
  const canvas = document.createElement('canvas');
  const scale = Math.max(width, height) * 2 <= LONGEST_SIDE ? 2 : 1;
  canvas.width = width * scale;
  canvas.height = height * scale;
  const context = canvas.getContext('2d');
  if (context === null) throw new Error('this browser has no canvas');
  context.scale(scale, scale);
  const { colour, font } = theme();
  for (const shape of shapes) {
    if ('points' in shape) drawPath(context, shape, colour);
    else drawText(context, shape, colour, font);
  }
  const made = await new Promise<Blob | null>((done) => canvas.toBlob(done, 'image/png'));
  if (made === null) throw new Error('the picture is too large for this browser');
  return made;
}

/** @returns a document in UTF-8 that needs nothing else. */
export function svgOf({ width, height, shapes }: Picture): Blob {
  const { colour, font } = theme();
  const head = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="${escapeXml(font)}">`;
  const lines = shapes.map((shape) => ('points' in shape ? pathElement(shape, colour) : textElement(shape, colour)));
  return new Blob([[head, ...lines, '</svg>', ''].join('\n')], { type: 'image/svg+xml' });
}

function theme(): { readonly colour: Colours; readonly font: string } {
  const style = getComputedStyle(document.documentElement);
  return { colour: (name) => style.getPropertyValue(`--${name}`), font: style.fontFamily };
}

function drawPath(context: CanvasRenderingContext2D, shape: PathShape, colour: Colours): void {
  const { points, stroke, fill, width = 1, dash = [] } = shape;
  context.beginPath();
  for (const [x, y] of points) context.lineTo(x, y);
  if (fill !== undefined) {
    context.fillStyle = colour(fill);
    context.fill();
  }
  if (stroke === undefined) return;
  context.strokeStyle = colour(stroke);
  context.lineWidth = width;
  context.setLineDash([...dash]);
  context.stroke();
}

function drawText(context: CanvasRenderingContext2D, shape: TextShape, colour: Colours, family: string): void {
  const texts = shape.parts.map(({ text, bold, ...part }) => {
    const font = `${bold === true ? 600 : 400} ${shape.size}px ${family}`;
    context.font = font;
    const shown = lineNode(text).data;
    return { ...part, font, shown, width: context.measureText(shown).width };
  });
  const whole = texts.reduce((sum, { width }) => sum + width, 0);
  let x = shape.x - { start: 0, middle: whole / 2, end: whole }[shape.anchor];
  context.setLineDash([]);
  context.lineWidth = HALO;
  context.strokeStyle = colour('paper');
  for (const { font, shown, width, colour: name } of texts) {
    context.font = font;
    context.fillStyle = colour(name);
    if (shape.anchor === 'start') context.strokeText(shown, x, shape.y);
    context.fillText(shown, x, shape.y);
    x += width;
  }
}

function pathElement({ points, stroke, fill, width, dash }: PathShape, colour: Colours): string {
  const line = stroke === undefined ? '' : ` stroke="${colour(stroke)}" stroke-width="${width ?? 1}"`;
  const dashes = dash === undefined ? '' : ` stroke-dasharray="${dash.join(' ')}"`;
  return `<polyline points="${points.join(' ')}" fill="${fill === undefined ? 'none' : colour(fill)}"${line}${dashes}/>`;
}

function textElement({ x, y, size, anchor, parts }: TextShape, colour: Colours): string {
  const spans = parts.map(({ text, colour: name, bold }) => {
    const weight = bold === true ? ' font-weight="600"' : '';
    return `<tspan fill="${colour(name)}"${weight}>${escapeXml(lineNode(text).data)}</tspan>`;
  });
  const halo = anchor === 'start' ? ` stroke="${colour('paper')}" stroke-width="${HALO}" paint-order="stroke"` : '';
  return `<text x="${x}" y="${y}" font-size="${size}" text-anchor="${anchor}"${halo} xml:space="preserve">${spans.join('')}</text>`;
}

/** px around a label, so that lifelines do not cross its letters. */
const HALO = 3;
/** px that a canvas may be wide or high in every browser. */
export const LONGEST_SIDE = 16_384;
