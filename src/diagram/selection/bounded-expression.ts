// Bounds what a CEL expression costs: patterns are RE2's, whose time is linear, and the parts that are evaluated are counted.

import type { Environment } from '@marcbachmann/cel-js';
import { re2Library } from '../../platform/re2.js';

type CelProgram = ReturnType<Environment['parse']>;

/** Counts the steps of one evaluation: one for each part of the expression that is evaluated, and more for large values. */
export class CelSteps {
  #left = MAX_STEPS;

  start(): void {
    this.#left = MAX_STEPS;
  }

  get areSpent(): boolean {
    return this.#left < 0;
  }

  /** Throws where none are left. */
  take(count: number): void {
    this.#left -= count;
    if (this.#left < 0) throw SPENT;
  }
}

/** Registers the `matches` that `bound` puts in the place of the library's own, which backtracks. */
export function registerPatterns(environment: Environment, steps: CelSteps): void {
  const known = new Map<string, { readonly size: number; test(text: string): boolean }>();
  environment.registerFunction(`string.${MATCHES}(string): bool`, (text: string, pattern: string) => {
    let one = known.get(pattern);
    if (one === undefined) {
      steps.take(pattern.length);
      if (known.size >= MAX_PATTERNS) known.clear();
      one = compiled(pattern);
      known.set(pattern, one);
    }
    steps.take((text.length * one.size) / MATCHED_A_STEP);
    return one.test(text);
  });
}

function compiled(pattern: string): { readonly size: number; test(text: string): boolean } {
  const { RE2JS } = re2Library();
  if (pattern.length > MAX_PATTERN) throw new Error(`a regular expression has at most ${MAX_PATTERN} characters`);
  try {
    const re2 = RE2JS.compile(pattern);
    return { size: re2.programSize(), test: (text) => re2.matcher(text).find() };
  } catch (error) {
    throw new Error(`Invalid regular expression: ${pattern} (${(error as Error).message}; it is RE2's syntax)`);
  }
}

/** The name that a user wrote, in a sentence of the library. */
export function withOwnNames(sentence: string): string {
  return sentence.replaceAll(MATCHES, 'matches');
}

/** Counts each part of a program that was parsed and not yet checked; loops end where no step is left. */
export function bound(program: CelProgram, steps: CelSteps): void {
  boundNode(program.ast as unknown as CelNode, steps);
}

/** What the library's parser makes; its type does not have what it evaluates. */
interface CelNode {
  readonly op: string;
  readonly args: unknown;
  readonly meta: { readonly alternate?: CelNode; readonly macro?: { readonly args?: unknown } };
  evaluate(...given: unknown[]): unknown;
}

/** `all`, `exists`, `map` …: they go on after an error of one element. */
interface Comprehension {
  condition?: (accumulated: unknown) => boolean;
  readonly step: CelNode;
}

function boundNode(node: CelNode, steps: CelSteps): void {
  if (node.op === 'rcall' && (node.args as unknown[])[0] === 'matches') (node.args as unknown[])[0] = MATCHES;
  if (node.op === 'comprehension') {
    const loop = node.args as Comprehension;
    const { condition = () => true } = loop;
    loop.condition = (accumulated) => !steps.areSpent && condition(accumulated);
  }
  if (!GROWING.has(node.op)) count(node, steps);
  boundNodes(node.meta.alternate ?? node.args, steps);
}

function boundNodes(value: unknown, steps: CelSteps): void {
  if (isNode(value)) boundNode(value, steps);
  else if (Array.isArray(value)) for (const one of value) boundNodes(one, steps);
  else if (typeof value === 'object' && value !== null) boundNodes(Object.values(value), steps);
}

function isNode(value: unknown): value is CelNode {
  return typeof (value as CelNode | null)?.op === 'string' && typeof (value as CelNode).evaluate === 'function';
}

/** A node replaces its `evaluate` itself when it is first called. */
function count(node: CelNode, steps: CelSteps): void {
  let evaluate = node.evaluate;
  const counted = (...given: unknown[]): unknown => {
    const value = evaluate.apply(node, given);
    steps.take(weightOf(value));
    return value;
  };
  Object.defineProperty(node, 'evaluate', {
    get: () => counted,
    set: (changed: CelNode['evaluate']) => {
      evaluate = changed;
    },
  });
}

/** Parts of a value, those that are in it twice twice: so long does a comparison take. */
function weightOf(value: unknown): number {
  if (typeof value === 'string') return 1 + value.length / CHARACTERS_A_STEP;
  if (typeof value !== 'object' || value === null) return 1;
  let weight = WEIGHTS.get(value);
  if (weight !== undefined) return weight;
  weight = 1;
  for (const one of Object.values(value)) weight += weightOf(one);
  WEIGHTS.set(value, weight);
  return weight;
}

const WEIGHTS = new WeakMap<object, number>();
/** They give the list that a loop still fills. */
const GROWING: ReadonlySet<string> = new Set(['accuPush', 'accuValue', '?:']);
const MATCHES = 'matches_as_RE2';
const CHARACTERS_A_STEP = 1000;
/** Characters, times instructions of a pattern: RE2's time. */
const MATCHED_A_STEP = 200;
/** Limit: steps of an expression at one message; an expression over fields takes some ten. */
const MAX_STEPS = 100_000;
/** Limit: characters of a regular expression in an expression. */
const MAX_PATTERN = 1000;
/** Limit: regular expressions of an expression that are kept compiled: most are constants. */
const MAX_PATTERNS = 100;
/** Made once: a stack for each would be most of the time. */
const SPENT = new Error(`it takes more than ${MAX_STEPS} steps; compare fields, or loop over less`);
