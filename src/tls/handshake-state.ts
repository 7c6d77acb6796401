// Holds what the hellos of a connection negotiated, and derives its keys from the secrets of the key log.

import { hexBytes, hexText } from '../core/bytes/bytes.js';
import type { Connection, Side } from '../tcp/stream-event.js';
import type { ClientHello, EncryptedExtensions, ServerHello } from './handshake.js';
import type { SecretStore, SessionSecrets } from './key-log.js';
import { masterKeys, trafficKeys } from './key-schedule.js';
import { observedCipher } from './observed-keys.js';
import { type RecordCipher, recordCipher } from './record-cipher.js';
import { type Suite, suiteById } from './suites.js';

export class HandshakeState {
  /** Hexadecimal; null if the ClientHello was not captured. */
  clientRandom: string | null = null;
  /** null before the ServerHello, or if it was not captured. */
  suite: Suite | null = null;
  sni: string | null = null;
  alpn: string | null = null;
  /** Early data in the latest ClientHello. */
  offeredEarly = false;
  /** Early data in any ClientHello: records of it, accepted or not, may precede other records (RFC 8446, 4.2.10). */
  everOfferedEarly = false;
  /** null before the response of the server. */
  acceptedEarly: boolean | null = null;

  readonly #store: SecretStore;
  readonly #connection: Connection;
  #verified: SessionSecrets | null = null;
  #serverRandom: Uint8Array | null = null;
  #encryptThenMac = false;

  constructor(connection: Connection, store: SecretStore) {
    this.#connection = connection;
    this.#store = store;
  }

  /** The secrets of this handshake in the key log so far, else those that a process was observed using between these endpoints. */
  get secrets(): SessionSecrets | undefined {
    if (this.#verified !== null) return this.#verified;
    if (this.clientRandom === null) return undefined;
    return this.#store.find(this.clientRandom) ?? this.#store.observedOn(this.#connection);
  }

  /** Name of the secrets in notices. */
  get secretsName(): string {
    return secretsName(this.secrets, this.clientRandom);
  }

  /** Unique id of this TLS session. */
  get sessionId(): string | null {
    return this.clientRandom ?? this.#verified?.id ?? null;
  }

  /** Uses secrets with which a record of a session without handshake verified. */
  adopt(secrets: SessionSecrets, suite: Suite): void {
    this.#verified = secrets;
    this.suite = suite;
    if (secrets.observed === null) this.clientRandom = secrets.id;
    secrets.used = true;
  }

  /** Reason that a user can act on. */
  get noSecretReason(): string {
    const random =
      this.clientRandom === null ? 'an unknown client random' : `client random ${short(this.clientRandom)}`;
    if (!this.#store.given) return `no key log was given (${random})`;
    return this.#store.size === 0
      ? `no secrets at all in the key log (${random})`
      : `no secrets for ${random} in the key log`;
  }

  onClientHello(hello: ClientHello): void {
    this.clientRandom = hexText(hello.random);
    this.sni = hello.sni;
    this.offeredEarly = hello.earlyData;
    this.everOfferedEarly ||= hello.earlyData;
    const { secrets } = this;
    if (secrets !== undefined) secrets.used = true;
  }

  /** @returns null, or the unsupported part of the hello. */
  onServerHello(hello: ServerHello): string | null {
    if (hello.version !== TLS12 && hello.version !== TLS13) return `protocol version ${hex16(hello.version)}`;
    const suite = suiteById(hello.suite);
    if (suite === undefined) return `cipher suite ${hex16(hello.suite)}`;
    if ((suite.version === '1.3') !== (hello.version === TLS13)) return `${suite.name} in another version`;
    if (hello.compression !== 0) return 'TLS compression';
    this.suite = suite;
    this.#serverRandom = hello.random;
    this.#encryptThenMac = hello.encryptThenMac;
    if (suite.version === '1.2') this.alpn = hello.alpn;
    return null;
  }

  onEncryptedExtensions(extensions: EncryptedExtensions): void {
    this.alpn = extensions.alpn;
    this.acceptedEarly = extensions.earlyData;
  }

  /** TLS 1.3 cipher of early data or handshake; null without its secret. */
  cipher(epoch: 'early' | 'handshake', role: Side): RecordCipher | null {
    const { secrets } = this;
    if (secrets === undefined) return null;
    const handshake = role === 'client' ? secrets.clientHandshake : secrets.serverHandshake;
    const secret = epoch === 'early' ? secrets.clientEarly : handshake;
    return secret === null ? null : this.cipherOf(hexBytes(secret));
  }

  /** The first TLS 1.3 traffic secret of a direction. */
  trafficSecret(role: Side): Uint8Array | null {
    const { secrets } = this;
    const secret = role === 'client' ? secrets?.clientTraffic : secrets?.serverTraffic;
    return secret == null ? null : hexBytes(secret);
  }

  /** Cipher of the application data that `role` sends in a session without handshake; null without its secret. */
  applicationCipher(role: Side): RecordCipher | null {
    if (this.#verified !== null && this.#verified.observed !== null)
      return observedCipher(this.#verified, role, this.suite!);
    const secret = this.trafficSecret(role);
    return secret === null ? null : this.cipherOf(secret);
  }

  /** Cipher of a TLS 1.3 traffic secret. */
  cipherOf(secret: Uint8Array): RecordCipher {
    return recordCipher(this.suite!, trafficKeys(this.suite!, secret));
  }

  /** TLS 1.2 ciphers of both directions; null without the master secret. */
  masterCiphers(): Readonly<Record<Side, RecordCipher>> | null {
    const { secrets } = this;
    if (secrets !== undefined && secrets.observed !== null) return this.#observedCiphers(secrets);
    const master = secrets?.master;
    if (master == null || this.clientRandom === null || this.#serverRandom === null) return null;
    const suite = this.suite!;
    const random = hexBytes(this.clientRandom);
    const keys = masterKeys(suite, hexBytes(master), random, this.#serverRandom);
    return {
      client: recordCipher(suite, keys.client, this.#encryptThenMac),
      server: recordCipher(suite, keys.server, this.#encryptThenMac),
    };
  }

  #observedCiphers(secrets: SessionSecrets): Readonly<Record<Side, RecordCipher>> | null {
    const [client, server] = SIDES.map((role) => observedCipher(secrets, role, this.suite!));
    return client === null || server === null ? null : { client, server };
  }
}

export function secretsName(secrets: SessionSecrets | undefined, clientRandom: string | null): string {
  if (secrets !== undefined && secrets.observed !== null)
    return `the secrets that ${secrets.observed.processName} used`;
  return `the secrets of client random ${short(secrets?.id ?? clientRandom)}`;
}

const SIDES: readonly Side[] = ['client', 'server'];

/** The beginning of a client random, enough to find its line in a key log. */
export function short(clientRandom: string | null): string {
  return clientRandom === null ? 'unknown' : `${clientRandom.slice(0, 8)}…`;
}

function hex16(value: number): string {
  return `0x${value.toString(16).padStart(4, '0')}`;
}

const TLS12 = 0x0303;
const TLS13 = 0x0304;
