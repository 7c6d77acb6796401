// What whoever makes a reassembler may tell it. Knows nothing of how it is used.

import type { IsPlausible } from './acceptability.js';
import type { TcpLimits } from './limits.js';

export interface TcpOptions {
  /** Further ports on which servers listen, for connections whose SYN is not in the capture. */
  readonly serverPorts?: Iterable<number>;
  /** Other limits than `TCP_LIMITS`. */
  readonly limits?: Partial<TcpLimits>;
  /** Of the segment that is fed; absent: it cannot be told of any. */
  readonly isPlausible?: IsPlausible;
}
