// An expectation made ready for matching: arrows with their compiled labels, the branches they stand in, the requests that
// an answer may belong to. Knows the meaning of blocks (contract.md "What an expectation means"); nothing of messages.

import type { ArrowText, BlockText, Diagram, NeverText, NodeText } from './diagram.js';
import { compileLabel, type LabelPattern } from './label.js';

export interface Arrow {
  /** In the order of the text. */
  readonly index: number;
  readonly text: ArrowText;
  readonly label: LabelPattern;
  /** Index among the participants. */
  readonly from: number;
  readonly to: number;
  /** Number of the branches of `par` that it stands in. */
  readonly branch: number;
  /** Blocks inside of which it is only if something was chosen. */
  readonly choices: readonly number[];
  readonly critical: Critical | null;
  /** Of an answer: request arrows above that it may answer; null: any request. */
  readonly answers: readonly Arrow[] | null;
}

/** Exactly its arrows, nothing else between its participants. */
export interface Critical {
  readonly participants: ReadonlySet<number>;
}

export type Step =
  | { readonly kind: 'arrow'; readonly arrow: Arrow }
  | { readonly kind: 'all'; readonly steps: readonly Step[] }
  | { readonly kind: 'one'; readonly choice: number; readonly branches: readonly Step[] }
  /** Any interleaving; only inside `critical`, where the order counts. */
  | { readonly kind: 'mixed'; readonly branches: readonly Rest[] }
  | { readonly kind: 'again'; readonly choice: number; readonly step: Step };

/** What is still to be matched. */
export type Rest = { readonly step: Step; readonly next: Rest } | null;

export interface Plan {
  readonly rest: Rest;
  readonly arrows: readonly Arrow[];
  readonly participants: readonly PlannedParticipant[];
  readonly nevers: readonly Never[];
  /** Does the first of two branches of `par` say nothing about the order to the other? */
  areApart(branch: number, other: number): boolean;
  readonly branches: number;
}

export interface PlannedParticipant {
  readonly id: string;
  /** Escapes of markup.ts in it. */
  readonly name: string;
}

export interface Never {
  readonly text: NeverText;
  readonly label: LabelPattern;
  readonly from: number;
  readonly to: number;
}

export interface PlanOptions {
  /** Taken as if they were not there. */
  readonly absent: ReadonlySet<ArrowText | NeverText>;
  /** Whether what may be missing is looked for. It never decides whether an expectation holds. */
  readonly optional: boolean;
}

export function planOf(diagram: Diagram, options: PlanOptions): Plan {
  return new Planner(diagram, options).plan();
}

/** The arrows that can come next, with what is left behind each; no arrow: nothing has to follow. */
export interface Option {
  readonly arrow: Arrow | null;
  readonly rest: Rest;
  /** Choices that are made by taking it. */
  readonly chosen: readonly number[];
}

export function optionsOf(rest: Rest): Option[] {
  if (rest === null) return [{ arrow: null, rest: null, chosen: [] }];
  const { step, next } = rest;
  switch (step.kind) {
    case 'arrow':
      return [{ arrow: step.arrow, rest: next, chosen: [] }];
    case 'all':
      return optionsOf(step.steps.reduceRight<Rest>((behind, one) => ({ step: one, next: behind }), next));
    case 'one':
      return step.branches.flatMap((branch) => choosing(step.choice, optionsOf({ step: branch, next })));
    case 'again': {
      // A round takes an arrow of its own before the next may begin.
      const round = optionsOf({ step: step.step, next: null }).filter(({ arrow }) => arrow !== null);
      const repeats = round.map((option) => ({ ...option, rest: followed(option.rest, rest) }));
      return [...choosing(step.choice, repeats), ...choosing(step.choice, optionsOf(next))];
    }
    case 'mixed':
      return mixedOptions(step.branches, next);
  }
}

function followed(first: Rest, then: Rest): Rest {
  return first === null ? then : { step: first.step, next: followed(first.next, then) };
}

function choosing(choice: number, options: readonly Option[]): Option[] {
  return options.map((option) => ({ ...option, chosen: [...option.chosen, choice] }));
}

function mixedOptions(branches: readonly Rest[], next: Rest): Option[] {
  const options: Option[] = [];
  let mayEnd = true;
  for (const [i, branch] of branches.entries()) {
    let canEnd = false;
    for (const option of optionsOf(branch)) {
      if (option.arrow === null) canEnd = true;
      else {
        const left = branches.map((one, at) => (at === i ? option.rest : one));
        options.push({ ...option, rest: { step: { kind: 'mixed', branches: left }, next } });
      }
    }
    mayEnd &&= canEnd;
  }
  return mayEnd ? [...options, ...optionsOf(next)] : options;
}

