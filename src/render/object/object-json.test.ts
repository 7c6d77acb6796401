import { expect, it } from 'vitest';
import type { ObjectHistory, Revision } from '../../object-history/model.js';
import { renderObjectJson } from './object-json.js';

it('escapes invisible characters, whatever an object holds', () => {
  const value = 'a\u009b31m\u202e\u200b\u007fz';
  const message = { seq: 1, time: 0n, capture: 0, frames: [1, 1] } as unknown as Revision['first'];
  const version = {
    kind: 'version',
    first: message,
    author: null,
    managers: [],
    changes: [{ path: 'metadata.annotations.x', before: undefined, after: value }],
  } as unknown as Revision;
  const life = { uid: null, apiVersion: 'v1', kind: 'Pod', owners: [], steps: [version] };
  const object = {
    resource: 'pods',
    namespace: 'default',
    name: 'p',
    incarnations: [life],
  } as unknown as ObjectHistory;
  const text = renderObjectJson(object, { digits: () => 6 } as unknown as Parameters<typeof renderObjectJson>[1]);
  expect(text).toMatch(/^[\n -~]*$/);
  expect(JSON.parse(text)).toMatchObject({ incarnations: [{ steps: [{ changes: [{ after: value }] }] }] });
});
