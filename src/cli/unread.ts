// Decides what a command reports when traffic could not be decoded: exit status 1 with a reason if nothing was decoded.

import { missingParts, NOTHING_THERE, type Notice, type NoticeCode, unreadPlaces } from '../index.js';
import { EXIT_DIFFERENT, EXIT_FINE, EXIT_INTERRUPTED } from './cli-error.js';
import type { RunOutcome } from './command.js';
import type { Session } from './input/session.js';
import type { CommonOptions } from './options.js';

/**
 * How a command ends that has written its output.
 *
 * @param remarks of the command. @param isAbsent what was asked for is not there.
 * @returns also the reason why nothing was read.
 */
export function endOf(
  session: Session,
  options: CommonOptions,
  remarks: readonly string[] = [],
  isAbsent = false,
): RunOutcome {
  if (session.interrupted) return { remarks, status: EXIT_INTERRUPTED };
  const reasons = whyUnread(session, options);
  if (reasons.length > 0) return { remarks, reasons, status: EXIT_DIFFERENT };
  const nothing = session.messages === 0 ? [NOTHING_THERE] : [];
  return { remarks: [...remarks, ...nothing], status: isAbsent ? EXIT_DIFFERENT : EXIT_FINE };
}

/** Why nothing was decoded or no key log fits, with advice; empty: something was decoded, or the capture is empty. */
export function whyUnread(session: Session, { keylog = [] }: CommonOptions): string[] {
  const packets = session.messages > 0 ? [] : session.notices.filter(({ code }) => OF_PACKETS.has(code));
  const codes = new Set([...unreadPlaces(session.notices), ...packets].map(({ code }) => code));
  if (codes.size === 0) return [];
  const isClosed = [...codes].some((code) => CLOSED.has(code));
  const isUseless = keylog.length > 0 && isClosed && !session.hasDecrypted;
  if (session.messages > 0 && !isUseless) return [];
  const what = missingParts(session.notices.filter(({ code }) => codes.has(code))).join(', ');
  const first = isUseless
    ? `--keylog ${keylog.join(', ')}: nothing in it fits this capture: ${what}`
    : `nothing of the capture could be read: ${what}`;
  return [first, ...nextSteps(codes, isUseless, session.notices)];
}

function nextSteps(codes: ReadonlySet<NoticeCode>, isUseless: boolean, notices: readonly Notice[]): string[] {
  const steps: string[] = [];
  if (isUseless || codes.has('tls.bad-tag'))
    steps.push(`give the key log of this very run with --keylog FILE; ${HOW_TO_GET_ONE}`);
  else if (codes.has('tls.no-secret')) steps.push(`give the key log of this run with --keylog FILE; ${HOW_TO_GET_ONE}`);
  else if (codes.has('tls.no-handshake'))
    steps.push(
      `give a key log that reaches back to when the connections were opened (--keylog FILE); ${HOW_TO_GET_ONE}`,
    );
  if (codes.has('tls.unsupported-suite'))
    steps.push('let one side offer a cipher suite that is read: docs/decrypting.md');
  if (codes.has('capture.unknown-link'))
    steps.push('capture on an interface that has an IP address; on Linux with tcpdump -i any');
  if (codes.has('packet.cut')) steps.push('record whole packets: tcpdump -s 0');
  if (codes.has('packet.unknown-encapsulation') || codes.has('packet.not-read'))
    steps.push(
      'capture TCP: where tunnels are unwrapped, on the host or router behind, or on the interface of the Pod',
    );
  const port = notices.map(({ detail }) => OWN_PORT.exec(detail)?.[1]).find((one) => one !== undefined);
  if (port !== undefined) steps.push(`if port ${port} is an overlay's: --decode udp:${port}=vxlan, or geneve`);
  if (steps.length === 0)
    steps.push('kubeseq summary --streams names each connection, and kubeseq doctor lists what a recording needs');
  return steps.map((step) => `next: ${step}`);
}

/** Why nothing was read, if nothing was; beside messages they are no obstacle. */
const OF_PACKETS: ReadonlySet<NoticeCode> = new Set(['packet.not-read', 'packet.cut']);
/** A UDP port that has no name. */
const OWN_PORT = /UDP port (\d+):/;
const HOW_TO_GET_ONE = 'kubeseq keys writes one while the programs run, and kubeseq doctor lists what that needs';
/** Encrypted connections without matching secrets. */
const CLOSED: ReadonlySet<NoticeCode> = new Set([
  'tls.no-secret',
  'tls.no-handshake',
  'tls.handshake-cut',
  'tls.bad-tag',
]);

/** The reasons for an observation without messages. */
export function nothingRead(session: Session, options: CommonOptions): readonly string[] {
  const why = whyUnread(session, options);
  return why.length === 0 ? [NOTHING_THERE] : why;
}
