// Opens the envelope of Kubernetes protobuf: "k8s\0", then runtime.Unknown.
//
//   6b 38 73 00 | Unknown { typeMeta = 1 { apiVersion = 1, kind = 2 }, raw = 2, contentEncoding = 3, contentType = 4 }
//
// Source: k8s.io/apimachinery/pkg/runtime/generated.proto, serializer/protobuf.

import { FieldReader, LENGTH_DELIMITED } from '../../protobuf/wire.js';

export interface Envelope {
  apiVersion: string;
  kind: string;
  /** The object is `bytes[start, end)`. */
  start: number;
  end: number;
  /** false where the envelope was cut or malformed. */
  complete: boolean;
}

/** Does the magic stand at `start`? */
export function hasMagic(bytes: Uint8Array, start = 0, end = bytes.length): boolean {
  return (
    end - start >= 4 &&
    bytes[start] === 0x6b &&
    bytes[start + 1] === 0x38 &&
    bytes[start + 2] === 0x73 &&
    bytes[start + 3] === 0
  );
}

/**
 * Opens the envelope at `[start, end)`; null where there is none.
 * @returns one object that the next call fills anew: read it at once.
 */
export function openEnvelope(bytes: Uint8Array, start = 0, end: number = bytes.length): Envelope | null {
  if (!hasMagic(bytes, start, end)) return null;
  const envelope = OPENED;
  envelope.apiVersion = '';
  envelope.kind = '';
  envelope.start = end;
  envelope.end = end;
  let hasRaw = false;
  const reader = READER.open(bytes, start + 4, end);
  while (reader.next()) {
    if (reader.type !== LENGTH_DELIMITED) continue;
    if (reader.field === 1) readTypeMeta(bytes, reader.start, reader.end, envelope);
    else if (reader.field === 2) {
      hasRaw = true;
      envelope.start = reader.start;
      envelope.end = reader.end;
    }
  }
  // Writers write `raw` even for an empty object.
  envelope.complete = hasRaw && reader.fault === null;
  return envelope;
}

// The events of one watch all carry the same few bytes here: the last ones are kept with their text.
function readTypeMeta(bytes: Uint8Array, start: number, end: number, into: Envelope): void {
  if (!sameBytes(bytes, start, end, lastBytes)) {
    lastBytes = new Uint8Array(bytes.subarray(start, end));
    lastApiVersion = '';
    lastKind = '';
    const reader = INNER.open(bytes, start, end);
    while (reader.next()) {
      if (reader.type !== LENGTH_DELIMITED) continue;
      if (reader.field === 1) lastApiVersion = reader.text();
      else if (reader.field === 2) lastKind = reader.text();
    }
  }
  into.apiVersion = lastApiVersion;
  into.kind = lastKind;
}

function sameBytes(bytes: Uint8Array, start: number, end: number, known: Uint8Array): boolean {
  if (end - start !== known.length) return false;
  for (let i = 0; i < known.length; i++) if (bytes[start + i] !== known[i]) return false;
  return true;
}

const READER = new FieldReader();
const INNER = new FieldReader();
const OPENED: Envelope = { apiVersion: '', kind: '', start: 0, end: 0, complete: true };
let lastBytes = new Uint8Array(0);
let lastApiVersion = '';
let lastKind = '';
