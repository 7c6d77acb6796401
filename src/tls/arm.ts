// Makes the cipher that the next record of a direction needs, from what was agreed and the secrets at hand. Knows epochs
// and keys; not what happens when there are none.

import type { Agreement } from './agreement.js';
import type { Half } from './half.js';

/** `wait`: the other direction must tell more. `no-secret`: the key log must. */
export type Armed = 'ready' | 'wait' | 'no-secret';

/** Gives `half` its cipher if it has none. `half.epoch` is not `clear`, and the suite is agreed. */
export function arm(half: Half, other: Half, agreement: Agreement): Armed {
  if (half.cipher !== null) return 'ready';
  if (agreement.suite!.version === '1.2') return armFromMaster(half, other, agreement);
  if (half.epoch === 'early') {
    // A server whose handshake could not be read, and is over, will not tell.
    if (agreement.acceptedEarly === null && other.epoch !== 'application') return 'wait';
    if (agreement.acceptedEarly === true) half.cipher = agreement.cipher('early', half.role);
    if (half.cipher !== null) return 'ready';
    half.owesGap = agreement.acceptedEarly === true;
    half.enter('handshake', null);
  }
  const traffic = agreement.trafficSecret(half.role);
  if (half.epoch === 'handshake') {
    half.cipher = agreement.cipher('handshake', half.role);
    // Without it, the first record under the traffic secret still can be told by its tag.
    return half.cipher !== null || traffic !== null ? 'ready' : 'no-secret';
  }
  if (traffic === null) return 'no-secret';
  half.secret = traffic;
  half.cipher = agreement.cipherOf(traffic);
  return 'ready';
}

function armFromMaster(half: Half, other: Half, agreement: Agreement): Armed {
  if (half.pending === null) {
    const ciphers = agreement.masterCiphers();
    if (ciphers === null) return 'no-secret';
    half.pending = ciphers[half.role];
    other.pending = ciphers[other.role];
  }
  half.cipher = half.pending;
  return 'ready';
}
