// Defines what a proxy is told, or tells, at the beginning of a connection: who its client is, or which server is meant.

import type { FirstBytes } from '../../core/first-bytes.js';
import type { Relay } from '../../tcp/stream-event.js';

export interface RelayHeader {
  /** Bytes that each side sent of it. */
  readonly client: number;
  readonly server: number;
  /** In words: `PROXY protocol`, `SOCKS5`. */
  readonly protocol: string;
  /** Whom the proxy stands for: its client, or the server that it was asked for; absent: it does not say. */
  readonly stands?: { readonly for: 'client' | 'server'; readonly end: Relay['end'] };
  /** Why the proxy did not connect its client, in words. */
  readonly failure?: string;
}

/** `more`: it may become one. */
export type ReadHeader = (bytes: FirstBytes) => RelayHeader | 'more' | 'no';
