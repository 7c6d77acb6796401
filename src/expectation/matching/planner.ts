// A diagram becomes a plan: arrows get their compiled labels, the branches and choices that they stand in, and the requests
// that an answer may belong to. Knows the meaning of blocks (contract.md "What an expectation means"); nothing of messages.

import type { ArrowText, BlockText, Diagram, NeverText, NodeText } from '../syntax/diagram.js';
import { compileLabel, type LabelPattern } from '../syntax/label.js';
import {
  type Critical,
  type ExpectedArrow,
  NOTHING,
  type Plan,
  type PlannedParticipant,
  type PlanStep,
} from './plan.js';
import { Unanswered } from './unanswered.js';

export interface PlanOptions {
  /** Taken as if they were not there. */
  readonly absent: ReadonlySet<ArrowText | NeverText>;
  /** Whether what may be missing is looked for. It never decides whether an expectation holds. */
  readonly optional: boolean;
}

export function planOf(diagram: Diagram, options: PlanOptions): Plan {
  return new Planner(diagram, options).plan();
}

interface BlockPosition {
  readonly branch: readonly (readonly [par: number, branch: number])[];
  readonly choices: readonly number[];
  readonly critical: Critical | null;
}

class Planner {
  readonly #diagram: Diagram;
  readonly #options: PlanOptions;
  readonly #participants: PlannedParticipant[] = [];
  readonly #byId = new Map<string, number>();
  readonly #arrows: ExpectedArrow[] = [];
  readonly #branches: (readonly (readonly [number, number])[])[] = [[]];
  readonly #branchNumbers = new Map<string, number>([['', 0]]);
  #blocks = 0;
  /** Names of arrows above. */
  readonly #mentioned = new Set<string>();
  #unanswered = new Unanswered();

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
      isStrict: this.#diagram.isStrict,
      areApart: (a, b) => apart[a][b],
      branches: branches.length,
    };
  }

  #all(nodes: readonly NodeText[], place: BlockPosition): PlanStep {
    return { kind: 'all', steps: nodes.flatMap((node) => this.#node(node, place)) };
  }

  #node(node: NodeText, place: BlockPosition): PlanStep[] {
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

  #arrow(text: ArrowText, place: BlockPosition): PlanStep[] {
    const label = compileLabel(text.label);
    const isAbsent = this.#options.absent.has(text);
    const from = this.#byId.get(text.from) as number;
    const to = this.#byId.get(text.to) as number;
    const answers = label.tag !== null && ANSWERS.has(label.tag) ? this.#unanswered.answered(to, from) : null;
    const arrow: ExpectedArrow = {
      index: this.#arrows.length,
      text,
      label,
      from,
      to,
      branch: this.#branchNumber(place),
      choices: place.choices,
      critical: place.critical,
      opens: label.tag === EVENT && this.#opens(label),
      answers,
    };
    for (const name of label.names) this.#mentioned.add(name);
    if (label.tag !== null && ASKS.has(label.tag)) this.#unanswered.asked(arrow, isAbsent);
    if (isAbsent) return [];
    this.#arrows.push(arrow);
    return [{ kind: 'arrow', arrow }];
  }

  #opens({ names, marked }: LabelPattern): boolean {
    return names.length === 0 ? marked.includes('*') : names.some((name) => !this.#mentioned.has(name));
  }

  #maybe(node: BlockText, place: BlockPosition, block: number): PlanStep[] {
    // Outside of `critical`, what may be missing changes nothing: leaving it out is never harder to fulfil.
    if (place.critical === null && !this.#options.optional) return [];
    const before = this.#unanswered.copy();
    const taken = this.#all(node.parts[0], { ...place, choices: [...place.choices, block] });
    this.#unanswered = Unanswered.afterOneOf([before, this.#unanswered]);
    return [{ kind: 'one', choice: block, branches: [taken, NOTHING] }];
  }

  #one(node: BlockText, place: BlockPosition, block: number): PlanStep {
    const before = this.#unanswered;
    const after: Unanswered[] = [];
    const branches = node.parts.map((part) => {
      this.#unanswered = before.copy();
      const step = this.#all(part, { ...place, choices: [...place.choices, block] });
      after.push(this.#unanswered);
      return step;
    });
    this.#unanswered = Unanswered.afterOneOf(after);
    return { kind: 'one', choice: block, branches };
  }

  #loop(node: BlockText, place: BlockPosition, block: number): PlanStep[] {
    // Once is enough, and what comes once more comes in between; only `critical` leaves no room for that.
    if (place.critical === null) return [this.#all(node.parts[0], place)];
    const once = this.#all(node.parts[0], place);
    const more = this.#all(node.parts[0], { ...place, choices: [...place.choices, block] });
    return [once, { kind: 'again', choice: block, step: more }];
  }

  #par(node: BlockText, place: BlockPosition, block: number): PlanStep {
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

  #branchNumber({ branch }: BlockPosition): number {
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

const ASKS: ReadonlySet<string> = new Set(['REQ', 'RPC']);
const ANSWERS: ReadonlySet<string> = new Set(['RESP', 'RPC-RESP']);
const EVENT = 'RESP-CHUNK';
