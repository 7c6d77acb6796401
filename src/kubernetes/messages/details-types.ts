// Names what can be requested of a message beyond its own fields.

import type { Shown, ShownValue } from '../../redaction/shown.js';

export interface Details {
  /** Header fields as they came, redacted; none where the message has no head of its own. */
  fields(): readonly HeaderField[];
  /** The body as a plain value that JSON can write, redacted; undefined where there is none. */
  body(): ShownValue | undefined;
  /** Bytes of the body or of the event as they were transferred, compressed or not; undefined where that is not known. */
  bodyBytes(): number | undefined;
}

export type HeaderField = readonly [name: string, value: Shown];

/** Message fields of failures and warnings: header fields with these texts hold nothing that the message does not. */
export interface FailureTexts {
  readonly statusMessage?: string;
  readonly warnings?: readonly string[];
}

/** Whether a message holds the value of a header field. */
export function isShown({ statusMessage, warnings }: FailureTexts, field: string): boolean {
  const lower = field.toLowerCase();
  return (lower === 'warning' && warnings !== undefined) || (lower === 'grpc-message' && statusMessage !== undefined);
}

/** How many bytes there are, in place of bytes that are not shown. */
export function bytesMarker(length: number, contentType?: Shown): ShownValue {
  return contentType === undefined || contentType === ''
    ? { $bytes: length }
    : { $bytes: length, $contentType: contentType };
}
