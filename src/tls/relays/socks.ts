// Reads with which words a client has a SOCKS proxy connect it, and what the proxy answers; what follows is the connection itself.
//
//   5   client  05 | n | methods                       05 | 01 | 00 | 01: IPv4, 03: name, 04: IPv6 | address | port:16
//       server                    05 | method: 00, 02                                       05 | reply | 00 | type | address | port:16
//   4   client  04 | 01 | port:16 | IPv4 | user 00 [ name 00 ]
//       server                                          00 | 5A | port:16 | IPv4
//
// Source: RFC 1928, sections 3 to 6; RFC 1929; openssh.com/txt/socks4.protocol and socks4a.protocol.

import { ipv4Text, ipv6Text } from '../../core/address.js';
import { text, u16be } from '../../core/bytes/bytes.js';
import type { FirstBytes } from '../../core/first-bytes.js';
import type { Relay } from '../../tcp/stream-event.js';
import type { ReadHeader, RelayHeader } from './relay-header.js';

export const readSocks: ReadHeader = (bytes: FirstBytes) => {
  if (bytes.client.length === 0) return 'more';
  try {
    return bytes.client[0] === VERSION_5 ? readVersion5(bytes) : readVersion4(bytes);
  } catch (incomplete) {
    if (incomplete !== MORE) throw incomplete;
    return 'more';
  }
};

function readVersion5(bytes: FirstBytes): RelayHeader | 'no' {
  const client = new HandshakeBytes(bytes.client, 1);
  const server = new HandshakeBytes(bytes.server);
  const methods = client.take(client.byte());
  if (methods.length === 0 || methods.includes(NO_METHOD)) return 'no';
  const header = (target: Target | null, failure?: string): RelayHeader =>
    headerOf('SOCKS5', client, server, target, failure);
  if (server.byte() !== VERSION_5) return 'no';
  const method = server.byte();
  if (method === NO_METHOD) return header(null, 'none of the ways to authenticate that the client offers is accepted');
  if (!methods.includes(method)) return 'no';
  if (method === USER_AND_PASSWORD) {
    if (client.byte() !== 1) return 'no';
    client.take(client.byte());
    client.take(client.byte());
    server.byte();
    if (server.byte() !== 0) return header(null, 'user and password are not accepted');
  } else if (method !== NO_AUTHENTICATION) return 'no';
  if (client.byte() !== VERSION_5) return 'no';
  const command = client.byte();
  if (client.byte() !== 0) return 'no';
  const target = readAddress(client);
  if (target === null || command < CONNECT || command > UDP_ASSOCIATE) return 'no';
  if (server.byte() !== VERSION_5) return 'no';
  const reply = server.byte();
  if (server.byte() !== 0 || readAddress(server) === null) return 'no';
  return header(target, reply === 0 ? undefined : (REPLIES[reply] ?? `reply ${reply}`));
}

function readVersion4(bytes: FirstBytes): RelayHeader | 'no' {
  const client = new HandshakeBytes(bytes.client, 1);
  const server = new HandshakeBytes(bytes.server);
  const command = client.byte();
  if (command !== CONNECT && command !== BIND) return 'no';
  const port = u16be(client.take(2), 0);
  const address = client.take(4);
  client.text();
  // 4a: an address that cannot be one says that a name follows.
  const isNamed = address[0] === 0 && address[1] === 0 && address[2] === 0 && address[3] !== 0;
  const target = isNamed ? { name: client.text(), port } : { address: ipv4Text(address, 0), port };
  if (server.byte() !== 0) return 'no';
  const reply = server.byte();
  server.take(6);
  if (reply < GRANTED || reply > GRANTED + 3) return 'no';
  return headerOf('SOCKS4', client, server, target, REPLIES_4[reply - GRANTED]);
}

/** What the client asks for: an address or a name. */
type Target = Relay['end'] | { readonly name: string; readonly port: number };

/** @returns null: there is no such type. */
function readAddress(bytes: HandshakeBytes): Target | null {
  const type = bytes.byte();
  const size = type === IPV4 ? 4 : type === IPV6 ? 16 : type === NAME ? bytes.byte() : -1;
  if (size < 0) return null;
  const address = bytes.take(size);
  const port = u16be(bytes.take(2), 0);
  if (type === NAME) return { name: text(address), port };
  return { address: type === IPV4 ? ipv4Text(address, 0) : ipv6Text(address, 0), port };
}

function headerOf(
  protocol: string,
  client: HandshakeBytes,
  server: HandshakeBytes,
  target: Target | null,
  failure?: string,
): RelayHeader {
  const header = { client: client.at, server: server.at, protocol };
  if (failure !== undefined)
    return { ...header, failure: target === null ? failure : `${placeOf(target)}: ${failure}` };
  return target === null || !('address' in target) ? header : { ...header, stands: { for: 'server', end: target } };
}

/** A name that is none is not shown. */
function placeOf(target: Target): string {
  if ('address' in target) return `${target.address}:${target.port}`;
  return HOST_NAME.test(target.name) ? `${target.name}:${target.port}` : `port ${target.port}`;
}

/** A position in bytes of which there may be too few so far. */
class HandshakeBytes {
  readonly #bytes: Uint8Array;
  at: number;

  constructor(bytes: Uint8Array, at = 0) {
    this.#bytes = bytes;
    this.at = at;
  }

  byte(): number {
    return this.take(1)[0];
  }

  take(length: number): Uint8Array {
    if (this.at + length > this.#bytes.length) throw MORE;
    this.at += length;
    return this.#bytes.subarray(this.at - length, this.at);
  }

  /** Up to a zero. */
  text(): string {
    const end = this.#bytes.indexOf(0, this.at);
    if (end < 0) throw MORE;
    const bytes = this.take(end - this.at);
    this.at += 1;
    return text(bytes);
  }
}

/** Thrown where bytes end before what is read does, and caught in `readSocks`. */
const MORE = new Error('more bytes are needed');

const VERSION_5 = 5;
const NO_AUTHENTICATION = 0;
const USER_AND_PASSWORD = 2;
const NO_METHOD = 0xff;
const CONNECT = 1;
const BIND = 2;
const UDP_ASSOCIATE = 3;
const IPV4 = 1;
const NAME = 3;
const IPV6 = 4;
const GRANTED = 0x5a;
const HOST_NAME = /^[a-z0-9](?:[a-z0-9.-]{0,252})$/i;
/** RFC 1928, section 6. */
const REPLIES: readonly (string | undefined)[] = [
  undefined,
  'general failure of the proxy',
  'not allowed by its rules',
  'network unreachable',
  'host unreachable',
  'connection refused',
  'TTL expired',
  'command not supported',
  'kind of address not supported',
];
const REPLIES_4: readonly (string | undefined)[] = [
  undefined,
  'rejected or failed',
  "rejected: the proxy cannot reach the client's identd",
  "rejected: the client's identd names another user",
];
