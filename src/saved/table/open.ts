// Opens the writer of a table of messages, and loads its library only then.

import type { TableWriter, TableWriterOptions } from './writer.js';

export type { RandomAccessFile, TableSelection } from './reader.js';
export type { TableWriter, TableWriterOptions } from './writer.js';

export async function tableWriter(options: TableWriterOptions): Promise<TableWriter> {
  const { TableWriter } = await import('./writer.js');
  return new TableWriter(options);
}
