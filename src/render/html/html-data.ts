// Renders the data blocks of an explorable page: the view that decides which rows are shown, and the details of every message. Equal
// bodies are stored once.

import { deflateSync, strToU8 } from 'fflate';
import { base64Text } from '../../core/bytes/bytes.js';
import { dictionary } from '../../core/collections/dictionary.js';
import { elapsedText } from '../../core/duration.js';
import type { ExplorerData, ExplorerEntry } from '../../diagram/explorer-data.js';
import type { PathMark } from '../../diagram/layout/path-marks.js';
import type { ListedStory } from '../../diagram/overview/page-overview.js';
import type { RowObject } from '../../diagram/row-objects.js';
import { objectKey } from '../../kubernetes/api/object-ref.js';
import type { Message, Protocol } from '../../kubernetes/messages/message.js';
import { escapeJsonBlock } from '../escape/html-escape.js';
import { jsonText } from '../escape/json-text.js';
import { shorten } from '../escape/mermaid-escape.js';
import { bodyText } from '../messages/details-json.js';
import { type MessageJsonOptions, messageLine } from '../messages/message-json.js';
import {
  BODIES_BLOCK,
  KINDS,
  LANES_BLOCK,
  MESSAGES_BLOCK,
  ROWS_BLOCK,
  ROWS_PART,
  type RowsPart,
  VIEW_BLOCK,
  type View,
  type ViewNote,
  type ViewObject,
  type ViewRow,
  type ViewStep,
} from './html-format.js';
import { isDrawn } from './plain-rows.js';

/** @param first ns since the epoch: zero of the page's times. */
export function viewOf(shown: ExplorerData, first: bigint, stories: readonly ListedStory[] = []): View {
  const words = new StringTable();
  const folds = new StringTable();
  const layers = layersOf(shown);
  const objects = new AboutTable();
  const rows = shown.entries.map((entry): ViewRow => {
    const { message, layer, from, to, via, folded, isProblem } = entry;
    const verb = message.verb ?? message.rpcMethod ?? message.method;
    const resource = message.resource ?? message.service;
    return [
      message.seq,
      microsOf(message.time - first),
      KINDS.indexOf(message.kind),
      layers.findIndex(({ protocol }) => protocol === layer),
      from,
      to,
      message.exchange,
      folds.of(folded),
      words.of(verb === '' ? null : verb),
      words.of(resource),
      message.causedBy ?? -1,
      message.cause?.certain === true ? 1 : 0,
      isError(message) ? 2 : isWrong(entry, shown.answered) ? 1 : 0,
      isProblem ? 1 : 0,
      message.complete ? 0 : 1,
      ...via,
    ];
  });
  const about = shown.entries.map((entry) => objects.of(entry.about));
  return {
    participants: shown.participants.map(({ name, component, evidence, box }) => ({ name, component, evidence, box })),
    layers: layers.map(({ name, on }) => ({ name, on })),
    folds: folds.values,
    words: words.values,
    leftOut: shown.leftOut,
    notes: notesOf(shown),
    chapters: shown.chapters.map(({ seq, title }) => [seq, shorten(title)] as const),
    stories: stories.map(({ followed, seqs }) => [followed, ...seqs] as const),
    uncaused: uncausedOf(shown),
    path: shown.path.map(stepOf),
    rows,
    labels: shown.entries.map(({ message }) => shorten(message.label)),
    objects: objects.values,
    about,
    latencies: shown.entries.map(({ message }) => latencyOf(message)),
  };
}

/** The view in its blocks. */
export function viewBlocks({ rows, labels, about, latencies, ...head }: View): string {
  const parts = rowParts({ rows, labels, about, latencies });
  return packedBlock(VIEW_BLOCK, [{ from: 0, json: jsonText(head) }]) + packedBlock(ROWS_BLOCK, parts);
}

function* rowParts({ rows, labels, about, latencies }: RowsPart): Generator<Part> {
  for (let from = 0; from < rows.length; from += ROWS_PART) {
    const of = <T>(all: readonly T[]): readonly T[] => all.slice(from, from + ROWS_PART);
    const part = { rows: of(rows), labels: of(labels), about: of(about), latencies: of(latencies) } satisfies RowsPart;
    yield { from, json: jsonText(part) };
  }
}

