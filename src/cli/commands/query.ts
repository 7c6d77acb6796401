// `kubeseq query` answers SQL over messages: of tables as they are, of captures and other saved messages by a table that is made for it.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import { escapeTerminal, jsonText } from '../../index.js';
import { CliError, EXIT_FINE } from '../cli-error.js';
import { kindOfFile } from '../input/file-kind.js';
import { loadOptional } from '../optional-package.js';
import type { CommonOptions, FollowCliOptions } from '../options.js';
import { formatOf } from '../output/format.js';
import { openOutput } from '../output/output.js';
import { exportMessages } from './export.js';

export const QUERY_FORMATS = ['table', 'ndjson'] as const;

export type QueryOptions = CommonOptions & FollowCliOptions;

/** @param args files, then the query. */
export async function query(args: readonly string[], options: QueryOptions): Promise<number> {
  const onTerminal = process.stdout.isTTY === true && options.write === undefined;
  const endings = { '.ndjson': 'ndjson', '.jsonl': 'ndjson', '.txt': 'table' } as const;
  const format = formatOf(options, QUERY_FORMATS, endings, onTerminal ? 'table' : 'ndjson');
  const files = args.slice(0, -1);
  const sql = args[args.length - 1];
  if (files.length === 0) throw new CliError('name a file, and behind it the query in quotes; see docs/query.md');
  const duckdb = loadDuckDb();
  const folder = await mkdtemp(join(tmpdir(), 'kubeseq-query-'));
  try {
    const tables = await tablesOf(files, folder, options);
    const database = await duckdb.DuckDBInstance.create(':memory:', NO_DOWNLOADS);
    const connection = await database.connect();
    await connection.run(viewOf(tables));
    const rows = await answer(connection, sql);
    const output = openOutput(options.write);
    await output.write(format === 'ndjson' ? rows.map((row) => `${jsonText(row)}\n`).join('') : tableText(rows));
    await output.done();
    connection.closeSync();
    database.closeSync();
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  return EXIT_FINE;
}

export type ResultRow = Readonly<Record<string, unknown>>;

/** Tables as they are; of anything else, a table is made. */
async function tablesOf(
  files: readonly string[],
  folder: string,
  options: QueryOptions,
): Promise<readonly { readonly path: string; readonly name: string }[]> {
  const tables: { path: string; name: string }[] = [];
  for (const [i, file] of files.entries()) {
    if (kindOfFile(file) === 'table') {
      tables.push({ path: file, name: file });
      continue;
    }
    const path = join(folder, `${i}.parquet`);
    await exportMessages([file], { ...options, output: 'parquet', write: path }, false);
    tables.push({ path, name: file });
  }
  return tables;
}

/** A view `messages`: the columns of all tables, and the file that each message is from. */
export function viewOf(tables: readonly { readonly path: string; readonly name: string }[]): string {
  const selects = tables.map(
    ({ path, name }) => `SELECT *, ${quoted(name)} AS file FROM read_parquet(${quoted(path)})`,
  );
  return `CREATE VIEW messages AS ${selects.join(' UNION ALL BY NAME ')}`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** @param most rows that are needed; undefined: all. Throws CliError for what the database refuses. */
export async function answer(connection: DuckDBConnection, sql: string, most?: number): Promise<readonly ResultRow[]> {
  try {
    const reader =
      most === undefined ? await connection.runAndReadAll(sql) : await connection.streamAndReadUntil(sql, most);
    const wholeNumbers = reader.columnNames().filter((_, i) => WHOLE.has(String(reader.columnType(i))));
    return reader.getRowObjectsJson().map((row) => ({ ...row, ...numbersIn(row, wholeNumbers) }));
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    throw new CliError(`query: ${text.split('\n', 1)[0].slice(0, MAX_ERROR)}`);
  }
}

/** Counts, which the database gives as texts, as far as JSON's numbers are exact. */
function numbersIn(row: ResultRow, names: readonly string[]): ResultRow {
  const numbers = names.map((name) => [name, Number(row[name])] as const);
  return Object.fromEntries(numbers.filter(([name, value]) => row[name] !== null && Number.isSafeInteger(value)));
}

/** Columns side by side; numbers are aligned to the right. */
function tableText(rows: readonly ResultRow[]): string {
  if (rows.length === 0) return 'no rows\n';
  const names = Object.keys(rows[0]);
  const cells = rows.map((row) => names.map((name) => cellText(row[name])));
  const widths = names.map((name, i) => Math.max(name.length, ...cells.map((row) => row[i].length)));
  const isNumber = names.map((name) => rows.every((row) => NUMBER.test(cellText(row[name]))));
  const line = (row: readonly string[]): string =>
    row
      .map((cell, i) => (isNumber[i] ? cell.padStart(widths[i]) : cell.padEnd(widths[i])))
      .join('  ')
      .trimEnd();
  return `${[names.map((name) => escapeTerminal(name)), ...cells].map(line).join('\n')}\n`;
}

function cellText(value: unknown): string {
  if (value === null || value === undefined) return '';
  return escapeTerminal(typeof value === 'string' ? value : jsonText(value));
}

export type DuckDb = typeof import('@duckdb/node-api');

export function loadDuckDb(): DuckDb {
  return loadOptional('query', PACKAGE, [PACKAGE])[0] as DuckDb;
}

const PACKAGE = '@duckdb/node-api';
/** Types of whole numbers that JavaScript's numbers may not hold. */
const WHOLE: ReadonlySet<string> = new Set(['BIGINT', 'UBIGINT', 'HUGEINT']);
/** A query reads files and needs no extension from the network. */
export const NO_DOWNLOADS = { autoinstall_known_extensions: 'false' };
const NUMBER = /^-?\d*(?:\.\d+)?(?:e[+-]?\d+)?$/;
/** Limit: characters of the database's error that are printed. */
const MAX_ERROR = 500;
