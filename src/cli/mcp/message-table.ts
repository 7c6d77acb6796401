// Answers SQL over the messages of one observation: from a table in a private folder, which is all that the database can read.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import { jsonText } from '../../index.js';
import { CliError, EXIT_FINE } from '../cli-error.js';
import { exportMessages } from '../commands/export.js';
import { answer, loadDuckDb, NO_DOWNLOADS, viewOf } from '../commands/query.js';
import type { CommonOptions } from '../options.js';
import { standardStreams } from '../standard-streams.js';

export class MessageTable {
  readonly #files: readonly string[];
  readonly #options: CommonOptions;
  #folder: string | null = null;
  #connection: DuckDBConnection | null = null;

  constructor(files: readonly string[], options: CommonOptions) {
    this.#files = files;
    this.#options = options;
  }

  /** Prints rows as JSON lines, as many as are wanted or some more. Throws CliError for a query that fails, or is not one SELECT. */
  async query(sql: string, wanted: number): Promise<number> {
    if (wanted > MAX_QUERY_ROWS)
      throw new CliError(`query: only the first ${MAX_QUERY_ROWS} rows can be had; count them, or choose with WHERE`);
    const connection = await this.#opened();
    await refuseOthers(connection, sql);
    const timer = setTimeout(() => connection.interrupt(), MAX_QUERY_MS);
    try {
      const rows = await answer(connection, sql, wanted);
      for (const row of rows) await standardStreams().output(`${jsonText(row)}\n`);
      return EXIT_FINE;
    } finally {
      clearTimeout(timer);
    }
  }

  close(): void {
    this.#connection?.closeSync();
    if (this.#folder !== null) rmSync(this.#folder, { recursive: true, force: true });
    this.#folder = null;
  }

  /** The database after the first call. */
  async #opened(): Promise<DuckDBConnection> {
    if (this.#connection !== null) return this.#connection;
    const { DuckDBInstance } = loadDuckDb();
    this.#folder ??= mkdtempSync(join(tmpdir(), 'kubeseq-mcp-'));
    const path = join(this.#folder, 'messages.parquet');
    await exportMessages(
      this.#files,
      { ...this.#options, namespace: 'default', output: 'parquet', write: path },
      false,
    );
    const database = await DuckDBInstance.create(':memory:', NO_DOWNLOADS);
    const connection = await database.connect();
    await connection.run(viewOf([{ path, name: this.#files.join(', ') }]));
    // In this order: the last one forbids further settings.
    await connection.run(`SET allowed_paths = ['${path}']`);
    // Else large results go into files of the current directory.
    await connection.run("SET temp_directory = ''");
    await connection.run('SET enable_external_access = false');
    await connection.run(`SET memory_limit = '${MAX_QUERY_MEMORY / 1024 / 1024}MiB'`);
    await connection.run('SET lock_configuration = true');
    this.#connection = connection;
    return connection;
  }
}

/** A SELECT reads the table; other statements may write files, or change the table for later queries. */
async function refuseOthers(connection: DuckDBConnection, sql: string): Promise<void> {
  const { StatementType } = loadDuckDb();
  let isSelect: boolean;
  try {
    const statements = await connection.extractStatements(sql);
    if (statements.count !== 1) throw new CliError('query: one SELECT at a time');
    const prepared = await statements.prepare(0);
    isSelect = READING.some((name) => StatementType[name] === prepared.statementType);
    prepared.destroySync();
  } catch (error) {
    if (error instanceof CliError) throw error;
    throw new CliError(`query: ${error instanceof Error ? error.message.split('\n', 1)[0].slice(0, 500) : ''}`);
  }
  if (!isSelect) throw new CliError('query: only SELECT is answered: the table is read only');
}

const READING = ['SELECT', 'EXPLAIN'] as const;
/** Limit: rows of a query that `mcp` reads. */
const MAX_QUERY_ROWS = 100_000;
/** Limit in ms: one query of `mcp`. */
const MAX_QUERY_MS = 30_000;
/** Limit in bytes: memory of the database that answers queries of `mcp`. */
const MAX_QUERY_MEMORY = 1024 * 1024 * 1024;
