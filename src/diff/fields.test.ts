import { describe, expect, it } from 'vitest';
import { withChangedFields } from './compare.js';
import type { Item } from './item.js';

function sent(body: unknown): Item {
  const common = { kind: 'request', from: 'kubectl', to: 'kube-apiserver', requestLabel: '', about: [] } as const;
  return {
    ...common,
    label: '[REQ] PUT /web',
    writes: true,
    exchange: 1,
    seq: 1,
    where: { line: 1 },
    body: () => body,
  };
}

function labels(before: unknown, after: unknown): readonly string[] | undefined {
  return withChangedFields(sent(before), sent(after))?.map(({ label }) => label);
}

describe('fields of two writes', () => {
  it('that are the same, or that the API server counts', () => {
    expect(labels({ spec: { replicas: 1 } }, { spec: { replicas: 1 } })).toBeUndefined();
    expect(labels({ metadata: { generation: 1 } }, { metadata: { generation: 2 } })).toBeUndefined();
    expect(labels({ involved: { resourceVersion: '1' } }, { involved: { resourceVersion: '2' } })).toBeUndefined();
    expect(labels(undefined, { spec: { replicas: 2 } })).toBeUndefined();
  });

  it('that differ are named with their values', () => {
    expect(labels({ spec: { replicas: 1 } }, { spec: { replicas: 2, paused: true } })).toEqual([
      '[REQ] PUT /web, spec.replicas 1, spec.paused absent',
      '[REQ] PUT /web, spec.replicas 2, spec.paused true',
    ]);
    expect(labels({ '?dryRun': 'All' }, { a: 1 })).toEqual([
      '[REQ] PUT /web, a absent, ?dryRun All',
      '[REQ] PUT /web, a 1, ?dryRun absent',
    ]);
  });

  it('that are many, or long, are cut, and counted', () => {
    const many = Object.fromEntries([...'abcdef'].map((name) => [name, name.repeat(80)]));
    expect(labels({}, many)?.[0]).toBe('[REQ] PUT /web, a absent, b absent, c absent, d absent, 2 more fields');
    expect(labels({ a: 'x' }, { a: 'y'.repeat(80) })?.[1]).toBe(`[REQ] PUT /web, a ${'y'.repeat(60)}…`);
  });
});
