// The queries of docs/scale.md, run by DuckDB on a table, held against the audit log and the truth.

import { mkdirSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { beforeAll, describe, expect, it } from 'vitest';
import { kubeseq, ROOT } from '../kit/command.js';
import { fixtureLines } from '../kit/fixtures.js';

const folder = mkdtempSync(join(tmpdir(), 'kubeseq-queries-'));
const queries = [...readFileSync(join(ROOT, 'docs/scale.md'), 'utf8').matchAll(/^```sql\n(.*?)^```$/gms)].map(
  ([, text]) => text,
);

type Row = readonly (string | number | bigint | null)[];

async function ask(query: string): Promise<Row[]> {
  const connection = await (await DuckDBInstance.create(':memory:')).connect();
  const placed = query.replaceAll("'messages/", `'${folder}/messages/`);
  return (await connection.runAndReadAll(placed)).getRows() as Row[];
}

beforeAll(() => {
  mkdirSync(join(folder, 'messages'));
  const capture = 'fixtures/run-nginx-http1/capture.pcap.gz';
  kubeseq(['messages', capture, '-o', 'parquet', '-q', '-w', join(folder, 'messages', 'node.parquet')]);
});

describe('the queries of docs/scale.md', () => {
  it('count requests as the audit log does', async () => {
    const rows = await ask(queries[0]);
    const counted = new Map(
      rows.map(([client, verb, resource, requests]) => [`${client} ${verb} ${resource}`, requests]),
    );
    const audited = new Map<string, bigint>();
    for (const { userAgent, verb, objectRef, stage } of fixtureLines<Audit>('run-nginx-http1/audit.jsonl')) {
      if (!userAgent.startsWith('kubectl/') || stage !== 'ResponseComplete' || objectRef === undefined) continue;
      const key = `kubectl ${verb} ${objectRef.resource}`;
      audited.set(key, (audited.get(key) ?? 0n) + 1n);
    }
    expect(audited.size).toBeGreaterThan(2);
    for (const [key, requests] of audited) expect([key, counted.get(key)]).toEqual([key, requests]);
    for (const [, , , , p50, p99] of rows) expect(Number(p99)).toBeGreaterThanOrEqual(Number(p50));
  });

  it('count versions as the truth does', async () => {
    const rows = await ask(queries[1]);
    const versions = new Map<string, Set<string>>();
    for (const one of fixtureLines<Truth>('run-nginx-http1/capture.truth.jsonl')) {
      if (one.kind !== 'watch-event' || !['ADDED', 'MODIFIED', 'DELETED'].includes(one.type)) continue;
      const key = `${one.objectKind} ${one.namespace ?? ''} ${one.name}`;
      versions.set(key, (versions.get(key) ?? new Set()).add(one.resourceVersion));
    }
    expect(versions.size).toBeGreaterThan(20);
    const counted = rows.map(([kind, namespace, name, count]) => [`${kind} ${namespace ?? ''} ${name}`, Number(count)]);
    expect(counted.sort()).toEqual([...versions].map(([key, { size }]) => [key, size]).sort());
  });
});

interface Audit {
  readonly userAgent: string;
  readonly verb: string;
  readonly stage: string;
  readonly objectRef?: { readonly resource: string };
}

interface Truth {
  readonly kind: string;
  readonly type: string;
  readonly objectKind: string;
  readonly namespace: string | null;
  readonly name: string;
  readonly resourceVersion: string;
}
