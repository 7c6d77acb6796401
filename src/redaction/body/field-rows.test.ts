import { describe, expect, it } from 'vitest';
import { FIELD_ROWS, rowOf } from '../../../test/kit/field-rows.js';
import type { Table } from '../../protobuf/table.js';
import CRI_TABLE from '../../protobuf/tables/cri.txt?raw';
import ETCD_TABLE from '../../protobuf/tables/etcd.txt?raw';
import KUBERNETES_TABLE from '../../protobuf/tables/kubernetes.txt?raw';
import { criTable, etcdTable, kubernetesTable } from '../../protobuf/tables.js';
import { type FieldRow, rowsByField } from './rows.js';
import { rowsOf, SPECIAL_BY_TYPE } from './tables.js';

/** Types that JSON writes in another form, so that their fields need no rows. */
const OWN_SHAPES = /\.(?:FieldsV1|RawExtension|JSON|JSONSchemaPropsOr\w+|Unknown)$/;

/** String and bytes fields of a table, as `Type.field` by their names in JSON. */
function stringFields(table: Table, text: string): { owner: string; json: string }[] {
  const names = table.section<Record<string, Record<string, string>>>('jsonNames');
  return Object.keys(JSON.parse(text) as object)
    .filter((name) => name.includes('.') && !OWN_SHAPES.test(name))
    .flatMap((name) =>
      (table.message(name)?.fields ?? [])
        .filter(({ type }) => type === 'string' || type === 'bytes')
        .map((field) => ({
          owner: name.slice(name.lastIndexOf('.') + 1),
          json: names[name]?.[field.name] ?? field.name,
        })),
    )
    .filter(({ owner }) => !SPECIAL_BY_TYPE.has(owner));
}

describe.each<[string, Table, string, readonly FieldRow[]]>([
  ['Kubernetes', kubernetesTable(), KUBERNETES_TABLE, rowsOf('built-in kinds of Kubernetes')],
  ['the container runtime interface', criTable(), CRI_TABLE, rowsOf('container runtime interface')],
  ['etcd', etcdTable(), ETCD_TABLE, rowsOf('etcd')],
])('rows of %s', (_, table, text, rows) => {
  const fields = stringFields(table, text);
  const byField = rowsByField(rows);

  it('are there for every string and bytes field', () => {
    expect(fields.length).toBeGreaterThan(20);
    const undecided = fields.filter(({ owner, json }) => !byField.has(`${owner}.${json}`) && !byField.has(json));
    expect(undecided).toEqual([]);
  });

  it('are all of a field that is there', () => {
    const known = new Set(fields.flatMap(({ owner, json }) => [json, `${owner}.${json}`]));
    expect(rows.map(({ field }) => field).filter((field) => !known.has(field))).toEqual([]);
  });

  it('never show bytes', () => {
    const shown = (JSON.parse(text) as Record<string, Record<string, [number, string]>>) ?? {};
    const bytes = Object.entries(shown)
      .filter(([name]) => name.includes('.') && !OWN_SHAPES.test(name))
      .flatMap(([name, members]) =>
        Object.entries(members)
          .filter(([, [, type]]) => type === 'bytes')
          .map(([field]) => rowOf(name, [field]))
          .filter((row) => row !== undefined),
      );
    // Keys of etcd are names, which are decoded to texts.
    const allowed = new Set(['key', 'keys', 'range_end', 'name']);
    expect(bytes.filter((row) => row.showing !== 'none' && !allowed.has(row.field))).toEqual([]);
  });
});

describe('all rows', () => {
  it('have a reason, and stand once in their table', () => {
    const groups = Object.values(FIELD_ROWS);
    for (const rows of groups) {
      expect(rowsByField(rows).size).toBe(rows.length);
      for (const { reason } of rows) expect(reason).toMatch(/^\S.{3,}/);
    }
  });

  it.each([
    ['k8s.io.api.core.v1.Pod', 'spec.containers.0.image', 'image'],
    ['k8s.io.api.core.v1.Pod', 'spec.containers.0.env.0.value', 'none'],
    ['k8s.io.api.core.v1.Pod', 'spec.containers.0.env.0.name', 'key'],
    ['k8s.io.api.core.v1.Pod', 'spec.containers.0.resources.limits.cpu', 'quantity'],
    ['k8s.io.api.core.v1.Pod', 'spec.containers.0.livenessProbe.httpGet.path', 'target'],
    ['k8s.io.api.core.v1.Pod', 'spec.containers.0.livenessProbe.httpGet.port', 'port'],
    ['k8s.io.api.core.v1.Pod', 'spec.volumes.0.hostPath.path', 'path'],
    ['k8s.io.api.core.v1.Pod', 'spec.volumes.0.cephfs.path', 'none'],
    ['k8s.io.api.core.v1.Pod', 'metadata.labels.app', 'label'],
    ['k8s.io.api.core.v1.Pod', 'metadata.annotations.example', 'none'],
    ['k8s.io.api.core.v1.Pod', 'status.conditions.0.lastTransitionTime', 'time'],
    ['k8s.io.api.core.v1.Secret', 'data.password', 'none'],
    ['k8s.io.api.storage.v1.StorageClass', 'parameters.fsType', 'none'],
    ['k8s.io.api.certificates.v1.CertificateSigningRequest', 'spec.request', 'none'],
    ['runtime.v1.CreateContainerRequest', 'config.envs.0.value', 'none'],
    ['runtime.v1.CreateContainerRequest', 'config.envs.0.key', 'key'],
    ['etcdserverpb.RangeRequest', 'key', 'store-key'],
    ['k8s.io.api.core.v1.Pod', 'spec.containers', undefined],
    ['k8s.io.api.core.v1.Nothing', 'spec', undefined],
  ])('of %s, %s: %s', (type, path, showing) => expect(rowOf(type, path.split('.'))?.showing).toBe(showing));
});
