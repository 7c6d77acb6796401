// Tracks which Pod or Service has an address, as the API server reports them in the course of the capture. A Pod of its
// host's network has no address of its own.
//
// Late evidence corrects names in diagrams: a participant at an address not known yet becomes the Pod that had the address
// by then. Addresses are reused, so a Pod that was created later does not count.

import { BoundedSet, RecentMap } from '../../../core/collections/bounded.js';
import { objectText } from '../../api/object-ref.js';
import type { ObjectInfo } from '../../objects/object-info.js';
import { type Evidence, ParticipantRecord, proven } from '../../participants/participant-record.js';
import { type PlaceKind, placeName } from '../../participants/place-name.js';
import { type AddressClaim, claimsOf, mayClaimAddresses, type NamedWorkload } from './address-claims.js';

interface Owner {
  readonly place: ParticipantRecord;
  readonly key: string;
  /** An EndpointSlice follows the Pod's own status, and may be out of date. */
  readonly source: 'own' | 'slice';
}

/** A participant at an address: named by its requests or its address until an object claims the address. */
interface Unresolved {
  readonly record: ParticipantRecord;
  /** ns of the capture: the first message from or to it. */
  readonly since: bigint;
}

/** What of a claim gives an address to a Pod or a Service. */
interface Ownership {
  readonly kind: PlaceKind;
  readonly object: NamedWorkload;
  /** Seconds since the epoch; null: not known, so nothing earlier is corrected. */
  readonly created: number | null;
}

export interface AddressesOptions {
  /** Gives the next participant's number. */
  readonly nextId: () => number;
  /** Does a program of the host itself have the address? */
  readonly isHost: (address: string) => boolean;
  /** A Node lists an address as its own. */
  readonly onNode: (node: string, address: string, frame: number) => void;
}

export class Addresses {
  readonly #options: AddressesOptions;
  readonly #owners = new RecentMap<string, Owner>(MAX_ADDRESSES);
  readonly #hosts = new BoundedSet<string>(MAX_ADDRESSES, 'addresses of hosts in objects');
  readonly #places = new RecentMap<string, ParticipantRecord>(MAX_ADDRESSES);
  /** By uid: version that was read last, as every watcher receives the same. */
  readonly #read = new RecentMap<string, string>(MAX_ADDRESSES);
  /** By uid of a Pod whose containers have ended: the first such version. */
  readonly #ended = new RecentMap<string, string>(MAX_ADDRESSES);
  /** By address: participants there before its owner was known. */
  readonly #unresolved = new Map<string, Map<ParticipantRecord, Unresolved>>();
  #unresolvedCount = 0;

  constructor(options: AddressesOptions) {
    this.#options = options;
  }

