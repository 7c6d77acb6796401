// `kubeseq query` answers SQL over messages: of tables as they are, of captures and other saved messages by a table that is made for it.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { escapeTerminal, jsonText } from '../../index.js';
import { CliError, EXIT_FINE } from '../cli-error.js';
import { kindOfFile } from '../input/file-kind.js';
import { type DuckDb, MessageDatabase, type MessageTableFile, type ResultRow } from '../message-database.js';
import { loadOptional } from '../optional-package.js';
import type { CommonOptions, FollowCliOptions } from '../options.js';
import { formatOf } from '../output/format.js';
import { openOutput, widestMode } from '../output/output.js';
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
    const database = await MessageDatabase.open(duckdb, tables, { folder, isRevealing: options.showSecrets === true });
    const rows = await database.answer(sql);
    const output = openOutput(options.write, widestMode(options));
    await output.write(format === 'ndjson' ? rows.map((row) => `${jsonText(row)}\n`).join('') : tableText(rows));
    await output.done();
    database.close();
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  return EXIT_FINE;
}

/** Tables as they are; of anything else, a table is made. */
async function tablesOf(
  files: readonly string[],
  folder: string,
  options: QueryOptions,
): Promise<readonly MessageTableFile[]> {
  const tables: MessageTableFile[] = [];
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

export function loadDuckDb(): DuckDb {
  return loadOptional('query', PACKAGE, [PACKAGE])[0] as DuckDb;
}

const PACKAGE = '@duckdb/node-api';
const NUMBER = /^-?\d*(?:\.\d+)?(?:e[+-]?\d+)?$/;
