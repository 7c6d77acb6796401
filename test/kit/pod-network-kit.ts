// The capture of pod-network-tls on its node, frame by frame, to be changed before it is read: Linux cooked v2, so IP
// begins at byte 20 of a frame.
import { captureReader } from '../../src/capture/capture-reader.js';
import { type Message, messageJson, type Notice, observe } from '../../src/index.js';
import { fixture } from './fixtures.js';
import { addressBytes, be16, type Packet, pcap } from './packetiser.js';

export const SERVICE = '203.0.113.33';
export const CLIENT = '198.18.0.3';
/** As tshark shows it: frames 407 (status.podIP of a Pod) and 418 (addresses and targetRef of an EndpointSlice). */
export const PODS: Readonly<Record<string, string>> = {
  '198.18.0.2': 'Pod web-64c966cf88-28cpg',
  '198.18.1.9': 'Pod web-64c966cf88-bvbf4',
};

export interface NodeFrame extends Packet {
  /** As in the fixture. */
  readonly number: number;
  /** null: not TCP on port 80. */
  readonly web: {
    readonly source: string;
    readonly destination: string;
    readonly flags: number;
    readonly fromClient: boolean;
    readonly payload: number;
  } | null;
}

export function nodeFrames(): NodeFrame[] {
  const reader = captureReader({ capture: 0 });
  const items = [...reader.feed(fixture('pod-network-tls/node-1.pcap')), ...reader.end()];
  return items.flatMap((item) => {
    if (item.kind !== 'frame') return [];
    const bytes = Uint8Array.from(item.data);
    const { time, frame } = item.origin;
    return [{ time, bytes, originalLength: item.originalLength, number: frame, web: webOf(bytes) }];
  });
}

function webOf(b: Uint8Array): NodeFrame['web'] {
  if (b[20] !== 0x45 || b[29] !== 6) return null;
  const port = (at: number): number => b[at] * 256 + b[at + 1];
  if (port(40) !== 80 && port(42) !== 80) return null;
  const address = (at: number): string => b.subarray(at, at + 4).join('.');
  const payload = port(22) - 20 - (b[52] >> 4) * 4;
  return { source: address(32), destination: address(36), flags: b[53], fromClient: port(42) === 80, payload };
}

/** Is it on the client's side of the translation? */
export function isBefore({ web }: NodeFrame): boolean {
  return web !== null && (web.source === SERVICE || web.destination === SERVICE);
}

export function isBehind(frame: NodeFrame): boolean {
  return frame.web !== null && !isBefore(frame);
}

/** The same frame with another client, as a masquerading rule makes it. */
export function masqueraded(frame: NodeFrame, address: string, port: number): NodeFrame {
  if (frame.web === null) return frame;
  const bytes = Uint8Array.from(frame.bytes);
  bytes.set(addressBytes(address), frame.web.fromClient ? 32 : 36);
  bytes.set(be16(port), frame.web.fromClient ? 40 : 42);
  return { ...frame, bytes };
}

export interface Seen {
  readonly messages: readonly Message[];
  readonly notices: readonly Notice[];
  /** Messages between Pods as lines. */
  readonly web: readonly Record<string, unknown>[];
}

export async function seen(frames: readonly NodeFrame[], options: { readonly live?: boolean } = {}): Promise<Seen> {
  const file = pcap(frames, { linkType: 276 });
  const keyLogs = [Buffer.from(fixture('pod-network-tls/keys.log')).toString('latin1')];
  const messages: Message[] = [];
  const notices: Notice[] = [];
  const web: Record<string, unknown>[] = [];
  const capture = (async function* () {
    // Small pieces, as from a stream.
    for (let at = 0; at < file.length; at += 1000) yield file.subarray(at, at + 1000);
  })();
  for await (const batch of observe([capture], { keyLogs, ...options })) {
    for (const item of batch) {
      if (item.kind === 'notice') notices.push(item);
      if (item.kind !== 'message') continue;
      messages.push(item.message);
      if (item.message.protocol === 'http') web.push(messageJson(item.message, { digits: () => 6 }));
    }
  }
  return { messages, notices, web };
}
