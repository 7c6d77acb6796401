// Recognises by its first bytes whether a file is a capture, a diagram, an audit log or a key log.

import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { constants, gunzipSync } from 'node:zlib';
import { isAuditLog, isCapture, isGzip, isTable } from '../../index.js';

export type FileKind = 'capture' | 'saved messages' | 'table' | 'diagram' | 'audit log' | 'key log';

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
  const first = firstBytes(path);
  return first === null ? null : kindOf(first);
}

/** @param bytes the beginning of a file, gzipped or not. */
export function kindOf(bytes: Uint8Array): FileKind | null {
  const plain = Buffer.from(inflated(bytes.subarray(0, LOOKED_AT)));
  if (isTable(plain)) return 'table';
  if (plain.length >= 4 && isCapture(plain)) return 'capture';
  const text = plain.subarray(0, LOOKED_AT).toString('latin1').trimStart();
  if (isAuditLog(text)) return 'audit log';
  if (/^\{[^\n]*"(?:seq|exchange|kubeseq)":/.test(text)) return 'saved messages';
  if (
    /^(?:#[^\n]*\n\s*)*(?:CLIENT_RANDOM|(?:CLIENT|SERVER)_(?:HANDSHAKE_TRAFFIC|TRAFFIC)_SECRET(?:_0)?|EXPORTER_SECRET|CLIENT_EARLY_TRAFFIC_SECRET) [0-9a-fA-F]{64} /.test(
      text,
    )
  )
    return 'key log';
  return /^sequenceDiagram\b/m.test(text) ? 'diagram' : null;
}

function firstBytes(path: string): Uint8Array | null {
  if (path === '-' || statSync(path, { throwIfNoEntry: false })?.isFile() !== true) return null;
  try {
    const file = openSync(path, 'r');
    const bytes = Buffer.alloc(LOOKED_AT);
    const length = readSync(file, bytes, 0, LOOKED_AT, 0);
    closeSync(file);
    return bytes.subarray(0, length);
  } catch {
    // The error is reported when the file is read.
    return null;
  }
}

function inflated(bytes: Uint8Array): Uint8Array {
  if (!isGzip(bytes)) return bytes;
  try {
    // Tolerates a missing end, because only the beginning was read.
    return gunzipSync(bytes, { finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength: INFLATED });
  } catch {
    return bytes;
  }
}

/** Bytes; usually more than one audit event. */
const LOOKED_AT = 16 * 1024;
const INFLATED = 32 * 1024 * 1024;
