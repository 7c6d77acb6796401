import { describe, expect, it } from 'vitest';
import { carriedObject } from '../../objects/object-meta.js';
import { type BodyShape, type Carrying, NO_BODY, shapeOf } from './shapes.js';

function carrying(body: unknown, contentType = '', complete = true): Carrying {
  const bytes = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
  return { bytes, contentType, carried: carriedObject(bytes, contentType), complete };
}

const STORED = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'a', uid: 'u', resourceVersion: '7', creationTimestamp: '2026-11-21T04:41:11Z' },
};

describe('shape of a body', () => {
  it.each<[string, unknown, string, BodyShape]>([
    ['what kubectl delete sends', { gracePeriodSeconds: 1, propagationPolicy: 'Background' }, '', 'delete-options'],
    ['the same under its type', { gracePeriodSeconds: 1 }, 'application/json', 'delete-options'],
    ['DeleteOptions by kind', { kind: 'DeleteOptions', apiVersion: 'v1' }, '', 'delete-options'],
    ['a strategic merge patch', { metadata: { uid: 'u' }, status: { phase: 'Running' } }, '', 'patch'],
    ['an Event counted on', { count: 2, lastTimestamp: '2026-11-21T04:41:11Z' }, '', 'patch'],
    ['a JSON patch', [{ op: 'add', path: '/metadata/labels/a', value: 'b' }], '', 'patch'],
    ['a patch by its type', STORED, 'application/apply-patch+yaml', 'patch'],
    ['a new object', { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' } }, '', 'object'],
    ['an object as the server made it', STORED, '', 'stored'],
    [
      'applied: kind and name, but nothing of the server',
      { ...STORED, metadata: { name: 'a', uid: 'u', resourceVersion: '7' } },
      '',
      'object',
    ],
    ['an object without kind that names itself', { metadata: { name: 'a' }, spec: {} }, '', 'unclear'],
    ['nothing inside', {}, '', 'unclear'],
    ['a list of something', [1, 2], '', 'unclear'],
    ['JSON that is cut', '{"metadata":{"uid":', '', 'unclear'],
    ['text', 'ok', '', 'unclear'],
    ['text by its media type', 'ok', 'text/plain', 'unclear'],
  ])('%s', (_, body, contentType, shape) => {
    expect(shapeOf(carrying(body, contentType))).toBe(shape);
  });

  it('is none where there is no body, and unclear where bytes are missing', () => {
    expect(shapeOf(NO_BODY)).toBe('none');
    expect(shapeOf({ ...NO_BODY, complete: false })).toBe('unclear');
    expect(shapeOf(carrying(STORED, '', false))).toBe('unclear');
  });

  it('does not decode what is too long for a conclusion', () => {
    expect(shapeOf(carrying({ spec: { text: 'x'.repeat(300_000) } }))).toBe('unclear');
  });
});
