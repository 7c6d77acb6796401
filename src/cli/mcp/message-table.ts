// Answers SQL over the messages of one observation: from a table in a private folder, which is all that the database can read.

import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { captureName } from '../../index.js';
import { CliError, EXIT_FINE, printError } from '../cli-error.js';
import type { Command } from '../command.js';
import { loadDuckDb, writeTable } from '../commands/query.js';
import { FORMATS } from '../formats.js';
import { MessageDatabase, type ResultRow } from '../message-database.js';
import type { CommonOptions } from '../options.js';
import { privateFolder } from '../output/output-folder.js';
import { MAX_CALL_MS, TOO_LONG } from './answer.js';

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
      const end = Date.now() + MAX_CALL_MS;
      const database = await this.#opened();
      const answered = database.answer(sql, { rows: wanted, ...MOST });
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<never>((_, fail) => {
        timer = setTimeout(() => fail(new CliError(TOO_LONG)), end - Date.now() - MARGIN_MS);
      });
      try {
        const { rows, isCut } = await Promise.race([answered, late]);
        if (isCut) printError(CUT);
        return { result: rows, end: () => ({ status: EXIT_FINE }) };
      } catch (error) {
        // What cannot be interrupted, such as one value that is computed, goes on alone: the next query has a database of its own.
        if (error instanceof CliError && error.message === TOO_LONG) this.#leave(answered);
        throw error;
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

  #leave(answered: Promise<unknown>): void {
    const database = this.#database!;
    this.#database = null;
    database.interrupt();
    answered.catch(() => {}).finally(() => database.close());
  }

  /** The database after the first call. */
  async #opened(): Promise<MessageDatabase> {
    if (this.#database !== null) return this.#database;
    const duckdb = loadDuckDb();
    this.#folder ??= privateFolder('kubeseq-mcp-');
    const path = join(this.#folder, 'messages.parquet');
    if (!existsSync(path)) await writeTable(this.#files, { ...this.#options, namespace: 'default' }, path);
    const names = this.#files.map((file, i) => (this.#options.anonymizer === undefined ? file : captureName(i)));
    const tables = [{ path, name: names.join(', ') }];
    this.#database = await MessageDatabase.open(duckdb, tables, { memory: MAX_QUERY_MEMORY, isRevealing: false });
    return this.#database;
  }
}

/** Limit: rows of a query that `mcp` reads. */
const MAX_QUERY_ROWS = 100_000;
/** Limits: characters of one row of a query of `mcp`, as of an answer, and of all rows. */
const MOST = { row: 30_000, characters: 16 * 1024 * 1024 };
const CUT = `rows of more than ${MOST.row} characters are cut; choose fewer columns, or parts of texts: substr(…)`;
/** ms until the answer of a call is made. */
const MARGIN_MS = 1000;
/** Limit in bytes: memory of the database that answers queries of `mcp`. */
const MAX_QUERY_MEMORY = 1024 * 1024 * 1024;
