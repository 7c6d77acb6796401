// What the TLS stage of one connection can be asked beside its events. No behaviour.

import type { Notice } from '../core/notice.js';
import type { Stage } from '../core/stage.js';
import type { StreamEvent } from '../tcp/stream-event.js';

export interface TlsDecrypter extends Stage<StreamEvent, StreamEvent | Notice> {
  /** Whether records wait for secrets that may still come. */
  readonly waiting: boolean;
  /** Whether bytes wait for anything: secrets, or what tells whether they are TLS. */
  readonly holding: boolean;
  /** Whether the whole connection was closed; while it waits, its `closed` has not come out yet. */
  readonly over: boolean;
  /** Secrets came: gives what can be read now. */
  retry(): readonly (StreamEvent | Notice)[];
}
