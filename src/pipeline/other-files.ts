// Names files that people take for captures, by their first bytes, with what to do.

import { latin1 } from '../core/bytes/bytes.js';

export interface OtherFile {
  /** `an archive (zip)`. */
  readonly what: string;
  /** What helps. */
  readonly next: string;
  readonly begins: RegExp;
}

const UNPACK = 'unpack it, and give the captures in it';
const RECORD = 'it has no bytes of the connections: record packets with tcpdump -w FILE';

/** Of unpacked bytes, a character each; a new kind is a row. */
const ROWS: readonly OtherFile[] = [
  { what: 'an archive (zip)', next: UNPACK, begins: /^PK(?:\x03\x04|\x05\x06)/ },
  { what: 'an archive (tar)', next: UNPACK, begins: /^.{257}ustar/s },
  { what: 'an archive (7-Zip)', next: UNPACK, begins: /^7z\xbc\xaf\x27\x1c/ },
  { what: 'compressed (Zstandard)', next: 'unpack it with zstd -d', begins: /^\x28\xb5\x2f\xfd/ },
  { what: 'compressed (xz)', next: 'unpack it with xz -d', begins: /^\xfd7zXZ\0/ },
  { what: 'compressed (bzip2)', next: 'unpack it with bzip2 -d', begins: /^BZh[1-9]1AY&SY/ },
  { what: 'compressed (LZ4)', next: 'unpack it with lz4 -d', begins: /^\x04\x22\x4d\x18/ },
  {
    what: 'flows of Hubble (JSON)',
    next: RECORD,
    begins: /^\s*\{\s*"(?:flow|l7_flow|lost_events|node_status)"\s*:\s*\{/,
  },
  { what: 'events of Falco (JSON)', next: RECORD, begins: /^\s*\{[^\n]{0,4096}"output_fields"\s*:/ },
  { what: 'a file of HTTP requests of a browser (HAR)', next: RECORD, begins: /^\s*\{\s*"log"\s*:\s*\{/ },
  { what: 'a capture of Microsoft Network Monitor', next: 'convert it with editcap', begins: /^(?:GMBU|RTSS)/ },
  { what: 'a capture of snoop', next: 'convert it with editcap', begins: /^snoop\0\0\0/ },
  {
    what: 'a web page',
    next: 'the download failed: look into it with an editor',
    begins: /^\s*<(?:!doctype html|html)/i,
  },
  {
    what: 'what tcpdump prints',
    next: 'record the packets themselves with tcpdump -w FILE',
    begins: /^(?:[^\n]*\n)?\d\d:\d\d:\d\d\.\d{6} (?:IP|ARP|eth|lo|In|Out)/,
  },
];

/** @param plain the beginning of a file, unpacked if it was gzipped. @returns null: it is none of these. */
export function otherFile(plain: Uint8Array): OtherFile | null {
  const text = latin1(plain, 0, Math.min(plain.length, LOOKED_AT));
  return ROWS.find(({ begins }) => begins.test(text)) ?? null;
}

/** Limit in bytes: the beginning of a file by which it is named. */
const LOOKED_AT = 8192;
