// Reads budgets, the maximum numbers of requests or errors, from YAML, and counts an observation against them.

import { isMap, isSeq, LineCounter, parseDocument } from 'yaml';
import { appendTo } from '../core/collections/multimap.js';
import { parseDuration } from '../core/duration.js';
import type { Message } from '../kubernetes/messages/message.js';
import type { ObservationIndex } from './matching/observation-index.js';
import { compilePattern, type Pattern } from './syntax/pattern.js';

export interface Budget {
  readonly name: string;
  /** Path as the user wrote it, and the 1-based line. */
  readonly file: string;
  readonly line: number;
  readonly max: number;
  /** ns: limit within any such interval; null: in the whole observation. */
  readonly within: bigint | null;
  /** Count separately for each combination of these fields. */
  readonly per: readonly Countable[];
  readonly wanted: ReadonlyMap<Field, Pattern>;
  /** Names of senders and receivers as written. */
  readonly names: readonly string[];
}

export interface BudgetResult {
  readonly budget: Budget;
  /** Why nothing could be counted. */
  readonly undecided?: string;
  /** The highest count of a group. */
  readonly count: number;
  readonly exceeded: readonly {
    /** Values of `per`; empty without `per`. */
    readonly group: string;
    readonly count: number;
    /** The first request over the limit. */
    readonly message: Message;
  }[];
}

/** An error in a budget file, with its line. */
export class UnreadableBudget extends Error {
  readonly line: number;

  constructor(line: number, message: string) {
    super(message);
    this.line = line;
  }
}

/**
 * ```yaml
 * budget:
 *   - name: status updates      # optional
 *     from: kubelet             # any field of a request; wildcards as in labels
 *     verb: patch
 *     resource: pods
 *     max: 20                   # at most so many
 *   - status: 409|429           # requests that were answered so
 *     per: [from, resource]     # counted for each of them
 *     max: 5
 *     within: 10s               # in any ten seconds
 * ```
 * @throws UnreadableBudget
 */
export function readBudgets(source: string, file: string): Budget[] {
  const counter = new LineCounter();
  const document = parseDocument(source, { lineCounter: counter });
  const lineAt = (node: { range?: readonly number[] | null } | null | undefined): number =>
    node?.range == null ? 1 : counter.linePos(node.range[0]).line;
  if (document.errors.length > 0) {
    const [error] = document.errors;
    throw new UnreadableBudget(counter.linePos(error.pos[0]).line, yamlMistake(error));
  }
  const root = document.contents;
  const list = isMap(root) ? root.get('budget', true) : root;
  if (!isSeq(list)) throw new UnreadableBudget(lineAt(root), 'expected budget: and a list of limits');
  return list.items.map((item) => {
    const line = lineAt(item as never);
    if (!isMap(item)) throw new UnreadableBudget(line, 'expected a limit with max and what it counts');
    return readBudget(item.toJSON() as Record<string, unknown>, file, line);
  });
}

/** What the YAML library found, without the words of the file, which may be another one than was meant. */
export function yamlMistake(error: unknown): string {
  const { code, linePos } = error as {
    readonly code?: string;
    readonly linePos?: readonly { readonly line: number }[];
  };
  const place = linePos === undefined ? '' : ` in line ${linePos[0].line}`;
  return `is no YAML that can be read: ${(code ?? 'BAD_ALIAS').toLowerCase().replaceAll('_', ' ')}${place}`;
}

export function checkBudgets(budgets: readonly Budget[], observation: ObservationIndex): BudgetResult[] {
  return budgets.map((budget) => checkBudget(budget, observation));
}

