// Identifies the receivers of watches that were opened before the capture, by the programs at their address and by what they
// receive (docs/adr/0005-listeners.md).

import { flattenString } from '../../../core/bytes/bytes.js';
import { BoundedMap } from '../../../core/collections/bounded.js';
import { ParticipantRecord, proven } from '../../participants/participant-record.js';

/** The receivers, by connection. */
export class UnidentifiedWatchers {
  readonly #known = new BoundedMap<number, ParticipantRecord>(MAX_WATCHERS, 'watchers without a name');
  /** Those of one host that stay unknown are one participant. */
  readonly #unknown = new BoundedMap<string, number>(MAX_WATCHERS, 'watches of clients without a name');

  /** The participant id that those of one host have while they are unknown; undefined: it has none. */
  unknownAt(host: string): number | undefined {
    return this.#unknown.get(host);
  }

  /**
   * A receiver is a per-node component where that component alone sends from the address and is the one that watches such objects;
   * programs on a control plane's host may be silent for long, so that nothing is proof there.
   * @param host of its address. @param candidates programs that send from there; grows.
   * @param newId returns the id of a new participant.
   */
  of(
    connection: number,
    address: string,
    frame: number,
    host: string,
    candidates: readonly ParticipantRecord[],
    newId: () => number,
  ): ParticipantRecord {
    const known = this.#known.get(connection);
    if (known !== undefined) return known;
    let id = this.#unknown.get(host);
    if (id === undefined) {
      id = newId();
      this.#unknown.set(flattenString(host), id);
    }
    const watcher: ParticipantRecord = new ParticipantRecord(id, `client ${address}`, address, {
      get claim() {
        return watcher.receivesEvents ? RECEIVES_EVENTS : RECEIVES_ANSWER;
      },
      strength: 'address',
      frame,
    });
    watcher.isMidSession = true;
    watcher.resolveBy(
      () => soleWatcher(candidates, watcher.watchedKind),
      proven('receives on its address events of a watch from before the capture', frame),
    );
    this.#known.set(connection, watcher);
    return watcher;
  }
}

/** @param kind the first that was received. */
function soleWatcher(candidates: readonly ParticipantRecord[], kind: string | null): ParticipantRecord | null {
  if (candidates.length !== 1 || kind === null) return null;
  return WATCHERS.get(kind) === candidates[0].component ? candidates[0] : null;
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

/** Before an event was read, the stream may be any answer. */
const RECEIVES_ANSWER = 'receives an answer whose request was before the capture';
const RECEIVES_EVENTS = 'receives events of a watch from before the capture';
/** Limit: connections whose stream was opened before the capture, 0.5 KiB each. */
const MAX_WATCHERS = 20_000;
