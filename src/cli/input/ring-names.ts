// Recognises by their names which files are parts of one capture, as tcpdump -C, -G and dumpcap -b name them.

import { basename, dirname } from 'node:path';
import { TraceLines } from '../../index.js';

/**
 * Equal for files that one capturing program wrote in sequence; null: no ring.
 *
 *   tcpdump -C      cap.pcap, cap.pcap1 … cap.pcap10        -W: cap.pcap00 …        -z gzip: cap.pcap1.gz
 *   tcpdump -G      cap-20261121041500.pcap, cap-2026-11-21_04-15-00.pcap
 *   dumpcap -b      cap_00001_20261121041500.pcapng
 */
export function ringOf(path: string): string | null {
  const name = basename(path).replace(/\.gz$/, '');
  const counted = /^(.*\.[A-Za-z]+)\d+$/.exec(name);
  if (counted !== null) return join(path, `${counted[1]}#`);
  const dated = name.replace(DUMPCAP, '#').replace(DATE, '#');
  if (dated !== name) return join(path, dated);
  // The first file of a -C ring has no number.
  return /\.[A-Za-z]+$/.test(name) ? join(path, `${name}#`) : null;
}

/** `cap.pcap2` before `cap.pcap10`. */
export function compareNames(a: string, b: string): number {
  natural ??= new Intl.Collator('en', { numeric: true });
  return natural.compare(a, b);
}

/** Files that `record --ring` writes: captures, and the secrets that open them. */
export const RING_FILE = /^ring\.(pcap|keys)\d+$/;

/** Whatever `record --ring` writes, also what a run leaves that was killed while it renamed files. */
export const RING_NAME = /^ring\.(?:(?:pcap|keys)-?\d+|reports(?:\.unwritten)?)$/;

/** The kernel's reports of handshakes that it had not read when it was killed. */
export const RING_REPORTS = 'ring.reports';

/** Is it a file of secrets of such a ring? */
export function isRingSecrets(path: string): boolean {
  return basename(path) === RING_REPORTS || RING_FILE.exec(basename(path))?.[1] === 'keys';
}

/** Lines of the key log that a file of secrets has. @param text of the file. */
export function ringSecretsIn(path: string, text: string): string {
  if (basename(path) !== RING_REPORTS) return text;
  return new TraceLines()
    .feed(text)
    .map((line) => `${line}\n`)
    .join('');
}

function join(path: string, name: string): string {
  return `${dirname(path)}/${name}`;
}

/** Made at its first use: that takes 3 ms. */
let natural: Intl.Collator | undefined;
const DUMPCAP = /_\d{5}_\d{14}(?=\.|$)/;
/** A date of eight or more digits with any separators, or seconds since the epoch. */
const DATE = /\d{4}[-_.]?\d{2}[-_.]?\d{2}(?:[-_.T]?\d{2}[-_.:]?\d{2}(?:[-_.:]?\d{2})?)?Z?|\d{10}/;
