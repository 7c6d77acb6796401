// Compiles a diagram to a plan (contract.md "What an expectation means"): labels as patterns, the branches and
// choices of each arrow, and the requests that a response may belong to.

import type { ArrowText, BlockText, Diagram, NeverText, NodeText } from '../syntax/diagram.js';
import { compileLabel, type LabelPattern } from '../syntax/label.js';
import { EMPTY_STEP, type ExpectedArrow, type Plan, type PlannedParticipant, type PlanStep } from './plan.js';

export interface PlanOptions {
  /** Arrows that are treated as missing. */
  readonly absent: ReadonlySet<ArrowText | NeverText>;
  /** Also match what may be missing. It never decides whether an expectation holds. */
  readonly optional: boolean;
}

export function planOf(diagram: Diagram, options: PlanOptions): Plan {
  return new Planner(diagram, options).plan();
}

interface BlockPosition {
  readonly branch: readonly (readonly [par: number, branch: number])[];
  readonly choices: readonly number[];
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
  /** Names that arrows above use. */
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
    const step = this.#sequence(this.#diagram.body, { branch: [], choices: [] });
    const nevers = this.#diagram.nevers.filter((text) => !this.#options.absent.has(text));
    const branches = this.#branches;
    const apart = branches.map((a) => branches.map((b) => areApart(a, b)));
    return {
      rest: { step, next: null },
      arrows: this.#arrows,
      participants: this.#participants,
      nevers: nevers.map((text) => ({
        text,
        label: compileLabel(text.label, text.isCut),
        from: this.#byId.get(text.from) as number,
        to: this.#byId.get(text.to) as number,
      })),
      isStrict: this.#diagram.isStrict,
      areApart: (a, b) => apart[a][b],
      branches: branches.length,
    };
  }

  #sequence(nodes: readonly NodeText[], place: BlockPosition): PlanStep {
    return { kind: 'sequence', steps: nodes.flatMap((node) => this.#node(node, place)) };
  }

  #node(node: NodeText, place: BlockPosition): PlanStep[] {
    if (node.kind === 'arrow') return this.#arrow(node, place);
    this.#blocks += 1;
    const block = this.#blocks;
    switch (node.kind) {
      case 'rect':
      // One round is enough: further rounds may come between other messages.
      case 'loop':
        return [this.#sequence(node.parts[0], place)];
      case 'opt':
      case 'break':
        return this.#optional(node, place, block);
      case 'alt':
        return [this.#choice(node, place, block)];
      case 'par':
        return node.parts.map((part, i) => this.#sequence(part, { ...place, branch: [...place.branch, [block, i]] }));
    }
  }

  #arrow(text: ArrowText, place: BlockPosition): PlanStep[] {
    const label = compileLabel(text.label, text.isCut);
    const isAbsent = this.#options.absent.has(text);
    const from = this.#byId.get(text.from) as number;
    const to = this.#byId.get(text.to) as number;
    const answers = label.tag !== null && ANSWERS.has(label.tag) ? this.#unanswered.takeAnswer(to, from) : null;
    const arrow: ExpectedArrow = {
      index: this.#arrows.length,
      text,
      label,
      from,
      to,
      branch: this.#branchNumber(place),
      choices: place.choices,
      hasFreeName: label.tag === EVENT && this.#hasFreeName(label),
      answers,
    };
    for (const name of label.names) this.#mentioned.add(name);
    if (label.tag !== null && REQUESTS.has(label.tag)) this.#unanswered.addRequest(arrow, isAbsent);
    if (isAbsent) return [];
    this.#arrows.push(arrow);
    return [{ kind: 'arrow', arrow }];
  }

  #hasFreeName({ names, marked }: LabelPattern): boolean {
    return names.length === 0 ? marked.includes('*') : names.some((name) => !this.#mentioned.has(name));
  }

  #optional(node: BlockText, place: BlockPosition, block: number): PlanStep[] {
    // Leaving out what may be missing is never harder to match.
    if (!this.#options.optional) return [];
    const before = this.#unanswered.copy();
    const taken = this.#sequence(node.parts[0], { ...place, choices: [...place.choices, block] });
    this.#unanswered = Unanswered.afterOneOf([before, this.#unanswered]);
    return [{ kind: 'choice', choice: block, branches: [taken, EMPTY_STEP] }];
  }

  #choice(node: BlockText, place: BlockPosition, block: number): PlanStep {
    const before = this.#unanswered;
    const after: Unanswered[] = [];
    const branches = node.parts.map((part) => {
      this.#unanswered = before.copy();
      const step = this.#sequence(part, { ...place, choices: [...place.choices, block] });
      after.push(this.#unanswered);
      return step;
    });
    this.#unanswered = Unanswered.afterOneOf(after);
    return { kind: 'choice', choice: block, branches };
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

/** Requests of a diagram that wait for their responses, at one place of its text. */
class Unanswered {
  /** By client and server. */
  #waiting = new Map<string, UnansweredRequests>();

  /** The union after one of several branches. */
  static afterOneOf(ways: readonly Unanswered[]): Unanswered {
    const after = new Unanswered();
    const open = after.#waiting;
    for (const way of ways) {
      for (const [key, waiting] of way.#waiting) {
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
    return after;
  }

  copy(): Unanswered {
    const copy = new Unanswered();
    copy.#waiting = new Map(this.#waiting);
    return copy;
  }

  /** @param isAbsent the request is treated as missing. */
  addRequest(request: ExpectedArrow, isAbsent: boolean): void {
    const key = keyOf(request.from, request.to);
    const { requests, pending, lost } = this.#waiting.get(key) ?? NONE;
    this.#waiting.set(key, {
      requests: isAbsent ? requests : [...requests, request],
      pending: pending + 1,
      lost: lost || isAbsent,
    });
  }

  /** @returns requests from `from` to `to` that the response may belong to; null: any. */
  takeAnswer(from: number, to: number): readonly ExpectedArrow[] | null {
    const key = keyOf(from, to);
    const waiting = this.#waiting.get(key);
    if (waiting === undefined) return null;
    if (waiting.pending <= 1) this.#waiting.delete(key);
    else this.#waiting.set(key, { ...waiting, pending: waiting.pending - 1 });
    return waiting.lost || waiting.requests.length === 0 ? null : waiting.requests;
  }
}

interface UnansweredRequests {
  readonly requests: readonly ExpectedArrow[];
  /** Number of requests without a response so far. */
  readonly pending: number;
  /** One of the requests is treated as missing: its response may be any. */
  readonly lost: boolean;
}

function keyOf(from: number, to: number): string {
  return `${from} ${to}`;
}

const NONE: UnansweredRequests = { requests: [], pending: 0, lost: false };
const REQUESTS: ReadonlySet<string> = new Set(['REQ', 'RPC']);
const ANSWERS: ReadonlySet<string> = new Set(['RESP', 'RPC-RESP']);
const EVENT = 'RESP-CHUNK';
