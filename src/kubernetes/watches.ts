// Watches that go on: a watch begins at the version that a list, or the watch before it, told last; one that is told its
// version is too old (410 Expired) is followed by a new list. Knows versions and selectors of one program's watches; a
// version that nobody told has no cause here.

import type { Draft } from './draft.js';
import type { RequestInfo } from './request-info.js';
import type { Talk } from './talk.js';

/** What a program was told last of what it watches. */
interface Told {
  /** seq of the message, and the version that it told. */
  seq: number;
  version: string;
  /** seq of the `ERROR` event that ended the watch; undefined: it goes on, or ended in another way. */
  expired: number | undefined;
}

export class Watches {
  readonly #told = new Map<string, Told>();

  /** A list or a watch was asked for: what made its sender ask. */
  asked(talk: Talk, message: Draft): void {
    const { info } = talk;
    // What a person asks is the person's own will.
    if (info === null || talk.client.tier === 'people' || (info.verb !== 'list' && info.verb !== 'watch')) return;
    const told = this.#told.get(keyOf(talk, info));
    if (told === undefined) return;
    if (told.expired !== undefined && (info.verb === 'list' || info.query.get('sendInitialEvents') === 'true')) {
      message.causedBy = told.expired;
      told.expired = undefined;
    } else if (info.verb === 'watch' && told.version !== '' && info.query.get('resourceVersion') === told.version) {
      message.causedBy = told.seq;
    }
  }

  /** A list was answered, or a watch told of something. */
  answered(talk: Talk, message: Draft): void {
    const { info } = talk;
    if (info === null || (info.verb !== 'list' && info.verb !== 'watch') || talk.client.tier === 'people') return;
    const isError = message.type === 'ERROR';
    const version = message.object?.resourceVersion ?? '';
    if (!isError && version === '') return;
    const key = keyOf(talk, info);
    let told = this.#told.get(key);
    if (told === undefined) {
      if (this.#told.size >= MAX_WATCHES) this.#told.delete(this.#told.keys().next().value as string);
      told = { seq: 0, version: '', expired: undefined };
      this.#told.set(key, told);
    }
    if (isError) told.expired = message.seq;
    else {
      told.seq = message.seq;
      told.version = version;
    }
  }
}

/** Informers of one program that select the same are told apart by nothing; the version they ask for decides. */
function keyOf({ client }: Talk, { apiGroup, resource, namespace, name, query }: RequestInfo): string {
  const selectors = `${query.get('fieldSelector') ?? ''} ${query.get('labelSelector') ?? ''}`;
  return `${client.id} ${apiGroup ?? ''} ${resource ?? ''} ${namespace ?? ''} ${name ?? ''} ${selectors}`;
}

/** What 5,000 nodes watch: some ten resources each. */
const MAX_WATCHES = 50_000;
