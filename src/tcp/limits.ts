// What may wait and how much of it, each with its reason. Knows numbers only.

export interface TcpLimits {
  /** Bytes (and `PIECE_COST` a piece) that wait in one direction. */
  readonly outOfOrder: number;
  /** The same for all directions together. */
  readonly outOfOrderTotal: number;
  /** Connections in which something waits. */
  readonly waiting: number;
  /** Connections that are open. */
  readonly connections: number;
  /** Closed connections that are remembered. */
  readonly closed: number;
}

export const TCP_LIMITS: TcpLimits = {
  // The usual upper end (Suricata's and Wireshark's defaults are of this size): 700 full Ethernet segments.
  outOfOrder: 1024 * 1024,
  // 64 directions in full.
  outOfOrderTotal: 64 * 1024 * 1024,
  // So many holes at once are a capture that dropped packets everywhere; bounds what `heldSince` looks at.
  waiting: 1024,
  // A cluster of 5,000 nodes has some 20,000 connections to one API server; about 1 KiB each.
  connections: 65_536,
  // Late packets come within a round trip, repeated FINs within a minute: 270 closed connections a second.
  closed: 16_384,
};
