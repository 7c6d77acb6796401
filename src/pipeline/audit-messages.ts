// Reads an audit log as messages, by an interpreter of its own: what it tells is read like what was captured.

import { type AuditItem, AuditReader } from '../audit/audit-reader.js';
import type { NamingRule } from '../kubernetes/identity/participant-registry.js';
import { interpreter } from '../kubernetes/interpreter.js';
import { type Reveal, redactionOf } from '../redaction/redaction.js';
import { type CaptureBytes, readWith } from './capture-bytes.js';
import type { PipelineItem } from './message-stage.js';

export interface AuditOptions {
  /** Index of the log among the captures. */
  readonly capture: number;
  readonly reveal?: Reveal;
  readonly bodies?: boolean;
  readonly naming?: readonly NamingRule[];
}

/** The items of an audit log, a batch for each chunk. Notices: those of AuditReader and of the interpreter, `capture.damaged`. */
export async function* auditMessages(
  bytes: CaptureBytes,
  { capture, reveal, bodies, naming }: AuditOptions,
): AsyncGenerator<readonly PipelineItem[]> {
  // No event comes later that shows a cause, so nothing is held for one.
  const stage = interpreter({ redaction: redactionOf(reveal), bodies, naming, holdNs: 0n });
  let hasBegun = false;
  for await (const batch of readWith<AuditItem>(new AuditReader(capture), bytes)) {
    const out: PipelineItem[] = [];
    for (const item of batch) {
      if (item.kind === 'notice') out.push(item);
      else {
        pushAll(item.kind === 'capture-report' ? stage.end() : stage.feed(item), out);
        if (item.kind === 'capture-report') out.push(item);
      }
    }
    const first = hasBegun ? undefined : out.find((item) => item.kind === 'message');
    if (first !== undefined) {
      hasBegun = true;
      out.unshift({ kind: 'saved-capture', capture, file: null, digits: 6, first: first.message.started });
    }
    yield out;
  }
}

function pushAll(items: ReturnType<ReturnType<typeof interpreter>['feed']>, out: PipelineItem[]): void {
  for (const item of items) out.push(item.kind === 'notice' ? item : { kind: 'message', message: item });
}
