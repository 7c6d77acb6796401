// Answers SQL over the messages of one observation: from a table in a private folder, which is all that the database can read.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { captureName } from '../../index.js';
import { CliError, EXIT_FINE } from '../cli-error.js';
import type { Command } from '../command.js';
import { loadDuckDb, writeTable } from '../commands/query.js';
import { FORMATS } from '../formats.js';
import { MessageDatabase, type ResultRow } from '../message-database.js';
import type { CommonOptions } from '../options.js';

export class MessageTable {
  readonly #files: readonly string[];
  readonly #options: CommonOptions;
  #folder: string | null = null;
  #database: MessageDatabase | null = null;

  constructor(files: readonly string[], options: CommonOptions) {
    this.#files = files;
    this.#options = options;
  }

  /** Rows of a query, as many as are wanted or some more. Throws CliError for one that fails, or is not one SELECT. */
  readonly query: Command<[sql: string, wanted: number], CommonOptions, readonly ResultRow[]> = {
    formats: FORMATS.query,
    run: async ([sql, wanted]) => {
      if (wanted > MAX_QUERY_ROWS)
        throw new CliError(`query: only the first ${MAX_QUERY_ROWS} rows can be had; count them, or choose with WHERE`);
      const database = await this.#opened();
      const timer = setTimeout(() => database.interrupt(), MAX_QUERY_MS);
      try {
        return { result: await database.answer(sql, wanted), end: () => ({ status: EXIT_FINE }) };
      } finally {
        clearTimeout(timer);
      }
    },
  };

  close(): void {
    this.#database?.close();
    if (this.#folder !== null) rmSync(this.#folder, { recursive: true, force: true });
    this.#folder = null;
  }

  /** The database after the first call. */
  async #opened(): Promise<MessageDatabase> {
    if (this.#database !== null) return this.#database;
    const duckdb = loadDuckDb();
    this.#folder ??= mkdtempSync(join(tmpdir(), 'kubeseq-mcp-'));
    const path = join(this.#folder, 'messages.parquet');
    await writeTable(this.#files, { ...this.#options, namespace: 'default' }, path);
    const names = this.#files.map((file, i) => (this.#options.anonymizer === undefined ? file : captureName(i)));
    const tables = [{ path, name: names.join(', ') }];
    this.#database = await MessageDatabase.open(duckdb, tables, { memory: MAX_QUERY_MEMORY, isRevealing: false });
    return this.#database;
  }
}

/** Limit: rows of a query that `mcp` reads. */
const MAX_QUERY_ROWS = 100_000;
/** Limit in ms: one query of `mcp`. */
const MAX_QUERY_MS = 30_000;
/** Limit in bytes: memory of the database that answers queries of `mcp`. */
const MAX_QUERY_MEMORY = 1024 * 1024 * 1024;
