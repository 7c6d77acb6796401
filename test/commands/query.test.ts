// The queries of docs/query.md on tables of every fixture, held against counts over the messages themselves.

import { copyFileSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Message, tableWriter } from '../../src/index.js';
import { kubeseq, ROOT } from '../kit/command.js';
import { capturedFixtures } from '../kit/fixture-observations.js';
import { observeWhole } from '../kit/whole-fixtures.js';

const FOLDER = mkdtempSync(join(tmpdir(), 'kubeseq-query-'));
const QUERIES = [...readFileSync(join(ROOT, 'docs/query.md'), 'utf8').matchAll(/^```sql\n(.*?)^```$/gms)].map(
  ([, text]) => text,
);
type Row = readonly unknown[];

let connection: DuckDBConnection;
beforeAll(async () => {
  connection = await (await DuckDBInstance.create(':memory:')).connect();
});

describe.each(capturedFixtures())('%s', (name) => {
  it('has the same answers in SQL', { timeout: 60_000 }, async () => {
    const path = join(FOLDER, `${name}.parquet`);
    const messages = await tableOf(name, path);
    await connection.run(`CREATE OR REPLACE VIEW messages AS SELECT *, 'one' AS file FROM read_parquet('${path}')`);
    const answers: unknown[] = [];
    for (const query of QUERIES) answers.push(setOf((await connection.runAndReadAll(query)).getRows()));
    expect(answers).toEqual([requests, slowest, lists, retries, watches].map((count) => setOf(count(messages))));
    const [[rows, sum]] = (await connection.runAndReadAll('SELECT count(*), sum(seq) FROM messages')).getRows();
    expect([Number(rows), Number(sum)]).toEqual([messages.length, messages.reduce((all, { seq }) => all + seq, 0)]);
  });
});

describe('kubeseq query', () => {
  const capture = 'fixtures/run-nginx-http1/capture.pcap.gz';
  const table = join(FOLDER, 'one.parquet');
  kubeseq(['messages', '-o', 'parquet', '-q', capture, '-w', table]);

  it('reads a table as it is, and makes one of a capture', () => {
    const ofTable = kubeseq(['query', table, QUERIES[0]]);
    expect(ofTable).toMatchObject({ status: 0, stderr: '' });
    expect(ofTable.stdout.split('\n').length).toBeGreaterThan(50);
    expect(JSON.parse(ofTable.stdout.split('\n', 1)[0])).toMatchObject({ requests: expect.any(Number) });
    expect(kubeseq(['query', capture, QUERIES[0]])).toEqual(ofTable);
  });

  it('reads several files together and says which a message is from', () => {
    const sql = 'SELECT file, count(*) AS n FROM messages GROUP BY ALL ORDER BY file';
    const { stdout } = kubeseq(['query', capture, table, sql]);
    const rows = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { file: string; n: number });
    expect(rows.map(({ file }) => file)).toEqual([table, capture].sort());
    expect(new Set(rows.map(({ n }) => n)).size).toBe(1);
  });

  it('shows a table in which captured text cannot move the cursor', () => {
    const { stdout } = kubeseq(['query', '-o', 'table', table, "SELECT 'a' || chr(27) || '[2J' AS t, 7 AS n"]);
    expect(stdout).not.toContain('\u001b');
    expect(stdout.split('\n')[1]).toMatch(/^a.*\[2J +7$/);
  });

  it('answers as CSV (RFC 4180) and as Markdown', () => {
    const sql = "SELECT 'a,b' AS t, 7 AS n UNION ALL SELECT '=1|2', NULL ORDER BY n NULLS LAST";
    expect(kubeseq(['query', '-o', 'csv', table, sql]).stdout).toBe('t,n\r\n"a,b",7\r\n\'=1|2,\r\n');
    expect(kubeseq(['query', '-o', 'markdown', table, sql]).stdout).toBe(
      '| t | n |\n| --- | ---: |\n| a,b | 7 |\n| =1&#124;2 |  |\n',
    );
    const nothing = 'SELECT seq FROM messages WHERE seq < 0';
    expect(kubeseq(['query', '-o', 'csv', table, nothing])).toMatchObject({ status: 0, stdout: '' });
    const file = join(FOLDER, 'rows.csv');
    expect(kubeseq(['query', '-w', file, table, sql]).status).toBe(0);
    expect(readFileSync(file, 'utf8')).toMatch(/^t,n\r\n/);
  });

  it.each([
    [`COPY messages TO '${FOLDER}/x.csv'`, 'query: '],
    [`SELECT * FROM read_text('/etc/passwd')`, 'query: Permission Error'],
    [`SELECT * FROM read_csv('/etc/passwd')`, 'query: Permission Error'],
    [`FROM glob('/etc/*')`, 'query: Permission Error'],
    [`ATTACH '${FOLDER}/x.db'`, 'query: '],
    [`SELECT * FROM '${FOLDER}/other.parquet'`, 'query: '],
    ['INSTALL httpfs', 'query: only SELECT'],
    ['LOAD httpfs', 'query: only SELECT'],
    ['SET enable_external_access = true', 'query: only SELECT'],
    ['EXPLAIN ANALYZE DROP VIEW messages', 'query: only SELECT'],
    ['DROP VIEW messages', 'query: only SELECT'],
    ['SELECT 1; SELECT 2', 'query: one SELECT'],
  ])('reads nothing but what is named, and writes nothing: %s', (sql, words) => {
    copyFileSync(table, join(FOLDER, 'other.parquet'));
    const { status, stdout, stderr } = kubeseq(['query', table, sql]);
    expect([status, stdout, stderr.includes(words)]).toEqual([2, '', true]);
    expect(readdirSync(FOLDER).filter((name) => /^x\./.test(name))).toEqual([]);
  });

  it('refuses a table that was saved without redaction, unless it is asked for', () => {
    const open = join(FOLDER, "with 'secrets'.parquet");
    kubeseq(['messages', '-o', 'parquet', '-q', '--show-secrets', capture, '-w', open]);
    const sql = 'SELECT count(*) AS n FROM messages';
    const refused = kubeseq(['query', open, sql]);
    expect([refused.status, refused.stdout]).toEqual([2, '']);
    expect(refused.stderr).toContain('saved with --show-secrets');
    expect(kubeseq(['query', '--show-secrets', open, sql])).toMatchObject({
      status: 0,
      stdout: kubeseq(['query', table, sql]).stdout,
    });
  });

  it.each([
    [['query', table], /name a file, and behind it the query/],
    [['query', table, 'SELEC 1'], /query: Parser Error: syntax error at or near "SELEC"/],
    [['query', 'none.parquet', 'SELECT 1'], /none\.parquet: no such file/],
  ])('%j: one line and exit status 2', (args, message) => {
    const { status, stdout, stderr } = kubeseq(args);
    expect([status, stdout, stderr.trim().split('\n').length]).toEqual([2, '', 1]);
    expect(stderr).toMatch(message);
  });
});

