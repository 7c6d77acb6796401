// Records which Pod and container the runtime's ids belong to.

import { RecentMap } from '../../../core/collections/bounded.js';

export interface PodIdentity {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

export interface ContainerIdentity {
  readonly name: string;
  readonly podSandboxId: string;
  readonly pod: PodIdentity | undefined;
  readonly image: string;
}

export class CriKnown {
  readonly #sandboxes = new RecentMap<string, PodIdentity>(MAX_IDS);
  readonly #containers = new RecentMap<string, ContainerIdentity>(MAX_IDS);

  sandbox(id: string): PodIdentity | undefined {
    return this.#sandboxes.get(id);
  }

  container(id: string): ContainerIdentity | undefined {
    return this.#containers.get(id);
  }

  learnSandbox(id: string, pod: PodIdentity): void {
    if (id === '' || pod.name === '' || this.#sandboxes.has(id)) return;
    this.#sandboxes.set(id, pod);
  }

  learnContainer(id: string, container: ContainerIdentity): void {
    if (id === '' || container.name === '') return;
    const known = this.#containers.get(id);
    if (known !== undefined && (known.pod !== undefined || container.pod === undefined)) return;
    this.#containers.set(id, container);
  }
}

/** Limit: sandboxes, and containers, whose Pod is known: a node runs some hundred Pods at a time, and may start each many times. */
const MAX_IDS = 20_000;
