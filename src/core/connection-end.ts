// Defines the end of a connection as a fact: which side ended it first, and how.

import type { Origin } from './origin.js';

export interface ConnectionEnd {
  readonly kind: 'connection-end';
  /** `CLIENTIP:PORT-SERVERIP:PORT`. */
  readonly connection: string;
  readonly by: 'client' | 'server';
  readonly how: 'FIN' | 'RST';
  /** Of the segment. */
  readonly origin: Origin;
}
