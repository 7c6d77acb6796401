// Groups requests by the values of chosen keys, in a table that does not grow with the capture.

import { entryOf, SeriesTable } from '../core/collections/series-table.js';
import type { Message, Participant } from '../kubernetes/messages/message.js';
import type { FlowNames } from './flow-names.js';
import { awaitsResponse, GROUP_KEYS, type GroupKeyName } from './group-keys.js';
import { RequestCounts } from './request-counts.js';
import { SORT_KEYS, type SortKey } from './sort-keys.js';
import type { TopRow } from './top-report.js';

interface Group {
  readonly values: readonly (string | Participant)[];
  readonly counts: RequestCounts;
}

/** A request that is not in the counts of a group. */
export interface UncountedRequest {
  readonly request: Message;
  /** Bytes of the request's body; undefined: not known. */
  readonly bytes: number | undefined;
  readonly isRestart: boolean;
}

export class RequestGroups {
  readonly #keys: readonly GroupKeyName[];
  readonly #names: FlowNames;
  readonly #groups = new SeriesTable<string, Group>(MAX_GROUPS);
  /** Whether a request's group is known only with its response. */
  readonly awaitsResponse: boolean;

  constructor(keys: readonly GroupKeyName[], names: FlowNames) {
    this.#keys = keys;
    this.#names = names;
    this.awaitsResponse = awaitsResponse(keys);
  }

  /** Requests of groups beyond the limit. */
  get ungrouped(): number {
    return this.#groups.leftOut;
  }

  /** The counts of the group of a request; null beyond the limit. @param response undefined: none came. */
  countsOf(request: Message, response: Message | undefined): RequestCounts | null {
    const values = this.#keys.map((key) => GROUP_KEYS[key].value(request, response, this.#names));
    const key = values.map((value) => (typeof value === 'string' ? value : `#${value.id}`)).join('\n');
    return this.#groups.of(key, () => ({ values, counts: new RequestCounts() }))?.counts ?? null;
  }

  /**
   * Sorted, then those with most requests first. Groups whose participants turned out to have one name are one row.
   * @param unanswered requests so far that no group counts, as theirs is known with the response: they are rows of their own.
   */
  rows(seconds: number, unanswered: readonly UncountedRequest[], sort: SortKey): TopRow[] {
    const merged = new Map<string, { readonly values: readonly string[]; readonly counts: RequestCounts }>();
    const rowOf = (values: readonly (string | Participant)[]): RequestCounts => {
      const names = values.map((value, i) => this.#text(this.#keys[i], value));
      const key = names.join('\n');
      return entryOf(merged, key, () => ({ values: names, counts: new RequestCounts() })).counts;
    };
    for (const { values, counts } of this.#groups.values()) rowOf(values).merge(counts);
    for (const { request, bytes, isRestart } of unanswered)
      rowOf(this.#keys.map((key) => GROUP_KEYS[key].value(request, undefined, this.#names))).request(
        request.verb,
        bytes,
        isRestart,
      );
    const value = SORT_KEYS[sort];
    return [...merged.values()]
      .map(({ values, counts }) => ({ values, ...counts.result(seconds) }))
      .sort(
        (a, b) =>
          value(b) - value(a) || b.requests - a.requests || compareTexts(a.values.join(' '), b.values.join(' ')),
      );
  }

  #text(key: GroupKeyName, value: string | Participant): string {
    if (typeof value !== 'string') return value.name;
    // The object with the name may have come after the response with the uid.
    return key === 'flowschema' || key === 'prioritylevel' ? this.#names.nameOf(value) : value;
  }
}

function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Limit: groups of requests, some KB each with their histogram; a cluster with some hundred clients and as many resources has fewer. */
const MAX_GROUPS = 20_000;
