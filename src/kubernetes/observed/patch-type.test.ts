import { describe, expect, it } from 'vitest';
import { showPatchType } from '../messages/field-values.js';

describe('the type of a patch', () => {
  // apimachinery, pkg/types/patch.go.
  it.each([
    ['application/json-patch+json', 'json'],
    ['application/merge-patch+json', 'merge'],
    ['application/strategic-merge-patch+json', 'strategic'],
    ['application/apply-patch+yaml', 'apply'],
    ['application/apply-patch+cbor', 'apply'],
    ['application/merge-patch+json; charset=utf-8', 'merge'],
    ['application/json', undefined],
    ['application/vnd.kubernetes.protobuf', undefined],
  ])('of %s is %s', (mediaType, type) => {
    expect(showPatchType(mediaType)).toBe(type);
  });

  it('of a saved line is what it says', () => {
    expect(showPatchType('apply')).toBe('apply');
    expect(showPatchType('secret')).toBeUndefined();
  });
});
