import { describe, expect, it } from 'vitest';
import { redactionOf } from '../redaction.js';

function shownOf(value: object): unknown {
  const object = { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'w' }, ...value };
  return redactionOf().object(object, { resource: 'widgets', apiGroup: 'example.com' } as never);
}

describe('strings of custom resources', () => {
  it.each([
    ['24h', 'a duration'],
    ['1m30s', 'a duration of two parts'],
    ['79.577531ms', 'a duration with a fraction'],
    ['16374Mi', 'a quantity'],
    ['7900m', 'a quantity'],
    ['10%', 'a share'],
  ])('%s: %s', (text) => expect(shownOf({ spec: { x: text } })).toMatchObject({ spec: { x: text } }));

  it.each([['482913'], ['1234567m'], ['hunter2h'], ['main'], ['ab0d3cf1ab0d3cf1ab0d3cf1ab0d3cf1ab0d3cf1'], ['In']])(
    '%s is not shown: it may be anything',
    (text) => expect(JSON.stringify(shownOf({ spec: { x: text }, status: { y: [text] } }))).not.toContain(text),
  );

  it('requirements on labels', () => {
    const requirements = [{ key: 'kubernetes.io/arch', operator: 'In', values: ['amd64'] }];
    expect(shownOf({ spec: { requirements } })).toMatchObject({ spec: { requirements } });
    const other = { key: 'hunter2', operator: 'hunter3', values: ['hunter4'] };
    expect(JSON.stringify(shownOf({ spec: { requirements: [other] } }))).not.toContain('hunter');
  });

  it('references by their name, and no other value in their place', () => {
    expect(shownOf({ spec: { secretName: 'web-tls' } })).toMatchObject({ spec: { secretName: 'web-tls' } });
    expect(JSON.stringify(shownOf({ spec: { secretName: 'Pa55 word' } }))).not.toContain('Pa55');
  });

  it('which commit was applied', () => {
    const status = { lastAppliedRevision: 'main@sha1:b119ba6ba8758f4f01ad9e2abc65bd957983d420' };
    expect(shownOf({ status })).toMatchObject({ status });
  });
});
