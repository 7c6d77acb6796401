// Holds the arrows matched so far and checks the next match against them: the rules of contract.md "What an
// expectation means" about order, exchanges, names and time.

import { ancestorsOf } from '../../diagram/message-index.js';
import { CUT } from '../syntax/label.js';
import type { Binding } from '../syntax/pattern.js';
import type { CandidateFinder, Candidates } from './candidates.js';
import { Lifelines } from './lifelines.js';
import type { ObservationIndex } from './observation-index.js';
import type { ExpectedArrow, Plan } from './plan.js';
import type { Pruned } from './pruning.js';
import type { StepLimit } from './step-limit.js';
import type { Stories } from './stories.js';
import { Story } from './story.js';

export interface ArrowPair {
  readonly arrow: ExpectedArrow;
  /** In the observation. */
  readonly place: number;
}

export interface SearchTools {
  readonly observation: ObservationIndex;
  readonly finder: CandidateFinder;
  readonly stories: Stories;
  readonly work: StepLimit;
  /** Candidates that are excluded before the search. */
  readonly pruned?: Pruned;
  /** Try messages that belong to the story of the matched ones first. */
  readonly prefersStory?: boolean;
}

/** The latest message of a kind, with the depth at which it was matched. */
interface Latest {
  readonly place: number;
  readonly depth: number;
}

/** The candidates of an arrow. */
interface ListedMessage {
  readonly list: readonly number[];
  /** Depths that decided the list. */
  readonly reasons: readonly number[];
  /** Of a response with one possible request: the depth of the request, and the place of its response (-1: none). */
  readonly request: { readonly depth: number; readonly answer: number } | null;
}

interface MatchedArrow {
  readonly arrow: ExpectedArrow;
  readonly place: number;
  /** Names that got their values here. */
  readonly bound: readonly number[];
  /** Values to restore when the match is removed. */
  readonly before: readonly (readonly [Map<number, Latest>, number, Latest | undefined])[];
}

export class PartialMatch {
  readonly #plan: Plan;
  readonly #tools: SearchTools;
  readonly #entries: MatchedArrow[] = [];
  /** 1 + depth at which a message is used; 0: not. */
  readonly #used: Int32Array;
  readonly #values = new Map<number, { readonly value: string; readonly depth: number }>();
  readonly #depths = new Map<ExpectedArrow, number>();
  /** Participant → messages that it received, by objects and branch. */
  readonly #received: Map<number, Latest>[];
  readonly #lifelines: Lifelines;
  /** Participant → responses that it waits for, by branch. */
  readonly #answered: Map<number, Latest>[];
  /** Protocol → writes, by objects and branch. */
  readonly #written = new Map<string, Map<number, Latest>>();
  /** `seq` of a message and branch → a matched message that follows from it. */
  readonly #causes = new Map<number, Latest>();
  /** By exchange and branch. */
  readonly #exchanges = new Map<number, Latest>();
  readonly #orphans = new Map<Candidates, readonly number[]>();
  /** Arrows that could be a create request. */
  readonly #creating = new Map<ExpectedArrow, boolean>();
  /** Arrows that can begin a story; those inside of a choice may be absent. */
  readonly #beginning: readonly ExpectedArrow[];
  readonly #story: Story | null;
  /** Participant → participants that may be the same one. */
  readonly #overlapping: readonly (readonly number[])[];

