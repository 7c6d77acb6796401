// The rows of a page with what joins them: exchanges and causes. Reads what render/html/html-format.ts describes; knows no
// document, so that it is tested without a browser.

import type { View, ViewRow } from '../render/html/html-format.js';

export interface ChartRow {
  /** Place among the rows, as in the document. */
  readonly index: number;
  readonly seq: number;
  /** Since the first frame. */
  readonly micros: number;
  /** Index in KINDS. */
  readonly kind: number;
  readonly layer: number;
  /** Indices of participants. */
  readonly from: number;
  readonly to: number;
  readonly exchange: number;
  /** Index of the reason for which it is folded; -1: it is drawn. */
  readonly fold: number;
  /** Indices of words: its own, else those of its exchange's request; -1: none. */
  readonly verb: number;
  readonly resource: number;
  /** seq; -1: not known. */
  readonly causedBy: number;
  /** Refused, failed, without an answer, or a problem. */
  readonly failed: boolean;
  /** It tells what went wrong. */
  readonly problem: boolean;
  /** Participants by whose address it went. */
  readonly via: readonly number[];
}

export interface Model {
  readonly view: View;
  readonly rows: readonly ChartRow[];
  /** The row of a seq; undefined where the page has none. */
  rowOf(seq: number): ChartRow | undefined;
  /** Rows of one exchange, in order. */
  exchangeOf(row: ChartRow): readonly ChartRow[];
  /** What a row led to, at once. */
  effectsOf(row: ChartRow): readonly ChartRow[];
}

export function modelOf(view: View): Model {
  const requests = new Map<number, ViewRow>();
  for (const row of view.rows) if (row[2] === REQUEST) requests.set(row[6], row);
  const bySeq = new Map<number, ChartRow>();
  const byExchange = new Map<number, ChartRow[]>();
  const effects = new Map<number, ChartRow[]>();
  const rows = view.rows.map((raw, index): ChartRow => {
    const [seq, micros, kind, layer, from, to, exchange, fold, verb, resource, causedBy, failed, problem, ...via] = raw;
    const asked = requests.get(exchange) ?? raw;
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
      verb: verb >= 0 ? verb : asked[8],
      resource: resource >= 0 ? resource : asked[9],
      causedBy,
      failed: failed === 1,
      problem: problem === 1,
      via,
    };
    bySeq.set(seq, row);
    append(byExchange, exchange, row);
    if (causedBy >= 0) append(effects, causedBy, row);
    return row;
  });
  return {
    view,
    rows,
    rowOf: (seq) => bySeq.get(seq),
    exchangeOf: (row) => byExchange.get(row.exchange) ?? [],
    effectsOf: (row) => effects.get(row.seq) ?? [],
  };
}

function append(map: Map<number, ChartRow[]>, key: number, row: ChartRow): void {
  const rows = map.get(key);
  if (rows === undefined) map.set(key, [row]);
  else rows.push(row);
}

/** Index in KINDS. */
export const REQUEST = 0;
export const RESPONSE = 1;
export const EVENT = 2;
