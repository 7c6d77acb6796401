// The overview of a story that is told in parts: for each part a note, and the first of each kind of request in it under its
// own number. Every arrow of it is one of the parts'. Knows mermaid's `autonumber`, which can be set before any arrow.

import { type Arrow, arrowsOf, legsOf, type Sequence, type Step } from '../../diagram/model.js';
import { renderMermaid } from './mermaid.js';
import { type DiagramPart, withSteps } from './parts.js';

/** @returns mermaid text of at most `limit` characters. */
export function renderOverview(sequence: Sequence, parts: readonly DiagramPart[], limit: number): string {
  let text = '';
  for (const most of [MAX_ARROWS, 6, 3, 1, 0]) {
    text = withMost(sequence, parts, most);
    if (text.length <= limit) return text;
  }
  return `${text.slice(0, text.lastIndexOf('\n', limit))}\n`;
}

function withMost(sequence: Sequence, parts: readonly DiagramPart[], most: number): string {
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
    const shown = telling(arrows).slice(0, most);
    const range = last < first ? 'no arrows' : `arrows ${first} to ${last}`;
    steps.push({ kind: 'note', over, lines: [`Part ${i + 1}: ${shortTitles(titles)}`, range] });
    steps.push(...shown.map((arrow) => ({ ...arrow, activates: false, deactivates: false })));
    shown.forEach((arrow, k) => {
      numbers.set(steps[steps.length - shown.length + k] as Arrow, numbers.get(arrow) as number);
    });
  });
  const drawn = withSteps(sequence, steps);
  return renderMermaid(drawn, { numbers: (arrow) => numbers.get(arrow) ?? null });
}

/** The first of each kind of request that is no watch: who asks whom to do what with which resource. */
function telling(arrows: readonly Arrow[]): Arrow[] {
  const seen = new Set<string>();
  return arrows.filter(({ message, from, to }) => {
    if (message.kind !== 'request' || message.verb === 'watch' || message.verb === 'get' || message.verb === 'list')
      return false;
    const { verb, resource, subresource, service, rpcMethod } = message;
    const key = [from, to, verb, resource, subresource, service, rpcMethod].join(' ');
    return !seen.has(key) && seen.add(key) !== undefined;
  });
}

export function shortTitles(titles: readonly string[]): string {
  if (titles.length <= MAX_TITLES) return titles.join(', ');
  return `${titles.slice(0, MAX_TITLES - 1).join(', ')} and ${titles.length - MAX_TITLES + 1} more`;
}

/** Arrows of one part: an overview is to be taken in at a glance. */
const MAX_ARROWS = 12;
const MAX_TITLES = 5;
