import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fixtureLines } from '../../../test/kit/fixtures.js';
import { foreign } from '../../../test/kit/foreign.js';
import { goDuration } from './special-types.js';
import { toJson } from './to-json.js';

const folder = foreign('kubernetes-objects');

describe.skipIf(folder === null)('every built-in kind with all of its fields filled', () => {
  const names = folder === null ? [] : readdirSync(folder).filter((name) => name.endsWith('.pb'));
  const made = names.map((name) => ({ name, json: toJson(readFileSync(`${folder}/${name}`)) }));

  it('equals its JSON twin', () => {
    const known = made.filter(({ json }) => 'object' in json);
    for (const { name, json } of known) {
      const twin = JSON.parse(readFileSync(`${folder}/${name.replace(/\.pb$/, '.json')}`, 'utf8'));
      expect(json, name).toStrictEqual({ object: twin, complete: true });
    }
    expect(known.length).toBe(138);
  });

  it('or is of a version that is not served any more, or no object', () => {
    const unknown = made.flatMap(({ json }) => ('unknownKind' in json ? [json.unknownKind] : []));
    expect(unknown.length).toBe(45);
    expect(unknown.filter((kind) => !/\/v\d+(alpha|beta)\d+\//.test(kind))).toEqual(['//']);
  });
});

// Written by the serializers of k8s.io/apimachinery (lab/oracles/objects.go).
describe('objects of every kind, many of whose fields are zero', () => {
  const rows = fixtureLines<{ kind: string; pb: string; json: unknown }>('objects/zero-values.jsonl');
  it('equal the JSON that Go writes', () => {
    for (const { kind, pb, json } of rows)
      expect(toJson(Buffer.from(pb, 'base64')), kind).toStrictEqual({ object: json, complete: true });
    expect(new Set(rows.map(({ kind }) => kind)).size).toBe(217);
  });

  it('of kinds and with fields that came with 1.35 to 1.37', () => {
    const newer = fixtureLines<(typeof rows)[number]>('objects/zero-values-1.37.jsonl');
    for (const { kind, pb, json } of newer)
      expect(toJson(Buffer.from(pb, 'base64')), kind).toStrictEqual({ object: json, complete: true });
    expect(new Set(newer.map(({ kind }) => kind)).size).toBe(164);
  });
});

describe('toJson', () => {
  const pod = Buffer.from(
    fixtureLines<{ kind: string; pb: string }>('objects/zero-values.jsonl').findLast(({ kind }) => kind === 'v1/Pod')!
      .pb,
    'base64',
  );

  it('reports that there is no envelope or no table', () => {
    expect(toJson(Buffer.from('{}'))).toEqual({ unknownKind: '' });
    expect(toJson(envelope('example.com/v1', 'Thing', ''))).toEqual({ unknownKind: 'example.com/v1/Thing' });
    expect(toJson(envelope('v1', 'constructor', ''))).toEqual({ unknownKind: '/v1/constructor' });
  });

  it('counts fields that are not in the table where they stand', () => {
    const object = {
      kind: 'Namespace',
      apiVersion: 'v1',
      metadata: { name: 'a', $unknownFields: 2 },
      spec: {},
      status: {},
    };
    const known = toJson(envelope('v1', 'Namespace', '0a 09 0a 01 61 e0 3f 01 e0 3f 02'));
    expect(known).toEqual({ object, complete: true });
  });

  it('opens envelopes inside: a List of Pods', () => {
    const inner = envelope('v1', 'Namespace', '0a 03 0a 01 61');
    const item = [0x12, inner.length + 2, 0x0a, inner.length];
    const list = Buffer.concat([Buffer.from(item), inner]).toString('hex');
    expect(toJson(envelope('v1', 'List', list))).toEqual({
      object: {
        kind: 'List',
        apiVersion: 'v1',
        metadata: {},
        items: [{ kind: 'Namespace', apiVersion: 'v1', metadata: { name: 'a' }, spec: {}, status: {} }],
      },
      complete: true,
    });
  });

  it('stops at envelopes in envelopes in …', () => {
    let bytes = envelope('v1', 'Namespace', '');
    for (let i = 0; i < 12; i++) {
      const raw = Buffer.concat([Buffer.from([0x0a, ...lengthOf(bytes.length)]), bytes]);
      bytes = envelope(
        'v1',
        'List',
        Buffer.concat([Buffer.from([0x12, ...lengthOf(raw.length)]), raw]).toString('hex'),
      );
    }
    const json = toJson(bytes);
    expect('complete' in json && json.complete).toBe(false);
  });

  it('gives what it could of a cut object, byte by byte', () => {
    // Behind the object come two empty fields, 1a 00 22 00, which may be missing.
    const objectEnd = pod.length - 4;
    let read = 0;
    for (let length = 4; length < pod.length; length++) {
      const json = toJson(pod.subarray(0, length));
      if ('unknownKind' in json) continue;
      const isBetweenFields = length >= objectEnd && (length - objectEnd) % 2 === 0;
      expect([length, json.complete]).toEqual([length, isBetweenFields]);
      read += 1;
    }
    expect(read).toBeGreaterThan(objectEnd - 30);
  });

  it('takes any bytes', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(pod.length - 1), fc.nat(255)), { maxLength: 8 }), (changes) => {
        const bytes = new Uint8Array(pod);
        for (const [at, byte] of changes) bytes[at] = byte;
        JSON.stringify(toJson(bytes));
        return true;
      }),
      { numRuns: 2000 },
    );
  });
});

// time.Duration.String() of Go.
describe('goDuration', () => {
  it.each([
    [0, '0s'],
    [1, '1ns'],
    [1500, '1.5µs'],
    [2_500_000, '2.5ms'],
    [1_000_000_000, '1s'],
    [61_500_000_000, '1m1.5s'],
    [3_600_000_000_000, '1h0m0s'],
    [3_661_000_000_001, '1h1m1.000000001s'],
    [-90_000_000_000, '-1m30s'],
    ['9223372036854775807', '2562047h47m16.854775807s'],
    ['-9223372036854775808', '-2562047h47m16.854775808s'],
  ])('%s', (ns, text) => expect(goDuration(ns)).toBe(text));
});

function envelope(apiVersion: string, kind: string, rawHex: string): Buffer {
  const typeMeta = Buffer.concat([field(0x0a, Buffer.from(apiVersion)), field(0x12, Buffer.from(kind))]);
  const raw = Buffer.from(rawHex.replaceAll(' ', ''), 'hex');
  return Buffer.concat([Buffer.from('k8s\0'), field(0x0a, typeMeta), field(0x12, raw)]);
}

function field(tag: number, content: Buffer): Buffer {
  return Buffer.concat([Buffer.from([tag, ...lengthOf(content.length)]), content]);
}

function lengthOf(length: number): number[] {
  return length < 128 ? [length] : [(length & 127) | 128, length >> 7];
}
