import { expect, it } from 'vitest';
import { SelectedNames } from './names.js';

const web = (group: string | null | undefined, namespace: string | null = 'default') => ({
  resource: 'services',
  group,
  namespace,
  name: 'web',
});

it.each([
  ['a group and itself', '', '', true, false],
  ['a group and another one', 'serving.knative.dev', '', false, true],
  ['any group and one', null, '', true, false],
  ['a group and an unknown one', 'serving.knative.dev', undefined, true, false],
])('names: %s', (_, known, asked, isThere, isElsewhere) => {
  const names = new SelectedNames();
  names.add(web(known));
  expect([names.has(web(asked)), names.hasElsewhere(web(asked))]).toEqual([isThere, isElsewhere]);
  expect(names.has(web(asked, 'team'))).toBe(false);
});

it('names grow by what is new alone', () => {
  const names = new SelectedNames();
  const sizes = [web(''), web(''), web(null), web('apps'), web('')].map((name) => {
    names.add(name);
    return names.size;
  });
  expect(sizes).toEqual([2, 2, 3, 4, 4]);
});
