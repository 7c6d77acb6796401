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

/** What of an answer is kept. */
export interface AnswerLimits {
  /** How many are needed: some more are given. */
  readonly rows: number;
  /** Characters of a row. */
  readonly row: number;
  /** Characters of all rows. */
  readonly characters: number;
}

type ResultColumns = readonly { readonly name: string; readonly type: string }[];

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
    if (memory !== undefined) {
      await run(`SET memory_limit = '${memory / 1024 / 1024}MiB'`);
      // Else constants are computed before the query runs, outside of that limit, and once for each rule that looks at them.
      await run(`SET disabled_optimizers = 'expression_rewriter'`);
    }
    await run('SET lock_configuration = true');
    return new MessageDatabase(duckdb, connection);
  }

  /** @returns the rows, and whether one of them was cut to `limits.row`. @throws CliError for what is not one SELECT, and for what the database refuses. */
  async answer(
    sql: string,
    limits?: AnswerLimits,
  ): Promise<{ readonly rows: readonly ResultRow[]; readonly isCut: boolean }> {
    return orRefused(async () => {
      const columns = await this.#columnsOf(sql);
      const result = await this.#connection.stream(limits === undefined ? sql : cutRows(sql, columns, limits.row));
      const whole = result.columnNames().filter((_, i) => WHOLE.has(String(result.columnType(i))));
      const rows: ResultRow[] = [];
      let isCut = false;
      let length = 0;
      for await (const some of result.yieldRowObjectJson()) {
        for (const { [CUT]: cut, ...row } of some) {
          isCut ||= cut === true;
          rows.push({ ...row, ...numbersIn(row, whole) });
        }
        if (limits === undefined) continue;
        length += JSON.stringify(some).length;
        if (rows.length >= limits.rows || length > limits.characters) break;
      }
      return { rows, isCut };
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
  async #columnsOf(sql: string): Promise<ResultColumns> {
    const statements = await this.#connection.extractStatements(sql);
    if (statements.count !== 1) throw new CliError('query: one SELECT at a time');
    const prepared = await statements.prepare(0);
    const isSelect = prepared.statementType === this.#duckdb.StatementType.SELECT;
    const columns = Array.from({ length: prepared.columnCount }, (_, i) => ({
      name: prepared.columnName(i),
      type: String(prepared.columnType(i)),
    }));
    prepared.destroySync();
    if (!isSelect) throw new CliError('query: only SELECT is answered: the table is read only');
    return columns;
  }
}

/** The same query, whose rows the database cuts: texts of a longer row to equal parts of its length, other long values to null. */
function cutRows(sql: string, columns: ResultColumns, most: number): string {
  const long = columns.flatMap(({ type }, i) => (SHORT.test(type) ? [] : [`coalesce(strlen(c${i}::VARCHAR), 0)`]));
  const isCut = `(${['0', ...long].join(' + ')} > ${most})`;
  const part = Math.floor(most / Math.max(1, long.length));
  const values = columns.map(({ name, type }, i) => {
    const cut = type === 'VARCHAR' ? `left(c${i}, ${part}) || '…'` : 'NULL';
    const value = SHORT.test(type)
      ? `c${i}`
      : `CASE WHEN ${isCut} AND strlen(c${i}::VARCHAR) > ${part} THEN ${cut} ELSE c${i} END`;
    return `${value} AS "${name.replaceAll('"', '""')}"`;
  });
  const names = columns.map((_, i) => `c${i}`).join(', ');
  return `SELECT ${values.join(', ')}, ${isCut} AS "${CUT}" FROM query(${quoted(sql)}) AS q(${names})`;
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

/** Types whose values have some dozen characters at most. */
const SHORT = /^(?:BOOLEAN|U?(?:TINY|SMALL|BIG|HUGE)?INT(?:EGER)?|FLOAT|DOUBLE|DECIMAL.*|DATE|TIME.*|INTERVAL|UUID)$/;
/** Column that says whether a row was cut. */
const CUT = 'kubeseq: cut';
/** Types of whole numbers that JavaScript's numbers may not hold. */
const WHOLE: ReadonlySet<string> = new Set(['BIGINT', 'UBIGINT', 'HUGEINT']);
/** A query reads files and needs no extension from the network. */
const NO_DOWNLOADS = { autoinstall_known_extensions: 'false', autoload_known_extensions: 'false' };
/** Limit: characters of the database's error that are printed. */
const MAX_ERROR = 500;