async function tableOf(name: string, path: string): Promise<readonly Message[]> {
  const { captures, items, messages, pipeline, first } = await observeWhole(name);
  const digits = (capture: number) => pipeline.digits(capture);
  const writer = await tableWriter({ captures, redacted: true, digits, bodies: false });
  writeFileSync(path, Buffer.concat([...writer.feed(items, first), ...writer.end(first)]));
  return messages;
}

/** Rows whose order is not compared: databases and JavaScript sort texts differently. */
function setOf(rows: readonly Row[]): string[] {
  return rows
    .map((row) => JSON.stringify(row.map((cell) => (typeof cell === 'bigint' ? Number(cell) : (cell ?? null)))))
    .sort();
}

/** Groups by what `key` gives. */
function grouped<T>(all: readonly T[], key: (one: T) => readonly unknown[] | null): [readonly unknown[], T[]][] {
  const groups = new Map<string, [readonly unknown[], T[]]>();
  for (const one of all) {
    const cells = key(one);
    if (cells === null) continue;
    const group = groups.get(JSON.stringify(cells)) ?? [cells, []];
    group[1].push(one);
    groups.set(JSON.stringify(cells), group);
  }
  return [...groups.values()];
}

type Exchange = readonly [request: Message, response: Message];

function exchangesIn(messages: readonly Message[]): Exchange[] {
  const open = new Map(messages.filter(({ kind }) => kind === 'request').map((one) => [one.exchange, one]));
  return messages.flatMap((one): Exchange[] => {
    const request = one.kind === 'response' ? open.get(one.exchange) : undefined;
    return request === undefined ? [] : [[request, one]];
  });
}

const nameOf = ({ from, fromName }: Message): string => fromName ?? from.name;

function requests(messages: readonly Message[]): Row[] {
  const key = (one: Message): Row | null =>
    one.kind === 'request' && one.protocol === 'kubernetes'
      ? [nameOf(one), one.verb ?? null, one.resource ?? null]
      : null;
  return grouped(messages, key).map(([cells, group]) => [...cells, group.length]);
}

function slowest(messages: readonly Message[]): Row[] {
  const key = ([request, response]: Exchange): Row | null =>
    request.protocol === 'kubernetes' && response.latencyMs !== undefined
      ? [request.verb ?? null, request.resource ?? null]
      : null;
  return grouped(exchangesIn(messages), key).map(([cells, group]) => {
    const times = group.map(([, { latencyMs }]) => latencyMs as number).sort((a, b) => a - b);
    return [...cells, group.length, rounded(medianOf(times)), times[times.length - 1]];
  });
}

function lists(messages: readonly Message[]): Row[] {
  const key = ([request, { object }]: Exchange): Row | null =>
    request.verb === 'list' && object?.items !== undefined ? [nameOf(request), request.resource ?? null] : null;
  return grouped(exchangesIn(messages), key).map(([cells, group]) => [
    ...cells,
    group.length,
    Math.max(...group.map(([, { object }]) => object?.items ?? 0)),
  ]);
}

function retries(messages: readonly Message[]): Row[] {
  const key = ([request]: Exchange): Row | null => {
    const { verb, resource, namespace, name, protocol } = request;
    const isNamed = protocol === 'kubernetes' && name !== undefined && (verb !== undefined || resource !== undefined);
    return isNamed ? [nameOf(request), verb ?? null, resource ?? null, namespace ?? null, name] : null;
  };
  return grouped(exchangesIn(messages), key)
    .map(([cells, group]) => [...cells, group.length, group.filter(([, { status = 0 }]) => status >= 400).length])
    .filter((row) => Number(row[5]) > 1 && Number(row[6]) > 0);
}

function watches(messages: readonly Message[]): Row[] {
  const key = (one: Message): Row | null =>
    one.kind === 'request' && one.verb === 'watch' ? [nameOf(one), one.resource ?? null, one.namespace ?? null] : null;
  return grouped(messages, key)
    .map(([cells, group]) => [...cells, group.length])
    .filter((row) => Number(row[3]) > 1);
}

function medianOf(sorted: readonly number[]): number {
  const middle = (sorted.length - 1) / 2;
  const [low, high] = [sorted[Math.floor(middle)], sorted[Math.ceil(middle)]];
  return low + (high - low) * (middle - Math.floor(middle));
}

/** As SQL rounds: half away from zero. */
function rounded(value: number): number {
  return Math.round(value * 10) / 10;
}
