// Records which Pod and container the runtime's ids belong to.

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
  readonly #sandboxes = new Map<string, PodIdentity>();
  readonly #containers = new Map<string, ContainerIdentity>();

  sandbox(id: string): PodIdentity | undefined {
    return this.#sandboxes.get(id);
  }

  container(id: string): ContainerIdentity | undefined {
    return this.#containers.get(id);
  }

  learnSandbox(id: string, pod: PodIdentity): void {
    if (id === '' || pod.name === '' || this.#sandboxes.has(id)) return;
    remember(this.#sandboxes, id, pod);
  }

  learnContainer(id: string, container: ContainerIdentity): void {
    if (id === '' || container.name === '') return;
    const known = this.#containers.get(id);
    if (known !== undefined && (known.pod !== undefined || container.pod === undefined)) return;
    remember(this.#containers, id, container);
  }
}

function remember<T>(map: Map<string, T>, id: string, value: T): void {
  if (map.size >= MAX_IDS) map.delete(map.keys().next().value as string);
  map.set(id, value);
}

/** A node runs some hundred Pods at a time; each of them may be started anew many times. */
const MAX_IDS = 20_000;
