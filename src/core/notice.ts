// A notice reports what a reader of the output must know beside the messages: a gap, an unreadable connection, a limit.

import type { Origin } from './origin.js';

export interface Notice {
  readonly kind: 'notice';
  readonly code: NoticeCode;
  /** Absent if the notice concerns a whole input. */
  readonly origin?: Origin;
  /** `CLIENTIP:PORT-SERVERIP:PORT`, if the notice concerns one connection. */
  readonly connection?: string;
  /** HTTP/2 stream id, if the notice concerns one stream. */
  readonly stream?: number;
  /** Numbers with their units, never captured text that could contain a secret. */
  readonly detail: string;
}

/**
 * Phrases of `detail` that later stages recognise, because a saved notice has nothing else. `tls.refused`: the alert was encrypted; `tls.*`: the server name in the ClientHello.
 */
export const UNREADABLE = 'which cannot be read';
export const ASKED_FOR = 'asked for';
/** `tcp.out-of-window`: the payload of a RST segment. */
export const IN_RESET = 'in a reset';

/** How many packets a notice about packets counts, and of what. @returns null for the detail of another notice. */
export function packetsIn(detail: string): { readonly what: string; readonly count: number } | null {
  const [, what, count] = PACKETS.exec(detail) ?? [];
  return what === undefined ? null : { what, count: Number(count) };
}

const PACKETS = /^(.*): (\d+) packets?, first in frame \d+$/;

export type Severity = 'info' | 'warning';

