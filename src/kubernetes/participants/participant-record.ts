// Represents every participant as one kind of data: evidence rows, a place, and a link to the record that it was found to be one with.

import { flattenString } from '../../core/bytes/bytes.js';
import { BoundedSet } from '../../core/collections/bounded.js';
import type { Participant } from '../messages/message.js';
import { componentNamed, tierOf } from './components.js';
import type { Tier } from './tiers.js';

/**
 * What a claim about a participant is worth: its address alone (it has no name yet), what is usual at its place (until there is proof),
 * proof by what it sent, served or received.
 */
export type Strength = (typeof STRENGTHS)[number];
const STRENGTHS = ['address', 'likely', 'proven'] as const;

export interface Evidence {
  readonly claim: string;
  readonly strength: Strength;
  /** null: no single frame shows it. */
  readonly frame: number | null;
}

export function proven(claim: string, frame: number | null): Evidence {
  return { claim, strength: 'proven', frame };
}

/**
 * A sender or receiver as it was observed: a program on an address, the client of a connection, the server at an address and port, a Pod.
 * Evidence that two records are one participant links the first to the second, which gives the id, the name and all else from then on;
 * a link is replaced by one that is as strong or stronger. Where a link holds only while a condition does, `resolveBy` has the condition.
 * Messages keep their records and read the names late, so that diagrams drawn later use the better name.
 */
export class ParticipantRecord implements Participant {
  /** By a user's rule, or of an object: no evidence changes it. */
  givenName: string | null = null;
  /** Of a per-node component. */
  node: string | null = null;
  /**
   * Another record of the same program, by another of its addresses: gives its name alone, as messages of both have causes that go by
   * their ids.
   */
  namedAs: ParticipantRecord | null = null;
  /** The process that it is part of, as a controller is of the controller manager. */
  manager: ParticipantRecord | null = null;
  /** All of its component, itself too. */
  siblings: readonly ParticipantRecord[] = NO_RECORDS;
  /** Programs of several nodes have its address. */
  isShared = false;
  sendsRequests = false;
  /** It elects a leader among its replicas, as controllers do. */
  elects = false;
  /** It is known only from a connection that is older than the capture, which is rarely a person's. */
  isMidSession = false;
  /** Events of a watch were delivered to it. */
  receivesEvents = false;
  /** Those of connections on which it was identified late; see `ids`. */
  #earlier: BoundedSet<ParticipantRecord> | null = null;
  /** Kind of the first object that a watch from before the capture delivered to it. */
  watchedKind: string | null = null;

  readonly #id: number;
  /** Its id in a list. */
  readonly #own: readonly number[];
  readonly #component: string;
  /** Of the component, looked up once. */
  #ownTier: Tier | null = null;
  #rows: readonly Evidence[];
  /** Where it answers; 0: on several ports. */
  #port: number | null = null;
  #link: ParticipantRecord | null = null;
  #linkStrength: Strength = 'address';
  #rule: (() => ParticipantRecord | null) | null = null;
  /** Shown after the evidence of the record that it is one with. */
  #linkEvidence: Evidence | null = null;
  /** Its name with its node or address, built once: each message needs it. */
  #placedName = '';
  #placedAt = '';

  constructor(
    id: number,
    component: string,
    public address: string,
    evidence: Evidence | null,
  ) {
    this.#id = id;
    this.#own = [id];
    this.#component = component;
    this.#rows = evidence === null ? [] : [evidence];
  }

  /** Another record's participant, as far as is known now. */
  static linkedTo(record: ParticipantRecord, strength: Strength): ParticipantRecord {
    const opened = new ParticipantRecord(0, '', '', null);
    opened.link(record, strength);
    return opened;
  }

  /** The record that stands for the participant now. */
  find(): ParticipantRecord {
    let record: ParticipantRecord = this;
    for (;;) {
      const next = record.#next;
      if (next === null) return record;
      record = next;
    }
  }

