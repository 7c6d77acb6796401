// Reads the JSON patch (RFC 6902) of a mutating webhook's response: base64 of JSON (k8s.io/api/admission/v1).

import { base64Bytes, text } from '../../../core/bytes/bytes.js';

/** @returns its operations, as they came; null where the text is no such patch. */
export function operationsIn(patch: string): readonly PatchOperation[] | null {
  if (patch === '' || patch.length > MAX_PATCH_CHARACTERS) return null;
  try {
    const value: unknown = JSON.parse(text(base64Bytes(patch)));
    return Array.isArray(value) && value.every(isOperation) ? value : null;
  } catch {
    return null;
  }
}

export interface PatchOperation {
  readonly op: string;
  readonly path: string;
}

function isOperation(value: unknown): value is PatchOperation {
  if (typeof value !== 'object' || value === null) return false;
  const { op, path } = value as Partial<Record<keyof PatchOperation, unknown>>;
  return typeof op === 'string' && typeof path === 'string';
}

/**
 * Limit: characters of a webhook's patch that is decoded, of a larger one only the size is shown; one that adds a container with all it
 * needs has some 10 KB.
 */
const MAX_PATCH_CHARACTERS = 1024 * 1024;
