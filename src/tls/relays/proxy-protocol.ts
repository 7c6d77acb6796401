// Reads the header with which a load balancer names its client at the beginning of a connection: HAProxy's PROXY protocol.
//
//   1   PROXY TCP4 192.0.2.30 192.0.2.20 56324 443 CR LF
//   2   0D 0A 0D 0A 00 0D 0A 51 55 49 54 0A | 21: version, command | 11: family | length:16 | addresses, ports | TLVs
//
// Source: haproxy.org, doc/proxy-protocol.txt, sections 2.1 and 2.2.

import { ipv4Text, ipv6Text } from '../../core/address.js';
import { text, u16be } from '../../core/bytes/bytes.js';
import { type FirstBytes, signatureAt } from '../../core/first-bytes.js';
import type { ReadHeader, RelayHeader } from './relay-header.js';

/** Limit in bytes: a header of version 2 with its TLVs (a certificate's names, tokens of clouds); a longer one is none. */
export const MAX_PROXY_HEADER_BYTES = 4096;

export const readProxyProtocol: ReadHeader = ({ client }: FirstBytes) => {
  if (client.length === 0) return 'more';
  return client[0] === LINE[0] ? readLine(client) : readBinary(client);
};

/** Version 1: a line of at most 107 bytes. */
function readLine(bytes: Uint8Array): RelayHeader | 'more' | 'no' {
  if (signatureAt(bytes, 0, LINE) === 'no') return 'no';
  const end = bytes.subarray(0, LINE_BYTES).indexOf(LF);
  if (end < 0) return bytes.length < LINE_BYTES ? 'more' : 'no';
  const words = LINE_OF_VERSION_1.exec(text(bytes.subarray(0, end + 1)));
  if (words === null) return 'no';
  const { four, six, port } = words.groups ?? {};
  return headerOf(end + 1, four ?? six?.toLowerCase(), Number(port ?? words.groups?.['port6']));
}

function readBinary(bytes: Uint8Array): RelayHeader | 'more' | 'no' {
  if (signatureAt(bytes, 0, SIGNATURE) === 'no') return 'no';
  if (bytes.length < HEAD_BYTES) return 'more';
  const [versionAndCommand, family] = bytes.subarray(SIGNATURE.length, HEAD_BYTES);
  const length = HEAD_BYTES + u16be(bytes, HEAD_BYTES - 2);
  if (versionAndCommand >> 4 !== 2 || (versionAndCommand & 0xf) > PROXY || length > MAX_PROXY_HEADER_BYTES) return 'no';
  if (bytes.length < length) return 'more';
  const size = versionAndCommand === LOCAL ? undefined : ADDRESS_BYTES.get(family);
  if (size === undefined || length < HEAD_BYTES + 2 * size + 4) return headerOf(length);
  const address = size === 4 ? ipv4Text(bytes, HEAD_BYTES) : ipv6Text(bytes, HEAD_BYTES);
  return headerOf(length, address, u16be(bytes, HEAD_BYTES + 2 * size));
}

/** @param address undefined: the load balancer speaks for itself, or does not say for whom. */
function headerOf(length: number, address?: string, port = 0): RelayHeader {
  const header = { client: length, server: 0, protocol: 'PROXY protocol' };
  return address === undefined ? header : { ...header, stands: { for: 'client', end: { address, port } } };
}

const LINE = Uint8Array.from('PROXY ', (letter) => letter.charCodeAt(0));
const LF = 0x0a;
/** With its end (2.1). */
const LINE_BYTES = 107;
const LINE_OF_VERSION_1 =
  /^PROXY (?:UNKNOWN[^\r]*|TCP4 (?<four>(?:\d{1,3}\.){3}\d{1,3}) [\d.]{7,15} (?<port>\d{1,5}) \d{1,5}|TCP6 (?<six>[0-9a-f:.]{2,45}) [0-9a-f:.]{2,45} (?<port6>\d{1,5}) \d{1,5})\r\n$/i;
const SIGNATURE = Uint8Array.of(0x0d, 0x0a, 0x0d, 0x0a, 0x00, 0x0d, 0x0a, 0x51, 0x55, 0x49, 0x54, 0x0a);
const HEAD_BYTES = 16;
/** Commands: the load balancer's own connection, or a client's. */
const LOCAL = 0x20;
const PROXY = 1;
/** TCP over IPv4 and IPv6. */
const ADDRESS_BYTES: ReadonlyMap<number, number> = new Map([
  [0x11, 4],
  [0x21, 16],
]);
