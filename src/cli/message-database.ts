// Answers SQL over tables of messages, by a database that can read them alone: one SELECT at a time.

import { resolve } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import { CliError } from './cli-error.js';

export type DuckDb = typeof import('@duckdb/node-api');
export type ResultRow = Readonly<Record<string, unknown>>;

export interface MessageTableFile {
  readonly path: string;
  /** What the column `file` has. */
  readonly name: string;
}

export interface DatabaseOptions {
  /** Folder for what does not fit into memory; undefined: such a query fails. */
  readonly folder?: string;
  /** Bytes of memory; undefined: the database's own limit. */
  readonly memory?: number;
  /** Tables that were saved without redaction, too. */
  readonly isRevealing: boolean;
}

export class MessageDatabase {
  readonly #duckdb: DuckDb;
  readonly #connection: DuckDBConnection;

  private constructor(duckdb: DuckDb, connection: DuckDBConnection) {
    this.#duckdb = duckdb;
    this.#connection = connection;
  }

  /** Throws CliError for a table that cannot be read, or that was saved without redaction. */
  static async open(
    duckdb: DuckDb,
    tables: readonly MessageTableFile[],
    { folder = '', memory, isRevealing }: DatabaseOptions,
  ): Promise<MessageDatabase> {
    const database = await duckdb.DuckDBInstance.create(':memory:', NO_DOWNLOADS);
    const connection = await database.connect();
    const run = (sql: string): Promise<unknown> => orRefused(() => connection.run(sql));
    for (const { path, name } of tables)
      if (!isRevealing && (await orRefused(() => isUnredacted(connection, path))))
        throw new CliError(
          `${name} was saved with --show-secrets: its secrets are not redacted; say --show-secrets to read it`,
        );
    await run(viewOf(tables));
    // In this order: the last one forbids further settings.
    await run(`SET allowed_paths = [${tables.map(({ path }) => quoted(resolve(path))).join(', ')}]`);
    // Else large results go into files of the current directory.
    await run(`SET temp_directory = ${quoted(folder)}`);
    await run('SET enable_external_access = false');
    if (memory !== undefined) await run(`SET memory_limit = '${memory / 1024 / 1024}MiB'`);
    await run('SET lock_configuration = true');
    return new MessageDatabase(duckdb, connection);
  }

  /**
   * @param most rows that are needed; undefined: all.
   * @throws CliError for what is not one SELECT, and for what the database refuses.
   */
  async answer(sql: string, most?: number): Promise<readonly ResultRow[]> {
    return orRefused(async () => {
      await this.#refuseOthers(sql);
      const reader =
        most === undefined
          ? await this.#connection.runAndReadAll(sql)
          : await this.#connection.streamAndReadUntil(sql, most);
      const wholeNumbers = reader.columnNames().filter((_, i) => WHOLE.has(String(reader.columnType(i))));
      return reader.getRowObjectsJson().map((row) => ({ ...row, ...numbersIn(row, wholeNumbers) }));
    });
  }

  /** Ends the query that runs. */
  interrupt(): void {
    this.#connection.interrupt();
  }

  close(): void {
    this.#connection.closeSync();
  }

  /** A SELECT reads the tables; other statements may write files, or change the view for later queries, also within EXPLAIN ANALYZE. */
  async #refuseOthers(sql: string): Promise<void> {
    const statements = await this.#connection.extractStatements(sql);
    if (statements.count !== 1) throw new CliError('query: one SELECT at a time');
    const prepared = await statements.prepare(0);
    const isSelect = prepared.statementType === this.#duckdb.StatementType.SELECT;
    prepared.destroySync();
    if (!isSelect) throw new CliError('query: only SELECT is answered: the table is read only');
  }
}

/** A view `messages`: the columns of all tables, and the file that each message is from. */
function viewOf(tables: readonly MessageTableFile[]): string {
  const selects = tables.map(
    ({ path, name }) => `SELECT *, ${quoted(name)} AS file FROM read_parquet(${quoted(resolve(path))})`,
  );
  return `CREATE VIEW messages AS ${selects.join(' UNION ALL BY NAME ')}`;
}

/** The file's metadata says so. */
async function isUnredacted(connection: DuckDBConnection, path: string): Promise<boolean> {
  const pairs = `FROM parquet_kv_metadata(${quoted(resolve(path))}) WHERE decode(key) = 'kubeseq'`;
  const reader = await connection.runAndReadAll(`SELECT decode(value) AS head ${pairs}`);
  return reader
    .getRowObjectsJson()
    .some(({ head }) => (JSON.parse(String(head)) as { redacted?: unknown }).redacted !== true);
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** The database's errors in one line. */
async function orRefused<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof CliError) throw error;
    const text = error instanceof Error ? error.message : String(error);
    throw new CliError(
      `query: ${text
        .replace(/^Failed to \w+ statements?: /, '')
        .split('\n', 1)[0]
        .slice(0, MAX_ERROR)}`,
    );
  }
}

/** Counts, which the database gives as texts, as far as JSON's numbers are exact. */
function numbersIn(row: ResultRow, names: readonly string[]): ResultRow {
  const numbers = names.map((name) => [name, Number(row[name])] as const);
  return Object.fromEntries(numbers.filter(([name, value]) => row[name] !== null && Number.isSafeInteger(value)));
}

/** Types of whole numbers that JavaScript's numbers may not hold. */
const WHOLE: ReadonlySet<string> = new Set(['BIGINT', 'UBIGINT', 'HUGEINT']);
/** A query reads files and needs no extension from the network. */
const NO_DOWNLOADS = { autoinstall_known_extensions: 'false', autoload_known_extensions: 'false' };
/** Limit: characters of the database's error that are printed. */
const MAX_ERROR = 500;
