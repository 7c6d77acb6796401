// Names what can be requested of a message beyond its own fields.

import type { Reviewed } from '../../redaction/redaction.js';
import type { Shown, ShownValue } from '../../redaction/shown.js';

export interface Details {
  /** Header fields as they came, redacted; none where the message has no head of its own. */
  fields(): readonly HeaderField[];
  /** The body as a plain value that JSON can write, redacted; undefined where there is none. */
  body(): ShownValue | undefined;
}

export type HeaderField = readonly [name: string, value: Shown];

export interface BodyContext {
  readonly resource?: string;
  readonly subresource?: string;
  /** Of the resource: empty for the core group. */
  readonly apiGroup?: string;
  readonly apiVersion?: string;
  /** The message of a remote call: `runtime.v1.CreateContainerRequest`. */
  readonly message?: string;
  /** Whose HTTP API a body is of, where that is not the Kubernetes API. */
  readonly api?: 'docker' | 'registry' | 'kubelet';
  /** What an application sends: `objects` of Kubernetes may be shown; of a `payload` only the API server's own Status. */
  readonly application?: 'objects' | 'payload';
  /** Of an AdmissionReview: what is judged. */
  readonly reviewed?: Reviewed;
}

/** Message fields of failures and warnings: header fields with these texts hold nothing that the message does not. */
export interface DetailsOptions {
  readonly statusMessage?: string;
  readonly warnings?: readonly string[];
}

/** Whether a message holds the value of a header field. */
export function isShown({ statusMessage, warnings }: DetailsOptions, field: string): boolean {
  const lower = field.toLowerCase();
  return (lower === 'warning' && warnings !== undefined) || (lower === 'grpc-message' && statusMessage !== undefined);
}

/** How many bytes there are, in place of bytes that are not shown. */
export function bytesMarker(length: number, contentType?: Shown): ShownValue {
  return contentType === undefined || contentType === ''
    ? { $bytes: length }
    : { $bytes: length, $contentType: contentType };
}
