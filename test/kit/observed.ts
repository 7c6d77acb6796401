// Captures in memory, read by the library: their bytes in pieces, what came of them, where the packets of a pcap stand.

import { alignClocks, type Message, type Notice, observe } from '../../src/index.js';

/** What was told of captures; of several, whose their loopbacks are is found out first, as the command does. */
export async function observed(
  captures: readonly Uint8Array[],
  options: Parameters<typeof observe>[1] = {},
  size?: number,
): Promise<{ messages: Message[]; notices: Notice[] }> {
  const messages: Message[] = [];
  const notices: Notice[] = [];
  const bytes = captures.map((capture) => inPieces(capture, size));
  for await (const batch of observe(bytes, { hosts: (await lookedAt(captures)).hosts, ...options })) {
    for (const item of batch) {
      if (item.kind === 'message') messages.push(item.message);
      else if (item.kind === 'notice') notices.push(item);
    }
  }
  return { messages, notices };
}

/** A first look at captures, each of a clock of its own. */
export function lookedAt(captures: readonly Uint8Array[], size = PIECE): ReturnType<typeof alignClocks> {
  return alignClocks(captures.map((file, capture) => ({ captures: [{ capture, bytes: () => inPieces(file, size) }] })));
}

export async function* inPieces(bytes: Uint8Array, size = bytes.length): AsyncGenerator<Uint8Array> {
  // One buffer for all pieces: who keeps a piece without copying it is found out.
  const piece = new Uint8Array(Math.min(size, bytes.length));
  for (let at = 0; at < bytes.length; at += size) {
    const length = Math.min(size, bytes.length - at);
    piece.set(bytes.subarray(at, at + length));
    yield piece.subarray(0, length);
  }
}

/** As files are read. */
const PIECE = 65_536;

/** The records of a little-endian pcap file, each with its header. */
export function recordsOf(file: Uint8Array): Uint8Array[] {
  const ends = recordEnds(file);
  return ends.slice(0, -1).map((at, i) => file.subarray(at, ends[i + 1]));
}

/** A capture of some of its records. */
export function withRecords(file: Uint8Array, records: readonly Uint8Array[]): Buffer {
  return Buffer.concat([file.subarray(0, 24), ...records]);
}

/** A capture of those of its records that are to stay. */
export function filtered(file: Uint8Array, stays: (record: Uint8Array) => boolean): Buffer {
  return withRecords(file, recordsOf(file).filter(stays));
}

/** A capture without one packet in so many, the same ones each time. */
export function lossy(file: Uint8Array, every: number): Buffer {
  const random = randomNumbers(every);
  return filtered(file, () => random() >= 1 / every);
}

/** Where each record of a little-endian pcap file ends, the file header first: the next one begins there. */
export function recordEnds(file: Uint8Array): number[] {
  const view = new DataView(file.buffer, file.byteOffset);
  const ends = [24];
  for (let at = 24; at < file.length; at = ends[ends.length - 1]) ends.push(at + 16 + view.getUint32(at + 8, true));
  return ends;
}

/** Lehmer's, with Park and Miller's numbers. @returns numbers from 0 to 1, the same for the same seed. */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 48_271) % 0x7fff_ffff;
    return state / 0x7fff_ffff;
  };
}