  get #next(): ParticipantRecord | null {
    return this.#rule === null ? this.#link : (this.#rule() ?? this.#link);
  }

  /** Both are one participant, unless stronger evidence linked it to another one. */
  link(record: ParticipantRecord, strength: Strength): void {
    if (STRENGTHS.indexOf(strength) < STRENGTHS.indexOf(this.#linkStrength)) return;
    this.#link = record;
    this.#linkStrength = strength;
  }

  /** @param rule returns the record that it is one with while the rule's condition holds. @param evidence that the link adds. */
  resolveBy(rule: () => ParticipantRecord | null, evidence: Evidence | null = null): void {
    this.#rule = rule;
    this.#linkEvidence = evidence;
  }

  /** It is proven which record it is one with. */
  get isProven(): boolean {
    return this.#linkStrength === 'proven';
  }

  /** It is of a connection from before the capture, and was identified by what happened there. */
  get isConcluded(): boolean {
    return this.isMidSession && this.#rule?.() != null;
  }

  get id(): number {
    return this.find().#id;
  }

  /** A user's rule or an object named it. */
  get isFixed(): boolean {
    return this.find().givenName !== null;
  }

  /**
   * Its id, and the ids of connections on which it was identified after something had been received there: what it received before
   * that is filed under these.
   */
  get ids(): readonly number[] {
    const record = this.find();
    if (record.#earlier === null) return record.#own;
    const earlier = [...record.#earlier].filter((one) => one.process === record);
    return [record.#id, ...earlier.map((one) => one.#id)];
  }

  /** A connection's client was identified as this process, as far as is known. */
  wasKnownAs(client: ParticipantRecord): void {
    const record = this.find();
    record.#earlier ??= new BoundedSet(MAX_EARLIER, 'connections on which a process was identified late');
    record.#earlier.add(client);
  }

  get component(): string {
    return this.find().#component;
  }

  get name(): string {
    return this.find().#ownName;
  }

  get #ownName(): string {
    if (this.givenName !== null) return this.givenName;
    if (this.namedAs !== null) return this.namedAs.name;
    const isOnly = this.siblings.length <= 1 || this.siblings[0] === this;
    if (this.node === null && isOnly) return this.#component;
    const place = this.node ?? this.address;
    if (this.#placedAt !== place) {
      this.#placedAt = place;
      this.#placedName = flattenString(`${this.#component} (${place})`);
    }
    return this.#placedName;
  }

  get process(): ParticipantRecord {
    const record = this.find();
    return record.manager === null ? record : record.manager.process;
  }

  get tier(): Tier {
    const record = this.find();
    if (record.isMidSession) return 'others';
    if (record.manager !== null) return record.manager.tier;
    if (record.elects) return 'controllers';
    record.#ownTier ??= tierOf(record.#component);
    return record.#ownTier;
  }

  get shortId(): string | null {
    return componentNamed(this.component)?.id ?? null;
  }

  /** One that receives a watch from before the capture is not placed among the programs of its node. */
  get perNode(): boolean {
    const next = this.#next;
    if (next !== null) return this.#linkEvidence === null && next.perNode;
    return componentNamed(this.#component)?.perNode === true;
  }

  /** Nothing but its address is known. */
  get isAnonymous(): boolean {
    return this.find().#rows[0]?.strength === 'address';
  }

  get evidence(): readonly string[] {
    return this.#evidence.map(({ claim, frame }) => (frame === null ? claim : `${claim} (frame ${frame})`));
  }

  get #evidence(): readonly Evidence[] {
    const next = this.#next;
    if (next === null) return this.#rows;
    return this.#linkEvidence === null ? next.#evidence : [...next.#evidence, this.#linkEvidence];
  }

  addEvidence(evidence: Evidence): void {
    const isKnown = this.#rows.some((row) => isSame(row, evidence));
    if (this.#rows.length < MAX_EVIDENCE && !isKnown) this.#rows = [...this.#rows, evidence];
  }

  hasEvidence(beginning: string): boolean {
    return this.#evidence.some(({ claim }) => claim.startsWith(beginning));
  }

  /** Retracts evidence for its node. */
  retractNode(node: string, evidence: Evidence): void {
    if (this.node !== node || !this.#rows.some((row) => isSame(row, evidence))) return;
    this.node = null;
    this.#rows = this.#rows.filter((row) => !isSame(row, evidence));
  }

  /** It answers on a port. */
  serves(port: number): void {
    if (this.#port === null) this.#port = port;
    else if (this.#port !== port) this.#port = 0;
  }

  get isServer(): boolean {
    return this.#port !== null;
  }

  /** It was seen only as a server on that port. */
  onlyServes(port: number): boolean {
    return this.#port === port && !this.sendsRequests && this.givenName === null;
  }

  /** It is part of another process. */
  belongsTo(program: ParticipantRecord, evidence: Evidence): void {
    if (this.manager !== null || program.process === this || this.givenName !== null || this.node !== null) return;
    // A client of which nothing is known may still turn out to be another program.
    if (this.isMidSession || program.isMidSession) return;
    this.manager = program;
    this.addEvidence(evidence);
    if (this.elects) program.observeElection(evidence.frame);
  }

  /** @param frame in which it updates the Lease of a leader election. */
  observeElection(frame: number | null): void {
    this.manager?.observeElection(frame);
    if (this.elects) return;
    this.elects = true;
    this.addEvidence(proven('elects a leader with a Lease, as controllers do', frame));
  }
}

function isSame(a: Evidence, b: Evidence): boolean {
  return a.claim === b.claim && a.frame === b.frame;
}

const NO_RECORDS: readonly ParticipantRecord[] = [];
/** Limit: connections on which one process was identified late; what the first ones received before that triggers nothing. */
const MAX_EARLIER = 32;
/** Limit: pieces of evidence kept for each participant: enough to convince a reader; the first ones are the strongest. */
const MAX_EVIDENCE = 8;
