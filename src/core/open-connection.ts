// Writes and reads key log lines with the secrets of one TLS connection that was open before the capture began.

export interface SocketAddress {
  /** IPv4 dotted, IPv6 as in RFC 5952; an IPv4-mapped address as IPv4. */
  readonly address: string;
  readonly port: number;
}

/** The keys of one direction, and a record for which the process used them. */
export interface ObservedKeys {
  /** TLS 1.3: the traffic secret; TLS 1.2: the AEAD key. Hexadecimal, lower case. */
  readonly secret: string;
  /** TLS 1.2: the implicit part of the nonce (RFC 5288, 3; RFC 7905, 2), hexadecimal. TLS 1.3: empty, as it follows from the secret. */
  readonly nonce: string;
  /** Sequence number of the record (RFC 8446, 5.3). */
  readonly record: number;
  /** ns since the epoch. */
  readonly time: bigint;
}

export interface OpenConnection {
  /** Program name and process id. */
  readonly processName: string;
  /** The same of the process at the other end; undefined: it is not known. */
  readonly peerName?: string;
  /** Role of the process in the TLS handshake. */
  readonly side: 'client' | 'server';
  readonly version: '1.2' | '1.3';
  /** Cipher suite (IANA number). */
  readonly suite: number;
  /** Addresses from the point of view of the process; null if they could not be read. */
  readonly local: SocketAddress | null;
  readonly remote: SocketAddress | null;
  /** Keys with which the process decrypts and encrypts; null until it was observed doing so. */
  readonly read: ObservedKeys | null;
  readonly write: ObservedKeys | null;
}

/**
 * The line without its line end. It begins with `#`, a comment to other readers of NSS key logs: that format has no line for a
 * connection whose client random is not known.
 */
export function openConnectionLine(connection: OpenConnection): string {
  const { processName, peerName, side, version, suite, local, remote, read, write } = connection;
  const fields = [
    `process=${processText(processName)}`,
    ...(peerName === undefined ? [] : [`peer=${processText(peerName)}`]),
    `side=${side}`,
    `version=${version}`,
    `suite=${suite.toString(16).padStart(4, '0')}`,
    ...(local === null ? [] : [`local=${addressText(local)}`]),
    ...(remote === null ? [] : [`remote=${addressText(remote)}`]),
    ...(read === null ? [] : [`read=${keysText(read)}`]),
    ...(write === null ? [] : [`write=${keysText(write)}`]),
  ];
  return `${OPEN_CONNECTION} ${fields.join(' ')}`;
}

/** Who used the secrets of a handshake: program name, and its process id where it is known. */
export interface HandshakeUser {
  readonly clientRandom: string;
  readonly processName: string;
  /** Its role, and the process at the other end; undefined: they are not known. */
  readonly side?: 'client' | 'server';
  readonly peerName?: string;
}

/**
 * The line that says who used the secrets of a handshake, one for each end that is known. It follows their lines in a key log, and is a
 * comment to other readers too.
 */
export function handshakeLine({ clientRandom, processName, side, peerName }: HandshakeUser): string {
  const user = `${HANDSHAKE} random=${clientRandom} process=${processText(processName)}`;
  return side === undefined || peerName === undefined ? user : `${user} side=${side} peer=${processText(peerName)}`;
}

/** @returns null for a line of another kind, and for one that does not say the role. */
export function parseHandshakeUser(line: string): Required<HandshakeUser> | null {
  const match = HANDSHAKE_USER.exec(line);
  if (match === null) return null;
  const [, clientRandom, processName, side, peerName] = match;
  return { clientRandom, processName, side: side as 'client' | 'server', peerName };
}

function processText(name: string): string {
  return name.replace(/[^\w.[\]-]/g, '_').slice(0, PROCESS_LIMIT);
}

