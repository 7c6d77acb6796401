// Audit logs beside captures: which part of the logs is of their time, and what is said of the rest.

import { type AuditItem, AuditReader } from '../audit/audit-reader.js';
import { type Notice, notice } from '../core/notice.js';
import { counted } from '../core/quantity.js';
import { prefixReader } from '../kubernetes/api/path-prefix.js';
import { interpreter } from '../kubernetes/interpreter.js';
import type { Message } from '../kubernetes/messages/message.js';
import type { NamingRule } from '../kubernetes/placed/identity/participant-registry.js';
import { type Reveal, redactionOf } from '../redaction/redaction.js';
import { AuditJoin, type SourcedMessage } from './audit-join.js';
import { type CaptureBytes, readWith } from './capture-bytes.js';
import type { PipelineItem } from './message-stage.js';

export class AuditLogs {
  readonly #firstLog: number;
  readonly #captureStart: () => bigint | null;
  readonly #join: AuditJoin;
  readonly #ended = new Set<number>();
  #last: bigint | null = null;

  /** @param firstLog sources from this number on are logs. @param captureStart ns since the epoch: the first frame; null: none yet. */
  constructor(firstLog: number, captureStart: () => bigint | null) {
    this.#firstLog = firstLog;
    this.#captureStart = captureStart;
    this.#join = new AuditJoin((source) => this.#isLog(source));
  }

  /** @returns what goes on, in the order of time. */
  feed(message: Message, source: number): readonly SourcedMessage[] {
    const isLog = this.#isLog(source);
    this.#join.captureBegins(this.#captureStart() ?? (isLog ? null : message.started));
    if (!isLog) this.#saw(message.time);
    return this.#join.feed(message, source);
  }

  /** @returns false for what need not be said of a log beside a capture. */
  passes(item: PipelineItem, source: number): boolean {
    if (item.kind === 'capture-report' && !this.#isLog(source) && item.last !== null)
      this.#saw(item.last + (item.shift ?? 0n));
    return !(item.kind === 'notice' && item.code === 'audit.requests-only');
  }

  /** A source is over. */
  ended(source: number): void {
    if (this.#isLog(source)) return;
    this.#ended.add(source);
    if (this.#ended.size === this.#firstLog) this.#join.captureEnds(this.#last);
  }

  end(): readonly SourcedMessage[] {
    return this.#join.end();
  }

  notices(): readonly Notice[] {
    const { joined, outside, alone } = this.#join;
    const said: Notice[] = [];
    if (joined > 0) said.push(notice('audit.joined', counted(joined, 'request')));
    if (outside > 0) said.push(notice('audit.outside', counted(outside, 'request')));
    if (alone > 0) said.push(notice('audit.requests-only', `${counted(alone, 'request')} that only the audit log has`));
    return said;
  }

  #isLog(source: number): boolean {
    return source >= this.#firstLog;
  }

  #saw(time: bigint): void {
    if (this.#last === null || time > this.#last) this.#last = time;
  }
}

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
  for await (const batch of readWith<AuditItem>(new AuditReader(capture, prefixReader()), bytes)) {
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
