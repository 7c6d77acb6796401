// Tells how a side broke an exchange off: which ends become messages of kind `end`, with their fields and label.

import { type CutInfo, errorName, TOLD_SILENCE_MS, wayOf } from '../../core/cut.js';
import { elapsedText } from '../../core/duration.js';
import { sizeText } from '../../core/quantity.js';
import type { ExchangeCut, ExchangeEvent } from '../../http/exchange-event.js';
import { EMPTY, rewritten, sentence } from '../../redaction/shown.js';
import type { Draft } from '../messages/draft.js';
import type { ExchangeContext } from '../messages/exchange-context.js';

type EndedExchange = ExchangeEvent & { readonly kind: 'exchange-end' };

/** What ends an exchange, and what of it is told of a watch that its server ended itself. */
type EndToTell = ExchangeCut & Pick<CutInfo, 'timeoutMs'>;

/**
 * How an exchange was broken off; undefined: it came to its end, or its end is none to tell of. A client that leaves a watch, a stream or
 * a tunnel ends it, as nobody else can.
 */
export function cutOf(event: EndedExchange, context: ExchangeContext): EndToTell | undefined {
  const { cut, exchange, responseSeen, requestSeen } = event;
  const { info } = context;
  if (exchange.upgraded !== null) return undefined;
  if (cut === undefined) return event.isWhole === true ? earlyEndOf(event, context) : undefined;
  if (!responseSeen) return requestSeen ? cut : undefined;
  if (cut.by === 'server') return cut;
  return info !== null && info.subresource === undefined && ANSWERED_AT_ONCE.has(info.verb) ? cut : undefined;
}

/**
 * How a server ended a watch before it had to, by END_STREAM or the last chunk: it shuts down, or gives a slow watcher up. A watch may be
 * open for the seconds that it asks for, or for 30 to 60 minutes (k8s.io/apiserver, pkg/endpoints/handlers/get.go: ListResource).
 */
function earlyEndOf({ exchange, at }: EndedExchange, context: ExchangeContext): EndToTell | undefined {
  const { info, requestSeq, requestEnd, hasFailed } = context;
  if (info?.watch !== true || requestSeq === undefined || hasFailed || exchange.response?.status !== OK)
    return undefined;
  const seconds = Number(/[?&]timeoutSeconds=(\d{1,9})(?:&|$)/.exec(exchange.request?.target ?? '')?.[1] ?? 0);
  const timeoutMs = seconds === 0 ? undefined : seconds * 1000;
  if (Number(at.time - requestEnd) / 1e6 >= (timeoutMs ?? MIN_REQUEST_TIMEOUT_MS)) return undefined;
  const how = exchange.stream === null ? 'last chunk' : 'END_STREAM';
  return { by: 'server', how, silentNs: 0n, received: 0, promised: null, timeoutMs };
}

/** Fills in what was asked, and how it ended. */
export function fillEnd(
  message: Draft,
  cut: EndToTell,
  { responseSeen: isAnswered, exchange }: EndedExchange,
  context: ExchangeContext,
): void {
  describeRequest(message, context);
  message.method = exchange.request?.method ?? undefined;
  if (cut.isProxys === true) message.via = undefined;
  const { received, promised, silentNs, timeoutMs } = cut;
  const afterMs = Number(message.time - context.requestEnd) / 1e6;
  const isWatchs = cut.how === 'END_STREAM' || cut.how === 'last chunk';
  const info: CutInfo = {
    by: cut.isProxys === true ? 'proxy' : cut.by,
    how: cut.how,
    ...(cut.code === undefined ? null : { code: errorName(cut.code) }),
    ...(silentNs === 0n ? null : { silentMs: Number(silentNs) / 1e6 }),
    ...(isAnswered || context.requestSeq === undefined ? null : { afterMs }),
    ...(isWatchs ? { openMs: afterMs, timeoutMs } : null),
    ...(isAnswered && !isWatchs ? { received, ...(promised === null ? null : { promised }) } : null),
    ...(cut.isUnprocessed === true && !isAnswered ? { unprocessed: true } : null),
  };
  message.cut = info;
  message.label = sentence`[END] ${rewritten(EMPTY, () => cutWords(info))}`;
}

function describeRequest(message: Draft, { info, reviewed, target }: ExchangeContext): void {
  message.target = target;
  const asked = info ?? reviewed;
  if (asked === undefined) {
    const [, service, method] = message.stream === null ? [] : (RPC_PATH.exec(target ?? '') ?? []);
    message.service = service;
    message.rpcMethod = method;
    return;
  }
  message.verb = info?.verb;
  message.apiGroup = asked.apiGroup;
  message.apiVersion = asked.apiVersion;
  message.resource = asked.resource;
  message.subresource = asked.subresource;
  message.namespace = asked.namespace;
  message.name = asked.name;
}

function cutWords({
  by,
  silentMs = 0,
  afterMs,
  openMs,
  timeoutMs,
  received,
  promised,
  unprocessed,
  ...end
}: CutInfo): string {
  const way = wayOf(end);
  if (unprocessed === true) return `not processed: ${way}`;
  if (openMs !== undefined) {
    const asked = timeoutMs === undefined ? '' : ` of ${elapsedText(timeoutMs * 1e6)}`;
    return `ended early: ${way} after ${elapsedText(openMs * 1e6)}${asked}`;
  }
  if (afterMs !== undefined)
    return `${by === 'client' ? 'gave up' : 'ended without a response'} after ${elapsedText(afterMs * 1e6)}: ${way}`;
  const bytes = promised === undefined ? '' : ` after ${sizeText(received ?? 0)} of ${sizeText(promised)}`;
  const silence = silentMs < TOLD_SILENCE_MS ? '' : `, ${elapsedText(silentMs * 1e6)} without a byte`;
  return `cut${bytes}: ${way}${silence}`;
}

const OK = 200;
/** ms: kube-apiserver --min-request-timeout, by default. */
const MIN_REQUEST_TIMEOUT_MS = 1_800_000;
/** `/etcdserverpb.KV/Txn` */
const RPC_PATH = /^\/([\w.]+\.\w+)\/(\w+)$/;
/** Verbs whose answer is whole: a client that leaves before its end gave up. */
const ANSWERED_AT_ONCE = new Set(['get', 'list', 'create', 'update', 'patch', 'delete', 'deletecollection']);