/** @returns null for a line of another kind, `undefined` for a malformed one. */
export function parseOpenConnection(line: string): OpenConnection | null | undefined {
  if (!line.startsWith(`${OPEN_CONNECTION} `)) return null;
  const fields = new Map(
    line
      .slice(OPEN_CONNECTION.length + 1)
      .split(' ')
      .map((field) => [field.slice(0, field.indexOf('=')), field.slice(field.indexOf('=') + 1)]),
  );
  const [side, version, suite] = [fields.get('side'), fields.get('version'), fields.get('suite') ?? ''];
  if (side !== 'client' && side !== 'server') return undefined;
  if ((version !== '1.2' && version !== '1.3') || !/^[0-9a-f]{4}$/.test(suite)) return undefined;
  const keys = [fields.get('read'), fields.get('write')].map((text) => keysOf(text, version));
  const ends = [fields.get('local'), fields.get('remote')].map(parseAddress);
  if (keys.includes(undefined) || ends.includes(undefined) || (keys[0] === null && keys[1] === null)) return undefined;
  return {
    processName: fields.get('process') ?? '',
    peerName: fields.get('peer'),
    side,
    version,
    suite: Number.parseInt(suite, 16),
    local: ends[0] ?? null,
    remote: ends[1] ?? null,
    read: keys[0] ?? null,
    write: keys[1] ?? null,
  };
}

/** @param time ns since the epoch. @returns seconds with nine decimals. */
export function secondsText(time: bigint): string {
  return `${time / NS}.${String(time % NS).padStart(9, '0')}`;
}

export function addressText({ address, port }: SocketAddress): string {
  return address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`;
}

//   557@1763978145.879658000:SECRET          TLS 1.3
//   557@1763978145.879658000:KEY/NONCE       TLS 1.2
function keysText({ secret, nonce, record, time }: ObservedKeys): string {
  return `${record}@${secondsText(time)}:${secret}${nonce === '' ? '' : `/${nonce}`}`;
}

function keysOf(text: string | undefined, version: '1.2' | '1.3'): ObservedKeys | null | undefined {
  if (text === undefined) return null;
  const match = /^(\d{1,15})@(\d{1,10})\.(\d{9}):([0-9a-f]{32,96})(?:\/([0-9a-f]{8}|[0-9a-f]{24}))?$/.exec(text);
  if (match === null) return undefined;
  const [, record, seconds, rest, secret, nonce = ''] = match;
  if ((nonce === '') !== (version === '1.3')) return undefined;
  if (!(version === '1.3' ? SECRET_DIGITS : KEY_DIGITS).includes(secret.length)) return undefined;
  return { secret, nonce, record: Number(record), time: BigInt(seconds) * NS + BigInt(rest) };
}

/** @returns null without a text, `undefined` for a text that is no address. */
export function parseAddress(text: string | undefined): SocketAddress | null | undefined {
  if (text === undefined) return null;
  const match = /^(?:\[([0-9a-f:.]{2,45})\]|(\d{1,3}(?:\.\d{1,3}){3})):(\d{1,5})$/.exec(text);
  if (match === null || Number(match[3]) > 65_535) return undefined;
  return { address: match[1] ?? match[2], port: Number(match[3]) };
}

const OPEN_CONNECTION = '# kubeseq open-connection';
const HANDSHAKE = '# kubeseq handshake';
const HANDSHAKE_USER =
  /^# kubeseq handshake random=([0-9a-f]{64}) process=([\w.[\]-]{1,64}) side=(client|server) peer=([\w.[\]-]{1,64})$/;
const NS = 1_000_000_000n;
/** Hexadecimal digits of traffic secrets of SHA-256 and SHA-384, and of AES-128, AES-256 and ChaCha20 keys. */
const SECRET_DIGITS: readonly number[] = [64, 96];
const KEY_DIGITS: readonly number[] = [32, 64];
/** Limit: characters of a process in the line of an open connection: a program name has 15 in the kernel, a process id up to 7 digits. */
const PROCESS_LIMIT = 64;
