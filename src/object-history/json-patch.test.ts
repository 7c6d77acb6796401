import { describe, expect, it } from 'vitest';
import { patched } from './json-patch.js';

describe('a JSON patch', () => {
  // RFC 6902, appendix A, by its numbers; null: an error.
  it.each([
    ['A.1', { foo: 'bar' }, [{ op: 'add', path: '/baz', value: 'qux' }], { baz: 'qux', foo: 'bar' }],
    ['A.2', { foo: ['bar', 'baz'] }, [{ op: 'add', path: '/foo/1', value: 'qux' }], { foo: ['bar', 'qux', 'baz'] }],
    ['A.3', { baz: 'qux', foo: 'bar' }, [{ op: 'remove', path: '/baz' }], { foo: 'bar' }],
    ['A.4', { foo: ['bar', 'qux', 'baz'] }, [{ op: 'remove', path: '/foo/1' }], { foo: ['bar', 'baz'] }],
    ['A.5', { baz: 'qux' }, [{ op: 'replace', path: '/baz', value: 'boo' }], { baz: 'boo' }],
    [
      'A.6',
      { foo: { bar: 'baz', waldo: 'fred' }, qux: { corge: 'grault' } },
      [{ op: 'move', from: '/foo/waldo', path: '/qux/thud' }],
      { foo: { bar: 'baz' }, qux: { corge: 'grault', thud: 'fred' } },
    ],
    [
      'A.7',
      { foo: ['all', 'grass', 'cows', 'eat'] },
      [{ op: 'move', from: '/foo/1', path: '/foo/3' }],
      { foo: ['all', 'cows', 'eat', 'grass'] },
    ],
    [
      'A.10',
      { foo: 'bar' },
      [{ op: 'add', path: '/child', value: { grandchild: {} } }],
      { foo: 'bar', child: { grandchild: {} } },
    ],
    ['A.12', { foo: 'bar' }, [{ op: 'add', path: '/baz/bat', value: 'qux' }], null],
    ['A.14', { '/': 9, '~1': 10 }, [{ op: 'replace', path: '/~01', value: 1 }], { '/': 9, '~1': 1 }],
    [
      'A.16',
      { foo: ['bar'] },
      [{ op: 'add', path: '/foo/-', value: ['abc', 'def'] }],
      { foo: ['bar', ['abc', 'def']] },
    ],
    ['copy', { a: { b: 1 } }, [{ op: 'copy', from: '/a', path: '/c' }], { a: { b: 1 }, c: { b: 1 } }],
    ['the whole', { a: 1 }, [{ op: 'replace', path: '', value: { b: 2 } }], { b: 2 }],
    ['an unknown operation', {}, [{ op: 'merge', path: '/a' }], null],
    ['a place that is not there', { a: [] }, [{ op: 'replace', path: '/a/0', value: 1 }], null],
    ['what objects inherit', {}, [{ op: 'add', path: '/constructor/prototype/x', value: 1 }], null],
  ])('%s', (_, value, operations, result) => {
    expect(patched(value, operations)).toEqual(result);
  });

  it('changes nothing of what it is given, nor of what others inherit', () => {
    const value = { a: { b: 1 } };
    const made = patched(value, [
      { op: 'add', path: '/a/b', value: 2 },
      { op: 'add', path: '/__proto__', value: { polluted: 1 } },
    ]);
    expect(value).toEqual({ a: { b: 1 } });
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
    expect(Object.hasOwn(made as object, '__proto__')).toBe(true);
  });
});