/** The plan of the arrows before an index only, without what must never occur. */
export function beginningOf(plan: Plan, end: number): Plan {
  const arrows = plan.arrows.slice(0, end);
  const kept = new Set(arrows);
  const cut = (step: Step): Step => {
    switch (step.kind) {
      case 'arrow':
        return kept.has(step.arrow) ? step : NOTHING;
      case 'all':
        return { ...step, steps: step.steps.map(cut) };
      case 'one':
        return { ...step, branches: step.branches.map(cut) };
      case 'again':
        return { ...step, step: cut(step.step) };
      case 'mixed':
        return { ...step, branches: step.branches.map(cutRest) };
    }
  };
  const cutRest = (rest: Rest): Rest => (rest === null ? null : { step: cut(rest.step), next: cutRest(rest.next) });
  return { ...plan, rest: cutRest(plan.rest), arrows, nevers: [] };
}

/** Requests of one pair of participants that wait for their answers. */
interface Waiting {
  readonly requests: readonly Arrow[];
  /** How many of them were not answered yet. */
  readonly pending: number;
  /** One of them is taken as absent: its answer may be any. */
  readonly lost: boolean;
}

type Open = Map<string, Waiting>;

interface Place {
  readonly branch: readonly (readonly [par: number, branch: number])[];
  readonly choices: readonly number[];
  readonly critical: Critical | null;
}

class Planner {
  readonly #diagram: Diagram;
  readonly #options: PlanOptions;
  readonly #participants: PlannedParticipant[] = [];
  readonly #byId = new Map<string, number>();
  readonly #arrows: Arrow[] = [];
  readonly #branches: (readonly (readonly [number, number])[])[] = [[]];
  readonly #branchNumbers = new Map<string, number>([['', 0]]);
  #blocks = 0;
  #open: Open = new Map();

  constructor(diagram: Diagram, options: PlanOptions) {
    this.#diagram = diagram;
    this.#options = options;
    for (const { id, name } of diagram.participants.values()) {
      this.#byId.set(id, this.#participants.push({ id, name }) - 1);
    }
  }

  plan(): Plan {
    const step = this.#all(this.#diagram.body, { branch: [], choices: [], critical: null });
    const nevers = this.#diagram.nevers.filter((text) => !this.#options.absent.has(text));
    const branches = this.#branches;
    const apart = branches.map((a) => branches.map((b) => areApart(a, b)));
    return {
      rest: { step, next: null },
      arrows: this.#arrows,
      participants: this.#participants,
      nevers: nevers.map((text) => ({
        text,
        label: compileLabel(text.label),
        from: this.#byId.get(text.from) as number,
        to: this.#byId.get(text.to) as number,
      })),
      areApart: (a, b) => apart[a][b],
      branches: branches.length,
    };
  }

