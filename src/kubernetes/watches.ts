// Watches that go on: a watch begins at the version that a list, or the watch before it, told last; one that is told its
// version is too old (410 Expired) is followed by a new list. Knows versions and selectors of one program's watches; a
// version that nobody told has no cause here.

import { inOnePiece } from '../core/bytes.js';
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
  /** By program and subject: one number, as there are tens of thousands. */
  readonly #told = new Map<number, Told>();
  /** What is watched, in words: many programs watch the same. */
  readonly #subjects = new Map<string, number>();
  #lastSubject = 0;

  /** A list or a watch was asked for: what made its sender ask. */
  asked(talk: Talk, message: Draft): void {
    const { info } = talk;
    // What a person asks is the person's own will.
    if (info === null || talk.client.tier === 'people' || (info.verb !== 'list' && info.verb !== 'watch')) return;
    const told = this.#told.get(this.#keyOf(talk, info));
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
    const key = this.#keyOf(talk, info);
    let told = this.#told.get(key);
    if (told === undefined) {
      if (this.#told.size >= MAX_WATCHES) this.#told.delete(this.#told.keys().next().value as number);
      told = { seq: 0, version: '', expired: undefined };
      this.#told.set(key, told);
    }
    if (isError) told.expired = message.seq;
    else {
      told.seq = message.seq;
      told.version = version;
    }
  }

  /** Informers of one program that select the same are told apart by nothing; the version they ask for decides. */
  #keyOf(talk: Talk, info: RequestInfo): number {
    // What it is about may still be concluded.
    if (talk.watched?.info !== info) talk.watched = { info, subject: this.#subjectOf(info) };
    return talk.watched.subject * PROGRAMS + (talk.client.id % PROGRAMS);
  }

  #subjectOf(info: RequestInfo): number {
    const words = subjectOf(info);
    let subject = this.#subjects.get(words);
    if (subject === undefined) {
      if (this.#subjects.size >= MAX_WATCHES) this.#subjects.delete(this.#subjects.keys().next().value as string);
      this.#lastSubject += 1;
      subject = this.#lastSubject;
      this.#subjects.set(inOnePiece(words), subject);
    }
    return subject;
  }
}

function subjectOf({ apiGroup, resource, namespace, name, query }: RequestInfo): string {
  const selectors = `${query.get('fieldSelector') ?? ''} ${query.get('labelSelector') ?? ''}`;
  return `${apiGroup ?? ''} ${resource ?? ''} ${namespace ?? ''} ${name ?? ''} ${selectors}`;
}

/** What 2,000 nodes watch, some ten resources each: as many as have their connections open at a time. */
const MAX_WATCHES = 20_000;
/** Speaker ids that are told apart, so that both numbers fit into one that is exact: below 2^53. */
const PROGRAMS = 2 ** 26;
