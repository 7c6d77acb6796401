// Tells the files that a reader chose apart: captures and what is read like them, and key logs.

import { blobChunks } from '../browser/blob-source.js';
import { type FileKind, kindOf, LOOKED_AT, plainBytes } from '../index.js';
import type { ChosenFile } from './protocol.js';

/** What cannot be read, in a sentence for the reader. */
export class UnreadableFiles extends Error {}

export interface SortedFiles {
  readonly captures: readonly ChosenFile[];
  /** Texts of key logs. */
  readonly keyLogs: readonly string[];
}

/** @throws UnreadableFiles */
export async function sortFiles(files: readonly ChosenFile[]): Promise<SortedFiles> {
  const captures: ChosenFile[] = [];
  const keyLogs: string[] = [];
  for (const file of files) {
    const kind = kindOf(new Uint8Array(await file.blob.slice(0, LOOKED_AT).arrayBuffer()));
    if (file.blob.size === 0) throw new UnreadableFiles(`${file.name} is empty: nothing was captured into it.`);
    if (kind === 'key log') keyLogs.push(await keyLogIn(file));
    else if (kind !== null && READ.has(kind)) captures.push(file);
    else
      throw new UnreadableFiles(
        `${file.name} is ${kind === 'diagram' ? 'a diagram' : 'no file that kubeseq reads'}. It reads packet captures (pcap or pcapng, gzipped or not), key logs, audit logs, and messages that kubeseq saved (Parquet or ndjson).`,
      );
  }
  if (captures.length > 0) return { captures, keyLogs };
  throw new UnreadableFiles('That is a key log alone. Choose the capture of the same run together with it.');
}

async function keyLogIn({ name, blob }: ChosenFile): Promise<string> {
  let text = '';
  const decoder = new TextDecoder();
  for await (const chunk of await plainBytes(blobChunks(blob))) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > MAX_KEY_LOG)
      throw new UnreadableFiles(
        `${name} is longer than ${MAX_KEY_LOG / 1024 ** 2} million characters, which no key log is.`,
      );
  }
  return text;
}

const READ: ReadonlySet<FileKind> = new Set(['capture', 'saved messages', 'table', 'audit log']);
/** Limit: characters of a key log that the page reads: some 180,000 connections. */
const MAX_KEY_LOG = 64 * 1024 ** 2;