  #all(nodes: readonly NodeText[], place: Place): Step {
    return { kind: 'all', steps: nodes.flatMap((node) => this.#node(node, place)) };
  }

  #node(node: NodeText, place: Place): Step[] {
    if (node.kind === 'arrow') return this.#arrow(node, place);
    this.#blocks += 1;
    const block = this.#blocks;
    switch (node.kind) {
      case 'rect':
        return [this.#all(node.parts[0], place)];
      case 'opt':
      case 'break':
        return this.#maybe(node, place, block);
      case 'alt':
        return [this.#one(node, place, block)];
      case 'loop':
        return this.#loop(node, place, block);
      case 'par':
        return [this.#par(node, place, block)];
      case 'critical': {
        const critical = place.critical ?? { participants: new Set(this.#participantsOf(node)) };
        if (node.parts.length > 1) return [this.#one(node, { ...place, critical }, block)];
        return [this.#all(node.parts[0], { ...place, critical })];
      }
    }
  }

  #arrow(text: ArrowText, place: Place): Step[] {
    const label = compileLabel(text.label);
    const isAbsent = this.#options.absent.has(text);
    const answers = label.tag !== null && ANSWERS.has(label.tag) ? this.#answered(text) : null;
    const arrow: Arrow = {
      index: this.#arrows.length,
      text,
      label,
      from: this.#byId.get(text.from) as number,
      to: this.#byId.get(text.to) as number,
      branch: this.#branchNumber(place),
      choices: place.choices,
      critical: place.critical,
      answers,
    };
    if (label.tag !== null && ASKS.has(label.tag)) this.#asked(arrow, isAbsent);
    if (isAbsent) return [];
    this.#arrows.push(arrow);
    return [{ kind: 'arrow', arrow }];
  }

  #asked(arrow: Arrow, isAbsent: boolean): void {
    const key = `${arrow.from} ${arrow.to}`;
    const { requests, pending, lost } = this.#open.get(key) ?? NOBODY;
    this.#open.set(key, {
      requests: isAbsent ? requests : [...requests, arrow],
      pending: pending + 1,
      lost: lost || isAbsent,
    });
  }

  /** As many answers as there are requests: then none of them waits any more. */
  #answered(text: ArrowText): readonly Arrow[] | null {
    const key = `${this.#byId.get(text.to)} ${this.#byId.get(text.from)}`;
    const waiting = this.#open.get(key);
    if (waiting === undefined) return null;
    if (waiting.pending <= 1) this.#open.delete(key);
    else this.#open.set(key, { ...waiting, pending: waiting.pending - 1 });
    return waiting.lost || waiting.requests.length === 0 ? null : waiting.requests;
  }

  #maybe(node: BlockText, place: Place, block: number): Step[] {
    // Outside of `critical`, what may be missing changes nothing: leaving it out is never harder to fulfil.
    if (place.critical === null && !this.#options.optional) return [];
    const before = new Map(this.#open);
    const taken = this.#all(node.parts[0], { ...place, choices: [...place.choices, block] });
    this.#open = united([before, this.#open]);
    return [{ kind: 'one', choice: block, branches: [taken, NOTHING] }];
  }

  #one(node: BlockText, place: Place, block: number): Step {
    const before = this.#open;
    const after: Open[] = [];
    const branches = node.parts.map((part) => {
      this.#open = new Map(before);
      const step = this.#all(part, { ...place, choices: [...place.choices, block] });
      after.push(this.#open);
      return step;
    });
    this.#open = united(after);
    return { kind: 'one', choice: block, branches };
  }

  #loop(node: BlockText, place: Place, block: number): Step[] {
    // Once is enough, and what comes once more comes in between; only `critical` leaves no room for that.
    if (place.critical === null) return [this.#all(node.parts[0], place)];
    const once = this.#all(node.parts[0], place);
    const more = this.#all(node.parts[0], { ...place, choices: [...place.choices, block] });
    return [once, { kind: 'again', choice: block, step: more }];
  }

  #par(node: BlockText, place: Place, block: number): Step {
    const steps = node.parts.map((part, i) => this.#all(part, { ...place, branch: [...place.branch, [block, i]] }));
    if (place.critical === null) return { kind: 'all', steps };
    return { kind: 'mixed', branches: steps.map((step) => ({ step, next: null })) };
  }

  #participantsOf(node: BlockText): number[] {
    return node.parts.flat().flatMap((inner) => {
      if (inner.kind !== 'arrow') return this.#participantsOf(inner);
      return [this.#byId.get(inner.from) as number, this.#byId.get(inner.to) as number];
    });
  }

  #branchNumber({ branch }: Place): number {
    const key = branch.map((pair) => pair.join(':')).join(' ');
    const known = this.#branchNumbers.get(key);
    if (known !== undefined) return known;
    const number = this.#branches.push(branch) - 1;
    this.#branchNumbers.set(key, number);
    return number;
  }
}

function areApart(a: readonly (readonly [number, number])[], b: readonly (readonly [number, number])[]): boolean {
  return a.some(([par, branch]) => b.some(([otherPar, other]) => par === otherPar && branch !== other));
}

/** Whatever waits after one of several ways. */
function united(ways: readonly Open[]): Open {
  const open: Open = new Map();
  for (const way of ways) {
    for (const [key, waiting] of way) {
      const known = open.get(key);
      if (known === undefined) open.set(key, waiting);
      else
        open.set(key, {
          requests: [...new Set([...known.requests, ...waiting.requests])],
          pending: Math.max(known.pending, waiting.pending),
          lost: known.lost || waiting.lost,
        });
    }
  }
  return open;
}

const NOBODY: Waiting = { requests: [], pending: 0, lost: false };
const NOTHING: Step = { kind: 'all', steps: [] };
const ASKS: ReadonlySet<string> = new Set(['REQ', 'RPC']);
const ANSWERS: ReadonlySet<string> = new Set(['RESP', 'RPC-RESP']);
