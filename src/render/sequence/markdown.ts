// Renders a sequence as mermaid in a Markdown fence; a sequence too long for the renderer as several diagrams and an overview. Escaped
// text holds no backticks, so captured text cannot close a fence.

import { append } from '../../core/collections/many.js';
import { type Arrow, arrowsOf, legsOf, type Sequence, type Step } from '../../diagram/model.js';
import { escapeMarkdown } from '../escape/markdown-escape.js';
import { type MermaidOptions, renderMermaid } from './mermaid.js';
import { type DiagramPart, MAX_PART, partsOf, withSteps } from './parts.js';

export function renderMarkdown(sequence: Sequence, options: MermaidOptions = {}, limit: number = MAX_PART): string {
  const parts = partsOf(sequence, (part) => renderMermaid(part, { ...options, start: LONG_NUMBER }).length, limit);
  if (parts.length === 1) return mermaidFence(renderMermaid(sequence, options));
  const out = [`The story in ${parts.length} parts, and an overview first.\n`];
  out.push(mermaidFence(renderOverview(sequence, parts, limit)));
  parts.forEach(({ titles, sequence: part, first, last }, i) => {
    const range = last < first ? '' : `, arrows ${first} to ${last}`;
    out.push(`**Part ${i + 1} of ${parts.length}**: ${escapeMarkdown(shortTitles(titles))}${range}\n`);
    out.push(mermaidFence(renderMermaid(part, { ...options, start: first })));
  });
  return out.join('\n');
}

function mermaidFence(text: string): string {
  return `\`\`\`mermaid\n${text}\`\`\`\n`;
}

/** Lengths are measured with a first number as long as any will be. */
const LONG_NUMBER = 999_999;

/** The overview: for each part a note, and the first request of each kind under its own number. At maxArrows `limit` characters. */
function renderOverview(sequence: Sequence, parts: readonly DiagramPart[], limit: number): string {
  let text = '';
  for (const maxArrows of [MAX_ARROWS, 6, 3, 1, 0]) {
    text = overviewWith(sequence, parts, maxArrows);
    if (text.length <= limit) return text;
  }
  return `${text.slice(0, text.lastIndexOf('\n', limit))}\n`;
}

function overviewWith(sequence: Sequence, parts: readonly DiagramPart[], maxArrows: number): string {
  const numbers = new Map<Arrow, number>();
  const steps: Step[] = [];
  const ends = [sequence.participants[0].id, sequence.participants[sequence.participants.length - 1].id] as const;
  const over = ends[0] === ends[1] ? ([ends[0]] as const) : ends;
  parts.forEach(({ titles, sequence: part, first, last }, i) => {
    const arrows = arrowsOf(part.steps);
    let number = first;
    for (const arrow of arrows) {
      numbers.set(arrow, number);
      number += legsOf(arrow).length;
    }
    const shown = firstOfEachKind(arrows).slice(0, maxArrows);
    const range = last < first ? 'no arrows' : `arrows ${first} to ${last}`;
    steps.push({ kind: 'note', over, lines: [`Part ${i + 1}: ${shortTitles(titles)}`, range] });
    append(
      steps,
      shown.map((arrow) => ({ ...arrow, activates: false, deactivates: false })),
    );
    shown.forEach((arrow, k) => {
      numbers.set(steps[steps.length - shown.length + k] as Arrow, numbers.get(arrow) as number);
    });
  });
  const drawn = withSteps(sequence, steps);
  return renderMermaid(drawn, { numbers: (arrow) => numbers.get(arrow) ?? null });
}

/** The first of each kind of write or call, by sender, receiver, verb and resource. */
function firstOfEachKind(arrows: readonly Arrow[]): Arrow[] {
  const seen = new Set<string>();
  return arrows.filter(({ message, from, to }) => {
    if (message.kind !== 'request' || message.verb === 'watch' || message.verb === 'get' || message.verb === 'list')
      return false;
    const { verb, resource, subresource, service, rpcMethod } = message;
    const key = [from, to, verb, resource, subresource, service, rpcMethod].join(' ');
    return !seen.has(key) && seen.add(key) !== undefined;
  });
}

function shortTitles(titles: readonly string[]): string {
  if (titles.length <= MAX_TITLES) return titles.join(', ');
  return `${titles.slice(0, MAX_TITLES - 1).join(', ')} and ${titles.length - MAX_TITLES + 1} more`;
}

/** Limit: arrows of one part in an overview, which should be grasped at a glance. */
const MAX_ARROWS = 12;
/** Limit: phases of a part that are named. */
const MAX_TITLES = 5;
