// Recognises by its first bytes whether a file is a capture, a diagram, an audit log or a key log.

import { isAuditLog } from '../audit/audit-reader.js';
import { isCapture, isGzip } from '../capture/capture-reader.js';
import { latin1 } from '../core/bytes/bytes.js';
import { gunzip } from '../platform/compression.js';
import { isTable } from './capture-bytes.js';
import { type OtherFile, otherFile } from './other-files.js';

export type FileKind = 'capture' | 'saved messages' | 'table' | 'diagram' | 'audit log' | 'key log';

/** @param bytes the beginning of a file, gzipped or not. */
export function kindOf(bytes: Uint8Array): FileKind | null {
  const plain = inflated(bytes.subarray(0, LOOKED_AT));
  if (isTable(plain)) return 'table';
  if (plain.length >= 4 && isCapture(plain)) return 'capture';
  const text = latin1(plain, 0, LOOKED_AT).trimStart();
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

/** @param bytes as for `kindOf`. @returns what a file that is no capture is, and what to do; null: it is not known. */
export function otherKindOf(bytes: Uint8Array): OtherFile | null {
  return otherFile(inflated(bytes.subarray(0, LOOKED_AT)));
}

/** Tolerates a missing end, because only the beginning was read. */
function inflated(bytes: Uint8Array): Uint8Array {
  if (!isGzip(bytes)) return bytes;
  const found = gunzip(bytes, { maxBytes: INFLATED, mayBeCut: true });
  return found instanceof Uint8Array ? found : bytes;
}

/** Bytes; usually more than one audit event. */
export const LOOKED_AT = 16 * 1024;
const INFLATED = 32 * 1024 * 1024;
