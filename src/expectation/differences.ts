// How what a message says differs from what an arrow says, part by part, in sentences. Knows labels; who speaks is
// nearest.ts's.

import type { LabelPattern, ParsedLabel, RequestParts } from './syntax/label.js';
import { compilePattern } from './syntax/pattern.js';

export interface Differences {
  /** 0: none; a part that is altogether different weighs more than one that is nearly the same. */
  readonly weight: number;
  readonly texts: readonly string[];
}

export function differencesOf(expected: LabelPattern, said: ParsedLabel): Differences {
  if (expected.parts.request !== null && said.request !== null) {
    return requestDifferences(expected.parts.request, said.request, expected);
  }
  if (expected.parts.whole.fits(said.label)) return { weight: 0, texts: [] };
  return wordDifferences(words(expected.shown), words(said.label));
}

function requestDifferences(
  expected: RequestParts,
  said: NonNullable<ParsedLabel['request']>,
  { shown }: LabelPattern,
): Differences {
  const texts: string[] = [];
  let weight = 0;
  const [, method = '', target = '', name] = /^\[REQ\]:?\s*(\S+)\s+(.*?)(?:\s+-\s+(\S+))?$/s.exec(shown) ?? [];
  if (!expected.method.fits(said.method)) {
    weight += 1;
    texts.push(`its method is ${said.method}, not ${method}`);
  }
  if (!expected.path.fits(said.path)) {
    const path = target.split('?', 1)[0];
    weight += 1 + pathDistance(path, said.path);
    texts.push(`its path is ${said.path}, not ${path}`);
  }
  for (const parameter of expected.parameters) {
    const same = said.query.filter(([one]) => parameter.name.fits(one));
    if (same.some(([, value]) => parameter.value === null || parameter.value.fits(value))) continue;
    weight += same.length > 0 ? 1 : 2;
    texts.push(
      same.length > 0
        ? `its ${same[0][0]} is ${same.map(([, value]) => value).join(' and ')}, not ${parameter.shown.slice(parameter.shown.indexOf('=') + 1)}`
        : `it has no parameter ${parameter.shown}`,
    );
  }
  if (expected.name === null && said.name !== null) {
    weight += 1;
    texts.push(`it names ${said.name}, where nothing is named`);
  } else if (expected.name !== null && (said.name === null || !expected.name.fits(said.name))) {
    weight += 1;
    texts.push(`it names ${said.name ?? 'nothing'}, not ${name}`);
  }
  return { weight, texts };
}

/** By how many parts two paths differ. */
function pathDistance(expected: string, said: string): number {
  const some = expected.split('/');
  const others = said.split('/');
  let distance = Math.abs(some.length - others.length);
  for (let i = 0; i < Math.min(some.length, others.length); i++) {
    if (!compilePattern(some[i], []).fits(others[i])) distance += 1;
  }
  return distance;
}

function wordDifferences(expected: readonly string[], said: readonly string[]): Differences {
  let weight = Math.abs(expected.length - said.length) / 2;
  for (let i = 0; i < Math.min(expected.length, said.length); i++) {
    if (expected[i].toLowerCase() !== said[i].toLowerCase() && !compilePattern(expected[i], []).fits(said[i]))
      weight += 1.5;
  }
  return { weight: Math.max(weight, 0.5), texts: [`it says ${said.join(' ')}`] };
}

function words(label: string): string[] {
  return label.split(/\s+/);
}
