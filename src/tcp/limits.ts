// Limits of the reassembly, each with its reason.

export interface TcpLimits {
  /** Buffered bytes of one direction, with `PIECE_COST` for each segment. */
  readonly outOfOrder: number;
  /** The same for all directions together. */
  readonly outOfOrderTotal: number;
  /** Connections with buffered segments. */
  readonly waiting: number;
  /** Open connections. */
  readonly connections: number;
  /** Closed connections. */
  readonly closed: number;
}

export const TCP_LIMITS: TcpLimits = {
  /**
   * Limit in bytes: what is buffered behind a hole in one direction: the usual upper end (Suricata's and Wireshark's defaults are of
   * this size), 700 full Ethernet segments.
   */
  outOfOrder: 1024 * 1024,
  /** Limit in bytes: what is buffered in all directions: 64 full ones. */
  outOfOrderTotal: 64 * 1024 * 1024,
  /**
   * Limit: connections with buffered segments: a capture with so many holes at once dropped packets everywhere; bounds the cost of
   * `heldSince`.
   */
  waiting: 1024,
  /**
   * Limit: open connections seen lately: the kubelets, proxies and controllers of some 2,000 nodes at one API server. With the state of
   * TLS and HTTP a connection with an idle watch takes 9 KiB (measured), all of them together 75 MiB.
   */
  connections: 8192,
  /**
   * Limit: closed connections that are remembered: late packets arrive within a round trip, repeated FINs within a minute (TIME-WAIT),
   * so 68 connections may close each second.
   */
  closed: 4096,
};

/**
 * Limit in ns: capture time without a segment after which a connection is ended, and a closed one forgotten: Zeek's time-out
 * (tcp_inactivity_timeout; Suricata's is 10 minutes). Go's clients and servers send keep-alives every 15 to 30 s, and every watch gets
 * a bookmark within a minute.
 */
export const IDLE_NS = 300_000_000_000n;

/** Limit: segments of all connections between two searches for idle ones. */
export const IDLE_LOOK = 1024;

/** Limit: last segments before such a search, whose earliest time counts: a wrong time comes alone or with a few of one queue. */
export const CLOCK_SEGMENTS = 32;
