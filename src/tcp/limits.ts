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
  // Seen within IDLE_NS: the kubelets, proxies and controllers of some 2,000 nodes at one API server. With what TLS and
  // HTTP remember of a connection in which a watch waits it takes 9 KiB (measured), all of them together 75 MiB.
  connections: 8192,
  // Late packets come within a round trip, repeated FINs within a minute (TIME-WAIT): 68 closed connections a second.
  closed: 4096,
};

/**
 * Capture time without a segment after which a connection is over, and a closed one is forgotten: Zeek's time-out
 * (tcp_inactivity_timeout; Suricata's is 10 minutes). Live ones are never so still: Go's clients and servers probe theirs
 * every 15 to 30 s, and every watch has its bookmark within a minute.
 */
export const IDLE_NS = 300_000_000_000n;

/** Segments, of all connections, from one look at the longest idle to the next. */
export const IDLE_LOOK = 1024;

/** Segments up to that look, of which the earliest says how late it is: a wrong time comes alone, or with a few of one queue. */
export const CLOCK_SEGMENTS = 32;
