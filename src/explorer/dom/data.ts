// Reads the data blocks of the page: the view first, the details of messages behind it or when a reader opens one.

import {
  BODIES_BLOCK,
  LANES_BLOCK,
  MESSAGES_BLOCK,
  type MessageLine,
  ROWS_BLOCK,
  type RowsPart,
  VIEW_BLOCK,
  type View,
  type ViewHead,
} from '../../render/html/html-format.js';
import type { ChartRow } from '../model.js';
import { SearchIndex } from '../search.js';
import { byId } from './element.js';
import { pause } from './idle.js';
import { PackedLines } from './packed-lines.js';

/** Places of participants among the lanes with which the page opens. */
export function readLanes(): readonly number[] {
  return JSON.parse(byId(LANES_BLOCK).textContent ?? '') as readonly number[];
}

export async function readView(): Promise<View> {
  const head = JSON.parse(await new PackedLines(VIEW_BLOCK).load(0)) as ViewHead;
  const packed = new PackedLines(ROWS_BLOCK);
  const parts: RowsPart[] = [];
  for (let at = 0; at < packed.parts; at++) {
    const [json] = await packed.part(at);
    parts.push(JSON.parse(json) as RowsPart);
    await pause();
  }
  return {
    ...head,
    rows: parts.flatMap(({ rows }) => rows),
    labels: parts.flatMap(({ labels }) => labels),
    about: parts.flatMap(({ about }) => about),
    latencies: parts.flatMap(({ latencies }) => latencies),
  };
}

/** A message's line and its body; undefined: it has none, or the page leaves it out. */
export interface InflatedDetails {
  readonly message: MessageLine;
  readonly body: unknown;
}

export class Data {
  readonly #messages = new PackedLines(MESSAGES_BLOCK);
  readonly #bodies = new PackedLines(BODIES_BLOCK);
  #searchIndex: SearchIndex | null = null;
  #whole: Promise<SearchIndex> | null = null;

  /** null if they are not inflated yet. */
  detailsOf({ index }: ChartRow): InflatedDetails | null {
    const line = this.#messages.line(index);
    if (line === undefined) return null;
    const message = JSON.parse(line) as MessageLine;
    if (message.bodyAt === undefined) return { message, body: undefined };
    const body = this.#bodies.line(message.bodyAt);
    return body === undefined ? null : { message, body: JSON.parse(body) };
  }

  /** A line as `messages -o ndjson --bodies` has it, once everything is inflated. */
  lineOf({ index }: ChartRow): string {
    const line = this.#messages.line(index) ?? '';
    return line.replace(/,"bodyAt":(\d+)\}$/, (_, at: string) => `,"body":${this.#bodies.line(Number(at)) ?? 'null'}}`);
  }

  async load(row: ChartRow): Promise<void> {
    const { bodyAt } = JSON.parse(await this.#messages.load(row.index)) as MessageLine;
    if (bodyAt !== undefined) await this.#bodies.load(bodyAt);
  }

  /** null if not all data are inflated yet. */
  get searchIndex(): SearchIndex | null {
    return this.#searchIndex;
  }

  /** Inflates everything, part by part. */
  loadAll(): Promise<SearchIndex> {
    this.#whole ??= this.#loadAll();
    return this.#whole;
  }

  async #loadAll(): Promise<SearchIndex> {
    for (const packed of [this.#messages, this.#bodies])
      for (let at = 0; at < packed.parts; at++) {
        await packed.part(at);
        await pause();
      }
    this.#searchIndex = new SearchIndex(this.#messages.lines, this.#bodies.lines);
    return this.#searchIndex;
  }
}