function readBudget(entry: Record<string, unknown>, file: string, line: number): Budget {
  const wrong = (what: string): UnreadableBudget => new UnreadableBudget(line, what);
  const { name, max, within, per, ...rest } = entry;
  if (typeof max !== 'number' || !Number.isSafeInteger(max) || max < 0) throw wrong('expected max: a number from 0');
  const time = within === undefined ? null : parseDuration(String(within));
  if (within !== undefined && time === null) throw wrong(`within: ${String(within)}: expected a time such as 10s`);
  const wanted = new Map<Field, Pattern>();
  const names: string[] = [];
  for (const [key, value] of Object.entries(rest)) {
    if (!isField(key)) throw wrong(`${key}: expected one of name, max, within, per, ${FIELDS.join(', ')}`);
    const texts = (Array.isArray(value) ? value : [value]).map(String);
    if (key === 'from' || key === 'to') names.push(...texts.flatMap(alternatives));
    const text = texts.join('|');
    wanted.set(key, compilePattern(text, [], { codeClasses: key === 'status' }));
  }
  const groups = per === undefined ? [] : (Array.isArray(per) ? per : [per]).map(String);
  for (const one of groups) if (!isCountable(one)) throw wrong(`per: ${one}: expected some of ${COUNTABLE.join(', ')}`);
  const counted = Object.entries(rest).map(
    ([key, value]) => `${key} ${Array.isArray(value) ? value.join('|') : value}`,
  );
  return {
    name: typeof name === 'string' ? name : counted.join(', ') || 'requests',
    file,
    line,
    max,
    within: time,
    per: groups as Countable[],
    wanted,
    names,
  };
}

/** Splits `kubelet|kube-proxy`; in a text with blanks, `|` separates words and not names. */
function alternatives(text: string): string[] {
  return /\s/.test(text) ? [text] : text.split('|');
}

function checkBudget(budget: Budget, observation: ObservationIndex): BudgetResult {
  const groups = new Map<string, Message[]>();
  for (const request of observation.messages) {
    if (request.kind !== 'request' || !isCounted(budget, request, observation)) continue;
    const key = budget.per.map((field) => fieldOf(field, request, observation) ?? '-').join(' ');
    appendTo(groups, key, request);
  }
  const exceeded: { group: string; count: number; message: Message }[] = [];
  let most = 0;
  for (const [group, requests] of groups) {
    const { count, message } = densest(requests, budget);
    if (count > most) most = count;
    if (message !== null) exceeded.push({ group, count, message });
  }
  exceeded.sort((a, b) => b.count - a.count);
  return { budget, count: most, exceeded };
}

/** The highest count within the budget's interval, and the first request over the limit. */
function densest(requests: readonly Message[], { max, within }: Budget): { count: number; message: Message | null } {
  let count = 0;
  let message: Message | null = null;
  let first = 0;
  for (const [i, request] of requests.entries()) {
    if (within !== null) while (request.time - requests[first].time > within) first += 1;
    const now = i - first + 1;
    if (now > count) count = now;
    if (now > max) message ??= request;
  }
  return { count, message };
}

function isCounted({ wanted }: Budget, request: Message, observation: ObservationIndex): boolean {
  for (const [field, pattern] of wanted) {
    if (field === 'from' || field === 'to') {
      const participant = request[field];
      if (![participant.name, participant.component, participant.process.component].some((one) => pattern.fits(one)))
        return false;
      continue;
    }
    const value = fieldOf(field, request, observation);
    if (value === undefined || !pattern.fits(value)) return false;
  }
  return true;
}

function fieldOf(field: Field | Countable, request: Message, observation: ObservationIndex): string | undefined {
  switch (field) {
    case 'status':
      return observation.index.exchangeOf(request).response?.status?.toString();
    case 'component':
      return request.from.component;
    case 'from':
    case 'to':
      return request[field].name;
    default:
      return request[field] ?? undefined;
  }
}

function isField(key: string): key is Field {
  return (FIELDS as readonly string[]).includes(key);
}

function isCountable(key: string): key is Countable {
  return (COUNTABLE as readonly string[]).includes(key);
}

const FIELDS = [
  ...(['from', 'to', 'method', 'verb', 'apiGroup', 'resource', 'subresource', 'namespace'] as const),
  ...(['protocol', 'service', 'rpcMethod', 'status'] as const),
] as const;
type Field = (typeof FIELDS)[number];
const COUNTABLE = [...FIELDS, 'component', 'name'] as const;
type Countable = (typeof COUNTABLE)[number];
