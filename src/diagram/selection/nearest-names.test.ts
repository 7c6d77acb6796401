import { expect, it } from 'vitest';
import { message } from '../../../test/kit/messages.js';
import { parseFollow } from '../../kubernetes/api/kinds.js';
import { NearestNames } from './nearest-names.js';

function nearest(wanted: string, ...there: readonly string[]): readonly string[] {
  const follow = parseFollow(wanted, 'default');
  if (follow === null) throw new Error(wanted);
  const names = new NearestNames(follow);
  for (const one of there) {
    const [resource, name] = one.split('/');
    names.observe(message({ kind: 'request', resource, name }));
  }
  return names.nearest();
}

it('offers what is spelt alike, what begins so, and the same name of another kind', () => {
  expect(nearest('pod/ngin', 'pods/nginx', 'pods/other')).toEqual(['pods/nginx']);
  expect(nearest('pod/web', 'pods/web-7d4b9c-x2', 'deployments/web', 'pods/db')).toEqual([
    'pods/web-7d4b9c-x2',
    'deployments/web',
  ]);
  expect(nearest('pod/ngnix', 'pods/nginx')).toEqual(['pods/nginx']);
});

it('offers three at most, and nothing that is not alike', () => {
  expect(nearest('pod/a', 'pods/a1', 'pods/a2', 'pods/a3', 'pods/a4')).toEqual(['pods/a1', 'pods/a2', 'pods/a3']);
  expect(nearest('pod/nginx', 'pods/postgres', 'services/redis')).toEqual([]);
});