/** The lanes with which the page opens, which its script reads before the first row exists. */
export function lanesBlock(shown: ExplorerData): string {
  const used = new Set<number>();
  for (const entry of shown.entries)
    if (isDrawn(entry, shown)) for (const one of [entry.from, entry.to, ...entry.via]) used.add(one);
  let next = 0;
  const places = shown.participants.map((_, i) => (used.has(i) ? next++ : -1));
  return `<script type="application/json" id="${LANES_BLOCK}">${JSON.stringify(places)}</script>\n`;
}

function notesOf({ entries, remarks }: ExplorerData): ViewNote[] {
  const rows = new Map(entries.map(({ message }, i) => [message.seq, i]));
  return remarks.flatMap(({ seq, place, over, lines }): ViewNote[] => {
    const row = rows.get(seq);
    if (row === undefined) return [];
    return [[row, place === 'before' ? 0 : 1, over[0], over[1], ...lines.map((line) => shorten(line, MAX_NOTE))]];
  });
}

function stepOf({ seq, head, leg }: PathMark): ViewStep {
  if (leg === null) return { seq, ...(head === null ? null : { head }) };
  const { duration, share, what } = leg;
  return { seq, took: elapsedText(duration), share: Math.round(share * 10) / 10, what };
}

function uncausedOf({ entries }: ExplorerData): View['uncaused'] {
  const seqs = new Map<string, number[]>();
  for (const { uncaused, message } of entries) {
    const known = seqs.get(uncaused);
    if (known !== undefined) known.push(message.seq);
    else if (uncaused !== '') seqs.set(uncaused, [message.seq]);
  }
  return [...seqs].map(([why, all]) => [why, ...all] as const);
}

/** µs; -1: it answers nothing, or its request is not in the capture. */
function latencyOf({ latencyMs }: Message): number {
  return latencyMs === undefined ? -1 : Math.round(latencyMs * 1e3);
}

/** µs, with three decimals if there are ns. A number has not room for all digits of ns since 1970. */
function microsOf(ns: bigint): number {
  return ns % 1000n === 0n ? Number(ns / 1000n) : Number(ns) / 1000;
}

export interface DetailBlocks {
  /** Messages and bodies, each a line. */
  readonly html: string;
  /** Number of bodies left out over the limits. */
  readonly bodiesLeftOut: number;
}

/** @param limit characters of all bodies. */
export function detailBlocks(
  shown: ExplorerData,
  options: MessageJsonOptions,
  limit: number = MAX_BODIES,
): DetailBlocks {
  // Bodies of problems come first, then those of the diagram. If not even all messages fit, other bodies are left out.
  const stages = [
    shown.entries.filter(({ isProblem }) => isProblem),
    shown.entries.filter((entry) => isDrawn(entry, shown)),
    shown.leftOut > 0 ? [] : shown.entries,
  ];
  const bodies = new Bodies(limit);
  for (const entries of stages) for (const { message } of entries) bodies.add(message);
  bodies.isClosed = true;
  const messages = packedBlock(MESSAGES_BLOCK, linePartsOf(messageLines(shown, options, bodies)));
  return { html: messages + packedBlock(BODIES_BLOCK, linePartsOf(bodies.texts)), bodiesLeftOut: bodies.leftOut };
}

function* messageLines(shown: ExplorerData, options: MessageJsonOptions, bodies: Bodies): Generator<string> {
  for (const { message } of shown.entries) {
    const fields = message.details?.fields() ?? [];
    const headers = fields.length === 0 ? '' : `,"headers":${jsonText(fields)}`;
    yield `${messageLine(message, options).slice(0, -1)}${headers}${bodies.add(message)}}`;
  }
}

/** Refused, or failed. */
function isError({ status = 0, grpcStatus, exitCode, type }: Message): boolean {
  return status >= 400 || (grpcStatus ?? 0) > 0 || (exitCode ?? 0) > 0 || type === 'ERROR';
}

/** A problem, or without a response. */
function isWrong({ message, isProblem }: ExplorerEntry, answered: ReadonlySet<number>): boolean {
  return isProblem || (message.kind === 'request' && !answered.has(message.exchange));
}

/** Layers in the order in which the page lists them. */
function layersOf({ entries, layers }: ExplorerData): { name: string; protocol: Protocol; on: boolean }[] {
  const present = new Set(entries.map(({ layer }) => layer));
  const known = (Object.keys(LAYER_NAMES) as Protocol[]).filter((protocol) => present.has(protocol));
  return known.map((protocol) => ({ name: LAYER_NAMES[protocol], protocol, on: layers.has(protocol) }));
}

