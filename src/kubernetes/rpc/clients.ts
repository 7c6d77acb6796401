// Who calls etcd and the container runtime: nobody says so in a User-Agent, but what is asked gives it away. Knows the
// habits of the API server and the kubelet; evidence that comes late corrects pictures, not lines already printed.

import type { Connection } from '../../tcp/stream-event.js';
import type { Draft } from '../draft.js';
import type { Speaker } from '../message.js';
import type { Speakers } from '../speakers.js';
import type { Talk } from '../talk.js';
import { REGISTRY } from './keys.js';
import { KnownLater } from './known-later.js';
import type { Said } from './said.js';

export class Clients {
  readonly #speakers: Speakers;
  /** By door and address: programs of one host that use one door are taken for one. */
  readonly #known = new Map<string, KnownLater>();
  /** Kubelets by the Pods that were told to them. */
  readonly #kubelets = new Map<string, Speaker>();

  constructor(speakers: Speakers) {
    this.#speakers = speakers;
  }

  of({ client, server }: Connection, { door, client: said, server: serves }: Talk): KnownLater {
    const isNamed = !said.component.startsWith(ANONYMOUS);
    const key = `${door.protocol} ${client.address} ${isNamed ? said.name : ''}`;
    let known = this.#known.get(key);
    if (known === undefined) {
      if (this.#known.size >= MAX_CLIENTS) this.#known.clear();
      known = new KnownLater(said, isNamed);
      if (door.protocol === 'cri' && !isNamed) {
        const evidence = `calls the ${serves.component} on port ${server.port}`;
        known.suppose(this.#speakers.concluded('kubelet', client.address, evidence));
      }
      this.#known.set(key, known);
    }
    return known;
  }

  /** A Pod that is told to a kubelet is one that its runtime will be asked to run. */
  heard({ object }: Draft, { client }: Talk): void {
    if (object?.kind !== 'Pod' || object.uid == null || client.component !== 'kubelet') return;
    if (this.#kubelets.size >= MAX_PODS) this.#kubelets.delete(this.#kubelets.keys().next().value as string);
    this.#kubelets.set(object.uid, client);
  }

  /** @param what a message of the call says. @param frame that it ended in. */
  learn(
    { door, server }: Talk,
    { client: { address } }: Connection,
    client: KnownLater,
    what: Said,
    frame: number,
  ): void {
    if (client.proven) return;
    if (door.protocol === 'etcd' && what.key?.startsWith(REGISTRY) === true) {
      const evidence = `keeps its objects in etcd: keys under ${REGISTRY} (frame ${frame})`;
      client.prove(this.#speakers.concluded('kube-apiserver', address, evidence));
    } else if (door.protocol === 'cri' && what.object?.uid != null) {
      const kubelet = this.#kubelets.get(what.object.uid);
      if (kubelet === undefined) return;
      const evidence = `has Pod ${what.object.name} run, which was told to it (frame ${frame})`;
      this.#speakers.learn(kubelet, evidence);
      client.prove(kubelet);
      const node = this.#speakers.nodeOf(kubelet);
      if (node !== null)
        this.#speakers.learnNode(server, node, `runs Pod ${what.object.name} of ${node} (frame ${frame})`);
    }
  }
}

/** Begins the name of a client of which only the address is known. */
const ANONYMOUS = 'client ';
/** Addresses of API servers and nodes. */
const MAX_CLIENTS = 10_000;
/** Pods whose kubelet is remembered until its runtime runs them. */
const MAX_PODS = 50_000;
