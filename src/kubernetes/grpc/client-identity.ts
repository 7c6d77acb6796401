// Identifies the clients of etcd and of container runtimes by their requests, as they send no distinct User-Agent. Evidence
// that comes late corrects diagrams, not lines that were printed.

import { isLoopback } from '../../core/address.js';
import { BoundedMap, RecentMap } from '../../core/collections/bounded.js';
import type { ExchangeContext } from '../exchange-context.js';
import { type Aggregation, isForeignGroup } from '../hops/aggregation.js';
import { API_SERVER } from '../identity/components.js';
import { addressOf } from '../identity/hosts.js';
import type { ParticipantRegistry } from '../identity/participant-registry.js';
import { UnidentifiedWatcher } from '../identity/unidentified-watchers.js';
import type { Draft } from '../messages/draft.js';
import type { Participant } from '../messages/message.js';
import { hasPrefixOfItsOwn, REGISTRY, storedAs } from './etcd/keys.js';
import type { RpcPayload } from './payload.js';
import { ResolvableParticipant } from './resolvable-participant.js';

export class RpcClientIdentity {
  readonly #participants: ParticipantRegistry;
  readonly #aggregation: Aggregation;
  /** By protocol and address: clients of one server role on one host are taken for one. */
  readonly #known = new BoundedMap<string, ResolvableParticipant>(MAX_CLIENTS);
  /** By connection: of several programs on one host, or on the loopbacks of several hosts, each has its own. */
  readonly #byConnection = new BoundedMap<number, ResolvableParticipant>(MAX_CLIENTS);
  /** By uid of a Pod: the kubelet that received it. */
  readonly #kubelets = new RecentMap<string, Participant>(MAX_PODS);

  constructor(participants: ParticipantRegistry, aggregation: Aggregation) {
    this.#participants = participants;
    this.#aggregation = aggregation;
  }

  of(context: ExchangeContext, frame: number): ResolvableParticipant {
    const { connection } = context;
    let known = this.#byConnection.get(connection.id);
    if (known === undefined) {
      known = new ResolvableParticipant(this.#onHost(context, frame), false);
      this.#byConnection.set(connection.id, known);
    }
    return known;
  }

  #onHost(
    { role, client: current, server: callee, connection: { client, server } }: ExchangeContext,
    frame: number,
  ): ResolvableParticipant {
    const isNamed = !(current instanceof UnidentifiedWatcher) && !current.component.startsWith(ANONYMOUS);
    const key = `${role.protocol} ${addressOf(client)} ${isNamed ? current.name : ''}`;
    let known = this.#known.get(key);
    if (known === undefined) {
      known = new ResolvableParticipant(current, isNamed);
      if (role.isClientToo !== undefined && !isNamed) {
        const evidence = `calls the ${callee.component} on port ${server.port} (frame ${frame})`;
        known.assume(this.#participants.concludedAs(role.isClientToo, addressOf(client), evidence));
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
  learn(context: ExchangeContext, client: ResolvableParticipant, what: RpcPayload, frame: number): void {
    const { role, server, connection } = context;
    if (client.proven) {
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
      if (!isLoopback(addressOf(connection.client)) && !onHost.proven) onHost.resolve(kubelet);
      // Each of its connections proves it; one piece of evidence is enough.
      if (!kubelet.evidence.some((one) => one.startsWith(HAS_POD)))
        this.#participants.addEvidence(
          kubelet,
          `${HAS_POD} ${what.object.name} run, as requested of it (frame ${frame})`,
        );
      client.resolve(kubelet);
      this.#isOnNode(server, kubelet);
    }
  }

  /** A runtime is called by the kubelet of its own node. */
  #isOnNode(runtime: Participant, kubelet: Participant): void {
    const node = this.#participants.nodeOf(kubelet);
    if (node !== null) this.#participants.learnNode(runtime, node, `is called by the kubelet of ${node}`);
  }

  /** The API server whose objects are under a key: those of a group that is not built in may be an aggregated one's. */
  #resolveKeeper(
    key: string,
    onHost: ResolvableParticipant,
    client: ResolvableParticipant,
    address: string,
    frame: number,
  ): void {
    const group = storedAs(key)?.apiGroup;
    const isNamed = onHost.proven && onHost.component !== API_SERVER;
    if (!isNamed && group !== undefined && isForeignGroup(group)) {
      const keeper = this.#aggregation.keeperOf(group);
      if (keeper === null) {
        if (hasPrefixOfItsOwn(key)) client.assume(this.#participants.client(address, undefined, frame));
        return;
      }
      this.#participants.addEvidence(keeper, `keeps objects of ${group} in etcd (frame ${frame})`);
      client.resolve(keeper);
      return;
    }
    if (!onHost.proven) {
      const evidence = `keeps its objects in etcd: keys under ${REGISTRY} (frame ${frame})`;
      onHost.resolve(this.#participants.concludedAs(API_SERVER, address, evidence));
    }
    client.resolve(onHost);
  }
}

const HAS_POD = 'has Pod';
/** Begins the name of a client of which only the address is known. */
const ANONYMOUS = 'client ';
/** Addresses of API servers and nodes. */
const MAX_CLIENTS = 10_000;
/** Pods whose kubelet is remembered until its runtime runs them. */
const MAX_PODS = 50_000;
