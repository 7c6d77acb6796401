// Decides whether a segment begins a new connection, and which endpoint of a connection is the server.

import { ACK, type Endpoint, RST, type Segment, SYN } from '../packet/segment.js';
import type { Conversation } from './conversation.js';
import { EARLIER_START } from './half-connection.js';
import type { Direction } from './table.js';

/**
 * A SYN begins a new connection between the same endpoints if it has another sequence number, as tshark counts `tcp.stream`. The
 * same number is a retransmission, unless a RST has refused the connection.
 */
export function isNewConnection({ flags, seq, ack }: Segment, { conversation, half, peer }: Direction): boolean {
  if ((flags & (SYN | RST)) !== SYN) return false;
  if (half.initial === seq) return (flags & ACK) === 0 && isRefused(conversation);
  // A SYN-ACK that acknowledges the SYN belongs to it, whatever its own number.
  if ((flags & ACK) !== 0 && peer.initial >= 0) {
    const ahead = (ack - peer.initial - 1) | 0;
    if (ahead >= 0 && ahead <= peer.received.end) return false;
    return conversation.closed || half.initial >= 0;
  }
  if (half.initial >= 0 || conversation.closed) return true;
  if (conversation.reset !== null && (peer.initial < 0 || half.base !== (seq + 1) >>> 0)) return true;
  // This direction has no SYN so far: it may be captured late, after its own first bytes, or after acknowledgments of them.
  if (half.position === 'unknown') return false;
  const ahead = (half.base - seq - 1) | 0;
  return half.position === 'acknowledged' ? ahead < 0 || ahead > EARLIER_START : ahead !== 0;
}

// A connection that was reset before any byte; if its client sends the SYN again, it has not accepted the RST.
function isRefused({ closed, reset, client, server }: Conversation): boolean {
  return closed && reset !== null && client.received.next === 0 && server.received.next === 0;
}

/**
 * Whether `a` is the server: the endpoint on a known port, else (both or none) the one on the lower port. Ephemeral ports are high
 * (IANA 49152 …, Linux 32768 …), those of services low.
 */
export function isServer(a: Endpoint, b: Endpoint, knownPorts: ReadonlySet<number>): boolean {
  const known = knownPorts.has(a.port);
  if (known !== knownPorts.has(b.port)) return known;
  return a.port < b.port;
}

/** Ports on which the components of a control plane and the programs around them listen. */
export const SERVER_PORTS: readonly number[] = [
  80, // HTTP: Services, webhooks and Pods behind them
  443, // HTTPS: the `kubernetes` Service, webhooks, registries
  2375, // docker engine, plaintext (IANA "docker")
  2376, // docker engine, TLS
  2379, // etcd, clients
  2380, // etcd, peers
  2381, // etcd, metrics and health (kubeadm)
  3500, // CRI relayed from the container runtime's unix socket
  5000, // registry (docker-registry's default)
  6443, // kube-apiserver
  8080, // kube-apiserver, plaintext (the former --insecure-port), and many Pods
  8443, // kube-apiserver (minikube), webhooks
  9443, // webhooks (controller-runtime's default)
  10248, // kubelet, health
  10249, // kube-proxy, metrics
  10250, // kubelet
  10255, // kubelet, read only
  10256, // kube-proxy, health
  10257, // kube-controller-manager
  10259, // kube-scheduler
];
