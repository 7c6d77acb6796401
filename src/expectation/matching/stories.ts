// Decides whether a message belongs to the story of an expectation: the ownership trees of the objects that it names or whose
// first request it has, and what follows from messages about them. A neighbour of the same shape is another story.

import { objectReference } from '../../kubernetes/api/object-ref.js';
import { CUT } from '../syntax/label.js';
import { SOFT } from '../syntax/markup.js';
import { compilePattern, type Pattern } from '../syntax/pattern.js';
import type { CandidateFinder, Candidates } from './candidates.js';
import type { ObservationIndex } from './observation-index.js';
import type { ExpectedArrow, Plan } from './plan.js';

type LabelledArrow = Pick<ExpectedArrow, 'from' | 'to' | 'label'>;

/** Ownership trees of the objects that an expectation is about. */
interface NamedTrees {
  readonly trees: Set<number>;
  /** Resources of their roots. */
  readonly sorts: Set<string>;
}

export class Stories {
  readonly #plan: Plan;
  readonly #observation: ObservationIndex;
  readonly #finder: CandidateFinder;
  /** What labels name literally, and what first requests may be about. */
  readonly #literal: NamedTrees = { trees: new Set(), sorts: new Set() };
  readonly #possible: NamedTrees = { trees: new Set(), sorts: new Set() };
  /** Candidates of arrows that may be a first request about an object whose name is open. */
  readonly #beginning = new Set<Candidates>();
  readonly #words = new Map<string, readonly Pattern[]>();
  readonly #foreign = new Map<Candidates, Uint8Array>();

  /** @param plan of all arrows, optional ones included: each of them may name a story. */
  constructor(plan: Plan, observation: ObservationIndex, finder: CandidateFinder) {
    this.#plan = plan;
    this.#observation = observation;
    this.#finder = finder;
    if (!plan.arrows.some(({ label }) => isOpen(label))) return;
    const seen = new Set<Candidates>();
    for (const arrow of plan.arrows) {
      const candidates = finder.of(arrow, plan);
      if (seen.has(candidates)) continue;
      seen.add(candidates);
      for (const place of candidates.places) {
        if (this.#isNamed(arrow, place)) this.#add(place, [this.#literal, this.#possible]);
        else if (this.#isFirst(place)) {
          this.#beginning.add(candidates);
          this.#add(place, [this.#possible]);
        }
      }
    }
  }

  /** Does the candidate need a story that the expectation does not have, however its other arrows are matched? */
  isForeign(arrow: LabelledArrow, candidate: number): boolean {
    if (this.#possible.trees.size === 0 || !isOpen(arrow.label)) return false;
    const candidates = this.#finder.of(arrow, this.#plan);
    let mask = this.#foreign.get(candidates);
    if (mask === undefined) {
      const { trees } = this.#possible;
      const hasOwn = candidates.places.some((place) => this.#observation.storyAt(place)?.some((one) => trees.has(one)));
      mask = Uint8Array.from(candidates.places, (place) =>
        this.#isOutside(arrow, place, this.#possible, hasOwn) ? 1 : 0,
      );
      this.#foreign.set(candidates, mask);
    }
    return mask[candidate] === 1;
  }

  /** Is the message of a story, and of none that the expectation can be about? */
  isOther(place: number): boolean {
    const story = this.#observation.storyAt(place) ?? [];
    return this.#possible.trees.size > 0 && story.length > 0 && !story.some((one) => this.#possible.trees.has(one));
  }

  /** Can an arrow begin a story, by a request about an object whose name is open? */
  canBegin(arrow: LabelledArrow): boolean {
    return this.#beginning.has(this.#finder.of(arrow, this.#plan));
  }

  /** @returns whether a message is outside of the stories that the labels name, and of those that messages at these places begin. */
  outsideOf(begun: readonly number[]): (arrow: LabelledArrow, place: number) => boolean {
    const named: NamedTrees = { trees: new Set(this.#literal.trees), sorts: new Set(this.#literal.sorts) };
    for (const one of begun) if (this.#isFirst(one)) this.#add(one, [named]);
    return (arrow, place) => this.#isOutside(arrow, place, named, false);
  }

  /** `deployments/red`: the roots of the story that a message belongs to. */
  nameAt(place: number): string {
    const roots = (this.#observation.storyAt(place) ?? []).flatMap((tree) => this.#observation.rootsOf(tree));
    return roots.map(({ resource, name }) => objectReference(resource, name)).join(', ');
  }

  /** @param hasOwn another message that fits the arrow belongs to a named story. */
  #isOutside(arrow: LabelledArrow, place: number, { trees, sorts }: NamedTrees, hasOwn: boolean): boolean {
    const { kind, causedBy } = this.#observation.messages[place];
    if (!isOpen(arrow.label)) return false;
    const story = this.#observation.storyAt(place);
    if (story === null || story.length === 0) return false;
    const isOwned = this.#observation.isOwned(place);
    // What nothing is known to have caused may be a story of its own.
    if (!isOwned && causedBy === undefined) return false;
    if (story.some((one) => trees.has(one)) || this.#isNamed(arrow, place)) return false;
    if (story.some((one) => this.#observation.rootsOf(one).some(({ resource }) => sorts.has(resource)))) return true;
    return hasOwn && isOwned && (kind === 'event' || causedBy !== undefined);
  }

  #add(place: number, all: readonly NamedTrees[]): void {
    for (const tree of this.#observation.familiesAt(place))
      for (const { trees, sorts } of all) {
        trees.add(tree);
        for (const { resource } of this.#observation.rootsOf(tree)) sorts.add(resource);
      }
  }

  /** A write that nothing is known to have caused, of an object that nothing owns. */
  #isFirst(place: number): boolean {
    const { causedBy } = this.#observation.messages[place];
    return causedBy === undefined && this.#observation.isWrite(place) && !this.#observation.isOwned(place);
  }

  /** Does the label have the name of the message's object, or a part of it? */
  #isNamed({ label }: LabelledArrow, place: number): boolean {
    const { name, object } = this.#observation.messages[place];
    const words = this.#wordsOf(label.marked);
    return [name, object?.name].some((one) => one != null && one !== '' && words.some((word) => word.fits(one)));
  }

  /** Words of a label that are not open as a whole. */
  #wordsOf(marked: string): readonly Pattern[] {
    const known = this.#words.get(marked);
    if (known !== undefined) return known;
    const words = marked.split(WORD_ENDS).filter((word) => word.replace(OPEN, '') !== '');
    const patterns = words.map((word) => compilePattern(word, []));
    this.#words.set(marked, patterns);
    return patterns;
  }
}

/** Does the label leave open which object it means? Requests that create an object without a name do, too. */
function isOpen({ tag, names, marked }: LabelledArrow['label']): boolean {
  return (
    tag !== 'RESP' &&
    tag !== 'RPC-RESP' &&
    tag !== CUT &&
    (names.length > 0 || /[*…]/u.test(marked) || NAMELESS.test(marked))
  );
}

const WORD_ENDS = new RegExp(`[\\s/,&?=${SOFT}]+`, 'u');
const OPEN = /\{[A-Za-z_][\w-]*\}|\*+|…/gu;
/** `POST /api/v1/namespaces/default/pods` */
const NAMELESS = /^\[REQ\][\s\S]*\bPOST\b(?![\s\S]* - )/u;
