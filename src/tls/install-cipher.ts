// Makes the cipher that the next record of a direction needs, from what was agreed and the secrets at hand. Knows epochs
// and keys; not what happens when there are none.

import type { HandshakeState } from './handshake-state.js';
import type { TlsDirection } from './tls-direction.js';

/** `wait`: the other direction must tell more. `no-secret`: the key log must. */
export type InstallResult = 'ready' | 'wait' | 'no-secret';

/** Gives `half` its cipher if it has none. `half.epoch` is not `clear`, and the suite is agreed. */
export function installCipher(half: TlsDirection, other: TlsDirection, handshake: HandshakeState): InstallResult {
  if (half.cipher !== null) return 'ready';
  if (handshake.suite!.version === '1.2') return installFromMaster(half, other, handshake);
  if (half.epoch === 'early') {
    // A server whose handshake could not be read, and is over, will not tell.
    if (handshake.acceptedEarly === null && other.epoch !== 'application') return 'wait';
    if (handshake.acceptedEarly === true) half.cipher = handshake.cipher('early', half.role);
    if (half.cipher !== null) return 'ready';
    half.owesGap = handshake.acceptedEarly === true;
    half.enter('handshake', null);
  }
  const traffic = handshake.trafficSecret(half.role);
  if (half.epoch === 'handshake') {
    half.cipher = handshake.cipher('handshake', half.role);
    // Without it, the first record under the traffic secret still can be told by its tag.
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
