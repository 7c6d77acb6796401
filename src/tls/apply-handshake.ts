// Applies handshake messages to the directions of a connection: roles, epochs and ciphers (RFC 8446, 4 and appendix A; RFC 5246, 7.3).

import type { Side } from '../tcp/stream-event.js';
import * as handshake from './handshake.js';
import type { HandshakeState } from './handshake-state.js';
import { nextTrafficSecret } from './key-schedule.js';
import type { TlsDirection } from './tls-direction.js';

/**
 * Effect of a message on the session. `chosen`: the server selected a suite. `extended`: TLS 1.3 EncryptedExtensions followed.
 * `mid-session`: the server selected a suite for a ClientHello that was not captured.
 */
export type Negotiated = 'nothing' | 'chosen' | 'extended' | 'mid-session' | Unsupported;

export interface Unsupported {
  /** The server's selection that kubeseq cannot read. */
  readonly unsupported: string;
}

/** Applies the current message of `half.messages`. */
export function negotiate(half: TlsDirection, other: TlsDirection, state: HandshakeState): Negotiated {
  const { type, body } = half.messages;
  if (state.suite?.version !== '1.3') {
    if (type === handshake.CLIENT_HELLO) clientHello(half, other, state, body);
    else if (type === handshake.SERVER_HELLO) return serverHello(half, other, state, body);
  } else if (type === handshake.ENCRYPTED_EXTENSIONS) {
    state.onEncryptedExtensions(handshake.encryptedExtensions(body));
    return 'extended';
  } else if (type === handshake.END_OF_EARLY_DATA && half.epoch === 'early') half.enter('handshake', null);
  else if (type === handshake.FINISHED && half.epoch === 'handshake') half.enter('application', null);
  else if (type === handshake.KEY_UPDATE && half.secret !== null) {
    half.secret = nextTrafficSecret(state.suite, half.secret);
    half.enter('application', state.cipherOf(half.secret));
  }
  return 'nothing';
}

/** Sets the TLS roles, which are guessed from ports before a hello. @param role of `half`. */
export function orient(half: TlsDirection, other: TlsDirection, role: Side): void {
  half.role = role;
  other.role = role === 'client' ? 'server' : 'client';
}

function clientHello(half: TlsDirection, other: TlsDirection, state: HandshakeState, body: Uint8Array): void {
  const hello = handshake.clientHello(body);
  if (hello === null) return;
  half.lost = 0;
  orient(half, other, 'client');
  state.onClientHello(hello);
}

function serverHello(half: TlsDirection, other: TlsDirection, state: HandshakeState, body: Uint8Array): Negotiated {
  const hello = handshake.serverHello(body);
  if (hello === null) return 'nothing';
  half.lost = 0;
  orient(half, other, 'server');
  if (hello.retry) {
    // There is no early data after a HelloRetryRequest (RFC 8446, 4.2.10), and a second ClientHello in clear.
    state.offeredEarly = false;
    return 'nothing';
  }
  // Only key trials can find the secrets.
  if (state.clientRandom === null) return 'mid-session';
  const unsupported = state.onServerHello(hello);
  if (unsupported !== null) return { unsupported };
  if (state.suite!.version === '1.2') {
    half.pending = null;
    other.pending = null;
  } else {
    half.enter('handshake', null);
    other.enter(state.offeredEarly ? 'early' : 'handshake', null);
  }
  return 'chosen';
}

/** `wait`: a message of the other direction is needed. `no-secret`: a secret is needed. */
export type InstallResult = 'ready' | 'wait' | 'no-secret';

/** Gives `half` the cipher of its epoch, which is not `clear`, if it has none. The suite must be known. */
export function installCipher(half: TlsDirection, other: TlsDirection, handshake: HandshakeState): InstallResult {
  if (half.cipher !== null) return 'ready';
  if (handshake.suite!.version === '1.2') return installFromMaster(half, other, handshake);
  if (half.epoch === 'early') {
    // If the server's handshake is over and could not be read, its answer will not come.
    if (handshake.acceptedEarly === null && other.epoch !== 'application') return 'wait';
    if (handshake.acceptedEarly === true) half.cipher = handshake.cipher('early', half.role);
    if (half.cipher !== null) return 'ready';
    half.owesGap = handshake.acceptedEarly === true;
    half.enter('handshake', null);
  }
  const traffic = handshake.trafficSecret(half.role);
  if (half.epoch === 'handshake') {
    half.cipher = handshake.cipher('handshake', half.role);
    // Without it, the first record under the traffic secret can still be recognised by its tag.
    return half.cipher !== null || traffic !== null ? 'ready' : 'no-secret';
  }
  if (traffic === null) return 'no-secret';
  half.secret = traffic;
  half.cipher = handshake.cipherOf(traffic);
  return 'ready';
}

function installFromMaster(half: TlsDirection, other: TlsDirection, handshake: HandshakeState): InstallResult {
  if (half.pending === null) {
    const ciphers = handshake.masterCiphers();
    if (ciphers === null) return 'no-secret';
    half.pending = ciphers[half.role];
    other.pending = ciphers[other.role];
  }
  half.cipher = half.pending;
  return 'ready';
}
