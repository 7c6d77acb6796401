// Identifies the receivers of watches that were opened before the capture, by the programs at their address and by what they
// receive (docs/adr/0005-listeners.md).

import { flattenString } from '../../core/bytes/bytes.js';
import { BoundedMap } from '../../core/collections/bounded.js';
import type { Participant, Tier } from '../messages/message.js';
import type { ProcessParticipant } from './process-participant.js';

/** The receivers, by connection. */
export class UnidentifiedWatchers {
  readonly #known = new BoundedMap<number, UnidentifiedWatcher>(MAX_LISTENERS);
  /** Those of one host that stay unknown are one participant. */
  readonly #unknown = new BoundedMap<string, number>(MAX_LISTENERS);

  /**
   * @param host of its address. @param candidates programs that send from there; grows.
   * @param newId returns the id of a new participant.
   */
  of(
    connection: number,
    address: string,
    frame: number,
    host: string,
    candidates: readonly ProcessParticipant[],
    newId: () => number,
  ): UnidentifiedWatcher {
    const known = this.#known.get(connection);
    if (known !== undefined) return known;
    let id = this.#unknown.get(host);
    if (id === undefined) {
      id = newId();
      this.#unknown.set(flattenString(host), id);
    }
    const watcher = new UnidentifiedWatcher(id, `client ${address}`, candidates, frame);
    this.#known.set(connection, watcher);
    return watcher;
  }
}

/**
 * A receiver without a name. It is a per-node component where that component alone sends from the address and is the one that
 * watches such objects; programs on a control plane's host may be silent for long, so that nothing is proof there.
 */
export class UnidentifiedWatcher implements Participant {
  readonly perNode = false;
  /** The first kind that was received. */
  #kind: string | null = null;

  constructor(
    private readonly ownId: number,
    private readonly unknown: string,
    private readonly candidates: readonly ProcessParticipant[],
    private readonly frame: number,
  ) {}

  get id(): number {
    return this.#found?.id ?? this.ownId;
  }

  get component(): string {
    return this.#found?.component ?? this.unknown;
  }

  get name(): string {
    return this.#found?.name ?? this.unknown;
  }

  /** A watch from before the capture is rarely a person's. */
  get tier(): Tier {
    return this.#found?.tier ?? 'others';
  }

  get shortId(): string | null {
    return this.#found?.shortId ?? null;
  }

  get process(): Participant {
    return this.#found ?? this;
  }

  /** It receives objects of a kind. */
  receives(kind: string): void {
    this.#kind ??= kind;
  }

  get evidence(): readonly string[] {
    const found = this.#found;
    if (found === undefined) return [`receives events of a watch from before the capture (frame ${this.frame})`];
    return [
      ...found.evidence,
      `receives on its address events of a watch from before the capture (frame ${this.frame})`,
    ];
  }

  /** Identified by other evidence than its User-Agent. */
  get concluded(): boolean {
    return this.#found !== undefined;
  }

  get #found(): ProcessParticipant | undefined {
    const [only] = this.candidates;
    const isIt = this.candidates.length === 1 && this.#kind !== null && WATCHERS.get(this.#kind) === only.component;
    return isIt ? only : undefined;
  }
}

/** Which per-node component watches a kind; kinds that several watch are left out (pkg/kubelet/kubelet.go, pkg/proxy/config). */
const WATCHERS = new Map([
  ['Pod', 'kubelet'],
  ['ConfigMap', 'kubelet'],
  ['Secret', 'kubelet'],
  ['RuntimeClass', 'kubelet'],
  ['CSIDriver', 'kubelet'],
  ['EndpointSlice', 'kube-proxy'],
]);

/** Connections of which the beginning was not seen. 0.2 KiB each. */
const MAX_LISTENERS = 20_000;
