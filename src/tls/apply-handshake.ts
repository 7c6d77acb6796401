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

/** Applies the current message of `half.messages`. ChangeCipherSpec is a record, not a handshake message, and is applied elsewhere. */
export function applyHandshakeMessage(half: TlsDirection, other: TlsDirection, state: HandshakeState): HandshakeEffect {
  const { type, body } = half.messages;
  if (state.suite?.version !== '1.3') {
    if (type === handshake.CLIENT_HELLO) clientHello(half, other, state, body);
    else if (type === handshake.SERVER_HELLO) return serverHello(half, other, state, body);
  } else if (type === handshake.ENCRYPTED_EXTENSIONS) {
    state.onEncryptedExtensions(handshake.encryptedExtensions(body));
    return 'extensions';
  } else if (type === handshake.END_OF_EARLY_DATA && half.epoch === 'early') half.enter('handshake', null);
  else if (type === handshake.FINISHED && half.epoch === 'handshake') half.enter('application', null);
  else if (type === handshake.KEY_UPDATE && half.secret !== null) {
    half.secret = nextTrafficSecret(state.suite, half.secret);
    half.enter('application', state.cipherOf(half.secret));
  }
  return 'nothing';
}

/** Sets the TLS roles; until a hello is seen, they are a guess from the ports. @param role TLS role of `half`. */
export function orient(half: TlsDirection, other: TlsDirection, role: Side): void {
  half.role = role;
  other.role = role === 'client' ? 'server' : 'client';
}

function clientHello(half: TlsDirection, other: TlsDirection, state: HandshakeState, body: Uint8Array): void {
  const hello = handshake.clientHello(body);
  if (hello === null) return;
  // Bytes that were lost before a hello held no application data.
  half.lost = 0;
  orient(half, other, 'client');
  state.onClientHello(hello);
}

function serverHello(
  half: TlsDirection,
  other: TlsDirection,
  state: HandshakeState,
  body: Uint8Array,
): HandshakeEffect {
  const hello = handshake.serverHello(body);
  if (hello === null) return 'nothing';
  half.lost = 0;
  orient(half, other, 'server');
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
    half.pending = null;
    other.pending = null;
  } else {
    half.enter('handshake', null);
    other.enter(state.offeredEarly ? 'early' : 'handshake', null);
  }
  return 'suite-selected';
}

/** `wait`: a message of the other direction is needed. `no-secret`: a secret is needed. */
export type InstallResult = 'ready' | 'wait' | 'no-secret';

/** Gives `half` the cipher of its epoch if it has none. The suite must be known, and the epoch not be `clear`. */
export function installCipher(half: TlsDirection, other: TlsDirection, state: HandshakeState): InstallResult {
  if (half.cipher !== null) return 'ready';
  if (state.suite!.version === '1.2') return installFromMasterSecret(half, other, state);
  if (half.epoch === 'early') {
    // The server's EncryptedExtensions accept early data or not. They will not come if the server's handshake is over and was not read.
    if (state.acceptedEarly === null && other.epoch !== 'application') return 'wait';
    if (state.acceptedEarly === true) half.cipher = state.cipher('early', half.role);
    if (half.cipher !== null) return 'ready';
    half.mustEmitGap = state.acceptedEarly === true;
    half.enter('handshake', null);
  }
  const traffic = state.trafficSecret(half.role);
  if (half.epoch === 'handshake') {
    half.cipher = state.cipher('handshake', half.role);
    // Records of the handshake are skipped without its cipher: the tag shows which record is the first under the traffic secret.
    return half.cipher !== null || traffic !== null ? 'ready' : 'no-secret';
  }
  if (traffic === null) return 'no-secret';
  half.secret = traffic;
  half.cipher = state.cipherOf(traffic);
  return 'ready';
}

function installFromMasterSecret(half: TlsDirection, other: TlsDirection, state: HandshakeState): InstallResult {
  if (half.pending === null) {
    const ciphers = state.masterCiphers();
    if (ciphers === null) return 'no-secret';
    half.pending = ciphers[half.role];
    other.pending = ciphers[other.role];
  }
  half.cipher = half.pending;
  return 'ready';
}
