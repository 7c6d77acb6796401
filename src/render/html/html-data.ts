// Renders the data blocks of an explorable page: the view that decides which rows are shown, and the details of every message. Equal
// bodies are stored once.

import { dictionary } from '../../core/collections/dictionary.js';
import type { ExplorerData, ExplorerEntry } from '../../diagram/explorer-data.js';
import type { Message, Protocol } from '../../kubernetes/messages/message.js';
import { escapeJsonBlock } from '../escape/html-escape.js';
import { jsonText } from '../escape/json-text.js';
import { bodyText } from '../messages/details-json.js';
import { type MessageJsonOptions, messageLine } from '../messages/message-json.js';
import { BODIES_BLOCK, KINDS, MESSAGES_BLOCK, VIEW_BLOCK, type View, type ViewRow } from './html-format.js';

/** The view, which is read before the first paint. @param first ns since the epoch: zero of the page's times. */
export function viewBlock(shown: ExplorerData, first: bigint): string {
  const words = new StringTable();
  const folds = new StringTable();
  const layers = layersOf(shown);
  const rows = shown.entries.map((entry): ViewRow => {
    const { message, layer, from, to, via, folded, isProblem } = entry;
    const verb = message.verb ?? message.rpcMethod ?? message.method;
    const resource = message.resource ?? message.service;
    return [
      message.seq,
      Number(message.time - first) / 1000,
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
      hasFailed(entry, shown.answered) ? 1 : 0,
      isProblem ? 1 : 0,
      ...via,
    ];
  });
  const view: View = {
    participants: shown.participants.map(({ name, component, evidence, box }) => ({ name, component, evidence, box })),
    layers: layers.map(({ name, on }) => ({ name, on })),
    folds: folds.values,
    words: words.values,
    leftOut: shown.leftOut,
    rows,
  };
  return block(VIEW_BLOCK, jsonText(view));
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
    shown.entries.filter(({ folded, layer }) => folded === null && shown.layers.has(layer)),
    shown.leftOut > 0 ? [] : shown.entries,
  ];
  const bodies = new Bodies(limit);
  for (const entries of stages) for (const { message } of entries) bodies.add(message);
  bodies.isClosed = true;
  const lines = shown.entries.map(({ message }) => {
    const fields = message.details?.fields() ?? [];
    const headers = fields.length === 0 ? '' : `,"headers":${jsonText(fields)}`;
    return `${messageLine(message, options).slice(0, -1)}${headers}${bodies.add(message)}}`;
  });
  return {
    html: block(MESSAGES_BLOCK, lines.join('\n')) + block(BODIES_BLOCK, bodies.texts.join('\n')),
    bodiesLeftOut: bodies.leftOut,
  };
}

/** Refused, failed, without a response, or a problem. */
export function hasFailed({ message, isProblem }: ExplorerEntry, answered: ReadonlySet<number>): boolean {
  return (
    isProblem ||
    (message.status ?? 0) >= 400 ||
    (message.grpcStatus ?? 0) > 0 ||
    (message.exitCode ?? 0) > 0 ||
    message.type === 'ERROR' ||
    (message.kind === 'request' && !answered.has(message.exchange))
  );
}

function block(id: string, json: string): string {
  return `<script type="application/json" id="${id}">${escapeJsonBlock(json)}</script>\n`;
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
