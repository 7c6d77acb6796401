// Tells how a side broke an exchange off: which ends become messages of kind `end`, with their fields and label.

import { elapsedText } from '../../core/duration.js';
import { sizeText } from '../../core/quantity.js';
import type { ExchangeCut, ExchangeEvent } from '../../http/exchange-event.js';
import { errorName } from '../../http/http2/goaway.js';
import { EMPTY, rewritten, type Shown, sentence } from '../../redaction/shown.js';
import type { ExchangeContext } from '../exchange-context.js';
import type { Draft } from './draft.js';

/** How an exchange was broken off, as the field `cut` has it. */
export interface CutInfo {
  /** FIN, RST, RST_STREAM, GOAWAY. */
  readonly how: string;
  /** Name of the error code of RST_STREAM or GOAWAY (RFC 9113, section 7). */
  readonly code?: string | undefined;
  /** ms in which the connection had carried no byte. */
  readonly silentMs?: number | undefined;
  /** ms since the last byte of the request, if it was not answered. */
  readonly afterMs?: number | undefined;
  /** Bytes of the response's body that were sent, and that its head promised. */
  readonly received?: number | undefined;
  readonly promised?: number | undefined;
  /** The server says that it did not process the request. */
  readonly unprocessed?: true | undefined;
}

type ExchangeEnd = ExchangeEvent & { readonly kind: 'exchange-end' };

/**
 * The way of an exchange that did not come to its end; undefined: it did, or its end is none to tell of. A client that leaves a watch, a
 * stream or a tunnel ends it, as nobody else can.
 */
export function cutOf({ cut, exchange, responseSeen, requestSeen }: ExchangeEnd, { info }: ExchangeContext) {
  if (cut === undefined || exchange.upgraded !== null) return undefined;
  if (!responseSeen) return requestSeen ? cut : undefined;
  if (cut.by === 'server') return cut;
  return info !== null && info.subresource === undefined && READS.has(info.verb) ? cut : undefined;
}

/** @param context of the exchange. */
export function fillEnd(message: Draft, cut: ExchangeCut, isAnswered: boolean, context: ExchangeContext): void {
  const afterNs = message.time - context.requestEnd;
  const { received, promised, silentNs } = cut;
  const info: CutInfo = {
    how: cut.how,
    ...(cut.code === undefined ? null : { code: errorName(cut.code) }),
    ...(silentNs === 0n ? null : { silentMs: Number(silentNs) / 1e6 }),
    ...(isAnswered || context.requestSeq === undefined ? null : { afterMs: Number(afterNs) / 1e6 }),
    ...(isAnswered ? { received, ...(promised === null ? null : { promised }) } : null),
    ...(cut.isUnprocessed === true && !isAnswered ? { unprocessed: true } : null),
  };
  message.cut = info;
  message.complete = true;
  message.label = sentence`[END] ${words(info, cut.by === 'client')}`;
}

function words(
  { how, code, silentMs = 0, afterMs, received, promised, unprocessed }: CutInfo,
  isClient: boolean,
): Shown {
  const way = code === undefined ? how : `${how} ${code}`;
  const text = (): string => {
    if (unprocessed === true) return `not processed: ${way}`;
    if (afterMs !== undefined)
      return `${isClient ? 'gave up' : 'ended without a response'} after ${elapsedText(afterMs * 1e6)}: ${way}`;
    const bytes = promised === undefined ? '' : ` after ${sizeText(received ?? 0)} of ${sizeText(promised)}`;
    const silence = silentMs < TOLD_SILENCE_MS ? '' : `, ${elapsedText(silentMs * 1e6)} without a byte`;
    return `cut${bytes}: ${way}${silence}`;
  };
  return rewritten(EMPTY, text);
}

/** Requests that are answered at once. */
const READS = new Set(['get', 'list', 'create', 'update', 'patch', 'delete', 'deletecollection']);
/** ms: a shorter silence is no reason to end a connection. */
const TOLD_SILENCE_MS = 1000;
