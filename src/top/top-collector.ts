// Counts the requests that API servers received and finds clients that ask too much; what it keeps does not grow with the capture.

import { STREAMED_SUBRESOURCES } from '../core/api-resources.js';
import { BoundedSet } from '../core/collections/bounded.js';
import { NOTHING } from '../core/stage.js';
import { bare } from '../kubernetes/emitted/message-links.js';
import type { Message } from '../kubernetes/messages/message.js';
import { CutWatches } from './findings/cut-watches.js';
import { Fights } from './findings/fights.js';
import { FINDING_KINDS, type FindingThresholds, type UsageFinding } from './findings/finding.js';
import { HotLoops } from './findings/hot-loops.js';
import { ExpensiveLists } from './findings/lists.js';
import { NamelessClients } from './findings/nameless-clients.js';
import { RetriesWithoutBackOff } from './findings/retries.js';
import { WholeWatches } from './findings/whole-watches.js';
import { FlowNames } from './flow-names.js';
import type { GroupKeyName } from './group-keys.js';
import { RequestCounts } from './request-counts.js';
import { RequestGroups, type UncountedRequest } from './request-groups.js';
import { scopeKey } from './request-words.js';
import type { SortKey } from './sort-keys.js';
import type { TopReport } from './top-report.js';

export interface TopOptions {
  readonly by: readonly GroupKeyName[];
  /** What is largest in the first row; default: requests. */
  readonly sort?: SortKey;
  /** Rows at most. */
  readonly limit: number;
  readonly thresholds: FindingThresholds;
}

interface CountedRequest extends UncountedRequest {
  /** undefined: its group is not known yet; null: it is beyond the limit. */
  counts: RequestCounts | null | undefined;
}

export class TopCollector {
  readonly #options: TopOptions;
  readonly #names = new FlowNames();
  readonly #groups: RequestGroups;
  readonly #total = new RequestCounts();
  /** By exchange: requests without a response, and watches and streams with one. */
  readonly #open = new Map<number, CountedRequest>();
  /** Scopes of watches that were opened. */
  readonly #watched = new BoundedSet<string>(MAX_WATCHES, 'watches that were counted');
  readonly #loops: HotLoops;
  readonly #fights: Fights;
  readonly #retries: RetriesWithoutBackOff;
  readonly #lists: ExpensiveLists;
  readonly #wholeWatches: WholeWatches;
  readonly #nameless: NamelessClients;
  readonly #cuts = new CutWatches();
  #first: bigint | null = null;
  #last: bigint | null = null;

  constructor(options: TopOptions) {
    const { by, thresholds } = options;
    this.#options = options;
    this.#groups = new RequestGroups(by, this.#names);
    this.#loops = new HotLoops(thresholds.loopRate);
    this.#fights = new Fights(thresholds.fightTurns);
    this.#retries = new RetriesWithoutBackOff(thresholds.retries);
    this.#lists = new ExpensiveLists(thresholds.relists, thresholds.largeList);
    this.#wholeWatches = new WholeWatches(thresholds.wholeWatches);
    this.#nameless = new NamelessClients(thresholds.nameless);
  }

  /** @param message in the order of time, with its details where sizes, flow schemas and fights count. */
  add(message: Message): void {
    if (message.protocol !== 'kubernetes') return;
    this.#first ??= message.time;
    if (this.#last === null || message.time > this.#last) this.#last = message.time;
    this.#names.observe(message);
    if (message.kind === 'request') this.#request(message);
    else this.#answer(message);
  }

  result(): TopReport {
    const [first, last] = [this.#first, this.#last];
    const seconds = first === null || last === null ? 0 : Number(last - first) / 1e9;
    const { by, limit, sort = 'requests' } = this.#options;
    const isOwn = this.#groups.awaitsResponse;
    const unanswered = isOwn ? [...this.#open.values()].filter(({ counts }) => counts === undefined) : NOTHING;
    const rows = this.#groups.rows(seconds, unanswered, sort);
    return {
      first,
      last,
      seconds: Number(seconds.toFixed(6)),
      by,
      total: this.#total.result(seconds),
      rows: rows.slice(0, limit),
      moreRows: Math.max(0, rows.length - limit),
      ungrouped: this.#groups.ungrouped,
      findings: this.#findings(),
    };
  }

  #request(message: Message): void {
    const request = bare(message);
    const bytes = message.details?.bodyBytes();
    const isRestart = request.verb === 'watch' && this.#isWatchedAgain(request);
    this.#total.request(request.verb, bytes, isRestart);
    this.#nameless.observe(request);
    const open: CountedRequest = { request, bytes, isRestart, counts: undefined };
    if (!this.#groups.awaitsResponse) {
      open.counts = this.#groups.countsOf(request, undefined);
      open.counts?.request(request.verb, bytes, isRestart);
    }
    if (this.#open.size >= MAX_OPEN) this.#dropOldest();
    this.#open.set(request.exchange, open);
  }

  #answer(message: Message): void {
    if (message.cut !== undefined) this.#cuts.observe(message, message.cut);
    const open = this.#open.get(message.exchange);
    // Its request was before the capture.
    if (open === undefined) return;
    const { request } = open;
    if (message.kind === 'event') {
      this.#total.event(message);
      open.counts?.event(message);
      this.#wholeWatches.observe(request, message);
    } else if (message.kind === 'data') {
      const isFromClient = message.from.id === request.from.id;
      this.#total.data(message.bytes, isFromClient);
      open.counts?.data(message.bytes, isFromClient);
    } else if (message.kind === 'response') this.#response(open, message);
  }

  #response(open: CountedRequest, response: Message): void {
    const { request, bytes, isRestart } = open;
    if (this.#groups.awaitsResponse) {
      open.counts = this.#groups.countsOf(request, response);
      open.counts?.request(request.verb, bytes, isRestart);
    }
    this.#total.response(response, request.verb);
    open.counts?.response(response, request.verb);
    // The events of a watch and the bytes of a stream are still to come.
    if (request.verb !== 'watch' && !STREAMED_SUBRESOURCES.has(request.subresource ?? ''))
      this.#open.delete(request.exchange);
    this.#loops.observe(request, response);
    this.#fights.observe(request, response);
    this.#retries.observe(request, response);
    this.#lists.observe(request, response);
  }

  /** Its group is that of requests without a response. */
  #unanswered(open: CountedRequest): void {
    if (open.counts !== undefined || !this.#groups.awaitsResponse) return;
    open.counts = this.#groups.countsOf(open.request, undefined);
    open.counts?.request(open.request.verb, open.bytes, open.isRestart);
  }

  #dropOldest(): void {
    const [oldest] = this.#open.values();
    this.#unanswered(oldest);
    this.#open.delete(oldest.request.exchange);
  }

  #isWatchedAgain(request: Message): boolean {
    const scope = scopeKey(request);
    const isKnown = this.#watched.has(scope);
    if (!isKnown) this.#watched.add(scope);
    return isKnown;
  }

  #findings(): UsageFinding[] {
    const all = [
      this.#loops,
      this.#fights,
      this.#retries,
      this.#lists,
      this.#wholeWatches,
      this.#cuts,
      this.#nameless,
    ].flatMap((one) => one.findings());
    const rank = (one: UsageFinding): number => FINDING_KINDS.indexOf(one.kind);
    return all.sort((a, b) => rank(a) - rank(b) || b.count - a.count);
  }
}

/** Limit: requests without a response, and watches and streams with one: as many as a busy API server has open at a time. */
const MAX_OPEN = 65_536;
/** Limit: scopes of watches that were opened once: clients by resources by namespaces. */
const MAX_WATCHES = 65_536;