  constructor(plan: Plan, tools: SearchTools) {
    this.#plan = plan;
    this.#tools = tools;
    this.#beginning = plan.arrows.filter((one) => one.choices.length === 0 && tools.stories.canBegin(one));
    this.#story = tools.prefersStory === true ? new Story(tools.observation) : null;
    this.#used = new Int32Array(tools.observation.messages.length);
    this.#received = plan.participants.map(() => new Map());
    this.#answered = plan.participants.map(() => new Map());
    this.#lifelines = new Lifelines(tools.observation, plan.isStrict);
    const ids = plan.participants.map((one) => tools.finder.idsOf(one).sending);
    this.#overlapping = ids.map((own, i) =>
      ids.flatMap((other, j) => (i === j || [...own].some((one) => other.has(one)) ? [j] : [])),
    );
  }

  get depth(): number {
    return this.#entries.length;
  }

  pairs(): ArrowPair[] {
    return this.#entries.map(({ arrow, place }) => ({ arrow, place }));
  }

  placeAt(depth: number): number {
    return this.#entries[depth].place;
  }

  *bound(): Generator<readonly [number, string]> {
    for (const [number, { value }] of this.#values) yield [number, value];
  }

  /** Candidates that the current match leaves, and the depths that decide it. */
  listFor(arrow: ExpectedArrow, candidates: Candidates): ListedMessage {
    const requestDepths = (arrow.answers ?? []).flatMap((request) => this.#depths.get(request) ?? []);
    if (requestDepths.length > 0) {
      const places = requestDepths.map((depth) => this.#tools.observation.responseTo(this.#entries[depth].place));
      const answers = places.flatMap((place) => (place < 0 ? [] : candidates.at(place)));
      const list = [...answers, ...this.#unasked(candidates)].sort((a, b) => a - b);
      const request = requestDepths.length === 1 ? { depth: requestDepths[0], answer: places[0] } : null;
      return { list, reasons: requestDepths, request };
    }
    for (const name of candidates.names) {
      const bound = this.#values.get(name);
      if (bound !== undefined)
        return { list: candidates.having(name, bound.value), reasons: [bound.depth], request: null };
    }
    return { list: candidates.all, reasons: NONE, request: null };
  }

  /** The list in the order in which to try it. */
  ordered(list: readonly number[], { places }: Candidates): readonly number[] {
    return this.#story?.ordered(list, (candidate) => places[candidate]) ?? list;
  }

  /** Depth at which a message is matched; -1: it is free. */
  userOf(place: number): number {
    return this.#used[place] - 1;
  }

  /** Can the arrow be matched with the message at this place? Adds conflicts if not. */
  allows(
    arrow: ExpectedArrow,
    place: number,
    names: readonly number[],
    binding: Binding,
    conflicts: Uint8Array,
  ): boolean {
    return (
      this.#isConsistent(names, binding, conflicts) &&
      this.#isInTurn(arrow, place, conflicts) &&
      (arrow.label.tag !== CUT || this.#isOfExchange(place, conflicts)) &&
      this.isBelowAnswers(arrow, place, conflicts) &&
      (!arrow.hasFreeName || this.#isOfCreate(arrow, place, conflicts)) &&
      this.#isOfStory(arrow, place, conflicts) &&
      this.#isInTime(arrow, place, conflicts)
    );
  }

  add(arrow: ExpectedArrow, place: number, names: readonly number[], binding: Binding, depth: number): void {
    const bound: number[] = [];
    for (const [i, name] of names.entries()) {
      const value = binding[i];
      if (value === undefined || this.#values.has(name)) continue;
      this.#values.set(name, { value, depth });
      bound.push(name);
    }
    const before: (readonly [Map<number, Latest>, number, Latest | undefined])[] = [];
    const put = (map: Map<number, Latest>, key: number): void => {
      const known = map.get(key);
      if (known !== undefined && known.place >= place) return;
      before.push([map, key, known]);
      map.set(key, { place, depth });
    };
    const { observation } = this.#tools;
    const subject = observation.subjectAt(place);
    if (subject !== 0) {
      put(this.#received[arrow.to], this.#key(subject, arrow.branch));
      if (observation.isWrite(place)) put(this.#writtenThrough(place), this.#key(subject, arrow.branch));
    }
    put(this.#exchanges, this.#key(observation.exchanges[place], arrow.branch));
    if (this.#lifelines.isAwaited(place)) put(this.#answered[arrow.to], this.#key(0, arrow.branch));
    for (const ancestor of ancestorsOf(observation.messages[place], observation.index)) {
      const key = this.#key(ancestor, arrow.branch);
      // What it follows from itself was noted with it.
      if (this.#causes.has(key)) break;
      put(this.#causes, key);
      this.#tools.work.step();
    }
    this.#used[place] = depth + 1;
    this.#story?.add(place);
    this.#depths.set(arrow, depth);
    this.#entries.push({ arrow, place, bound, before });
  }

  remove(depth: number): void {
    if (depth !== this.#entries.length - 1) return;
    const { arrow, place, bound, before } = this.#entries.pop() as MatchedArrow;
    this.#used[place] = 0;
    this.#story?.remove();
    for (const name of bound) this.#values.delete(name);
    for (const [map, key, known] of before) {
      if (known === undefined) map.delete(key);
      else map.set(key, known);
    }
    this.#depths.delete(arrow);
  }

  /** The first message that agrees with the bound names; -1: none. Adds conflicts with the depths that bound them. */
  firstConsistent(candidates: Candidates, conflicts: Uint8Array): number {
    for (const name of candidates.names) {
      const bound = this.#values.get(name);
      if (bound !== undefined) conflicts[bound.depth] = 1;
    }
    const hit = candidates.all.find((i) =>
      candidates.names.every((name, at) => {
        const bound = this.#values.get(name);
        return bound === undefined || candidates.bindings[i][at] === bound.value;
      }),
    );
    return hit === undefined ? -1 : candidates.places[hit];
  }

  /** Responses to requests that were sent before the capture. */
  #unasked(candidates: Candidates): readonly number[] {
    const known = this.#orphans.get(candidates);
    if (known !== undefined) return known;
    const orphans = candidates.all.filter((i) => this.#tools.observation.requestOf(candidates.places[i]) < 0);
    this.#orphans.set(candidates, orphans);
    return orphans;
  }

  #isConsistent(names: readonly number[], binding: Binding, conflicts: Uint8Array): boolean {
    for (const [i, name] of names.entries()) {
      const bound = this.#values.get(name);
      if (bound === undefined || binding[i] === undefined || bound.value === binding[i]) continue;
      conflicts[bound.depth] = 1;
      return false;
    }
    return true;
  }

  /** A cut is of an exchange that stands above it, if one of its client does; else of any. */
  #isOfExchange(place: number, conflicts: Uint8Array): boolean {
    const { messages, exchanges, index } = this.#tools.observation;
    const client = index.exchangeOf(messages[place]).request?.from.id;
    const isAbove = this.#entries.some((one) => exchanges[one.place] === exchanges[place]);
    const hasOthers = ({ place: at }: MatchedArrow): boolean =>
      messages[at].kind === 'request' && messages[at].from.id === client;
    if (isAbove || !this.#entries.some(hasOthers)) return true;
    conflicts.fill(1, 0, this.#entries.length);
    return false;
  }

  /** The rules of order. */
  #isInTurn(arrow: ExpectedArrow, place: number, conflicts: Uint8Array): boolean {
    const { observation } = this.#tools;
    const later = this.#laterThan(place, this.#exchanges, observation.exchanges[place], arrow.branch);
    if (later >= 0) {
      conflicts[later] = 1;
      return false;
    }
    // A message that certainly follows from it cannot stand above it.
    const effect = this.#laterThan(place, this.#causes, observation.messages[place].seq, arrow.branch);
    if (effect >= 0) {
      conflicts[effect] = 1;
      return false;
    }
    const subject = observation.subjectAt(place);
    if (subject === 0) return true;
    for (const related of observation.relatedTo(subject)) {
      for (const participant of this.#overlapping[arrow.from]) {
        const received = this.#received[participant];
        const cause = received.size === 0 ? -1 : this.#laterThan(place, received, related, arrow.branch);
        if (cause < 0) continue;
        conflicts[cause] = 1;
        return false;
      }
      if (!observation.isWrite(place) || !observation.isSameObject(subject, related)) continue;
      const write = this.#laterThan(place, this.#writtenThrough(place), related, arrow.branch);
      if (write < 0) continue;
      conflicts[write] = 1;
      return false;
    }
    return true;
  }

  #isInTime({ text }: ExpectedArrow, place: number, conflicts: Uint8Array): boolean {
    const depth = this.#entries.length - 1;
    if (text.within === null || depth < 0) return true;
    const { messages } = this.#tools.observation;
    if (messages[place].time - messages[this.#entries[depth].place].time <= text.within) return true;
    conflicts[depth] = 1;
    return false;
  }

  /** On a lifeline that waits for responses, the message must come after the responses above. */
  isBelowAnswers(arrow: ExpectedArrow, place: number, conflicts: Uint8Array): boolean {
    const isRequested =
      arrow.answers?.some((request) => this.#depths.has(request)) === true &&
      this.#tools.observation.requestOf(place) >= 0;
    return (
      (!this.#lifelines.waitsToSend(place) || this.#isAfterAnswers(arrow.from, arrow, place, conflicts)) &&
      (!this.#lifelines.waitsToReceive(place, isRequested) || this.#isAfterAnswers(arrow.to, arrow, place, conflicts))
    );
  }

  /**
   * An ADDED event below create requests that it could be about must be about an object that one of them created, unless an
   * event above is about that object already: of several similar objects only one is drawn.
   */
  #isOfCreate({ label, branch }: ExpectedArrow, place: number, conflicts: Uint8Array): boolean {
    const { creations } = this.#tools.observation;
    if (!creations.isAddedEvent(place)) return true;
    const creating: number[] = [];
    const events: number[] = [];
    for (const [depth, { arrow }] of this.#entries.entries()) {
      if (arrow.label.tag === label.tag) events.push(depth);
      else if (!this.#plan.areApart(arrow.branch, branch) && this.#mayCreate(arrow)) creating.push(depth);
    }
    const placeOf = (depth: number): number => this.#entries[depth].place;
    const creates = creating.map(placeOf).filter((create) => creations.couldBeAbout(label, create));
    if (creates.length === 0 || creates.some((create) => creations.isAbout(place, create))) return true;
    const hasEvent = (create: number): boolean => events.some((depth) => creations.isAbout(placeOf(depth), create));
    if (creates.every(hasEvent)) return true;
    for (const depth of [...creating, ...events]) conflicts[depth] = 1;
    return false;
  }

  /**
   * Once every arrow that can begin a story is matched, what is matched belongs to one of those stories, or to one that a label
   * names.
   */
  #isOfStory(arrow: ExpectedArrow, place: number, conflicts: Uint8Array): boolean {
    if (this.#beginning.length === 0) return true;
    const begun: number[] = [];
    const depths: number[] = [];
    for (const one of this.#beginning) {
      const depth = one === arrow ? undefined : this.#depths.get(one);
      if (depth === undefined && one !== arrow) return true;
      begun.push(depth === undefined ? place : this.#entries[depth].place);
      if (depth !== undefined) depths.push(depth);
    }
    const isOutside = this.#tools.stories.outsideOf(begun);
    const isLast = this.#beginning.includes(arrow);
    const above = isLast ? this.#entries.findIndex((one) => isOutside(one.arrow, one.place)) : -1;
    if (above < 0 && !isOutside(arrow, place)) return true;
    for (const depth of above < 0 ? depths : [above, ...depths]) conflicts[depth] = 1;
    return false;
  }

  #mayCreate(arrow: ExpectedArrow): boolean {
    const known = this.#creating.get(arrow);
    if (known !== undefined) return known;
    const { observation, finder } = this.#tools;
    const may = finder.of(arrow, this.#plan).places.some((place) => observation.creations.isCreate(place));
    this.#creating.set(arrow, may);
    return may;
  }

  #isAfterAnswers(participant: number, { branch }: ExpectedArrow, place: number, conflicts: Uint8Array): boolean {
    const answered = this.#answered[participant];
    const answer = answered.size === 0 ? -1 : this.#laterThan(place, answered, 0, branch);
    if (answer < 0) return true;
    conflicts[answer] = 1;
    return false;
  }

  /** Depth of an arrow above whose message is later than `place`; -1: none. */
  #laterThan(place: number, map: ReadonlyMap<number, Latest>, subject: number, branch: number): number {
    for (let above = 0; above < this.#plan.branches; above++) {
      if (above !== branch && this.#plan.areApart(above, branch)) continue;
      const latest = map.get(this.#key(subject, above));
      if (latest !== undefined && latest.place > place) return latest.depth;
    }
    return -1;
  }

  #writtenThrough(place: number): Map<number, Latest> {
    const { protocol } = this.#tools.observation.messages[place];
    const known = this.#written.get(protocol) ?? new Map<number, Latest>();
    this.#written.set(protocol, known);
    return known;
  }

  #key(subject: number, branch: number): number {
    return subject * this.#plan.branches + branch;
  }
}

const NONE: readonly number[] = [];
