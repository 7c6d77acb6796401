import { describe, expect, it } from 'vitest';
import { fixtureLines } from '../../../test/kit/fixtures.js';
import { decodeBody } from './decode-body.js';
import { leaseHolderOf, nodeNameOf } from './object-facts.js';

type Encoding = 'protobuf' | 'json' | 'yaml' | 'cbor';
const rows = fixtureLines<Record<Encoding | 'name', string>>('objects/encodings.jsonl');

function encoded(name: string, encoding: Encoding): Uint8Array {
  return new Uint8Array(Buffer.from(rows.find((row) => row.name === name)![encoding], 'base64'));
}

describe.each(['protobuf', 'json', 'yaml', 'cbor'] as const)('of %s', (encoding) => {
  const type = `application/${encoding}`;
  const names = rows.filter((row) => !row.name.startsWith('watch-') && row[encoding] !== '').map((row) => row.name);

  it.each(names)('decodeBody gives all of a %s', (name) => {
    const json = JSON.parse(Buffer.from(encoded(name, 'json')).toString());
    expect(decodeBody(encoded(name, encoding), type)).toEqual(json);
  });

  it('the facts', () => {
    expect(nodeNameOf(encoded('pod', encoding), type)).toBe('node-1');
    expect(nodeNameOf(encoded('binding', encoding), type)).toBe('node-2');
    expect(nodeNameOf(encoded('create', encoding), type)).toBeUndefined();
    expect(nodeNameOf(encoded('namespace', encoding), type)).toBeUndefined();
    expect(leaseHolderOf(encoded('lease', encoding), type)).toBe('node-1');
    expect(leaseHolderOf(encoded('pod', encoding), type)).toBeUndefined();
  });
});

describe('decodeBody', () => {
  it('gives null for what it cannot decode', () => {
    expect(decodeBody(Buffer.from('{"kind":'), 'application/json')).toBeNull();
    expect(decodeBody(Buffer.from('{"a":'.repeat(100_000)), 'application/json')).toBeNull();
    expect(decodeBody(Buffer.from('k8s\0'), 'application/vnd.kubernetes.protobuf')).toBeNull();
  });
  it('gives a patch as it stands', () => {
    expect(decodeBody(Buffer.from('[{"op":"remove","path":"/a"}]'), 'application/json-patch+json')).toEqual([
      { op: 'remove', path: '/a' },
    ]);
  });
});
