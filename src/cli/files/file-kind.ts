// Reads the first bytes of files to recognise them, and words what each kind of file is and what it may be meant for.

import { statSync } from 'node:fs';
import { type FileKind, kindOf, LOOKED_AT, otherKindOf } from '../../index.js';
import { firstBytes } from './random-access.js';

/** Advice when such a file is given as a capture. */
export const MEANT: Readonly<Partial<Record<FileKind, (path: string) => string>>> = {
  diagram: (path) => `kubeseq check ${path} CAPTURE checks a capture against it`,
  'key log': (path) => `give it with --keylog ${path} beside the capture`,
};

/** Words after `it is`. */
export const WHAT: Readonly<Record<FileKind, string>> = {
  capture: 'a packet capture',
  'saved messages': 'saved messages, which are read as a capture',
  diagram: 'a diagram',
  table: 'a table of messages (Parquet), which is read as a capture',
  'audit log': 'an audit log of the API server (audit.k8s.io events), which is read as a capture',
  'key log': 'an NSS key log',
};

/** Recognises a file by content; null: unknown, or no regular file. */
export function kindOfFile(path: string): FileKind | null {
  const first = beginningOf(path);
  return first === null ? null : kindOf(first);
}

/** What a file that is no capture is, and what to do about it, in words; null: unknown, or no regular file. */
export function otherFile(path: string): string | null {
  const first = beginningOf(path);
  const other = first === null ? null : otherKindOf(first);
  return other === null ? null : `${other.what}, not a capture; ${other.next}`;
}

function beginningOf(path: string): Uint8Array | null {
  if (path === '-' || statSync(path, { throwIfNoEntry: false })?.isFile() !== true) return null;
  return firstBytes(path, LOOKED_AT);
}
