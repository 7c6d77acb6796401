// What is missing from a picture, in words: connections that could not be read, bytes that the capture lacks, answers
// and requests outside of it. Never empty-handed where something is missing.

import { IN_RESET, type Notice, type NoticeCode } from '../../core/notice.js';
import type { Message } from '../../kubernetes/messages/message.js';
import { type ExchangeMessages, indexMessages, type MessageIndex, type Observation } from '../message-index.js';
import { type DrawnMessages as DrawnOf, touching } from '../touching.js';
import { connectionsThatFailed } from '../unread-places.js';

type DrawnParts = Omit<DrawnOf, 'messages'>;

/** Codes that take something from a picture, with the words for one and for many. */
const WORDS: Partial<Record<NoticeCode, readonly [string, string]>> = {
  'capture.truncated': ['the capture is cut at its end', 'captures are cut at their ends'],
  'capture.interrupted': ['reading was interrupted', 'captures were not read to their ends'],
  'capture.damaged': ['damaged place in the capture', 'damaged places in the capture'],
  'capture.dropped': ['report of packets dropped while capturing', 'reports of packets dropped while capturing'],
  'capture.unknown-link': ['link type not read', 'link types not read'],
  'capture.ring-lost': ['file of a ring not read', 'files of a ring not read'],
  'packet.unknown-encapsulation': ['encapsulation not read', 'encapsulations not read'],
  'packet.fragment-lost': ['packet with lost fragments', 'packets with lost fragments'],
  'tcp.gap': ['gap of lost bytes', 'gaps of lost bytes'],
  'tcp.overlap-differs': ['connection with contradicting bytes', 'connections with contradicting bytes'],
  'tcp.out-of-window': ['connection with bytes that fit nowhere', 'connections with bytes that fit nowhere'],
  'tls.no-secret': ['encrypted connection without secrets', 'encrypted connections without secrets'],
  'tls.no-handshake': ['encrypted connection older than the capture', 'encrypted connections older than the capture'],
  'tls.unsupported-suite': ['connection with a cipher suite not read', 'connections with cipher suites not read'],
  'tls.bad-tag': ['connection whose secrets did not fit', 'connections whose secrets did not fit'],
  'http.malformed': ['place that is no HTTP', 'places that are no HTTP'],
  'http2.hpack-state-lost': ['connection with unknown header fields', 'connections with unknown header fields'],
  'http2.malformed': ['connection with broken HTTP/2', 'connections with broken HTTP/2'],
  'connection.unknown-protocol': ['connection not understood', 'connections not understood'],
  'kubernetes.undecodable': ['body or event not decoded', 'bodies or events not decoded'],
  'limit.frame': ['packet cut at the limit', 'packets cut at the limit'],
  'limit.fragments': ['report of fragments given up', 'reports of fragments given up'],
  'limit.undecrypted': [
    'connection whose bytes could not wait for keys',
    'connections whose bytes could not wait for keys',
  ],
  'limit.body': ['body longer than the limit', 'bodies longer than the limit'],
  'limit.decompressed': ['body inflated only in part', 'bodies inflated only in part'],
  'limit.out-of-order': ['hole given up', 'holes given up'],
  'limit.connections': ['connection ended to stay within limits', 'connections ended to stay within limits'],
  'limit.streams': ['stream over the limit', 'streams over the limit'],
  'limit.header': ['message head over the limit', 'message heads over the limit'],
};

/** For one who draws no picture. */
export function missingFrom(observation: Observation): string[] {
  return missingLines(observation, indexMessages(observation.messages));
}

/** @param drawn what a picture draws of it, where that is not all of its layers. */
export function missingLines({ messages, notices }: Observation, seen: MessageIndex, drawn?: DrawnParts): string[] {
  const isTouching = drawn === undefined ? () => true : touching({ messages, ...drawn });
  const parts = missingParts(notices.filter(isTouching));
  const isOwn = ownTalks(drawn?.chosen ?? null);
  let unanswered = 0;
  let unasked = 0;
  for (const exchange of seen.exchanges.values()) {
    if (!isOwn(exchange)) continue;
    if (exchange.request === undefined) unasked += 1;
    else if (exchange.response === undefined) unanswered += 1;
  }
  if (unanswered > 0) parts.push(`${unanswered} ${unanswered === 1 ? 'request' : 'requests'} without an answer`);
  if (unasked > 0) parts.push(`${unasked} ${unasked === 1 ? 'answer' : 'answers'} to requests from before the capture`);
  if (parts.length > 0) return [`missing: ${parts.join(', ')}`];
  const isElsewhere = missingParts(notices).length > 0;
  return [isElsewhere ? NOTHING_OF_THIS : NOTHING_MISSING];
}

/** Does a line of `missingLines` say that nothing is missing? */
export function isNothing(line: string): boolean {
  return line === NOTHING_MISSING || line === NOTHING_OF_THIS;
}

/** What notices say is missing, in words, with how many; those of one connection are one. */
export function missingParts(notices: readonly Notice[]): string[] {
  // What is said twice of one connection (for each direction, for each gap) is one connection that lacks something.
  const places = new Map<NoticeCode, Set<unknown>>();
  const failed = connectionsThatFailed(notices);
  for (const one of notices) {
    // Nothing was said through it that secrets could show.
    if (one.code === 'tls.no-secret' && failed.has(one.connection ?? '')) continue;
    // A host reads no data out of a reset.
    if (one.code === 'tcp.out-of-window' && one.detail.endsWith(`: ${IN_RESET}`)) continue;
    const seenAt = places.get(one.code) ?? new Set();
    places.set(one.code, seenAt.add(GAPS.has(one.code) ? one : (one.connection ?? one)));
  }
  return (Object.entries(WORDS) as [NoticeCode, readonly [string, string]][]).flatMap(([code, words]) => {
    const count = places.get(code)?.size;
    return count === undefined ? [] : [`${count} ${words[count === 1 ? 0 : 1]}`];
  });
}

function ownTalks(chosen: readonly Message[] | null): (exchange: ExchangeMessages) => boolean {
  if (chosen === null) return () => true;
  const drawn = new Set(chosen);
  const isDrawn = (message: Message | undefined): boolean => message !== undefined && drawn.has(message);
  return ({ request, response, parts }) => isDrawn(request) || isDrawn(response) || parts.some(isDrawn);
}

/** Of a capture that was read whole. */
const NOTHING_MISSING = 'complete: every connection was decoded';
const NOTHING_OF_THIS = 'complete for what is drawn, incomplete elsewhere in the capture: see kubeseq summary';
/** Counted one by one, not by connection. */
const GAPS: ReadonlySet<NoticeCode> = new Set(['tcp.gap', 'kubernetes.undecodable', 'http.malformed', 'limit.body']);
