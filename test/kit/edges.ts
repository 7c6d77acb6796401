// The arrows of a mermaid diagram that names what must happen, in their order: a small reader for tests. A `{name}` in a
// label stands for the same text wherever it comes again.

import { arrowsOf, type Sequence } from '../../src/diagram/model.js';

export interface Edge {
  readonly line: number;
  readonly from: string;
  readonly to: string;
  readonly label: string;
}

export function edgesOf(mermaid: string): Edge[] {
  const names = new Map<string, string>();
  const edges: Edge[] = [];
  mermaid.split('\n').forEach((text, i) => {
    const participant = /^\s*participant (\w+) as (.+)$/.exec(text);
    if (participant !== null) names.set(participant[1], participant[2]);
    const arrow = /^\s*(\w+) -?->>[+-]? (\w+): (.+)$/.exec(text);
    if (arrow === null) return;
    const [, from, to, label] = arrow;
    edges.push({ line: i + 1, from: names.get(from) ?? from, to: names.get(to) ?? to, label });
  });
  return edges;
}

/** The edges that could not be found in a diagram behind those above them; empty where all are there, in order. */
export function missingEdges(edges: readonly Edge[], sequence: Sequence): readonly Edge[] {
  const names = new Map(sequence.participants.map((one) => [one.id, one.name]));
  const drawn = arrowsOf(sequence.steps).map((one) => ({
    from: names.get(one.from),
    to: names.get(one.to),
    label: one.message.label,
  }));
  const bound = new Map<string, string>();
  const missing: Edge[] = [];
  let at = 0;
  for (const edge of edges) {
    const found = drawn.findIndex(
      (one, i) => i >= at && one.from === edge.from && one.to === edge.to && binds(edge.label, one.label, bound),
    );
    if (found < 0) missing.push(edge);
    else at = found + 1;
  }
  return missing;
}

function binds(pattern: string, label: string, bound: Map<string, string>): boolean {
  const free: string[] = [];
  const source = pattern
    .split(/(\{\w+\})/)
    .map((part) => {
      const name = /^\{(\w+)\}$/.exec(part)?.[1];
      if (name === undefined) return quoted(part);
      const known = bound.get(name);
      if (known !== undefined) return quoted(known);
      free.push(name);
      return '([a-z0-9]+)';
    })
    .join('');
  const match = new RegExp(`^${source}$`).exec(label);
  match?.slice(1).forEach((value, i) => {
    bound.set(free[i], value);
  });
  return match !== null;
}

function quoted(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
