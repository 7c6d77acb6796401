// Separates per-node components of several nodes that share one address, behind a load balancer or address translation: each connection
// belongs to one node, and its requests tell which.

import { BoundedMap } from '../../core/collections/bounded.js';
import type { Participant } from '../messages/message.js';
import { DeferredParticipant } from './deferred-participant.js';
import { LOCALHOST } from './hosts.js';
import { ProcessParticipant, programOf } from './process-participant.js';

/** The programs of one kind on an address that several nodes have. */
interface SharedAddress {
  /** By node; the first one is the address's own. */
  readonly byNode: Map<string, ProcessParticipant>;
  /** Connections whose node is not known. */
  readonly unknown: ProcessParticipant;
}

/** Creates another program of the component, on the same address. @param which tells it from the others. @param evidence for it. */
type Open = (like: ProcessParticipant, which: string, evidence: string) => ProcessParticipant;

export class PerNodeComponents {
  readonly #clientsAt: (address: string) => readonly ProcessParticipant[];
  readonly #open: Open;
  readonly #byConnection = new BoundedMap<number, PerConnectionParticipant>(MAX_CONNECTIONS);
  readonly #shared = new WeakMap<ProcessParticipant, SharedAddress>();
  /** By address; null: several nodes list it as theirs. */
  readonly #nodes = new BoundedMap<string, { readonly node: string; readonly how: string } | null>(MAX_ADDRESSES);

  /** @param clientsAt the programs that send from an address. */
  constructor(clientsAt: (address: string) => readonly ProcessParticipant[], open: Open) {
    this.#clientsAt = clientsAt;
    this.#open = open;
  }

  /** @param program as its address has it. @returns it, where its connections can be no other node's. */
  on(program: Participant, connection: number): Participant {
    if (!(program instanceof ProcessParticipant) || !program.perNode || program.fixedName !== null) return program;
    const known = this.#byConnection.get(connection);
    // Two components on one connection: a program that forwards for many is no node's.
    if (known !== undefined) return known.like === program ? known : program;
    const opened = new PerConnectionParticipant(program, (like) => this.#shared.get(like));
    this.#byConnection.set(connection, opened);
    return opened;
  }

  /**
   * A program was found to serve a node. @param connection over which it showed.
   * @returns takes it back, if that did not show it after all; null: nothing new.
   */
  learn(participant: Participant, node: string, how: string, connection?: number): (() => void) | null {
    const known = connection === undefined ? undefined : this.#byConnection.get(connection);
    const isFirst = known?.isUnknown === true;
    const program = known === undefined ? programOf(participant) : this.#behind(known, node, how);
    const takeBack = (): void => {
      if (isFirst) known?.forget();
      // A program told apart by its node stays the same when it is seen again.
      if (known === undefined || known.like === program) program?.removeEvidence(node, how);
    };
    if (program === null || !program.perNode) return isFirst ? takeBack : null;
    if (known === undefined) {
      if (program.node === node) return null;
      // One address of several hosts that were captured: it is no one's.
      if (program.address === LOCALHOST && program.node !== null) program.isShared = true;
      program.node = program.isShared ? null : node;
      if (program.isShared) return null;
    }
    program.addEvidence(how);
    if (program.component === KUBELET) for (const one of this.#clientsAt(program.address)) this.place(one);
    return takeBack;
  }

  /** A Node lists an address as its own. @param programs that are known there. */
  nodeIsAt(node: string, address: string, frame: number, programs: readonly ProcessParticipant[]): void {
    const known = this.#nodes.get(address);
    if (known !== undefined && (known === null || known.node === node)) return;
    const how = `Node ${node} has address ${address} (frame ${frame})`;
    this.#nodes.set(address, known === undefined ? { node, how } : null);
    for (const program of programs) this.answers(program);
  }

  /** A program serves on its address. A client from that address may be on another node, behind a load balancer on this one. */
  answers(program: ProcessParticipant): void {
    if (!program.perNode || program.node !== null || program.isShared || !program.isServer) return;
    const at = this.#nodes.get(program.address);
    if (at === undefined || at === null) return;
    program.node = at.node;
    program.addEvidence(at.how);
  }

  /** A runtime does not name its node: it is the node of the only kubelet on its address. */
  place(runtime: ProcessParticipant): void {
    if (runtime.component !== RUNTIME || runtime.node !== null) return;
    const kubelets = this.#clientsAt(runtime.address).filter((one) => one.component === KUBELET && one.node !== null);
    if (kubelets.length !== 1) return;
    runtime.node = kubelets[0].node;
    runtime.addEvidence(`on the address of ${kubelets[0].name}`);
  }

  /** The program of the node that a connection showed. @returns null: nothing new. */
  #behind(program: PerConnectionParticipant, node: string, how: string): ProcessParticipant | null {
    const { like } = program;
    if (!program.learn(node) || like.node === node) return null;
    if (like.node === null && !like.isShared) {
      like.node = node;
      return like;
    }
    let shared = this.#shared.get(like);
    if (shared === undefined) {
      const byNode = new Map(like.node === null ? [] : [[like.node, like]]);
      shared = { byNode, unknown: this.#open(like, 'of no known node', UNKNOWN) };
      this.#shared.set(like, shared);
    }
    if (shared.byNode.has(node) || shared.byNode.size >= MAX_NODES) return null;
    const own = this.#open(like, node, how);
    own.node = node;
    shared.byNode.set(node, own);
    return own;
  }
}

/** The program at the other end of one connection: that of its address, until the connection shows another node. */
class PerConnectionParticipant extends DeferredParticipant {
  readonly #shared: (like: ProcessParticipant) => SharedAddress | undefined;
  #node: string | null = null;
  /** The connection showed several nodes: a program forwards for many. */
  #isMixed = false;

  constructor(
    readonly like: ProcessParticipant,
    shared: (like: ProcessParticipant) => SharedAddress | undefined,
  ) {
    super();
    this.#shared = shared;
  }

  /** No node was shown yet. */
  get isUnknown(): boolean {
    return this.#node === null;
  }

  /** The only node that was shown does not exist. */
  forget(): void {
    if (!this.#isMixed) this.#node = null;
  }

  /** @returns whether that is new. */
  learn(node: string): boolean {
    if (this.#node === node) return false;
    if (this.#node !== null) this.#isMixed = true;
    this.#node = node;
    return true;
  }

  protected get is(): ProcessParticipant {
    const shared = this.#shared(this.like);
    if (shared === undefined) return this.like;
    const own = this.#node === null || this.#isMixed ? undefined : shared.byNode.get(this.#node);
    return own ?? shared.unknown;
  }
}

const UNKNOWN = 'one of several nodes on this address';
const KUBELET = 'kubelet';
const RUNTIME = 'container-runtime';
/** Connections of such programs; one that is forgotten shows its node again. 0.1 KiB each. */
const MAX_CONNECTIONS = 20_000;
/** Addresses of Nodes. */
const MAX_ADDRESSES = 20_000;
/** Nodes behind one address. */
const MAX_NODES = 5000;