/** Bodies as lines, each once. */
class Bodies {
  readonly texts: string[] = [];
  /** No body is added any more. */
  isClosed = false;
  leftOut = 0;
  readonly #limit: number;
  readonly #places = new Map<string, number>();
  readonly #added = new Map<Message, string>();
  #size = 0;

  /** @param limit characters of all of them. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** The member with the body's line: `,"bodyAt":12`; empty if there is no body. */
  add(message: Message): string {
    const before = this.#added.get(message);
    if (before !== undefined) return before;
    const member = this.#place(message);
    this.#added.set(message, member);
    return member;
  }

  #place(message: Message): string {
    const body = message.details?.body();
    if (body === undefined) return '';
    const text = bodyText(body);
    const known = this.#places.get(text);
    if (known !== undefined) return `,"bodyAt":${known}`;
    if (this.isClosed || text.length > MAX_BODY || this.#size + text.length > this.#limit) {
      this.leftOut += 1;
      return `,"bodyLeftOut":${text.length}`;
    }
    this.#size += text.length;
    this.#places.set(text, this.texts.length);
    this.texts.push(text);
    return `,"bodyAt":${this.texts.length - 1}`;
  }
}

/** Objects, each once. */
class AboutTable {
  readonly values: ViewObject[] = [];
  readonly #places = new StringTable();

  /** -1 for none. */
  of(object: RowObject | null): number {
    if (object === null) return -1;
    const { resource, namespace, name, deleted = [] } = object;
    const place = this.#places.of(objectKey(resource, undefined, namespace, name));
    if (place === this.values.length) this.values.push([resource, namespace, name, ...deleted]);
    return place;
  }
}

class StringTable {
  readonly values: string[] = [];
  readonly #places = new Map<string, number>();

  /** -1 for no value. */
  of(value: string | null | undefined): number {
    if (value === null || value === undefined) return -1;
    let place = this.#places.get(value);
    if (place === undefined) {
      place = this.values.push(value) - 1;
      this.#places.set(value, place);
    }
    return place;
  }
}

/** Names of protocols in `--layers`. */
const LAYER_NAMES: Readonly<Record<Protocol, string>> = dictionary({
  kubernetes: 'api',
  etcd: 'etcd',
  cri: 'cri',
  kubelet: 'kubelet',
  registry: 'registry',
  docker: 'docker',
  http: 'net (http)',
  grpc: 'net (grpc)',
});
/**
 * Limit: characters of one body's JSON in a page, of a longer one the length is shown: a list of a thousand Pods; `messages --bodies`
 * prints longer ones.
 */
const MAX_BODY = 1024 * 1024;
/**
 * Limit: characters of all bodies of a page, in the same order, which a browser still opens from a file quickly; where messages are
 * left out, there are none of the rest.
 */
const MAX_BODIES = 32 * 1024 * 1024;
/** Limit: characters of a line of a note in a page: the reason of a failed scheduling on many nodes can have kilobytes. */
export const MAX_NOTE = 600;

export interface Part {
  /** Index of its first line or row. */
  readonly from: number;
  /** JSON, or JSON lines. */
  readonly json: string;
}

/**
 * A data block, which no browser executes: a line for each part, raw deflate (RFC 1951) in base64. The attribute `data-from` has the
 * index of the first line of each part.
 *
 * @param parts each is packed before the next is asked for: all of them together may be much longer than the block.
 */
export function packedBlock(id: string, parts: Iterable<Part>): string {
  const packed: string[] = [];
  const from: number[] = [];
  for (const part of parts) {
    packed.push(base64Text(deflateSync(strToU8(escapeJsonBlock(part.json)), { level: 9 })));
    from.push(part.from);
  }
  return `<script type="application/octet-stream" id="${id}" data-from="${from.join(' ')}">${packed.join('\n')}</script>\n`;
}

/** Lines that follow each other, together at least as long as a part; the last part may be shorter. A line is taken when its part is asked for. */
export function* linePartsOf(lines: Iterable<string>): Generator<Part> {
  let part: string[] = [];
  let size = 0;
  let from = 0;
  for (const line of lines) {
    part.push(line);
    size += line.length;
    if (size < PART_SIZE) continue;
    yield { from, json: part.join('\n') };
    from += part.length;
    part = [];
    size = 0;
  }
  if (part.length > 0) yield { from, json: part.join('\n') };
}

/** Characters: a browser inflates so many in a few ms, and larger parts are no smaller together (deflate looks back 32 KiB). */
const PART_SIZE = 512 * 1024;
