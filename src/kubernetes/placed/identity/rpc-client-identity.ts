// Identifies the clients of etcd and of container runtimes by their requests, as they send no distinct User-Agent. Evidence
// that comes late corrects diagrams, not lines that were printed.

import { isLoopback } from '../../../core/address.js';
import { BoundedMap, RecentMap } from '../../../core/collections/bounded.js';
import type { Draft } from '../../messages/draft.js';
import type { ExchangeContext } from '../../messages/exchange-context.js';
import { hasPrefixOfItsOwn, REGISTRY, storedAs } from '../../observed/grpc/etcd/keys.js';
import type { RpcPayload } from '../../observed/grpc/payload.js';
import { API_SERVER } from '../../participants/components.js';
import { addressOf } from '../../participants/hosts.js';
import { ParticipantRecord, proven } from '../../participants/participant-record.js';
import { type Aggregation, isForeignGroup } from '../hops/aggregation.js';
import type { ParticipantRegistry } from './participant-registry.js';

export class RpcClientIdentity {
  readonly #participants: ParticipantRegistry;
  readonly #aggregation: Aggregation;
  /** By protocol and address: clients of one server role on one host are taken for one. */
  readonly #known = new BoundedMap<string, ParticipantRecord>(MAX_CLIENTS, 'clients of runtimes and stores');
  /** By connection: of several programs on one host, or on the loopbacks of several hosts, each has its own. */
  readonly #byConnection = new BoundedMap<number, ParticipantRecord>(MAX_CLIENTS, 'clients of connections');
  /** By uid of a Pod: the kubelet that received it. */
  readonly #kubelets = new RecentMap<string, ParticipantRecord>(MAX_PODS);

  constructor(participants: ParticipantRegistry, aggregation: Aggregation) {
    this.#participants = participants;
    this.#aggregation = aggregation;
  }

  of(context: ExchangeContext, frame: number): ParticipantRecord {
    const { connection } = context;
    let known = this.#byConnection.get(connection.id);
    if (known === undefined) {
      known = ParticipantRecord.linkedTo(this.#onHost(context, frame), 'likely');
      this.#byConnection.set(connection.id, known);
    }
    return known;
  }

  #onHost(
    { role, client: current, server: callee, connection: { client, server } }: ExchangeContext,
    frame: number,
  ): ParticipantRecord {
    const isNamed = !current.isMidSession && !current.isAnonymous;
    const key = `${role.protocol} ${addressOf(client)} ${isNamed ? current.name : ''}`;
    let known = this.#known.get(key);
    if (known === undefined) {
      known = ParticipantRecord.linkedTo(current, isNamed ? 'proven' : 'likely');
      if (role.isClientToo !== undefined && !isNamed) {
        const claim = `calls the ${callee.component} on port ${server.port}`;
        const evidence = { claim, strength: 'likely', frame } as const;
        known.link(this.#participants.concludedAs(role.isClientToo, addressOf(client), evidence), 'likely');
      }
      this.#known.set(key, known);
    }
    return known;
  }

  /** Records a Pod that a kubelet received, which its runtime is to run. */
  observeDelivery({ object }: Draft, { client }: ExchangeContext): void {
    if (object?.kind !== 'Pod' || object.uid == null || client.component !== 'kubelet') return;
    this.#kubelets.set(object.uid, client);
  }

  /** @param what of a message of the call. @param frame that the message ended in. */
  learn(context: ExchangeContext, client: ParticipantRecord, what: RpcPayload, frame: number): void {
    const { role, server, connection } = context;
    if (client.isProven) {
      if (role.protocol === 'cri') this.#isOnNode(server, client);
      return;
    }
    if (role.protocol === 'etcd' && what.key?.startsWith(REGISTRY) === true) {
      this.#resolveKeeper(what.key, this.#onHost(context, frame), client, addressOf(connection.client), frame);
    } else if (role.protocol === 'cri' && what.object?.uid != null) {
      const kubelet = this.#kubelets.get(what.object.uid);
      if (kubelet === undefined) return;
      const onHost = this.#onHost(context, frame);
      // Each captured host has a loopback of its own.
      if (!isLoopback(addressOf(connection.client)) && !onHost.isProven) onHost.link(kubelet, 'proven');
      // Each of its connections proves it; one piece of evidence is enough.
      if (!kubelet.hasEvidence(HAS_POD))
        kubelet.find().addEvidence(proven(`${HAS_POD} ${what.object.name} run, as requested of it`, frame));
      client.link(kubelet, 'proven');
      this.#isOnNode(server, kubelet);
    }
  }

  /** A runtime is called by the kubelet of its own node. */
  #isOnNode(runtime: ParticipantRecord, kubelet: ParticipantRecord): void {
    const { node } = kubelet.process;
    if (node !== null) this.#participants.learnNode(runtime, node, proven(`is called by the kubelet of ${node}`, null));
  }

  /** The API server whose objects are under a key: those of a group that is not built in may be an aggregated one's. */
  #resolveKeeper(
    key: string,
    onHost: ParticipantRecord,
    client: ParticipantRecord,
    address: string,
    frame: number,
  ): void {
    const group = storedAs(key)?.apiGroup;
    const isNamed = onHost.isProven && onHost.component !== API_SERVER;
    if (!isNamed && group !== undefined && isForeignGroup(group)) {
      const keeper = this.#aggregation.keeperOf(group);
      if (keeper === null) {
        if (hasPrefixOfItsOwn(key)) client.link(this.#participants.client(address, undefined, frame), 'likely');
        return;
      }
      keeper.find().addEvidence(proven(`stores objects of ${group} in etcd`, frame));
      client.link(keeper, 'proven');
      return;
    }
    if (!onHost.isProven) {
      const evidence = proven(`stores its objects in etcd under ${REGISTRY}`, frame);
      onHost.link(this.#participants.concludedAs(API_SERVER, address, evidence), 'proven');
    }
    client.link(onHost, 'proven');
  }
}

const HAS_POD = 'has Pod';
/** Limit: addresses that call: those of API servers and nodes. */
const MAX_CLIENTS = 10_000;
/** Limit: Pods whose kubelet is remembered until its runtime runs them. */
const MAX_PODS = 50_000;
