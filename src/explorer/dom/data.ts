// Reads the data blocks of the page: the view first, the details of messages after it or when a reader opens one.

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

/** JSON lines that are packed in parts. */
export class PackedLines {
  /** Base64 of each part; empty once it is inflated. */
  readonly #packed: string[];
  /** Index of the first line of each part. */
  readonly #from: readonly number[];
  readonly #parts: (readonly string[] | undefined)[];
  readonly #pending = new Map<number, Promise<readonly string[]>>();

  constructor(id: string) {
    const block = byId(id);
    const from = block.dataset['from'] ?? '';
    this.#from = from === '' ? [] : from.split(' ').map(Number);
    this.#packed = this.#from.length === 0 ? [] : (block.textContent ?? '').split('\n');
    if (this.#packed.length !== this.#from.length) throw new Error(`#${id} is cut off`);
    this.#parts = new Array<undefined>(this.#from.length).fill(undefined);
  }

  get parts(): number {
    return this.#from.length;
  }

  /** undefined if its part is not inflated yet. */
  line(index: number): string | undefined {
    const at = this.#partOf(index);
    return this.#parts[at]?.[index - this.#from[at]];
  }

  async load(index: number): Promise<string> {
    const at = this.#partOf(index);
    return (await this.part(at))[index - this.#from[at]];
  }

  /** The lines of a part. */
  part(at: number): Promise<readonly string[]> {
    const done = this.#parts[at];
    if (done !== undefined) return Promise.resolve(done);
    let pending = this.#pending.get(at);
    if (pending === undefined) {
      pending = inflate(this.#packed[at]).then((json) => {
        const lines = json.split('\n');
        this.#parts[at] = lines;
        this.#packed[at] = '';
        this.#pending.delete(at);
        return lines;
      });
      this.#pending.set(at, pending);
    }
    return pending;
  }

  /** All lines, if all parts are inflated. */
  get lines(): readonly string[] {
    return this.#parts.flatMap((part) => part ?? []);
  }

  #partOf(index: number): number {
    let at = this.#from.length - 1;
    while (at > 0 && this.#from[at] > index) at -= 1;
    return at;
  }
}

async function inflate(base64: string): Promise<string> {
  const binary = atob(base64);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = binary.charCodeAt(i);
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw'))).text();
}
