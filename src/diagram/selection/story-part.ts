// Finds the messages that a story can be made of: what mentions the followed object, what caused it and what it caused. Following the
// object through them takes time by the length of its story, not by that of the capture, and finds the same.

import type { FollowedName } from '../../kubernetes/api/kinds.js';
import type { Message } from '../../kubernetes/messages/message.js';
import { placeOf } from '../../kubernetes/network/place-name.js';
import type { MessageIndex } from '../message-index.js';
import { FollowedObjects } from './followed-objects.js';
import { isPerson } from './noise.js';
import { inDefaultLayers } from './visibility.js';

/** @param index of all messages. @returns a part of it; more messages may be in it than the story has. */
export function storyPart(index: MessageIndex, root: FollowedName): MessageIndex {
  const search = new StorySearch(index);
  search.mention(root.name);
  for (;;) {
    const part = search.found();
    const followed = new FollowedObjects(part.ofPart(inDefaultLayers), [root]);
    const before = search.terms;
    for (const name of followed.mentioned()) search.mention(name);
    for (const namespace of followed.terminating()) search.mention(namespaceTerm(namespace));
    if (search.terms === before) return part;
  }
}

class StorySearch {
  readonly #index: MessageIndex;
  readonly #mentions: Mentions;
  readonly #terms = new Set<string>();
  /** Messages whose effects are part of the story, too. */
  readonly #ofStory = new Set<Message>();
  readonly #found = new Set<Message>();
  /** Exchanges whose streamed messages were found. */
  readonly #whole = new Set<number>();

  constructor(index: MessageIndex) {
    this.#index = index;
    this.#mentions = index.once(mentionsIn);
    for (const message of this.#mentions.errorsToPeople) this.#add(message, CAUSES);
  }

  /** How many were searched for. */
  get terms(): number {
    return this.#terms.size;
  }

  /** @param term a name, a uid, or `RESOURCE/NAME`. */
  mention(term: string): void {
    this.#terms.add(term);
  }

  found(): MessageIndex {
    // Both sets grow while they are gone through.
    for (const term of this.#terms) {
      for (const message of this.#mentions.byTerm.get(term) ?? []) this.#ofStory.add(message);
      for (const owned of this.#mentions.owned.get(term) ?? []) this.#terms.add(owned);
    }
    for (const message of this.#ofStory) {
      this.#add(message, CAUSES);
      this.#addEffects(message.seq);
      const request = message.kind === 'event' ? undefined : this.#index.requestOf(message);
      if (request !== undefined && request !== message) this.#addEffects(request.seq);
    }
    return this.#index.part([...this.#found].sort((a, b) => a.seq - b.seq));
  }

  /** Whatever was caused, and what the API server asked others for because of that. */
  #addEffects(seq: number): void {
    for (const effect of this.#mentions.effects.get(seq) ?? []) {
      this.#add(effect, CAUSES);
      for (const call of this.#mentions.effects.get(effect.seq) ?? [])
        if (call.to.tier === 'extensions') this.#ofStory.add(call);
    }
  }

  /** With the rest of its exchange: of a watch that tells of it, what opened and what ended it. @param causes in a row that belong to it. */
  #add(message: Message, causes: number): void {
    const { request, response, parts, end } = this.#index.exchangeOf(message);
    const isWhole = message.kind !== 'event' && !this.#whole.has(message.exchange);
    if (isWhole) this.#whole.add(message.exchange);
    const others = isWhole ? parts.filter(({ kind }) => kind !== 'event') : [];
    for (const one of [message, request, response, end, ...others]) {
      if (one === undefined) continue;
      this.#found.add(one);
      const cause = causes > 0 ? this.#index.causeOf(one) : undefined;
      if (cause !== undefined && cause.exchange !== one.exchange) this.#add(cause, causes - 1);
    }
  }
}

interface Mentions {
  /** Name, uid, `RESOURCE/NAME` or namespace of a person's request → messages. */
  readonly byTerm: ReadonlyMap<string, readonly Message[]>;
  /** uid of an owner → uids and names of what it owns: nearly all that a story grows by. */
  readonly owned: ReadonlyMap<string, ReadonlySet<string>>;
  /** `seq` → requests that it caused. */
  readonly effects: ReadonlyMap<number, readonly Message[]>;
  /** They are drawn whatever is followed. */
  readonly errorsToPeople: readonly Message[];
}

function mentionsIn(index: MessageIndex): Mentions {
  const byTerm = new Map<string, Message[]>();
  const owned = new Map<string, Set<string>>();
  const effects = new Map<number, Message[]>();
  for (const message of index.messages) {
    for (const term of termsOf(message, index.requestOf(message))) {
      const known = byTerm.get(term);
      if (known === undefined) byTerm.set(term, [message]);
      else if (known.at(-1) !== message) known.push(message);
    }
    for (const { uid } of message.object?.owners ?? [])
      for (const term of [message.object?.uid, message.object?.name])
        if (term != null) owned.set(uid, (owned.get(uid) ?? new Set()).add(term));
    if (message.kind !== 'request' || message.causedBy === undefined) continue;
    const known = effects.get(message.causedBy);
    if (known === undefined) effects.set(message.causedBy, [message]);
    else known.push(message);
  }
  const errorsToPeople = index.messages.filter(({ type, to }) => type === 'ERROR' && isPerson(to));
  return { byTerm, owned, effects, errorsToPeople };
}

/** Whatever of a message FollowedObjects compares. */
function termsOf(message: Message, request: Message | undefined): readonly string[] {
  const { kind, name, namespace, resource, object, k8sEvent, appliedFor, missing, from, to, via } = message;
  // An event of a Table may have no other name than that which is watched.
  const watched = kind === 'event' ? request?.name : undefined;
  const terms: string[] = [];
  for (const term of [name, watched, object?.name, object?.uid, appliedFor?.name]) if (term != null) terms.push(term);
  const { row } = object ?? {};
  if (row !== undefined) terms.push(row.name, row.uid ?? '');
  if (k8sEvent !== undefined) terms.push(k8sEvent.name, k8sEvent.uid);
  for (const one of missing ?? []) terms.push(one, one.slice(one.indexOf('/') + 1));
  if (resource === undefined)
    for (const one of via === undefined ? [from, to] : [from, to, ...via]) terms.push(placeOf(one)?.name ?? '');
  if (kind === 'request' && namespace !== undefined && isPerson(from)) terms.push(namespaceTerm(namespace));
  return terms;
}

/** No name of an object. */
function namespaceTerm(namespace: string): string {
  return `in ${namespace}`;
}

/** A request follows from an event, which follows from a write; folding/similar-objects.ts looks at both. */
const CAUSES = 2;
