// Participants that are known by their address: a Pod, a Service, or nobody yet. Knows names, not how an address was
// learnt.

import type { Speaker, Tier } from '../message.js';
import type { Named } from './facts.js';

/** What an address can belong to. */
export type PlaceKind = 'Pod' | 'Service';

/** `Pod web-5d4f-x7k2p`, `Service kube-system/kube-dns`: the namespace where it is not `default`, as on labels. */
export function placeName(kind: PlaceKind, { namespace, name }: Named): string {
  return `${kind} ${namespace === '' || namespace === 'default' ? '' : `${namespace}/`}${name}`;
}

/** The object that a participant's name stands for; null: it is a program. */
export function placeOf(speaker: Speaker): { resource: string; namespace: string; name: string } | null {
  const resource = RESOURCES[speaker.component];
  if (resource === undefined || !speaker.name.startsWith(`${speaker.component} `)) return null;
  const path = speaker.name.slice(speaker.component.length + 1).split('/');
  const name = path[path.length - 1];
  return { resource, namespace: path.length > 1 ? path[0] : 'default', name };
}

/** A Pod or a Service. */
export class Place implements Speaker {
  readonly name: string;
  readonly evidence: string[] = [];
  readonly tier: Tier = 'others';
  readonly perNode = false;

  constructor(
    readonly id: number,
    readonly component: PlaceKind,
    object: Named,
  ) {
    this.name = placeName(component, object);
  }

  get shortId(): string {
    return SHORT_IDS[this.component];
  }

  get process(): Speaker {
    return this;
  }

  learn(how: string): void {
    if (this.evidence.length < MAX_EVIDENCE && !this.evidence.includes(how)) this.evidence.push(how);
  }
}

/** Whoever is at an address: as its words or its address name it, until an object tells whose the address is. */
export class AtAddress implements Speaker {
  #is: Speaker;

  /** @param since ns of the capture: the first message from or to it. */
  constructor(
    first: Speaker,
    readonly since: bigint,
  ) {
    this.#is = first;
  }

  turnsOutAs(place: Place): void {
    this.#is = place;
  }

  get id(): number {
    return this.#is.id;
  }

  get component(): string {
    return this.#is.component;
  }

  get name(): string {
    return this.#is.name;
  }

  get tier(): Tier {
    return this.#is.tier;
  }

  get shortId(): string | null {
    return this.#is.shortId;
  }

  get perNode(): boolean {
    return this.#is.perNode;
  }

  get process(): Speaker {
    return this.#is.process;
  }

  get evidence(): readonly string[] {
    return this.#is.evidence;
  }
}

const RESOURCES: Readonly<Record<string, string>> = { Pod: 'pods', Service: 'services' };
const SHORT_IDS: Readonly<Record<PlaceKind, string>> = { Pod: 'P', Service: 'SV' };
/** As of every participant. */
const MAX_EVIDENCE = 8;
