// Separates per-node components of several nodes that share one address, behind a load balancer or address translation: each connection
// belongs to one node, and its requests tell which.

import { BoundedMap } from '../../../core/collections/bounded.js';
import { LOCALHOST } from '../../participants/hosts.js';
import { type Evidence, ParticipantRecord, proven } from '../../participants/participant-record.js';

/** The programs of one kind on an address that several nodes have. */
interface SharedAddress {
  /** By node; the first one is the address's own. */
  readonly byNode: Map<string, ParticipantRecord>;
  /** Connections whose node is not known. */
  readonly unknown: ParticipantRecord;
}

/** What one connection showed of the program at its other end. */
interface ConnectionNode {
  /** That program until its node is known, or while its address has one node. */
  readonly like: ParticipantRecord;
  readonly record: ParticipantRecord;
  node: string | null;
  /** The connection showed several nodes: a program forwards for many. */
  isMixed: boolean;
}

/** Creates another program of the component, on the same address. @param which distinguishes it from the others. @param evidence for it. */
type Open = (like: ParticipantRecord, which: string, evidence: Evidence) => ParticipantRecord;

export class PerNodeComponents {
  readonly #clientsAt: (address: string) => readonly ParticipantRecord[];
  readonly #open: Open;
  readonly #byConnection = new BoundedMap<number, ConnectionNode>(MAX_CONNECTIONS, 'nodes of connections');
  readonly #shared = new WeakMap<ParticipantRecord, SharedAddress>();
  /** By address; null: several nodes list it as theirs. */
  readonly #nodes = new BoundedMap<string, { readonly node: string; readonly evidence: Evidence } | null>(
    MAX_ADDRESSES,
    'nodes of addresses',
  );

  /** @param clientsAt the programs that send from an address. */
  constructor(clientsAt: (address: string) => readonly ParticipantRecord[], open: Open) {
    this.#clientsAt = clientsAt;
    this.#open = open;
  }

  /** @param program as its address has it. @returns it, where its connections can be no other node's. */
  on(program: ParticipantRecord, connection: number): ParticipantRecord {
    if (!program.perNode || program.isFixed) return program;
    const known = this.#byConnection.get(connection);
    // Two components on one connection: a program that forwards for many is no node's.
    if (known !== undefined) return known.like === program ? known.record : program;
    const record = ParticipantRecord.linkedTo(program, 'likely');
    const opened: ConnectionNode = { like: program, record, node: null, isMixed: false };
    record.resolveBy(() => this.#sharing(opened));
    this.#byConnection.set(connection, opened);
    return record;
  }

  /** Which of the programs of several nodes is at the other end; null: the address is one node's, as far as is known. */
  #sharing({ like, node, isMixed }: ConnectionNode): ParticipantRecord | null {
    const shared = this.#shared.get(like);
    if (shared === undefined) return null;
    const own = node === null || isMixed ? undefined : shared.byNode.get(node);
    return own ?? shared.unknown;
  }

  /**
   * A program was found to serve a node. @param connection over which it showed.
   * @returns takes it back, if that did not show it after all; null: nothing new.
   */
  learn(participant: ParticipantRecord, node: string, evidence: Evidence, connection?: number): (() => void) | null {
    const known = connection === undefined ? undefined : this.#byConnection.get(connection);
    const isFirst = known !== undefined && known.node === null;
    const program = known === undefined ? participant.find() : this.#behind(known, node, evidence);
    const takeBack = (): void => {
      // The only node that was shown does not exist.
      if (isFirst && !known.isMixed) known.node = null;
      // A program that is distinguished by its node stays the same when it is seen again.
      if (known === undefined || known.like === program) program?.retractNode(node, evidence);
    };
    if (program === null || !program.perNode) return isFirst ? takeBack : null;
    if (known === undefined) {
      if (program.node === node) return null;
      // One address of several hosts that were captured: it is no one's.
      if (program.address === LOCALHOST && program.node !== null) program.isShared = true;
      program.node = program.isShared ? null : node;
      if (program.isShared) return null;
    }
    program.addEvidence(evidence);
    if (program.component === KUBELET) for (const one of this.#clientsAt(program.address)) this.place(one);
    return takeBack;
  }

  /** A Node lists an address as its own. @param programs that are known there. */
  nodeIsAt(node: string, address: string, frame: number, programs: readonly ParticipantRecord[]): void {
    const known = this.#nodes.get(address);
    if (known !== undefined && (known === null || known.node === node)) return;
    const evidence = proven(`Node ${node} has address ${address}`, frame);
    this.#nodes.set(address, known === undefined ? { node, evidence } : null);
    for (const program of programs) this.answers(program);
  }

  /** A program serves on its address. A client from that address may be on another node, behind a load balancer on this one. */
  answers(program: ParticipantRecord): void {
    if (!program.perNode || program.node !== null || program.isShared || !program.isServer) return;
    const at = this.#nodes.get(program.address);
    if (at === undefined || at === null) return;
    program.node = at.node;
    program.addEvidence(at.evidence);
  }

  /** A runtime does not name its node: it is the node of the only kubelet on its address. */
  place(runtime: ParticipantRecord): void {
    if (runtime.component !== RUNTIME || runtime.node !== null) return;
    const kubelets = this.#clientsAt(runtime.address).filter((one) => one.component === KUBELET && one.node !== null);
    if (kubelets.length !== 1) return;
    runtime.node = kubelets[0].node;
    runtime.addEvidence(proven(`on the address of ${kubelets[0].name}`, null));
  }

  /** The program of the node that a connection showed. @returns null: nothing new. */
  #behind(known: ConnectionNode, node: string, evidence: Evidence): ParticipantRecord | null {
    const { like } = known;
    if (known.node === node) return null;
    known.isMixed ||= known.node !== null;
    known.node = node;
    if (like.node === node) return null;
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
    const own = this.#open(like, node, evidence);
    own.node = node;
    shared.byNode.set(node, own);
    return own;
  }
}

const UNKNOWN = proven('one of several nodes on this address', null);
const KUBELET = 'kubelet';
const RUNTIME = 'container-runtime';
/** Limit: connections of per-node components, each with its node; a forgotten one shows its node again. 0.4 KiB each. */
const MAX_CONNECTIONS = 20_000;
/** Limit: addresses that Nodes list as theirs. */
const MAX_ADDRESSES = 20_000;
/** Limit: nodes behind one address. */
const MAX_NODES = 5000;
