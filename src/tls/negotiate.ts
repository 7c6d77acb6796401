// What handshake messages do to the directions of a connection: who is the client, what was agreed, and which epoch comes
// next (RFC 8446, 4 and appendix A; RFC 5246, 7.3). Knows messages, epochs and the agreement; no records, and says nothing
// itself.

import type { Side } from '../tcp/stream-event.js';
import * as handshake from './handshake.js';
import type { HandshakeState } from './handshake-state.js';
import { nextTrafficSecret } from './key-schedule.js';
import type { TlsDirection } from './tls-direction.js';

/**
 * What a message means beyond its direction. `chosen`: the server chose a suite, and in TLS 1.3 says more of it later.
 * `extended`: that is said. `late`: it chose for a ClientHello that is not in the capture.
 */
export type Negotiated = 'nothing' | 'chosen' | 'extended' | 'late' | Unsupported;

export interface Unsupported {
  /** What the server chose and kubeseq cannot read. */
  readonly unsupported: string;
}

/** The message that `half.messages` is at. `other`: the other direction. */
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

/** Ports tell who is who until a hello does. @param role what `half` is for TLS. */
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
    // No early data after it (RFC 8446, 4.2.10), and a second ClientHello in clear.
    state.offeredEarly = false;
    return 'nothing';
  }
  // Which secrets these are only trial can tell.
  if (state.clientRandom === null) return 'late';
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