/** All codes. A test compares docs/notices.md with this table. */
export const NOTICE_CODES = {
  'capture.truncated': ['warning', 'the capture file ends in the middle of a packet or block'],
  'capture.interrupted': ['warning', 'the captures were not read to their ends'],
  'capture.damaged': [
    'warning',
    'a record of the capture file is damaged; what follows it was searched for or given up',
  ],
  'capture.unknown-link': ['warning', 'packets of a link type that kubeseq does not know were skipped'],
  'capture.dropped': ['warning', 'the capturing program reports packets that it dropped'],
  'capture.through-terminal': [
    'warning',
    'every line feed of the file has a carriage return before it: it was written through a terminal; leave out -t of docker or kubectl',
  ],
  'capture.text-before': [
    'info',
    'the file begins with text, such as messages of the capturing program, which was skipped',
  ],
  'capture.ring-lost': ['warning', 'a file of a ring was overwritten or removed before it was read to its end'],
  'capture.skipped': ['info', 'files of a directory or pattern that are no captures were left out'],
  'capture.clock-skew': [
    'warning',
    "the clock of a capture differs from another's; its times were corrected by packets that both hold",
  ],
  'capture.clock-live': ['warning', 'the clock of a live stream beside other captures cannot be compared with theirs'],
  'capture.clock-unknown': ['info', 'two captures have no packets in common, so their clocks could not be compared'],
  'packet.malformed': ['info', 'a packet whose headers contradict its length was skipped'],
  'packet.unknown-encapsulation': [
    'warning',
    'packets that are wrapped in a way that kubeseq does not read were skipped',
  ],
  'packet.not-read': ['warning', 'packets of a protocol that kubeseq does not read'],
  'packet.other-protocol': ['info', 'packets that carry no connections, such as those of DNS and ARP'],
  'packet.cut': ['warning', 'packets were cut by the capture or before it: what is behind the cut cannot be read'],
  'packet.fragment-lost': ['warning', 'IP fragments never became a whole packet'],
  'packet.duplicate': ['info', 'packets that were captured at several places were counted once'],
  'saved.copies': ['info', 'messages that several files of saved messages hold were taken once'],
  'audit.requests-only': [
    'warning',
    'an audit log has only requests: no watch events, hence few causes, and nothing of etcd, kubelets and runtimes',
  ],
  'audit.outside': ['info', 'requests of the audit log before or after the capture beside it were left out'],
  'audit.joined': [
    'info',
    'requests that both a capture and an audit log hold were taken once, with what the log knows of them',
  ],
  'tcp.gap': ['warning', 'bytes of a connection are missing from the capture'],
  'tcp.late-start': ['info', 'the connection was open before the capture began'],
  'tcp.overlap-differs': ['warning', 'two segments claim the same bytes with different content; the first was kept'],
  'tcp.out-of-window': ['warning', 'bytes that fit nowhere in their connection were not read'],
  'tcp.refused': ['info', 'a connection was refused, or reset before a byte was sent'],
  'tcp.unanswered': ['info', 'a connection was requested again and again, and nothing came back'],
  'tcp.lost-time': ['info', 'bytes had to be sent again, and a second or more was lost until they arrived'],
  'tcp.unanswered-keep-alive': ['info', 'keep-alives of one side of a connection were not answered'],
  'tcp.window-full': ['info', 'one side of a connection took nothing of what the other had to send'],
  'tcp.unreachable': ['info', 'an ICMP message reports that the destination of a connection cannot be reached'],
  'tls.refused': ['info', 'one side ended TLS with an alert'],
  'tls.unfinished': ['info', 'TLS was begun, and ended before it was agreed on'],
  'tls.no-secret': ['warning', 'encrypted, and no key log holds its secrets'],
  'tls.no-handshake': ['warning', 'encrypted, and its handshake was before the capture'],
  'tls.handshake-cut': ['warning', 'encrypted, and a part of its handshake is not in the capture'],
  'tls.unsupported-suite': ['warning', 'encrypted with a cipher suite that kubeseq does not read'],
  'tls.bad-tag': ['warning', 'encrypted records did not verify with the secrets at hand'],
  'tls.mid-session': [
    'info',
    'a connection whose handshake was before the capture was opened with secrets of the key log',
  ],
  'tls.malformed': ['warning', 'bytes that are not TLS records where TLS was spoken'],
  'http.malformed': ['warning', 'bytes that are not HTTP where HTTP was spoken'],
  'http.resynchronised': ['info', 'reading went on at the next message after missing or malformed bytes'],
  'http.unread-response': ['info', 'a response came after its client had ended the connection, and was read by nobody'],
  'http2.hpack-state-lost': [
    'warning',
    'header fields refer to a compression table that was filled before the capture or in a gap',
  ],
  'http2.goaway': ['info', 'one side announced the end of an HTTP/2 connection'],
  'http2.unanswered': ['info', 'an HTTP/2 connection on which one side waited in vain for the other'],
  'http2.window-full': ['info', 'one side of an HTTP/2 connection took nothing of what the other had to send'],
  'http2.malformed': ['warning', 'HTTP/2 frames or header blocks that break the protocol'],
  'kubernetes.undecodable': ['warning', 'a body or event could not be decoded'],
  'exchange.no-request': ['info', 'an answer whose request is not in the capture'],
  'exchange.no-response': ['info', 'a request whose answer is not in the capture'],
  'exchange.proxied': ['info', 'messages that were captured on both sides of a proxy were counted once'],
  'exchange.translated': ['info', 'messages that were captured before and after address translation were counted once'],
  'dns.failed': ['info', 'DNS did not resolve a name'],
  'connection.not-forwarded': ['info', 'a proxy did not connect its client to the server that it asked for'],
  'connection.tunnel-ended': [
    'info',
    'the tunnel through which an agent dials for its server (remotedialer) was ended; nothing is dialled through it until there is a new one',
  ],
  'connection.unknown-protocol': ['warning', 'a connection speaks a protocol that kubeseq does not know'],
  'keys.embedded': ['info', 'the capture holds TLS secrets: whoever has the file can read the traffic'],
  'keys.world-readable': [
    'info',
    'every user of this machine can read this file of keys or captured traffic; chmod 600 changes that',
  ],
  'keys.malformed': ['warning', 'lines of a key log that are no secrets were skipped'],
  'keys.private-key': [
    'warning',
    'a private key was given as a key log: it does not open TLS 1.3, nor ECDHE in TLS 1.2; secrets of the sessions do',
  ],
  'limit.frame': ['warning', 'a packet longer than the limit was cut'],
  'limit.fragments': ['warning', 'more IP fragments were waiting than the limit allows; the oldest were given up'],
  'limit.connections': ['warning', 'more connections were open than the limit allows; the longest idle were ended'],
  'limit.out-of-order': ['warning', 'more bytes waited behind a hole than the limit allows; the hole was given up'],
  'limit.header': ['warning', 'a message head longer than the limit was given up'],
  'limit.body': ['warning', 'a body longer than the limit was decoded only up to it'],
  'limit.decompressed': ['warning', 'a compressed body was inflated only up to the limit'],
  'limit.depth': ['warning', 'nesting deeper than the limit was not followed'],
  'limit.streams': ['warning', 'more streams were open on a connection than the limit allows'],
  'limit.secrets': ['warning', 'more secrets than the limit allows; the rest were not read'],
  'limit.undecrypted': ['warning', 'more bytes waited for their keys than the limit allows'],
  'limit.trials': ['warning', 'the work limit for opening connections without handshake was reached'],
  'limit.object': ['warning', 'one object had more versions than the limit allows; the later ones are left out'],
  'limit.held': [
    'warning',
    'more messages, or bodies, than a diagram of everything or a selection with bodies holds; the later ones are left out',
  ],
  'limit.forgotten': [
    'warning',
    'more was to be remembered than the limit allows; what came first was forgotten, so later messages may lack a name or a cause',
  ],
  'limit.correlation': ['info', 'state that spans connections reached its limit; the oldest was forgotten'],
} as const satisfies Record<string, readonly [Severity, string]>;

export type NoticeCode = keyof typeof NOTICE_CODES;

export function notice(
  code: NoticeCode,
  detail: string,
  where: Pick<Notice, 'origin' | 'connection' | 'stream'> = {},
): Notice {
  return { kind: 'notice', code, detail, ...where };
}
