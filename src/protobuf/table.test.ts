import { describe, expect, it } from 'vitest';
import { Table } from './table.js';
import CRI_TABLE from './tables/cri.txt?raw';
import ETCD_TABLE from './tables/etcd.txt?raw';
import KUBERNETES_TABLE from './tables/kubernetes.txt?raw';
import { criTable, etcdTable, kubernetesTable } from './tables.js';

const SECTIONS = new Set(['gvk', 'jsonNames', 'zeroValues', 'enums', 'services']);

// Counted in the .proto files of 1.34 and 1.37, without what reads them here.
describe.each([
  ['kubernetes', KUBERNETES_TABLE, kubernetesTable(), 1056, 3593],
  ['etcd', ETCD_TABLE, etcdTable(), 104, 238],
  ['cri', CRI_TABLE, criTable(), 175, 478],
] as const)('the %s table', (_, text, table, messages, fields) => {
  const names = Object.keys(JSON.parse(text)).filter((name) => !SECTIONS.has(name));
  it('has its messages and fields', () => {
    expect(names.length).toBe(messages);
    expect(names.reduce((sum, name) => sum + table.message(name)!.fields.length, 0)).toBe(fields);
  });
  it('has every type that a field names', () => {
    const enums = table.section<Record<string, unknown>>('enums');
    for (const name of names)
      for (const field of table.message(name)!.fields) {
        if (field.kind === 'message') expect(table.message(field.type), field.type).toBeDefined();
        if (field.kind === 'enum') expect(Object.keys(enums)).toContain(field.type);
      }
  });
  it('gives no field number twice', () => {
    for (const name of names) expect(table.message(name)!.byNumber.size).toBe(table.message(name)!.fields.length);
  });
});

describe('Table', () => {
  it('has methods', () => {
    expect(etcdTable().method('etcdserverpb.KV', 'Txn')).toEqual({
      request: 'etcdserverpb.TxnRequest',
      response: 'etcdserverpb.TxnResponse',
      clientStreaming: false,
      serverStreaming: false,
    });
    expect(criTable().method('runtime.v1.RuntimeService', 'GetContainerEvents')?.serverStreaming).toBe(true);
    expect(etcdTable().method('etcdserverpb.KV', 'toString')).toBeUndefined();
    expect(etcdTable().method('constructor', 'name')).toBeUndefined();
  });
  it('has every kind that it lists', () => {
    const kinds = Object.entries(kubernetesTable().section<Record<string, string>>('gvk'));
    expect(kinds.length).toBe(722);
    for (const [gvk, message] of kinds) expect(kubernetesTable().message(message), gvk).toBeDefined();
  });
  it('has no message by the name of an object property', () => {
    expect(new Table('{}').message('__proto__')).toBeUndefined();
    expect(new Table('{}').section('constructor')).toEqual({});
  });
});
