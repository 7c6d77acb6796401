// Rounds: what a component writes again and again about one object while others change it, its status above all. The first
// and the last round of a chapter are drawn, with the number of all; of writes that change nothing, only the first. Rounds that
// failed, that nobody answered, or that say that something failed, are drawn too. Knows which writes are bookkeeping; sees one observation.

import type { Message } from '../../kubernetes/messages/message.js';
import type { Chapters } from '../layout/chapters.js';
import type { MessageIndex } from '../message-index.js';
import { BEHIND_SERVICES, type Dispositions, succeeded } from '../selection/follow.js';
import { isPerson } from '../selection/noise.js';
import { foldExchange } from './similar-objects.js';

export const FOLDED_REPEATED_WRITES = 'status updates in between';
export const FOLDED_IDLE = 'writes that change nothing';

/** Folds in `fates`. @param telling those that say something new. @returns what to say beside the first of the rounds. */
export function foldRepeatedWrites(
  seen: MessageIndex,
  fates: Dispositions,
  chapters: Chapters,
  telling: ReadonlyMap<Message, unknown> = new Map(),
): ReadonlyMap<Message, readonly string[]> {
  const groups = new Map<string, { readonly kind: RepetitionKind; readonly rounds: Message[] }>();
  const versions = new Versions();
  for (const message of seen.messages) {
    versions.sees(message);
    if (message.kind !== 'request' || fates.get(message) !== null || !changesParts(message)) continue;
    const { response } = seen.exchangeOf(message);
    if (isPerson(message.from) || !succeeded(response) || telling.has(message)) continue;
    const kind = keepsBooks(message) ? BOOKS : versions.hasSeen(response) ? IDLE : null;
    if (kind === null) continue;
    const key = `${kind.folded} ${chapters.of(message)} ${message.from.name} ${message.label}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, { kind, rounds: [message] });
    else group.rounds.push(message);
  }
  const remarks = new Map<Message, readonly string[]>();
  for (const { kind, rounds } of groups.values()) {
    if (rounds.length < FEWEST_ROUNDS) continue;
    remarks.set(rounds[0], [`${rounds.length} of these${kind.said}`]);
    for (const round of rounds.slice(1, kind.drawsLast ? -1 : undefined)) foldExchange(round, kind.folded, seen, fates);
  }
  return remarks;
}

interface RepetitionKind {
  readonly folded: string;
  /** Behind how many there are. */
  readonly said: string;
  readonly drawsLast: boolean;
}

const BOOKS: RepetitionKind = {
  folded: FOLDED_REPEATED_WRITES,
  said: ': the first and the last are drawn',
  drawsLast: true,
};
const IDLE: RepetitionKind = { folded: FOLDED_IDLE, said: ' change nothing: the first is drawn', drawsLast: false };

/** Versions of objects that were told. Who writes what is there already is answered with the version that is there. */
class Versions {
  readonly #told = new Set<string>();

  sees({ object }: Message): void {
    if (object?.uid != null && object.resourceVersion != null) this.#told.add(versionOf(object));
  }

  /** Asked when the request is sent: was what it is answered with told before? */
  hasSeen(response: Message | undefined): boolean {
    const object = response?.object;
    return object?.uid != null && object.resourceVersion != null && this.#told.has(versionOf(object));
  }
}

function versionOf({ uid, resourceVersion }: NonNullable<Message['object']>): string {
  return `${uid} ${resourceVersion}`;
}

function changesParts({ verb, protocol }: Message): boolean {
  return protocol === 'kubernetes' && (verb === 'update' || verb === 'patch');
}

/** What a controller only reports: the status of its object, and which Pods are ready behind a Service. */
function keepsBooks({ resource, subresource }: Message): boolean {
  return subresource === 'status' || (subresource === undefined && BEHIND_SERVICES.has(resource ?? ''));
}

/** Fewer are drawn sooner than explained. */
const FEWEST_ROUNDS = 4;
