// Models the rows of a page with their exchanges, causes and counts, without a document, so that it is tested without a browser.

import { appendTo } from '../core/collections/multimap.js';
import { isNamespaceResource, objectText } from '../kubernetes/api/object-ref.js';
import type { View, ViewNote, ViewObject, ViewRow } from '../render/html/html-format.js';

export interface ChartRow {
  /** Index among the rows of the document. */
  readonly index: number;
  readonly seq: number;
  /** Microseconds since the first frame. */
  readonly micros: number;
  /** Index in KINDS. */
  readonly kind: number;
  readonly layer: number;
  /** Indices of participants. */
  readonly from: number;
  readonly to: number;
  readonly exchange: number;
  /** Index of the fold reason; -1 if the row is drawn. */
  readonly fold: number;
  /** Indices of words: the row's own, else those of its exchange's request; -1 if there are none. */
  readonly verb: number;
  readonly resource: number;
  /** `seq` of the cause; -1 if unknown. */
  readonly causedBy: number;
  /** The capture proves the cause; else others are possible. */
  readonly isProven: boolean;
  /** Refused, failed, without a response, or a problem. */
  readonly failed: boolean;
  /** Refused, or failed: a status of an error. */
  readonly isError: boolean;
  /** Reports an error in the cluster. */
  readonly problem: boolean;
  /** Not everything of the message could be read. */
  readonly partial: boolean;
  /** Participants whose address the message passed, as a Service. */
  readonly via: readonly number[];
  /** On a critical path that is marked. */
  readonly isOnPath: boolean;
  /** Index of the object that it is about; -1: none. */
  readonly about: number;
  /** Index among the model's namespaces; -1: about nothing in one. */
  readonly namespace: number;
  /** µs from the request to the first byte; -1: it answers nothing. */
  readonly latency: number;
}

export interface Model {
  readonly view: View;
  readonly rows: readonly ChartRow[];
  /** Names of the namespaces of all objects. */
  readonly namespaces: readonly string[];
  /** The row of a `seq`; undefined if the page has none. */
  rowOf(seq: number): ChartRow | undefined;
  /** Rows of one exchange, in order. */
  exchangeOf(row: ChartRow): readonly ChartRow[];
  /** Its notes, in order. */
  notesOf(row: ChartRow): readonly ViewNote[];
  /** Why it has no cause; undefined: no reason is known. */
  whyUncaused(row: ChartRow): string | undefined;
  /** Rows that the row caused directly. */
  effectsOf(row: ChartRow): readonly ChartRow[];
}

export function modelOf(view: View): Model {
  const requests = new Map<number, ViewRow>();
  for (const row of view.rows) if (row[2] === REQUEST) requests.set(row[6], row);
  const onPath = new Set(view.path.map(({ seq }) => seq));
  const bySeq = new Map<number, ChartRow>();
  const byExchange = new Map<number, ChartRow[]>();
  const effects = new Map<number, ChartRow[]>();
  const notes = new Map<number, ViewNote[]>();
  for (const note of view.notes) appendTo(notes, note[0], note);
  const uncaused = new Map(view.uncaused.flatMap(([why, ...seqs]) => seqs.map((seq) => [seq, why] as const)));
  const namespaces: string[] = [];
  const namespacePlaces = new Map<string, number>();
  const namespaceOf = view.objects.map(([resource, namespace, name]) => {
    const own = isNamespaceResource(resource) ? name : namespace;
    if (own === null) return -1;
    const place = namespacePlaces.get(own) ?? namespaces.push(own) - 1;
    namespacePlaces.set(own, place);
    return place;
  });
  const rows = view.rows.map((raw, index): ChartRow => {
    const [seq, micros, kind, layer, from, to, exchange, fold, verb, resource, ...rest] = raw;
    const [causedBy, proven, failed, problem, partial, ...via] = rest;
    const request = requests.get(exchange) ?? raw;
    const row: ChartRow = {
      index,
      seq,
      micros,
      kind,
      layer,
      from,
      to,
      exchange,
      fold,
      verb: verb >= 0 ? verb : request[8],
      resource: resource >= 0 ? resource : request[9],
      causedBy,
      isProven: proven === 1,
      failed: failed > 0,
      isError: failed === 2,
      problem: problem === 1,
      partial: partial === 1,
      via,
      isOnPath: onPath.has(seq),
      about: view.about[index],
      namespace: namespaceOf[view.about[index]] ?? -1,
      latency: view.latencies[index],
    };
    bySeq.set(seq, row);
    appendTo(byExchange, exchange, row);
    if (causedBy >= 0) appendTo(effects, causedBy, row);
    return row;
  });
  return {
    view,
    rows,
    namespaces,
    rowOf: (seq) => bySeq.get(seq),
    exchangeOf: (row) => byExchange.get(row.exchange) ?? [],
    notesOf: (row) => notes.get(row.index) ?? [],
    whyUncaused: ({ seq }) => uncaused.get(seq),
    effectsOf: (row) => effects.get(row.seq) ?? [],
  };
}

