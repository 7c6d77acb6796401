// Lists what is missing from a diagram: connections that could not be decoded, bytes that the capture lacks, requests
// and responses outside of it.

import { IN_RESET, type Notice, type NoticeCode, packetsIn } from '../../core/notice.js';
import { counted } from '../../core/quantity.js';
import type { Message } from '../../kubernetes/messages/message.js';
import { type ExchangeMessages, indexMessages, type MessageIndex, type Observation } from '../message-index.js';
import type { Coverage } from '../model.js';
import { connectionsThatFailed, type DrawnMessages as DrawnOf, touching } from '../unread-places.js';
import { missingLine } from './closing-note.js';

type DrawnParts = Omit<DrawnOf, 'messages' | 'remainder'>;

/** The detail of the notice has its words. */
const NAMED = ['', ''] as const;
/** Notices about data missing from a diagram, with the words for one and for many. */
const WORDS: Partial<Record<NoticeCode, readonly [string, string]>> = {
  'capture.truncated': ['the capture is cut at its end', 'captures are cut at their ends'],
  'capture.interrupted': ['reading was interrupted', 'captures were not read to their ends'],
  'capture.damaged': ['damaged place in the capture', 'damaged places in the capture'],
  'capture.dropped': ['report of packets dropped while capturing', 'reports of packets dropped while capturing'],
  'audit.requests-only': ['audit log without watch events', 'audit logs without watch events'],
  'capture.unknown-link': NAMED,
  'capture.ring-lost': ['file of a ring not read', 'files of a ring not read'],
  'packet.unknown-encapsulation': NAMED,
  'packet.not-read': NAMED,
  'packet.cut': NAMED,
  'packet.fragment-lost': ['packet with lost fragments', 'packets with lost fragments'],
  'tcp.gap': ['gap of lost bytes', 'gaps of lost bytes'],
  'tcp.overlap-differs': ['connection with contradicting bytes', 'connections with contradicting bytes'],
  'tcp.out-of-window': ['connection with bytes that fit nowhere', 'connections with bytes that fit nowhere'],
  'tls.no-secret': ['encrypted connection without secrets', 'encrypted connections without secrets'],
  'tls.no-handshake': ['encrypted connection older than the capture', 'encrypted connections older than the capture'],
  'tls.handshake-cut': [
    'encrypted connection without a part of its handshake',
    'encrypted connections without a part of their handshakes',
  ],
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
  'limit.held': ['report of messages or bodies left out', 'reports of messages or bodies left out'],
  'limit.forgotten': ['limit of what is remembered reached', 'limits of what is remembered reached'],
  'limit.header': ['message head over the limit', 'message heads over the limit'],
};

/** For outputs other than diagrams. */
export function missingFrom(observation: Observation): string[] {
  return [missingLine(captureGaps(observation, indexMessages(observation.messages)))];
}

/** @param drawn the messages and layers that a diagram draws; undefined: all. */
export function captureGaps(
  observation: Observation,
  index: MessageIndex,
  drawn?: DrawnParts,
): Pick<Coverage, 'missing' | 'complete'> {
  const { notices } = observation;
  const isTouching = drawn === undefined ? () => true : touching({ ...observation, ...drawn });
  const parts = missingParts(notices.filter(isTouching));
  const isOwn = ownExchanges(drawn?.chosen ?? null);
  let unanswered = 0;
  let unasked = 0;
  for (const exchange of index.exchanges.values()) {
    if (!isOwn(exchange)) continue;
    // A watch that was opened before the capture has events alone.
    if (exchange.request === undefined) unasked += exchange.response === undefined ? 0 : 1;
    else if (exchange.response === undefined && exchange.end === undefined) unanswered += 1;
  }
  if (unanswered > 0) parts.push(`${counted(unanswered, 'request')} without a response`);
  if (unasked > 0) parts.push(`${counted(unasked, 'response')} without a request`);
  const isElsewhere = parts.length === 0 && missingParts(notices).length > 0;
  const isEmpty = observation.messages.length === 0 && observation.remainder === undefined;
  return { missing: parts, complete: isElsewhere ? NOTHING_OF_THIS : isEmpty ? NOTHING_READ : NOTHING_MISSING };
}

/** Missing data in words, with numbers. */
export function missingParts(notices: readonly Notice[]): string[] {
  // A connection counts once, even if several notices are about it.
  const places = new Map<NoticeCode, Set<unknown>>();
  const failed = connectionsThatFailed(notices);
  for (const one of notices) {
    // Secrets would reveal nothing of a connection whose TLS failed.
    if (one.code === 'tls.no-secret' && failed.has(one.connection ?? '')) continue;
    // Hosts ignore data in a RST segment.
    if (one.code === 'tcp.out-of-window' && one.detail.endsWith(`: ${IN_RESET}`)) continue;
    const known = places.get(one.code) ?? new Set();
    places.set(one.code, known.add(GAPS.has(one.code) ? one : (one.connection ?? one)));
  }
  return (Object.entries(WORDS) as [NoticeCode, readonly [string, string]][]).flatMap(([code, words]) => {
    const count = places.get(code)?.size;
    if (count === undefined) return [];
    if (code === UNKNOWN_PROTOCOL) return notUnderstood(notices, words);
    if (words === NAMED) return notices.flatMap((one) => (one.code === code ? [unreadPackets(one)] : []));
    return [`${count} ${words[count === 1 ? 0 : 1]}`];
  });
}

/** By protocol, where its first bytes name it: `3 connections of MySQL not understood`. */
function notUnderstood(notices: readonly Notice[], words: readonly [string, string]): string[] {
  const byProtocol = new Map<string, Set<unknown>>();
  for (const one of notices) {
    if (one.code !== UNKNOWN_PROTOCOL) continue;
    const name = OF_A_PROTOCOL.exec(one.detail)?.[1] ?? '';
    byProtocol.set(name, (byProtocol.get(name) ?? new Set()).add(one.connection ?? one));
  }
  return Array.from(byProtocol, ([name, { size }]) =>
    name === '' ? `${size} ${words[size === 1 ? 0 : 1]}` : `${counted(size, 'connection')} of ${name} not understood`,
  );
}

/** @param notice `packet.…`. @returns `95 packets of UDP port 51820 (WireGuard: …) not read`. */
export function unreadPackets({ detail }: Notice): string {
  const packets = packetsIn(detail);
  return packets === null ? detail : `${counted(packets.count, 'packet')} of ${packets.what} not read`;
}

function ownExchanges(chosen: readonly Message[] | null): (exchange: ExchangeMessages) => boolean {
  if (chosen === null) return () => true;
  const drawn = new Set(chosen);
  const isDrawn = (message: Message | undefined): boolean => message !== undefined && drawn.has(message);
  return ({ request, response, parts }) => isDrawn(request) || isDrawn(response) || parts.some(isDrawn);
}

export const NOTHING_MISSING = 'complete capture: every connection was decoded';
const NOTHING_READ = 'nothing was decoded: there is no request and no answer';
const NOTHING_OF_THIS = 'complete for what is drawn, incomplete elsewhere in the capture: see kubeseq summary';
const UNKNOWN_PROTOCOL: NoticeCode = 'connection.unknown-protocol';
/** As `http/detect.ts` words it; without the version that a server tells. */
const OF_A_PROTOCOL = /^([^:]+?)(?: \(.*\))?, which is not read: /;
/** Counted by notice and not by connection. */
const GAPS: ReadonlySet<NoticeCode> = new Set(['tcp.gap', 'kubernetes.undecodable', 'http.malformed', 'limit.body']);
