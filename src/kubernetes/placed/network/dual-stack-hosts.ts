// Tracks which IPv4 and IPv6 addresses are of one host, as Nodes list them.

import { flattenString } from '../../../core/bytes/bytes.js';
import { BoundedMap } from '../../../core/collections/bounded.js';
import { hostOf } from '../../participants/hosts.js';

export class DualStackHosts {
  /** By address, the one by which its host is known. */
  readonly #known = new BoundedMap<string, string>(MAX_ADDRESSES, 'addresses of hosts');
  /** The same the other way. */
  readonly #others = new BoundedMap<string, string>(MAX_ADDRESSES, 'second addresses of hosts');
  /** The first address of each node. */
  readonly #ofNode = new BoundedMap<string, string>(MAX_ADDRESSES, 'addresses of nodes');
  /** By address, the node that has it; null: several nodes list it. */
  readonly #nodeOf = new BoundedMap<string, string | null>(MAX_ADDRESSES, 'nodes of second addresses');

  /** The address by which a host is known; one word for loopback. */
  hostAt(address: string): string {
    const host = hostOf(address);
    return this.#known.size === 0 ? host : (this.#known.get(host) ?? host);
  }

  /**
   * The address of the other family by which a participant may be known already; undefined: none. Not of loopback: several
   * programs of a host may be anonymous there, and those with a name are known by the host.
   */
  otherOf(address: string): string | undefined {
    return this.#known.get(address) ?? this.#others.get(address);
  }

  /**
   * Adds an address that a Node lists (k8s.io/api, core/v1: NodeStatus.addresses; k8s.io/kubernetes,
   * pkg/kubelet/nodestatus: one of each family).
   *
   * @returns its address of the other family, by which the host is known, where that is new; null: nothing new.
   */
  nodeHas(node: string, address: string): string | null {
    if (!ADDRESS.test(address)) return null;
    const owner = this.#nodeOf.get(address);
    if (owner === null || owner === node) return null;
    if (owner !== undefined) {
      // Several nodes are behind the address, so it identifies none.
      this.#nodeOf.set(address, null);
      const known = this.#known.get(address);
      if (known !== undefined) this.#others.delete(known);
      this.#known.delete(address);
      return null;
    }
    this.#nodeOf.set(flattenString(address), flattenString(node));
    const first = this.#ofNode.get(node);
    if (first === undefined) {
      this.#ofNode.set(flattenString(node), flattenString(address));
      return null;
    }
    if (isIpv6(first) === isIpv6(address) || this.#nodeOf.get(first) !== node) return null;
    this.#known.set(flattenString(address), first);
    this.#others.set(first, flattenString(address));
    return first;
  }
}

function isIpv6(address: string): boolean {
  return address.includes(':');
}

/** Nodes list host names, too. */
const ADDRESS = /^(?:\d{1,3}(?:\.\d{1,3}){3}|[0-9a-f]*:[0-9a-f:.]*)$/;
/** Limit: addresses that Nodes list as theirs, each with its node and the host's other address. */
const MAX_ADDRESSES = 20_000;