/** Index in KINDS. */
export const REQUEST = 0;
export const RESPONSE = 1;
export const EVENT = 2;

export interface Trace {
  /** Causes, the nearest first. */
  readonly causes: readonly ChartRow[];
  /** Direct and indirect effects, in the order of the page. */
  readonly effects: readonly ChartRow[];
  /** Steps between all of them: the receiver of `cause` sent `effect`. */
  readonly links: readonly Link[];
  /** Causes and effects that a step which the capture does not prove separates from the message. */
  readonly uncertain: ReadonlySet<ChartRow>;
}

export interface Link {
  readonly cause: ChartRow;
  readonly effect: ChartRow;
}

/** Follows `causedBy` both ways; visits every message at most once, even if it is circular. */
export function traceOf(model: Model, start: ChartRow): Trace {
  const links: Link[] = [];
  const uncertain = new Set<ChartRow>();
  const seen = new Set([start]);
  const causes: ChartRow[] = [];
  for (let row = start; ; ) {
    const cause = row.causedBy < 0 ? undefined : model.rowOf(row.causedBy);
    if (cause === undefined || seen.has(cause)) break;
    seen.add(cause);
    causes.push(cause);
    links.push({ cause, effect: row });
    if (!row.isProven || uncertain.has(row)) uncertain.add(cause);
    row = cause;
  }
  const effects: ChartRow[] = [];
  const pending: ChartRow[] = [start];
  for (let row = pending.pop(); row !== undefined; row = pending.pop()) {
    for (const effect of model.effectsOf(row)) {
      if (seen.has(effect)) continue;
      seen.add(effect);
      effects.push(effect);
      links.push({ cause: row, effect });
      if (!effect.isProven || uncertain.has(row)) uncertain.add(effect);
      pending.push(effect);
    }
  }
  effects.sort((a, b) => a.index - b.index);
  return { causes, effects, links, uncertain };
}

/** `pods default/nginx`; a namespace or all of them if it is no single object. */
export function viewObjectText([resource, namespace, name]: ViewObject): string {
  return objectText(resource, namespace, name).trim();
}

interface Counts {
  /** By participant: messages that it sends or receives. */
  readonly ends: readonly number[];
  /** By word. */
  readonly verbs: readonly number[];
  readonly resources: readonly number[];
  readonly objects: readonly number[];
  readonly namespaces: readonly number[];
  /** By layer and by fold reason. */
  readonly layers: readonly number[];
  readonly folds: readonly number[];
}

export function modelCounts({ view, rows, namespaces: names }: Model): Counts {
  const zeros = (length: number): number[] => new Array<number>(length).fill(0);
  const ends = zeros(view.participants.length);
  const verbs = zeros(view.words.length);
  const resources = zeros(view.words.length);
  const objects = zeros(view.objects.length);
  const namespaces = zeros(names.length);
  const layers = zeros(view.layers.length);
  const folds = zeros(view.folds.length);
  for (const row of rows) {
    ends[row.from] += 1;
    if (row.to !== row.from) ends[row.to] += 1;
    layers[row.layer] += 1;
    if (row.verb >= 0) verbs[row.verb] += 1;
    if (row.resource >= 0) resources[row.resource] += 1;
    if (row.about >= 0) objects[row.about] += 1;
    if (row.namespace >= 0) namespaces[row.namespace] += 1;
    if (row.fold >= 0) folds[row.fold] += 1;
  }
  return { ends, verbs, resources, objects, namespaces, layers, folds };
}
