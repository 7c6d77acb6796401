import { describe, expect, it } from 'vitest';
import { redactionOf } from '../../redaction/redaction.js';
import { yamlValue } from './yaml.js';

const jsonOf = (yaml: string): unknown => yamlValue(Buffer.from(yaml)).value;

describe('a YAML body', () => {
  // The values of sigs.k8s.io/yaml, where it takes them: JSON and nothing else.
  it.each([
    ['a: !!merge <<', { a: '<<' }],
    ['a: !!binary aGVsbG8=', { a: 'hello' }],
    ['a: !!timestamp 2001-12-14', { a: '2001-12-14' }],
    ['a: 2001-12-14', { a: '2001-12-14' }],
    ['a: !!set {x, y}', { a: { x: null, y: null } }],
    ['a: !!omap [x: 1, y: {z: 2}]', { a: [{ x: 1 }, { y: { z: 2 } }] }],
    ['%YAML 1.1\n---\na: !!set {x}', { a: { x: null } }],
    ['%YAML 1.1\n---\na: !!omap [x: 1]', { a: { x: 1 } }],
    ['a: 1\na: 2', { a: 2 }],
    ['a: .nan\nb: -.inf', { a: null, b: null }],
    ['a: &x {b: 1}\nc: *x', { a: { b: 1 }, c: { b: 1 } }],
    ['a: {<<: {b: 1}, c: 2}', { a: { b: 1, c: 2 } }],
    ['- 1\n- [~, true]', [1, [null, true]]],
    ['%YAML 1.1\n---\na: 2001-12-14\n', { a: '2001-12-14T00:00:00.000Z' }],
    ['!!set {x}', { x: null }],
  ])('%s', (yaml, value) => {
    expect(jsonOf(yaml)).toEqual(value);
    expect(jsonOf(yaml)).toEqual(JSON.parse(JSON.stringify(value)));
  });

  it('with more behind its aliases than it has bytes is not shown', () => {
    const lines = Array.from({ length: 9 }, (_, i) => `a${i + 1}: &a${i + 1} [*a${i}, *a${i}]`);
    const bomb = (values: number) => [`a0: &a0 [${'x,'.repeat(values)}]`, ...lines].join('\n');
    expect(yamlValue(Buffer.from(bomb(10)))).toMatchObject({
      value: { a1: [Array(10).fill('x'), Array(10).fill('x')] },
      complete: true,
    });
    expect(yamlValue(Buffer.from(bomb(100)))).toEqual({ value: null, complete: false });
    const many = ['a: &a 1', ...Array.from({ length: 21 }, (_, i) => `b${i}: *a`)].join('\n');
    expect(yamlValue(Buffer.from(many))).toEqual({ value: null, complete: false });
    expect(yamlValue(Buffer.from(many.replace('*a', '2')))).toMatchObject({ value: { b0: 2, b20: 1 }, complete: true });
  });

  it('ends where the next document begins, and where it cannot be read', () => {
    expect(yamlValue(Buffer.from('a: 1\n---\nb: 2\n'))).toEqual({ value: { a: 1 }, complete: true });
    expect(yamlValue(Buffer.from('a: 1\nb: [2\n'))).toMatchObject({ value: { a: 1 }, complete: false });
  });

  it.each([
    'kind: Secret\ndata: !!omap [password: hunter2]',
    'kind: Secret\ndata: {a: !!pairs [b: hunter2], c: !!set {d: hunter2}}',
    'kind: !!binary U2VjcmV0\ndata: {password: hunter2}',
    '<<: {kind: Secret}\ndata: {password: hunter2}',
    'kind: Secret\nstringData: !!pairs [password: hunter2]',
    'kind: Secret\n<<: {data: {password: !!binary aHVudGVyMg==}}',
  ])('keeps what a Secret holds, however it is written: %s', (yaml) => {
    expect(JSON.stringify(redactionOf().object(jsonOf(yaml), {}))).not.toMatch(/hunter2|aHVudGVyMg/);
  });
});
