// The HPACK table of one direction of a connection that was open before anybody looked, as the line of a key log that kubeseq writes
// and reads: what the receiving process had in memory at a known header block (RFC 7541, 2.3.2).

import { addressText, parseAddress, type SocketAddress, secondsText } from './open-connection.js';

/** A field of the table; the first that was ever inserted has number 1. */
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
  /** Its first bytes, hexadecimal, at most BLOCK_BYTES of them. */
  readonly start: string;
  /** How many fields had ever been inserted into the decoder's table before this block. */
  readonly inserted: number;
  /** ns since the epoch. */
  readonly time: bigint;
}

export interface ObservedHeaderTable extends ObservedBlock {
  /** The process that received the block, and who sent it. */
  readonly local: SocketAddress;
  readonly remote: SocketAddress;
  /** In order of their numbers; those of earlier lines of the connection hold on. */
  readonly entries: readonly TableEntry[];
}

/** HPACK tables that were read from receiving processes; the HTTP/2 decoder asks for them. */
export interface HeaderTables {
  /**
   * @param sender, receiver ends of the direction. @param block its first fragment. @param time ns, when it was captured.
   * @returns what the receiver's table held before this block; null: the table was not read at this block.
   */
  at(
    sender: SocketAddress,
    receiver: SocketAddress,
    block: Uint8Array,
    time: bigint,
  ): { readonly inserted: number; readonly entries: readonly TableEntry[] } | null;
}

/** Bytes of a block by which it is known: a block that inserts nothing has some ten, others begin with new text. */
export const BLOCK_BYTES = 32;

/** The line, without line end; a comment for every other reader of key logs. */
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

/** @returns null for a line of another kind, `undefined` for one that is meant to be such a line and is none. */
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
      name: Buffer.from(name, 'base64').toString('latin1'),
      value: Buffer.from(value, 'base64').toString('latin1'),
    })),
  };
}

function base64(text: string): string {
  return Buffer.from(text, 'latin1').toString('base64');
}

const HEADER_TABLE = '# kubeseq header-table';
const LINE =
  /^local=(\S+) remote=(\S+) block=(\d{1,8}):((?:[0-9a-f]{2}){1,32}) inserted=(\d{1,15}) time=(\d{1,10})\.(\d{9}) entries=((?:\d{1,15}:[A-Za-z0-9+/=]*:[A-Za-z0-9+/=]*(?:,(?=\d))?)*)$/;
const NS = 1_000_000_000n;
