// Writes and reads key log lines with the HPACK dynamic table (RFC 7541, 2.3.2) that a process had at a known header block, for
// connections older than the capture.

import { base64Bytes, base64Text, latin1, latin1Bytes } from './bytes/bytes.js';
import { addressText, parseAddress, type SocketAddress, secondsText } from './open-connection.js';

/** A table entry. `number` counts the insertions from 1. */
export interface TableEntry {
  readonly number: number;
  /** One character a byte. */
  readonly name: string;
  readonly value: string;
}

/** A header block that a process decoded, identified by its length and first bytes. */
export interface ObservedBlock {
  /** Bytes of the block's first fragment. */
  readonly length: number;
  /** The first BLOCK_BYTES bytes at most, hexadecimal. */
  readonly start: string;
  /** Number of all insertions into the decoder's table before this block. */
  readonly inserted: number;
  /** ns since the epoch. */
  readonly time: bigint;
}

export interface ObservedHeaderTable extends ObservedBlock {
  /** The end that received the block, and the end that sent it. */
  readonly local: SocketAddress;
  readonly remote: SocketAddress;
  /** In order of their numbers; entries of earlier lines of the connection remain valid. */
  readonly entries: readonly TableEntry[];
}

/** HPACK tables that were read from receiving processes, as the HTTP/2 decoder looks them up. */
export interface HeaderTables {
  /**
   * @param block first fragment of a header block. @param time ns, when it was captured.
   * @returns content of the receiver's table before this block; null if the table was not read there.
   */
  at(
    sender: SocketAddress,
    receiver: SocketAddress,
    block: Uint8Array,
    time: bigint,
  ): { readonly inserted: number; readonly entries: readonly TableEntry[] } | null;
}

/** Bytes that identify a block: a block that inserts nothing has some ten, others begin with new text. */
export const BLOCK_BYTES = 32;

/** The line without its line end; a comment to other readers of key logs. */
export function headerTableLine({
  local,
  remote,
  length,
  start,
  inserted,
  time,
  entries,
}: ObservedHeaderTable): string {
  const fields = entries.map(({ number, name, value }) => `${number}:${base64(name)}:${base64(value)}`);
  const block = `block=${length}:${start} inserted=${inserted} time=${secondsText(time)}`;
  return `${HEADER_TABLE} local=${addressText(local)} remote=${addressText(remote)} ${block} entries=${fields.join(',')}`;
}

/** @returns null for a line of another kind, `undefined` for a malformed one. */
export function parseHeaderTable(line: string): ObservedHeaderTable | null | undefined {
  if (!line.startsWith(`${HEADER_TABLE} `)) return null;
  const match = LINE.exec(line.slice(HEADER_TABLE.length + 1));
  const [local, remote] = [parseAddress(match?.[1]), parseAddress(match?.[2])];
  if (match === null || local == null || remote == null) return undefined;
  const [, , , length, start, inserted, seconds, rest, text] = match;
  const entries = text === '' ? [] : text.split(',').map((entry) => entry.split(':'));
  return {
    local,
    remote,
    length: Number(length),
    start,
    inserted: Number(inserted),
    time: BigInt(seconds) * NS + BigInt(rest),
    entries: entries.map(([number, name, value]) => ({
      number: Number(number),
      name: latin1(base64Bytes(name)),
      value: latin1(base64Bytes(value)),
    })),
  };
}

function base64(text: string): string {
  return base64Text(latin1Bytes(text));
}

const HEADER_TABLE = '# kubeseq header-table';
const LINE =
  /^local=(\S+) remote=(\S+) block=(\d{1,8}):((?:[0-9a-f]{2}){1,32}) inserted=(\d{1,15}) time=(\d{1,10})\.(\d{9}) entries=((?:\d{1,15}:[A-Za-z0-9+/=]*:[A-Za-z0-9+/=]*(?:,(?=\d))?)*)$/;
const NS = 1_000_000_000n;
