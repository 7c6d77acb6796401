// What a table holds, as text: every value of every column, and its metadata. Read by the Parquet library itself, in a process of its
// own, as it reads asynchronously.

import { spawnSync } from 'node:child_process';
import { ROOT } from './command.js';

const SCRIPT = `
import { readFileSync } from 'node:fs';
import { inflateRawSync } from 'node:zlib';
import { parquetMetadata, parquetReadObjects } from 'hyparquet';
const bytes = readFileSync(0);
const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length);
const metadata = parquetMetadata(file);
const rows = await parquetReadObjects({ file, metadata });
const values = metadata.key_value_metadata.map(({ key, value }) =>
  key === 'kubeseq.records' ? inflateRawSync(Buffer.from(value, 'base64')).toString() : value);
const text = (_, value) => (typeof value === 'bigint' ? String(value) : value);
process.stdout.write([...values, ...rows.map((row) => JSON.stringify(row, text))].join('\\n'));
`;

/** @param bytes of a Parquet file. Throws where it is none. */
export function unpackedTable(bytes: Uint8Array): string {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', SCRIPT], {
    cwd: ROOT,
    input: bytes,
    encoding: 'utf8',
    maxBuffer: 256 * 1024 * 1024,
  });
  if (status !== 0) throw new Error(`no table: ${stderr}`);
  return stdout;
}
