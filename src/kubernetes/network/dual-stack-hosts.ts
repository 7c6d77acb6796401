// Which addresses of the two families are one host's, by what a Node says of itself.

import { flattenString } from '../../core/bytes/bytes.js';
import { keep } from '../../core/collections/bounded.js';
import { hostOf } from '../identity/hosts.js';

export class DualStackHosts {
  /** By address, the one by which its host is known. */
  readonly #known = new Map<string, string>();
  /** The same the other way. */
  readonly #others = new Map<string, string>();
  /** The first address of each node. */
  readonly #ofNode = new Map<string, string>();
  /** Addresses with the node that has them; null: several say that it is theirs. */
  readonly #nodeOf = new Map<string, string | null>();

  /** By which address a host is known; of loopback one word. */
  hostAt(address: string): string {
    const host = hostOf(address);
    return this.#known.size === 0 ? host : (this.#known.get(host) ?? host);
  }

  /**
   * The other address by which who speaks at one may be known already; undefined: none. Not of loopback: several programs of a
   * host may be silent about themselves there, and those that name themselves are known by the host.
   */
  otherOf(address: string): string | undefined {
    return this.#known.get(address) ?? this.#others.get(address);
  }

  /**
   * A Node says that an address is its own (k8s.io/api, core/v1: NodeStatus.addresses; k8s.io/kubernetes,
   * pkg/kubelet/nodestatus: one of each family).
   *
   * @returns its address of the other family, by which the host is known, where that is new; null: nothing new.
   */
  nodeHas(node: string, address: string): string | null {
    if (!ADDRESS.test(address)) return null;
    const owner = this.#nodeOf.get(address);
    if (owner === null || owner === node) return null;
    if (owner !== undefined) {
      // Behind one address are several nodes: it is nobody's.
      this.#nodeOf.set(address, null);
      const known = this.#known.get(address);
      if (known !== undefined) this.#others.delete(known);
      this.#known.delete(address);
      return null;
    }
    keep(this.#nodeOf, flattenString(address), flattenString(node), MAX_ADDRESSES);
    const first = this.#ofNode.get(node);
    if (first === undefined) {
      keep(this.#ofNode, flattenString(node), flattenString(address), MAX_ADDRESSES);
      return null;
    }
    if (isIpv6(first) === isIpv6(address) || this.#nodeOf.get(first) !== node) return null;
    keep(this.#known, flattenString(address), first, MAX_ADDRESSES);
    keep(this.#others, first, flattenString(address), MAX_ADDRESSES);
    return first;
  }
}

function isIpv6(address: string): boolean {
  return address.includes(':');
}

/** Nodes list names, too. */
const ADDRESS = /^(?:\d{1,3}(?:\.\d{1,3}){3}|[0-9a-f]*:[0-9a-f:.]*)$/;
/** Of Nodes, each with its node. */
const MAX_ADDRESSES = 20_000;
