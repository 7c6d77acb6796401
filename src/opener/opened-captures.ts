// Reads the captures that a reader chose, keeps their messages within limits, and makes views of them.

import { NamedCaptures } from '../browser/named-captures.js';
import {
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
  type Notice,
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

/** What views need of the reading beside messages: the reading itself holds the state of all connections. */
interface OpenedFacts {
  readonly notices: readonly Notice[];
  /** Names of the captures, if there are several. */
  readonly names: readonly string[] | undefined;
  /** Digits of a second's fraction in the times of each. */
  readonly digits: readonly number[];
  /** ns since the epoch: the first frame. */
  readonly first: bigint;
}

export class OpenedCaptures {
  readonly #captures: SortedFiles['captures'];
  readonly #keyLogs: SortedFiles['keyLogs'];
  #read: OpenedFacts = { notices: [], names: undefined, digits: [], first: 0n };
  readonly #title: string;
  readonly #messages: Message[] = [];
  #bodyBytes = 0;
  #withoutBodies = 0;
  #leftOut = 0;

  constructor({ captures, keyLogs }: SortedFiles) {
    this.#title = captures.map(({ name }) => name).join(', ');
    this.#captures = captures;
    this.#keyLogs = keyLogs;
  }

  /** @returns null if the reader cancelled it. @throws UnreadableFiles */
  async read({ onProgress }: ReadingHooks): Promise<Found | null> {
    let bytes = 0;
    const reading = new NamedCaptures(this.#captures, {
      keyLogs: this.#keyLogs,
      bodies: true,
      onRead: (read) => {
        bytes = read;
      },
    });
    const collector = new SummaryCollector(reading.names, { streams: false });
    for await (const batch of reading.run()) {
      for (const item of batch) {
        collector.add(item);
        if (item.kind === 'message') this.#keep(item.message);
      }
      if (!onProgress(bytes, this.#messages.length + this.#leftOut)) return null;
    }
    const unknown = reading.reports.find(({ format }) => format === 'unknown');
    if (unknown !== undefined)
      throw new UnreadableFiles(`${reading.names[unknown.capture]} holds no packets and no messages.`);
    this.#read = {
      notices: reading.notices,
      names: reading.captureNames,
      digits: reading.names.map((_, capture) => reading.digits(capture)),
      first: reading.firstTime ?? 0n,
    };
    const summary = collector.result();
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
    const observation: Observation = { messages: this.#messages, notices: this.#read.notices };
    const found = followed === undefined || !path ? null : this.#pathsOf(followed);
    const drawing = { follow: followed, path: found?.paths.flatMap(pathMarks) };
    const page = explorerData(observation, drawing, MAX_ROWS);
    const sequence = followed === undefined ? firstLook(observation, drawing, false, page.sequence) : page.sequence;
    const { first, names: captures } = this.#read;
    const { html, cut } = htmlPage(page, {
      captures,
      digits: (capture) => this.#digits(capture),
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
    const { names: captures } = this.#read;
    for (const message of this.#messages) {
      writeMessage(out, message, { captures, digits: (capture) => this.#digits(capture) });
      out.ascii('\n');
      if (out.length >= PIECE) parts.push(new Uint8Array(out.take()));
    }
    if (out.length > 0) parts.push(new Uint8Array(out.take()));
    return new Blob(parts, { type: 'application/x-ndjson' });
  }

  /** Saved messages may name more captures than there are files. */
  #digits(capture: number): number {
    return this.#read.digits[capture] ?? MICROSECONDS;
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
    const { notices } = this.#read;
    const codes = new Set(unreadPlaces(notices).map(({ code }) => code));
    const missing = missingParts(notices);
    const remarks = missing.length === 0 ? [] : [`Not read: ${missing.join(', ')}.`];
    if (!codes.has('tls.no-secret') && !codes.has('tls.no-handshake') && !codes.has('tls.bad-tag')) return remarks;
    return [
      ...remarks,
      this.#keyLogs.length > 0
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
/** Digits of a second's fraction. */
const MICROSECONDS = 6;
/** Bytes of a piece of the lines. */
const PIECE = 1 << 20;
