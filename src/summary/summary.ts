// Collects what the captures held and how much of it was decoded (`summary -o json`). It keeps counts alone, and connections on request,
// as a live capture has no end.

import type { CaptureReport } from '../capture/frame.js';
import { elapsedText } from '../core/duration.js';
import type { NoticeCode } from '../core/notice.js';
import { unreadPackets } from '../diagram/notes/capture-gaps.js';
import type { Problem, TimedProblem } from '../diagram/problems.js';
import { WentWrong } from '../diagram/went-wrong.js';
import type { ProtocolFound } from '../http/http-event.js';
import type { FieldName } from '../kubernetes/messages/fields.js';
import type { Message, Participant } from '../kubernetes/messages/message.js';
import { linkTypeName } from '../packet/link.js';
import type { PipelineItem } from '../pipeline/message-stage.js';
import { formatTime } from '../render/time.js';
import type { StreamBytes } from '../tcp/stream-event.js';
import { BackgroundCounter, type BackgroundCounts } from './background-counts.js';
import { Inventory, type InventorySummary } from './inventory.js';
import type { LatencySummary } from './latencies.js';

export interface StreamSummary {
  readonly connection: string;
  readonly bytes: { readonly client: number; readonly server: number };
  readonly md5: { readonly client: string; readonly server: string };
  readonly protocol: string;
  readonly why?: string;
}

export interface Summary extends InventorySummary {
  readonly captures: readonly {
    readonly file: string;
    readonly format: string;
    readonly linkType: string;
    readonly frames: number;
    readonly bytes: number;
    readonly first: string | null;
    readonly last: string | null;
    /** Seconds added to its times because its clock was behind; absent if they were not corrected. */
    readonly shift?: string;
    readonly truncated: boolean;
  }[];
  readonly connections: { total: number; decoded: number; encrypted: number; other: number };
  /** `brokenOff`: by a side, before a response; they are not among `withoutResponse`. */
  readonly exchanges: Readonly<
    Record<'total' | 'complete' | 'withoutRequest' | 'withoutResponse' | 'brokenOff', number>
  >;
  events: number;
  rpcs: number;
  readonly participants: readonly {
    readonly name: string;
    readonly component: string;
    readonly evidence: readonly string[];
  }[];
  readonly notices: Readonly<Partial<Record<NoticeCode, number>>>;
  /** How many connections could not be decoded, by reason. */
  readonly unread: Readonly<Record<string, number>>;
  /** Packets that were not read, or only in part, in words. */
  readonly unreadPackets: readonly string[];
  /** Messages that diagrams fold away whatever they tell of, unless they failed. */
  readonly background: BackgroundCounts;
  /** How long responses took, by kind of request. */
  readonly latencies: readonly LatencySummary[];
  /** Errors in the cluster, heaviest first; seconds since the first frame of the captures, `until` the last of several. */
  readonly problems: readonly (Problem & { readonly at: number; readonly until?: number })[];
  readonly streams?: readonly StreamSummary[];
}

/** Fields of messages that a summary needs, with those by which texts are redacted and participants named. */
export const SUMMARY_FIELDS: ReadonlySet<FieldName> = new Set([
  ...(['seq', 'time', 'kind', 'protocol', 'from', 'to', 'via', 'exchange', 'connection', 'complete'] as const),
  ...(['method', 'target', 'userAgent', 'verb', 'apiGroup', 'apiVersion', 'resource', 'subresource'] as const),
  ...(['namespace', 'name', 'user', 'dryRun', 'service', 'rpcMethod', 'image'] as const),
  ...(['status', 'latencyMs', 'times', 'reason', 'statusMessage', 'grpcStatus', 'missing', 'verdict'] as const),
  ...(['object', 'type', 'initial', 'k8sEvent', 'problems', 'lease', 'cut', 'causedBy', 'cause'] as const),
]);

