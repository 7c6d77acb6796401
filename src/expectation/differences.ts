// How what a message says differs from what an arrow says, part by part, in sentences. Knows labels; who speaks is
// nearest.ts's.

import type { LabelPattern, ParsedLabel, RequestParts } from './syntax/label.js';
import { compilePattern } from './syntax/pattern.js';

export interface Differences {
  /** 0: none; a part that is altogether different weighs more than one that is nearly the same. */
  readonly weight: number;
  readonly texts: readonly string[];
}

export function differencesOf(expected: LabelPattern, label: ParsedLabel): Differences {
  if (expected.parts.request !== null && label.request !== null) {
    return requestDifferences(expected.parts.request, label.request, expected);
  }
  if (expected.parts.whole.fits(label.label)) return { weight: 0, texts: [] };
  return wordDifferences(words(expected.shown), words(label.label));
}

function requestDifferences(
  expected: RequestParts,
  label: NonNullable<ParsedLabel['request']>,
  { shown }: LabelPattern,
): Differences {
  const texts: string[] = [];
  let weight = 0;
  const [, method = '', target = '', name] = /^\[REQ\]:?\s*(\S+)\s+(.*?)(?:\s+-\s+(\S+))?$/s.exec(shown) ?? [];
  if (!expected.method.fits(label.method)) {
    weight += 1;
    texts.push(`its method is ${label.method}, not ${method}`);
  }
  if (!expected.path.fits(label.path)) {
    const path = target.split('?', 1)[0];
    weight += 1 + pathDistance(path, label.path);
    texts.push(`its path is ${label.path}, not ${path}`);
  }
  for (const parameter of expected.parameters) {
    const same = label.query.filter(([one]) => parameter.name.fits(one));
    if (same.some(([, value]) => parameter.value === null || parameter.value.fits(value))) continue;
    weight += same.length > 0 ? 1 : 2;
    texts.push(
      same.length > 0
        ? `its ${same[0][0]} is ${same.map(([, value]) => value).join(' and ')}, not ${parameter.shown.slice(parameter.shown.indexOf('=') + 1)}`
        : `it has no parameter ${parameter.shown}`,
    );
  }
  if (expected.name === null && label.name !== null) {
    weight += 1;
    texts.push(`it names ${label.name}, where nothing is named`);
  } else if (expected.name !== null && (label.name === null || !expected.name.fits(label.name))) {
    weight += 1;
    texts.push(`it names ${label.name ?? 'nothing'}, not ${name}`);
  }
  return { weight, texts };
}

/** By how many parts two paths differ. */
function pathDistance(expected: string, label: string): number {
  const some = expected.split('/');
  const others = label.split('/');
  let distance = Math.abs(some.length - others.length);
  for (let i = 0; i < Math.min(some.length, others.length); i++) {
    if (!compilePattern(some[i], []).fits(others[i])) distance += 1;
  }
  return distance;
}

function wordDifferences(expected: readonly string[], label: readonly string[]): Differences {
  let weight = Math.abs(expected.length - label.length) / 2;
  for (let i = 0; i < Math.min(expected.length, label.length); i++) {
    if (expected[i].toLowerCase() !== label[i].toLowerCase() && !compilePattern(expected[i], []).fits(label[i]))
      weight += 1.5;
  }
  return { weight: Math.max(weight, 0.5), texts: [`it has the label ${label.join(' ')}`] };
}

function words(label: string): string[] {
  return label.split(/\s+/);
}
