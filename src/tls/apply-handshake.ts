// Applies handshake messages to the directions of a connection: roles, epochs and ciphers (RFC 8446, 4 and appendix A; RFC 5246, 7.3).

import type { Side } from '../tcp/stream-event.js';
import * as handshake from './handshake.js';
import type { HandshakeState } from './handshake-state.js';
import { nextTrafficSecret } from './key-schedule.js';
import type { TlsDirection } from './tls-direction.js';

/**
 * Effect of a message on the session. `suite-selected`: by the server. `extensions`: TLS 1.3 EncryptedExtensions followed.
 * `mid-session`: the server selected a suite for a ClientHello that was not captured.
 */
export type HandshakeEffect = 'nothing' | 'suite-selected' | 'extensions' | 'mid-session' | Unsupported;

export interface Unsupported {
  /** What the server selected that kubeseq cannot decrypt. */
  readonly unsupported: string;
}

/** Applies the current message of `direction.messages`. ChangeCipherSpec is a record, not a handshake message, and is applied elsewhere. */
export function applyHandshakeMessage(
  direction: TlsDirection,
  other: TlsDirection,
  state: HandshakeState,
): HandshakeEffect {
  const { type, body } = direction.messages;
  if (state.suite?.version !== '1.3') {
    if (type === handshake.CLIENT_HELLO) clientHello(direction, other, state, body);
    else if (type === handshake.SERVER_HELLO) return serverHello(direction, other, state, body);
  } else if (type === handshake.ENCRYPTED_EXTENSIONS) {
    state.onEncryptedExtensions(handshake.encryptedExtensions(body));
    return 'extensions';
  } else if (type === handshake.END_OF_EARLY_DATA && direction.epoch === 'early') direction.enter('handshake', null);
  else if (type === handshake.FINISHED && direction.epoch === 'handshake') direction.enter('application', null);
  else if (type === handshake.KEY_UPDATE && direction.secret !== null) {
    const secret = nextTrafficSecret(state.suite, direction.secret);
    direction.enterTraffic(secret, state.cipherOf(secret));
  }
  return 'nothing';
}

/** Sets the TLS roles; until a hello is seen, they are a guess from the ports. @param role TLS role of `direction`. */
export function orient(direction: TlsDirection, other: TlsDirection, role: Side): void {
  direction.role = role;
  other.role = role === 'client' ? 'server' : 'client';
}

function clientHello(direction: TlsDirection, other: TlsDirection, state: HandshakeState, body: Uint8Array): void {
  const hello = handshake.clientHello(body);
  if (hello === null) return;
  direction.onHello();
  orient(direction, other, 'client');
  state.onClientHello(hello);
}

function serverHello(
  direction: TlsDirection,
  other: TlsDirection,
  state: HandshakeState,
  body: Uint8Array,
): HandshakeEffect {
  const hello = handshake.serverHello(body);
  if (hello === null) return 'nothing';
  direction.onHello();
  orient(direction, other, 'server');
  if (hello.retry) {
    // After a HelloRetryRequest the client sends no early data (RFC 8446, 4.2.10), but a second ClientHello in clear.
    state.offeredEarly = false;
    return 'nothing';
  }
  // No secret can be looked up without the client random: only trying all known keys can decrypt the connection.
  if (state.clientRandom === null) return 'mid-session';
  const unsupported = state.onServerHello(hello);
  if (unsupported !== null) return { unsupported };
  if (state.suite!.version === '1.2') {
    // Ciphers of an earlier handshake on this connection.
    direction.pending = null;
    other.pending = null;
  } else {
    direction.enter('handshake', null);
    other.enter(state.offeredEarly ? 'early' : 'handshake', null);
  }
  return 'suite-selected';
}

/** `wait`: a message of the other direction is needed. `no-secret`: a secret is needed. */
export type InstallResult = 'ready' | 'wait' | 'no-secret';

/** Gives `direction` the cipher of its epoch if it has none. The suite must be known, and the epoch not be `clear`. */
export function installCipher(direction: TlsDirection, other: TlsDirection, state: HandshakeState): InstallResult {
  if (direction.cipher !== null) return 'ready';
  if (state.suite!.version === '1.2') return installFromMasterSecret(direction, other, state);
  if (direction.epoch === 'early') {
    // The server's EncryptedExtensions accept early data or not. They will not come if the server's handshake is over and was not read.
    if (state.acceptedEarly === null && other.epoch !== 'application') return 'wait';
    if (state.acceptedEarly === true) direction.cipher = state.cipher('early', direction.role);
    if (direction.cipher !== null) return 'ready';
    direction.mustEmitGap = state.acceptedEarly === true;
    direction.enter('handshake', null);
  }
  const traffic = state.trafficSecret(direction.role);
  if (direction.epoch === 'handshake') {
    direction.cipher = state.cipher('handshake', direction.role);
    // Records of the handshake are skipped without its cipher: the tag shows which record is the first under the traffic secret.
    return direction.cipher !== null || traffic !== null ? 'ready' : 'no-secret';
  }
  if (traffic === null) return 'no-secret';
  direction.secret = traffic;
  direction.cipher = state.cipherOf(traffic);
  return 'ready';
}

function installFromMasterSecret(direction: TlsDirection, other: TlsDirection, state: HandshakeState): InstallResult {
  if (direction.pending === null) {
    const ciphers = state.masterCiphers();
    if (ciphers === null) return 'no-secret';
    direction.pending = ciphers[direction.role];
    other.pending = ciphers[other.role];
  }
  direction.cipher = direction.pending;
  return 'ready';
}