  /** @param bytes of an object or a list from the API server, borrowed. @param frame where it ended. */
  learn(
    bytes: Uint8Array,
    contentType: string,
    { apiVersion, kind, uid, resourceVersion }: ObjectInfo,
    deleted: boolean,
    frame: number,
  ): void {
    if (bytes.length === 0 || !mayClaimAddresses(apiVersion, kind)) return;
    if (uid !== undefined && resourceVersion !== undefined) {
      const version = deleted ? `${resourceVersion} deleted` : resourceVersion;
      if (this.#read.get(uid) === version) return;
      put(this.#read, uid, version);
    }
    for (const claim of claimsOf(bytes, contentType, apiVersion, kind)) {
      this.#apply(claim, deleted, frame);
      if (claim.kind === 'Pod' && claim.ended && !this.#ended.has(claim.object.uid))
        put(this.#ended, claim.object.uid, resourceVersion ?? '');
    }
  }

  /** The first version in which all containers of a Pod had ended: its own, or that of a list; undefined: none. */
  endedSince(uid: string): string | undefined {
    return this.#ended.get(uid);
  }

  /** The Pod or Service that has the address now. */
  placeAt(address: string): ParticipantRecord | undefined {
    const owner = this.#owners.get(address);
    if (owner === undefined) return undefined;
    if (owner.place.component === 'Pod' && this.#isHost(address)) return undefined;
    return owner.place;
  }

  /** A Pod or a Service, and not the API server's own. */
  isWorkload(address: string): boolean {
    const place = this.placeAt(address);
    return place !== undefined && place.name !== API_SERVICE;
  }

  isService(address: string): boolean {
    return this.#owners.get(address)?.place.component === 'Service';
  }

  /** A Pod, whatever its address. */
  podNamed(object: NamedWorkload, evidence: Evidence): ParticipantRecord {
    const place = this.#placeFor(keyOf('Pod', object), 'Pod', object);
    place.addEvidence(evidence);
    return place;
  }

  /** The participant at an address: its owner, else `known`, which may be resolved to the owner later. */
  participantAt(address: string, known: ParticipantRecord, time: bigint): ParticipantRecord {
    const place = this.placeAt(address);
    if (place !== undefined) return place;
    if (this.#isHost(address)) return known;
    let participants = this.#unresolved.get(address);
    if (participants === undefined) {
      if (this.#unresolvedCount >= MAX_ADDRESSES) this.#forgetUnresolved();
      participants = new Map();
      this.#unresolved.set(address, participants);
    }
    let participant = participants.get(known);
    if (participant === undefined) {
      participant = { record: ParticipantRecord.linkedTo(known, 'likely'), since: time };
      participants.set(known, participant);
      this.#unresolvedCount += 1;
    }
    return participant.record;
  }

  #apply(claim: AddressClaim, deleted: boolean, frame: number): void {
    switch (claim.kind) {
      case 'Node':
        for (const address of claim.addresses) {
          this.#host(address);
          if (!deleted && claim.object.name !== '') this.#options.onNode(claim.object.name, address, frame);
        }
        return;
      case 'EndpointSlice':
        if (deleted) return;
        for (const { addresses, pod } of claim.endpoints) {
          const isPod = `of EndpointSlice ${claim.object.name} is Pod ${pod.name}`;
          for (const address of addresses) {
            const evidence = proven(`endpoint ${address} ${isPod}`, frame);
            this.#assign(address, { kind: 'Pod', object: pod, created: null }, 'slice', evidence);
          }
        }
        return;
      case 'Pod':
        for (const address of claim.hosts) this.#host(address);
        if (deleted || claim.ended) this.#release(keyOf('Pod', claim.object), claim.addresses);
        else {
          for (const address of claim.addresses)
            this.#assign(address, claim, 'own', proven(`has podIP ${address} in its status`, frame));
        }
        return;
      case 'Service':
        if (deleted) this.#release(keyOf('Service', claim.object), claim.addresses);
        else {
          for (const address of claim.addresses)
            this.#assign(address, claim, 'own', proven(`has address ${address} in its spec`, frame));
        }
    }
  }

  #assign(address: string, { kind, object, created }: Ownership, source: Owner['source'], evidence: Evidence): void {
    const key = keyOf(kind, object);
    const before = this.#owners.get(address);
    if (before !== undefined && before.key !== key && source === 'slice' && before.source === 'own') return;
    const place = this.#placeFor(key, kind, object);
    place.addEvidence(evidence);
    if (before?.key !== key || (before.source === 'slice' && source === 'own'))
      put(this.#owners, address, { place, key, source });
    if (created !== null) this.#correct(address, place, created);
  }

  #placeFor(key: string, kind: PlaceKind, object: NamedWorkload): ParticipantRecord {
    let place = this.#places.get(key);
    if (place === undefined) {
      place = new ParticipantRecord(this.#options.nextId(), kind, '', null);
      place.givenName = placeName(kind, object);
      put(this.#places, key, place);
    }
    return place;
  }

  /** Resolves earlier participants at the address, if the object existed by then. */
  #correct(address: string, place: ParticipantRecord, created: number): void {
    const participants = this.#unresolved.get(address);
    if (participants === undefined || (place.component === 'Pod' && this.#isHost(address))) return;
    const createdNs = BigInt(created) * 1_000_000_000n;
    for (const { record, since } of participants.values())
      if (createdNs <= since + CLOCK_SLACK_NS) record.link(place, 'proven');
    this.#unresolvedCount -= participants.size;
    this.#unresolved.delete(address);
  }

  #release(key: string, addresses: readonly string[]): void {
    for (const address of addresses) if (this.#owners.get(address)?.key === key) this.#owners.delete(address);
  }

  #isHost(address: string): boolean {
    return this.#hosts.has(address) || this.#options.isHost(address);
  }

  #host(address: string): void {
    this.#hosts.add(address);
  }

  #forgetUnresolved(): void {
    this.#unresolved.clear();
    this.#unresolvedCount = 0;
  }
}

const API_SERVICE = placeName('Service', { namespace: 'default', name: 'kubernetes' });

/** By uid where it is known: another object of the same name may follow. */
function keyOf(kind: PlaceKind, { namespace, name, uid }: NamedWorkload): string {
  return uid === '' ? objectText(kind, namespace, name) : uid;
}

/** Sets a value and makes it the newest. */
function put<V>(map: Map<string, V>, key: string, value: V): void {
  map.delete(key);
  map.set(key, value);
}

/**
 * Limit: addresses, Pods and Services that are known, the first one learnt is dropped first: a cluster at its tested size has 150,000
 * Pods (kubernetes.io, "Considerations for large clusters"), a capture sees some.
 */
const MAX_ADDRESSES = 50_000;
/**
 * Limit in ns: how much later than its first message a Pod's creationTimestamp may be, which has whole seconds and comes from another
 * clock than the capture's.
 */
const CLOCK_SLACK_NS = 1_000_000_000n;
