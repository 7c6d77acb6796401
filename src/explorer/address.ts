// Writes what a page shows into its address, and reads it back: names, so that an address also fits a page that was made anew.

import { type ChartRow, type Model, viewObjectText } from './model.js';
import { type Choice, firstChoice } from './visibility.js';

/** What the fragment of an address holds. */
export interface Address {
  /** `seq` of the opened message; null: none. */
  readonly opened: number | null;
  /** Text that is looked for. */
  readonly search: string;
}

/** `#m980&verb=create&find=nginx`; empty: the page as it opens. Only what differs from that is written. @param visited rows that are unfolded only because they were opened. */
export function addressOf(
  model: Model,
  choice: Choice,
  { opened, search }: Address,
  visited: ReadonlySet<ChartRow>,
): string {
  const fields = new URLSearchParams();
  const first = firstChoice(model);
  for (const [name, set, nameOf] of setsOf(model, choice)) {
    if (name === 'layer' && isEqual(set, first.layers)) continue;
    for (const value of set) fields.append(name, nameOf(value));
    if (name === 'layer' && set.size === 0) fields.append(name, '');
  }
  if (choice.problems) fields.append('problems', '1');
  if (choice.time !== null) fields.append('from', String(choice.time.from / 1e6));
  if (choice.time !== null) fields.append('to', String(choice.time.to / 1e6));
  if (search.trim() !== '') fields.append('find', search);
  const unfolded = [...choice.revealed].filter((row) => !visited.has(row)).slice(0, MAX_ROWS);
  if (unfolded.length > 0) fields.append('row', unfolded.map(({ seq }) => seq).join(' '));
  const parts = [opened === null ? '' : `m${opened}`, fields.toString()].filter((part) => part !== '');
  return parts.length === 0 ? '' : `#${parts.join('&')}`;
}

/**
 * Sets a choice to what an address names; names that the page does not have are left out.
 * @param choice as the page opens. @returns also whether the address has a choice at all.
 */
export function readAddress(hash: string, model: Model, choice: Choice): Address & { readonly isChosen: boolean } {
  const [, seq, rest] = /^#?(?:m(\d+))?&?(.*)$/s.exec(hash) as RegExpExecArray;
  const fields = new URLSearchParams(rest);
  for (const [name, set, nameOf, size] of setsOf(model, choice)) {
    const wanted = new Set(fields.getAll(name));
    if (wanted.size === 0) continue;
    set.clear();
    for (let value = 0; value < size; value++) if (wanted.has(nameOf(value))) set.add(value);
  }
  choice.problems = fields.get('problems') === '1';
  const [from, to] = ['from', 'to'].map((name) => fields.get(name));
  if (from !== null || to !== null)
    choice.time = { from: microsOf(from, Number.NEGATIVE_INFINITY), to: microsOf(to, Number.POSITIVE_INFINITY) };
  for (const text of (fields.get('row') ?? '').split(' ').slice(0, MAX_ROWS)) {
    const row = model.rowOf(Number(text));
    if (row !== undefined) choice.revealed.add(row);
  }
  return {
    opened: seq === undefined ? null : Number(seq),
    search: (fields.get('find') ?? '').slice(0, MAX_SEARCH),
    isChosen: FIELDS.some((name) => fields.has(name)),
  };
}

type NamedSet = readonly [name: string, set: Set<number>, nameOf: (value: number) => string, size: number];

function setsOf({ view, namespaces }: Model, choice: Choice): readonly NamedSet[] {
  const { layers, folds, participants, words, objects, stories } = view;
  return [
    ['layer', choice.layers, (i) => layers[i].name, layers.length],
    ['unfold', choice.unfolded, (i) => folds[i], folds.length],
    ['story', choice.stories, (i) => stories[i][0], stories.length],
    ['participant', choice.participants, (i) => participants[i].name, participants.length],
    ['object', choice.objects, (i) => viewObjectText(objects[i]), objects.length],
    ['namespace', choice.namespaces, (i) => namespaces[i], namespaces.length],
    ['verb', choice.verbs, (i) => words[i], words.length],
    ['resource', choice.resources, (i) => words[i], words.length],
  ];
}

function isEqual(a: ReadonlySet<number>, b: ReadonlySet<number>): boolean {
  return a.size === b.size && [...a].every((value) => b.has(value));
}

function microsOf(seconds: string | null | undefined, otherwise: number): number {
  const number = Number.parseFloat(seconds ?? '');
  return Number.isFinite(number) ? Math.round(number * 1e9) / 1e3 : otherwise;
}

const FIELDS = [
  ...['layer', 'unfold', 'story', 'participant', 'object', 'namespace', 'verb', 'resource'],
  ...['problems', 'from', 'to', 'find', 'row'],
];
/** Limit: rows unfolded one by one that the address of a page names: programs cut addresses of more than some thousand characters. */
const MAX_ROWS = 200;
/** Limit: characters of the text to look for in the address of a page: nobody writes more. */
const MAX_SEARCH = 1000;
