// Whose an address is: Pods by their status, Services by their spec, as the API server told them in the course of the
// capture. Knows objects and addresses; no packets, no exchanges. A Pod of its host's network has no address of its own.
//
// Late evidence corrects names in pictures: who spoke from an address before it was known becomes the Pod that had it by
// then. Addresses are used again, so one that was created later does not count.

import type { Participant } from '../messages/message.js';
import type { ObjectInfo } from '../objects/object-info.js';
import { type AddressClaim, claimsOf, mayClaimAddresses, type NamedWorkload } from './address-claims.js';
import { type PlaceKind, placeName } from './place-name.js';
import { AddressParticipant, WorkloadParticipant } from './workload-participant.js';

interface Owner {
  readonly place: WorkloadParticipant;
  readonly key: string;
  /** An EndpointSlice is told later than the Pod's own status, and may be out of date. */
  readonly said: 'own' | 'slice';
}

export interface AddressesOptions {
  /** Gives the next participant's number. */
  readonly nextId: () => number;
  /** Does a program of the host itself speak from there? */
  readonly isHost: (address: string) => boolean;
  /** A Node says that an address is its own. */
  readonly onNode: (node: string, address: string, frame: number) => void;
}

export class Addresses {
  readonly #options: AddressesOptions;
  readonly #owners = new Map<string, Owner>();
  readonly #hosts = new Set<string>();
  readonly #places = new Map<string, WorkloadParticipant>();
  /** Version of each object that was read: every watcher is told of the same. */
  readonly #read = new Map<string, string>();
  /** By uid of a Pod that has ended: the version that was the first to say so. */
  readonly #ended = new Map<string, string>();
  /** By address: who spoke there while nobody knew whose it is. */
  readonly #unknown = new Map<string, Map<Participant, AddressParticipant>>();
  #waiting = 0;

  constructor(options: AddressesOptions) {
    this.#options = options;
  }

  /**
   * An object or a list as the API server told it.
   * @param bytes borrowed. @param deleted it is no more. @param frame where it ended.
   */
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
    for (const fact of claimsOf(bytes, contentType, apiVersion, kind)) {
      this.#take(fact, deleted, frame);
      if (fact.kind === 'Pod' && fact.ended && !this.#ended.has(fact.object.uid))
        put(this.#ended, fact.object.uid, resourceVersion ?? '');
    }
  }

  /** The version in which all that a Pod ran had ended, as it was told first: its own, or that of a list; undefined: in none. */
  endedSince(uid: string): string | undefined {
    return this.#ended.get(uid);
  }

  /** The Pod or Service that has the address now. */
  placeAt(address: string): WorkloadParticipant | undefined {
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

  /** Who speaks at an address: what has it, else `known`, who may turn out to be it. */
  participantAt(address: string, known: Participant, time: bigint): Participant {
    const place = this.placeAt(address);
    if (place !== undefined) return place;
    if (this.#isHost(address)) return known;
    let there = this.#unknown.get(address);
    if (there === undefined) {
      if (this.#waiting >= MAX_ADDRESSES) this.#forgetUnknown();
      there = new Map();
      this.#unknown.set(address, there);
    }
    let participant = there.get(known);
    if (participant === undefined) {
      participant = new AddressParticipant(known, time);
      there.set(known, participant);
      this.#waiting += 1;
    }
    return participant;
  }

  #take(fact: AddressClaim, deleted: boolean, frame: number): void {
    switch (fact.kind) {
      case 'Node':
        for (const address of fact.addresses) {
          this.#host(address);
          if (!deleted && fact.object.name !== '') this.#options.onNode(fact.object.name, address, frame);
        }
        return;
      case 'EndpointSlice':
        if (deleted) return;
        for (const { addresses, pod } of fact.endpoints) {
          const how = (address: string): string =>
            `endpoint ${address} of EndpointSlice ${fact.object.name} is Pod ${pod.name} (frame ${frame})`;
          for (const address of addresses) this.#own(address, 'Pod', pod, 'slice', how(address), null);
        }
        return;
      case 'Pod':
        for (const address of fact.hosts) this.#host(address);
        if (deleted || fact.ended) this.#release(keyOf('Pod', fact.object), fact.addresses);
        else {
          for (const address of fact.addresses)
            this.#own(
              address,
              'Pod',
              fact.object,
              'own',
              `has podIP ${address} in its status (frame ${frame})`,
              fact.created,
            );
        }
        return;
      case 'Service':
        if (deleted) this.#release(keyOf('Service', fact.object), fact.addresses);
        else {
          for (const address of fact.addresses)
            this.#own(
              address,
              'Service',
              fact.object,
              'own',
              `has address ${address} in its spec (frame ${frame})`,
              fact.created,
            );
        }
    }
  }

  /** @param created seconds since the epoch; null: not known, so nothing earlier is corrected. */
  #own(
    address: string,
    kind: PlaceKind,
    object: NamedWorkload,
    said: Owner['said'],
    how: string,
    created: number | null,
  ): void {
    const key = keyOf(kind, object);
    const before = this.#owners.get(address);
    if (before !== undefined && before.key !== key && said === 'slice' && before.said === 'own') return;
    const place = this.#placeFor(key, kind, object);
    place.learn(how);
    if (before?.key !== key || (before.said === 'slice' && said === 'own')) {
      put(this.#owners, address, { place, key, said });
    }
    if (created !== null) this.#correct(address, place, created);
  }

  #placeFor(key: string, kind: PlaceKind, object: NamedWorkload): WorkloadParticipant {
    let place = this.#places.get(key);
    if (place === undefined) {
      place = new WorkloadParticipant(this.#options.nextId(), kind, object);
      put(this.#places, key, place);
    }
    return place;
  }

  /** Who spoke there before, if the object existed by then. */
  #correct(address: string, place: WorkloadParticipant, created: number): void {
    const there = this.#unknown.get(address);
    if (there === undefined || (place.component === 'Pod' && this.#isHost(address))) return;
    const createdNs = BigInt(created) * 1_000_000_000n;
    for (const participant of there.values())
      if (createdNs <= participant.since + CLOCK_SLACK_NS) participant.resolveTo(place);
    this.#waiting -= there.size;
    this.#unknown.delete(address);
  }

  #release(key: string, addresses: readonly string[]): void {
    for (const address of addresses) if (this.#owners.get(address)?.key === key) this.#owners.delete(address);
  }

  #isHost(address: string): boolean {
    return this.#hosts.has(address) || this.#options.isHost(address);
  }

  #host(address: string): void {
    if (this.#hosts.size >= MAX_ADDRESSES) this.#hosts.clear();
    this.#hosts.add(address);
  }

  #forgetUnknown(): void {
    this.#unknown.clear();
    this.#waiting = 0;
  }
}

const API_SERVICE = placeName('Service', { namespace: 'default', name: 'kubernetes' });

/** By uid where it is said: an object of the same name may come again. */
function keyOf(kind: PlaceKind, { namespace, name, uid }: NamedWorkload): string {
  return uid === '' ? `${kind} ${namespace}/${name}` : uid;
}

/** The one that was put there first goes first. */
function put<V>(map: Map<string, V>, key: string, value: V): void {
  map.delete(key);
  map.set(key, value);
  if (map.size > MAX_ADDRESSES) map.delete(map.keys().next().value as string);
}

/** Addresses, Pods and Services: a cluster at its tested size has 150,000 Pods (kubernetes.io, "Considerations for large clusters"), a capture sees some. */
const MAX_ADDRESSES = 50_000;
/** creationTimestamp has whole seconds, and comes from another clock than the capture's. */
const CLOCK_SLACK_NS = 1_000_000_000n;
