// Reads the captures that a reader chose, keeps their messages within limits, and makes views of them.

import { NamedCaptures } from '../browser/named-captures.js';
import {
  buildSequence,
  criticalPaths,
  explorerData,
  type FollowedName,
  firstLook,
  HistoryBuilder,
  htmlPage,
  LineBuffer,
  type Message,
  messagesAbout,
  missingParts,
  type Observation,
  type PagePart,
  parseFollow,
  pathMarks,
  renderMermaid,
  renderPathText,
  SummaryCollector,
  summaryText,
  unreadPlaces,
  VERSION,
  writeMessage,
} from '../index.js';
import { type SortedFiles, UnreadableFiles } from './chosen-files.js';
import type { CaptureView, Found, WantedView } from './protocol.js';

export interface ReadingHooks {
  /** After each batch. @returns whether to go on. */
  onProgress(read: number, messages: number): boolean;
}

export class OpenedCaptures {
  readonly #reading: NamedCaptures;
  readonly #hasKeyLogs: boolean;
  readonly #title: string;
  readonly #messages: Message[] = [];
  readonly #summary: SummaryCollector;
  #bodyBytes = 0;
  #withoutBodies = 0;
  #leftOut = 0;
  #read = 0;

  constructor({ captures, keyLogs }: SortedFiles) {
    this.#title = captures.map(({ name }) => name).join(', ');
    this.#hasKeyLogs = keyLogs.length > 0;
    this.#reading = new NamedCaptures(captures, {
      keyLogs,
      bodies: true,
      onRead: (bytes) => {
        this.#read = bytes;
      },
    });
    this.#summary = new SummaryCollector(this.#reading.names, { streams: false });
  }

  /** @returns null if the reader cancelled it. @throws UnreadableFiles */
  async read({ onProgress }: ReadingHooks): Promise<Found | null> {
    for await (const batch of this.#reading.run()) {
      for (const item of batch) {
        this.#summary.add(item);
        if (item.kind === 'message') this.#keep(item.message);
      }
      if (!onProgress(this.#read, this.#messages.length + this.#leftOut)) return null;
    }
    const unknown = this.#reading.reports.find(({ format }) => format === 'unknown');
    if (unknown !== undefined)
      throw new UnreadableFiles(`${this.#reading.names[unknown.capture]} holds no packets and no messages.`);
    const summary = this.#summary.result();
    return {
      title: this.#title,
      messages: this.#messages.length + this.#leftOut,
      summary: summaryText(summary),
      remarks: [...this.#unread(), ...this.#limits()],
      objects: summary.objects.map(({ apiGroup, resource, name, namespace }) => ({
        name: `${resource}${apiGroup === '' ? '' : `.${apiGroup}`}/${name}`,
        namespace: namespace ?? '',
      })),
    };
  }

  /** @throws UnreadableFiles for an object that cannot be meant. */
  view(
    { follow, namespace, path }: WantedView,
    parts: { readonly script: PagePart; readonly style: PagePart },
  ): CaptureView {
    const followed = follow === '' ? undefined : parseFollow(follow, namespace === '' ? null : namespace);
    if (followed === null)
      throw new UnreadableFiles(`Give an object as KIND/NAME, for example pod/nginx, not ${follow}.`);
    const observation: Observation = { messages: this.#messages, notices: this.#reading.notices };
    const found = followed === undefined || !path ? null : this.#pathsOf(followed);
    const drawing = { follow: followed, path: found?.paths.flatMap(pathMarks) };
    const sequence =
      followed === undefined ? firstLook(observation, drawing, false) : buildSequence(observation, drawing);
    const first = this.#reading.firstTime ?? 0n;
    const { html, cut } = htmlPage(explorerData(observation, drawing, MAX_ROWS), {
      captures: this.#reading.captureNames,
      digits: (capture) => this.#reading.digits(capture),
      first,
      title: this.#title,
      version: VERSION,
      ...parts,
    });
    const isAbsent = followed !== undefined && sequence.drawn === 0;
    return {
      html: new Blob([html], { type: 'text/html' }),
      mermaid: renderMermaid(sequence, { seqs: true }),
      path: found === null ? '' : pathText(found.paths, first, follow),
      remarks: [
        ...(isAbsent ? [`Nothing is about ${follow}${namespace === '' ? '' : ` in ${namespace}`}.`] : []),
        ...cut,
      ],
    };
  }

  /** All messages as `kubeseq messages -o ndjson` prints them. */
  lines(): Blob {
    const parts: Uint8Array<ArrayBuffer>[] = [];
    const out = new LineBuffer(PIECE);
    const { captureNames: captures } = this.#reading;
    for (const message of this.#messages) {
      writeMessage(out, message, { captures, digits: (capture) => this.#reading.digits(capture) });
      out.ascii('\n');
      if (out.length >= PIECE) parts.push(new Uint8Array(out.take()));
    }
    if (out.length > 0) parts.push(new Uint8Array(out.take()));
    return new Blob(parts, { type: 'application/x-ndjson' });
  }

  #keep(message: Message): void {
    if (this.#messages.length >= MAX_MESSAGES) {
      this.#leftOut += 1;
      return;
    }
    const bytes = message.details === undefined ? 0 : BODY_OVERHEAD + (message.details.bodyBytes() ?? 0);
    if (this.#bodyBytes + bytes <= MAX_BODY_BYTES) {
      this.#bodyBytes += bytes;
      this.#messages.push(message);
      return;
    }
    this.#withoutBodies += 1;
    this.#messages.push({ ...message, details: undefined });
  }

  #pathsOf(follow: FollowedName): { readonly paths: ReturnType<typeof criticalPaths> } {
    const history = new HistoryBuilder(follow);
    for (const message of this.#messages) history.feed(message);
    const story = messagesAbout(this.#messages, follow);
    return { paths: criticalPaths(this.#messages, history.result(), { story }) };
  }

  /** Traffic that could not be decoded, and what to do about it. */
  #unread(): string[] {
    const { notices } = this.#reading;
    const codes = new Set(unreadPlaces(notices).map(({ code }) => code));
    const missing = missingParts(notices);
    const remarks = missing.length === 0 ? [] : [`Not read: ${missing.join(', ')}.`];
    if (!codes.has('tls.no-secret') && !codes.has('tls.no-handshake') && !codes.has('tls.bad-tag')) return remarks;
    return [
      ...remarks,
      this.#hasKeyLogs
        ? 'The key log does not have the secrets of all connections: it must be of this very run.'
        : 'To read what is encrypted, choose the key log of the same run together with the capture.',
    ];
  }

  #limits(): string[] {
    const remarks: string[] = [];
    if (this.#leftOut > 0)
      remarks.push(
        `This page keeps the first ${MAX_MESSAGES} messages, so that it needs no more than a few hundred MB of memory; ${this.#leftOut} later ones are counted alone. The command has no such limit.`,
      );
    if (this.#withoutBodies > 0)
      remarks.push(
        `Bodies of ${this.#withoutBodies} messages are not shown: this page keeps ${MAX_BODY_BYTES / 1024 ** 2} MiB of them.`,
      );
    return remarks;
  }
}

function pathText(paths: ReturnType<typeof criticalPaths>, first: bigint, follow: string): string {
  return paths.length > 0
    ? renderPathText(paths, first)
    : `${follow} was neither created nor deleted in this capture, and did not get ready.\n`;
}

/** Limit: messages that the page keeps in memory, some KB each; of a capture of 100 MB there are some 100,000. */
const MAX_MESSAGES = 200_000;
/** Limit in bytes: bodies that the page keeps: those of some ten thousand objects. */
const MAX_BODY_BYTES = 16 * 1024 ** 2;
/** Limit: messages of an explorable page in the page (problems, then what is drawn, then the rest): its frame is in the memory of the tab. */
const MAX_ROWS = 20_000;
/** Bytes of what stands for a body beside it. */
const BODY_OVERHEAD = 1000;
/** Bytes of a piece of the lines. */
const PIECE = 1 << 20;
