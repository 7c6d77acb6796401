// Who calls etcd and the container runtime: nobody says so in a User-Agent, but what is asked gives it away. Knows the
// habits of the API server and the kubelet; evidence that comes late corrects pictures, not lines already printed.

import { isLoopback } from '../../core/address.js';
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
  /** By door and address: programs of one host that use one door are taken for one. */
  readonly #known = new Map<string, ResolvableParticipant>();
  /** By connection: of several programs on one host, or on the loopbacks of several hosts, each has its own. */
  readonly #byConnection = new Map<number, ResolvableParticipant>();
  /** Kubelets by the Pods that were told to them. */
  readonly #kubelets = new Map<string, Participant>();

  constructor(participants: ParticipantRegistry, aggregation: Aggregation) {
    this.#participants = participants;
    this.#aggregation = aggregation;
  }

  of(context: ExchangeContext, frame: number): ResolvableParticipant {
    const { connection } = context;
    let known = this.#byConnection.get(connection.id);
    if (known === undefined) {
      if (this.#byConnection.size >= MAX_CLIENTS) this.#byConnection.clear();
      known = new ResolvableParticipant(this.#onHost(context, frame), false);
      this.#byConnection.set(connection.id, known);
    }
    return known;
  }

  #onHost(
    { role, client: said, server: serves, connection: { client, server } }: ExchangeContext,
    frame: number,
  ): ResolvableParticipant {
    const isNamed = !(said instanceof UnidentifiedWatcher) && !said.component.startsWith(ANONYMOUS);
    const key = `${role.protocol} ${addressOf(client)} ${isNamed ? said.name : ''}`;
    let known = this.#known.get(key);
    if (known === undefined) {
      if (this.#known.size >= MAX_CLIENTS) this.#known.clear();
      known = new ResolvableParticipant(said, isNamed);
      if (role.isClientToo !== undefined && !isNamed) {
        const evidence = `calls the ${serves.component} on port ${server.port} (frame ${frame})`;
        known.assume(this.#participants.concludedAs(role.isClientToo, addressOf(client), evidence));
      }
      this.#known.set(key, known);
    }
    return known;
  }

  /** A Pod that is told to a kubelet is one that its runtime will be asked to run. */
  heard({ object }: Draft, { client }: ExchangeContext): void {
    if (object?.kind !== 'Pod' || object.uid == null || client.component !== 'kubelet') return;
    if (this.#kubelets.size >= MAX_PODS) this.#kubelets.delete(this.#kubelets.keys().next().value as string);
    this.#kubelets.set(object.uid, client);
  }

  /** @param what a message of the call says. @param frame that it ended in. */
  learn(context: ExchangeContext, client: ResolvableParticipant, what: RpcPayload, frame: number): void {
    const { role, server, connection } = context;
    if (client.proven) {
      if (role.protocol === 'cri') this.#isOnNode(server, client);
      return;
    }
    if (role.protocol === 'etcd' && what.key?.startsWith(REGISTRY) === true) {
      this.#keeps(what.key, this.#onHost(context, frame), client, addressOf(connection.client), frame);
    } else if (role.protocol === 'cri' && what.object?.uid != null) {
      const kubelet = this.#kubelets.get(what.object.uid);
      if (kubelet === undefined) return;
      const onHost = this.#onHost(context, frame);
      // Several hosts that were captured have each a loopback of its own.
      if (!isLoopback(addressOf(connection.client)) && !onHost.proven) onHost.resolve(kubelet);
      // Each of its connections shows it; once is enough to be believed.
      if (!kubelet.evidence.some((one) => one.startsWith(HAS_POD)))
        this.#participants.addEvidence(
          kubelet,
          `${HAS_POD} ${what.object.name} run, as requested of it (frame ${frame})`,
        );
      client.resolve(kubelet);
      this.#isOnNode(server, kubelet);
    }
  }

  /** A runtime is asked by the kubelet of its own node. */
  #isOnNode(runtime: Participant, kubelet: Participant): void {
    const node = this.#participants.nodeOf(kubelet);
    if (node !== null) this.#participants.learnNode(runtime, node, `is called by the kubelet of ${node}`);
  }

  /** Whose objects are kept under a key: those of a group that is not built in may be an aggregated API server's. */
  #keeps(
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