export class SummaryCollector {
  readonly #files: readonly string[];
  readonly #keepStreams: boolean;
  readonly #captures: CaptureReport[] = [];
  readonly #protocols = new Map<number, ProtocolFound>();
  readonly #streams: StreamSummary[] = [];
  readonly #notices: Partial<Record<NoticeCode, number>> = {};
  readonly #unread: Record<string, number> = {};
  /** ns, by reason: the longest answer of connections that are not read. */
  readonly #longest = new Map<string, bigint>();
  readonly #unreadPackets: string[] = [];
  readonly #connections = { total: 0, decoded: 0, encrypted: 0, other: 0 };
  readonly #participants = new Set<Participant>();
  readonly #wrong = new WentWrong(() => {
    this.#isProblem = true;
  });
  /** Whether the message at hand shows a problem. */
  #isProblem = false;
  #firstMessage: bigint | undefined;
  readonly #inventory = new Inventory();
  readonly #background = new BackgroundCounter();
  /** By exchange: whether the open request was complete. */
  readonly #open = new Map<number, boolean>();
  /** Open requests beyond the limit. */
  #unanswered = 0;
  readonly #seen = { total: 0, complete: 0, withoutRequest: 0, brokenOff: 0 };
  /** Number of the newest exchange; exchanges are numbered by their first message. */
  #lastExchange = 0;
  #events = 0;
  #rpcs = 0;

  constructor(files: readonly string[], options: { readonly streams: boolean }) {
    this.#files = files;
    this.#keepStreams = options.streams;
  }

  add(item: PipelineItem): void {
    switch (item.kind) {
      case 'message':
        this.#message(item.message);
        break;
      case 'notice':
        this.#notices[item.code] = (this.#notices[item.code] ?? 0) + 1;
        this.#wrong.addNotice(item);
        if (UNREAD_PACKETS.has(item.code)) this.#unreadPackets.push(unreadPackets(item));
        break;
      case 'connection-end':
        this.#wrong.addEnd(item);
        break;
      case 'capture-report':
        this.#captures.push(item);
        break;
      case 'protocol':
        this.#protocols.set(item.connection.id, item);
        break;
      case 'stream-bytes':
        this.#ended.push(item);
        if (!this.#keepStreams && this.#ended.length >= this.#settleAt) this.#settle();
        break;
    }
  }

  /** Ended streams whose protocol may still be reported, as it comes with the end of the connection. */
  #ended: StreamBytes[] = [];
  #settleAt = SETTLE_INTERVAL;

  /** Counts and forgets streams that ended, except those without a protocol: TLS still buffers them until their secrets come. */
  #settle(): void {
    const settled = this.#ended.length - SETTLE_INTERVAL / 2;
    this.#ended = this.#ended.filter((stream, i) => {
      if (i >= settled || !this.#protocols.has(stream.connection.id)) return true;
      this.#stream(stream);
      this.#protocols.delete(stream.connection.id);
      return false;
    });
    this.#settleAt = this.#ended.length + SETTLE_INTERVAL;
  }

  result(): Summary {
    for (const stream of this.#ended) this.#stream(stream);
    this.#ended.length = 0;
    if (this.#wrong.uncounted > 0 || this.#inventory.isFull) this.#notices['limit.correlation'] ??= 1;
    const captures = [...this.#captures].sort((a, b) => a.capture - b.capture);
    return {
      captures: captures.map((report) => ({
        file: this.#files[report.capture] ?? '',
        format: report.format,
        linkType: report.linkTypes.map(linkTypeName).join(', '),
        frames: report.frames,
        bytes: report.bytes,
        first: report.first === null ? null : formatTime(report.first, report.digits),
        last: report.last === null ? null : formatTime(report.last, report.digits),
        ...(report.shift === undefined ? null : { shift: secondsText(report.shift) }),
        truncated: report.truncated,
      })),
      connections: this.#connections,
      exchanges: { ...this.#seen, withoutResponse: this.#open.size + this.#unanswered },
      events: this.#events,
      rpcs: this.#rpcs,
      participants: participantsOf(this.#participants),
      notices: this.#notices,
      unread: Object.fromEntries(
        Object.entries(this.#unread).map(([why, count]) => {
          const longest = this.#longest.get(why);
          return [longest === undefined ? why : `${why}; longest answer ${elapsedText(longest)}`, count];
        }),
      ),
      unreadPackets: this.#unreadPackets,
      background: this.#background.result(),
      latencies: this.#inventory.latencies(),
      problems: this.#wrong.result().map((problem) => placedIn(problem, this.#firstTime())),
      ...this.#inventory.result(),
      ...(this.#keepStreams ? { streams: this.#streams } : null),
    };
  }

  /** ns: of the first frame, as `path` and `object` count; without captures of the first message. */
  #firstTime(): bigint {
    const times = this.#captures.flatMap(({ first, shift = 0n }) => (first === null ? [] : [first + shift]));
    if (this.#firstMessage !== undefined) times.push(this.#firstMessage);
    return times.reduce((least, one) => (one < least ? one : least), times[0] ?? 0n);
  }

  #message(message: Message): void {
    this.#firstMessage ??= message.time;
    this.#participants.add(message.from).add(message.to);
    if (message.via !== undefined) for (const one of message.via) this.#participants.add(one);
    this.#isProblem = false;
    this.#wrong.add(message);
    this.#inventory.add(message, this.#isProblem);
    this.#background.add(message);
    const isNew = message.exchange > this.#lastExchange;
    if (isNew) this.#lastExchange = message.exchange;
    if (message.kind === 'event' || message.kind === 'data') {
      // An etcd watch event is part of a remote call.
      if (message.kind === 'event' && message.protocol !== 'etcd') this.#events += 1;
      if (isNew) this.#withoutRequest(message);
    } else if (message.kind === 'request') {
      this.#exchange(message);
      this.#open.set(message.exchange, message.complete);
      if (this.#open.size > MAX_OPEN) this.#dropOldest();
    } else if (message.kind === 'end') {
      if (this.#open.delete(message.exchange)) this.#seen.brokenOff += 1;
    } else {
      const requestComplete = this.#open.get(message.exchange);
      if (requestComplete === undefined) this.#withoutRequest(message);
      else {
        if (requestComplete && message.complete) this.#seen.complete += 1;
        this.#open.delete(message.exchange);
      }
    }
  }

  #dropOldest(): void {
    this.#open.delete(this.#open.keys().next().value as number);
    this.#unanswered += 1;
    this.#notices['limit.correlation'] ??= 1;
  }

  #exchange({ protocol }: Message): void {
    this.#seen.total += 1;
    if (protocol === 'etcd' || protocol === 'cri' || protocol === 'grpc') this.#rpcs += 1;
  }

  /** The exchange's request, or both heads of its stream, came before the capture. */
  #withoutRequest(message: Message): void {
    this.#exchange(message);
    this.#seen.withoutRequest += 1;
  }

  #stream(stream: StreamBytes): void {
    const found = this.#protocols.get(stream.connection.id);
    const protocol = found?.protocol ?? 'silent';
    this.#connections.total += 1;
    if (protocol === 'http/1' || protocol === 'http/2') this.#connections.decoded += 1;
    else if (protocol === 'encrypted') this.#connections.encrypted += 1;
    else this.#connections.other += 1;
    if (found?.why !== undefined) {
      this.#unread[found.why] = (this.#unread[found.why] ?? 0) + 1;
      if (found.longestNs !== undefined && found.longestNs > (this.#longest.get(found.why) ?? 0n))
        this.#longest.set(found.why, found.longestNs);
    }
    if (!this.#keepStreams) return;
    // The protocol may show that client and server are reversed compared with what the ports suggest.
    const reversed = found !== undefined && found.connection.client.port !== stream.connection.client.port;
    const { connection } = reversed ? found : stream;
    const { client, server } = stream.bytes;
    const md5 = stream.md5 ?? { client: '', server: '' };
    this.#streams.push({
      connection: connection.name,
      bytes: reversed ? { client: server, server: client } : { client, server },
      md5: reversed ? { client: md5.server, server: md5.client } : { client: md5.client, server: md5.server },
      protocol,
      ...(found?.why === undefined
        ? null
        : { why: found.detail === undefined ? found.why : `${found.why} (${found.detail})` }),
    });
  }
}

/** @param first ns since the epoch. */
function placedIn({ time, last, ...problem }: TimedProblem, first: bigint): Summary['problems'][number] {
  const at = Number(time - first) / 1e9;
  return problem.count === 1 ? { ...problem, at } : { ...problem, at, until: Number(last - first) / 1e9 };
}

/** One entry for each name: several participants may be identified as the same program later. */
function participantsOf(participants: ReadonlySet<Participant>): Summary['participants'] {
  const byName = new Map<string, { name: string; component: string; evidence: string[] }>();
  for (const { name, component, evidence } of participants) {
    const known = byName.get(name);
    if (known === undefined) byName.set(name, { name, component, evidence: [...evidence] });
    else for (const fact of evidence) if (!known.evidence.includes(fact)) known.evidence.push(fact);
  }
  return [...byName.values()];
}

function secondsText(ns: bigint): string {
  const text = (ns < 0n ? -ns : ns).toString().padStart(10, '0');
  return `${ns < 0n ? '-' : ''}${text.slice(0, -9)}.${text.slice(-9)}`;
}

/** Limit: requests whose responses are awaited, where exchanges are counted: as many as a selection remembers. */
const MAX_OPEN = 100_000;
/** Limit: ended streams between two settlements; half of them stay, as their protocol may still be reported. */
const SETTLE_INTERVAL = 2_048;

const UNREAD_PACKETS: ReadonlySet<NoticeCode> = new Set([
  'packet.unknown-encapsulation',
  'packet.not-read',
  'packet.other-protocol',
  'packet.cut',
]);
