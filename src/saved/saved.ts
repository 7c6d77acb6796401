// What a file of saved messages gives when it is read, beside what the pipeline gives. Plain vocabulary.

import type { CaptureReport } from '../capture/frame.js';
import type { ConnectionEnd } from '../core/connection-end.js';
import type { Notice } from '../core/notice.js';
import type { ProtocolFound } from '../http/http-event.js';
import type { Message } from '../kubernetes/messages/message.js';
import type { StreamBytes } from '../tcp/stream-event.js';

/** What an export holds, and what is read from it. */
export type SavedItem =
  | { readonly kind: 'message'; readonly message: Message }
  | Notice
  | CaptureReport
  | StreamBytes
  | ProtocolFound;

/** What an export is made from; ends of connections are not in it. */
export type ExportedItem = SavedItem | SavedCapture | ConnectionEnd;

/** A capture that a saved file is from; emitted before its first message. */
export interface SavedCapture {
  readonly kind: 'saved-capture';
  readonly capture: number;
  /** Its name when it was decoded; null where the file does not say. */
  readonly file: string | null;
  /** Digits of the fraction of a second that its times have. */
  readonly digits: 6 | 9;
  /** ns since the epoch: its first frame, else its first message; null: not known yet. */
  readonly first: bigint | null;
}
