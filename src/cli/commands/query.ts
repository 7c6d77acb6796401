// `kubeseq query` answers SQL over messages: of tables as they are, of captures and other saved messages by a table that is made for it.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { captureName } from '../../index.js';
import { CliError, EXIT_FINE } from '../cli-error.js';
import { type Command, runAndWrite } from '../command.js';
import { kindOfFile } from '../files/file-kind.js';
import { FORMATS } from '../formats.js';
import { type DuckDb, MessageDatabase, type MessageTableFile, type ResultRow } from '../message-database.js';
import { loadOptional } from '../optional-package.js';
import type { CommonOptions, FollowCliOptions, MessagesOptions } from '../options.js';
import { messages } from './messages.js';

export type QueryOptions = CommonOptions & FollowCliOptions;

/** Its arguments are files, then the query. */
export const query: Command<[args: readonly string[]], QueryOptions, readonly ResultRow[]> = {
  formats: FORMATS.query,
  usual: (_, isForTerminal) => (isForTerminal ? 'table' : 'ndjson'),
  async run([args], options) {
    const files = args.slice(0, -1);
    if (files.length === 0) throw new CliError('name a file, and behind it the query in quotes; see docs/query.md');
    const duckdb = loadDuckDb();
    const folder = await mkdtemp(join(tmpdir(), 'kubeseq-query-'));
    try {
      const tables = await tablesOf(files, folder, options);
      const isRevealing = options.showSecrets === true;
      const database = await MessageDatabase.open(duckdb, tables, { folder, isRevealing });
      const { rows } = await database.answer(args[args.length - 1]);
      database.close();
      return { result: rows, end: () => ({ status: EXIT_FINE }) };
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
};

/** Tables as they are; of anything else, a table is made. */
async function tablesOf(
  files: readonly string[],
  folder: string,
  options: QueryOptions,
): Promise<readonly MessageTableFile[]> {
  const tables: MessageTableFile[] = [];
  for (const [i, file] of files.entries()) {
    if (kindOfFile(file) === 'table') {
      if (options.anonymizer !== undefined)
        throw new CliError(`${file}: a table keeps its names; --anonymize is for captures and saved messages`);
      tables.push({ path: file, name: file });
      continue;
    }
    const path = join(folder, `${i}.parquet`);
    await writeTable([file], options, path);
    tables.push({ path, name: options.anonymizer === undefined ? file : captureName(i) });
  }
  return tables;
}

/** Writes the messages of captures without their bodies. Throws CliError. */
export async function writeTable(files: readonly string[], options: MessagesOptions, path: string): Promise<void> {
  await runAndWrite(messages, [files], { ...options, bodies: undefined, output: 'parquet', write: path });
}

export function loadDuckDb(): DuckDb {
  return loadOptional('query', PACKAGE, [PACKAGE])[0] as DuckDb;
}

const PACKAGE = '@duckdb/node-api';
