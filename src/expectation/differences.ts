// Describes, in sentences, how the label of a message differs from that of an arrow.

import { editDistance } from '../core/nearest-name.js';
import type { LabelPattern, ParsedLabel, RequestParts } from './syntax/label.js';
import { compilePattern } from './syntax/pattern.js';

export interface Differences {
  /** 0: no difference. Entirely different parts weigh more than similar ones. */
  readonly weight: number;
  readonly texts: readonly string[];
}

export function differencesOf(expected: LabelPattern, label: ParsedLabel): Differences {
  const actual = expected.subjectOf(label) ?? label;
  if (expected.parts.request !== null && actual.request !== null) {
    return requestDifferences(expected.parts.request, actual.request, expected);
  }
  const { whole } = expected.parts;
  if (whole.fits(actual.label) || (actual.qualified !== null && whole.fits(actual.qualified)))
    return { weight: 0, texts: [] };
  return wordDifferences(words(expected.shown), words(actual.label));
}

function requestDifferences(
  expected: RequestParts,
  actual: NonNullable<ParsedLabel['request']>,
  { shown }: LabelPattern,
): Differences {
  const texts: string[] = [];
  let weight = 0;
  const [, method = '', target = '', name] = /^\[REQ\]:?\s*(\S+)\s+(.*?)(?:\s+-\s+(\S+))?$/s.exec(shown) ?? [];
  if (!expected.method.fits(actual.method)) {
    weight += 1;
    texts.push(`its method is ${actual.method}, not ${method}`);
  }
  if (!expected.path.fits(actual.path)) {
    const path = target.split('?', 1)[0];
    weight += 1 + pathDistance(path, actual.path);
    texts.push(`its path is ${actual.path}, not ${path}`);
  }
  for (const parameter of expected.parameters) {
    const same = actual.query.filter(([one]) => parameter.name.fits(one));
    if (same.some(([, value]) => parameter.value === null || parameter.value.fits(value))) continue;
    weight += same.length > 0 ? 1 : 2;
    texts.push(
      same.length > 0
        ? `its ${same[0][0]} is ${same.map(([, value]) => value).join(' and ')}, not ${parameter.shown.slice(parameter.shown.indexOf('=') + 1)}`
        : `it has no parameter ${parameter.shown}`,
    );
  }
  if (expected.name === null && actual.name !== null) {
    weight += 1;
    texts.push(`its object is named ${actual.name}, where none is expected`);
  } else if (expected.name !== null && (actual.name === null || !expected.name.fits(actual.name))) {
    weight += 1 + unlikeness(name ?? '', actual.name ?? '');
    texts.push(`its object is named ${actual.name ?? 'nothing'}, not ${name}`);
  }
  return { weight, texts };
}

/** Number of segments in which two paths differ, and how much these differ. */
function pathDistance(expected: string, actual: string): number {
  const some = expected.split('/');
  const others = actual.split('/');
  let distance = Math.abs(some.length - others.length);
  for (let i = 0; i < Math.min(some.length, others.length); i++) {
    if (!compilePattern(some[i], []).fits(others[i])) distance += 1 + unlikeness(some[i], others[i]);
  }
  return distance;
}

function wordDifferences(expected: readonly string[], actual: readonly string[]): Differences {
  let weight = Math.abs(expected.length - actual.length) / 2;
  for (let i = 0; i < Math.min(expected.length, actual.length); i++) {
    if (expected[i].toLowerCase() !== actual[i].toLowerCase() && !compilePattern(expected[i], []).fits(actual[i]))
      weight += 1.5 + unlikeness(expected[i], actual[i]);
  }
  return { weight: Math.max(weight, 0.5), texts: [`it has the label ${actual.join(' ')}`] };
}

/** Between 0 and `UNLIKE`, so that of names that differ the most similar one is nearest, and nothing else changes. */
export function unlikeness(expected: string, actual: string): number {
  const length = Math.max(expected.length, actual.length);
  if (length > COMPARED) return UNLIKE;
  return length === 0 ? 0 : (UNLIKE * editDistance(expected.toLowerCase(), actual.toLowerCase())) / length;
}

const UNLIKE = 0.25;
/** Characters: a longer text is no name. */
const COMPARED = 253;

function words(actual: string): string[] {
  return actual.split(/\s+/);
}
