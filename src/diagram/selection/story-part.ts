// Finds the messages that a story can be made of: what mentions the followed object, what caused it and what it caused. Following the
// object through them takes time by the length of its story, not by that of the capture, and finds the same.

import type { FollowedName } from '../../kubernetes/api/kinds.js';
import { requestOf } from '../../kubernetes/emitted/message-links.js';
import type { Message } from '../../kubernetes/messages/message.js';
import { placeOf } from '../../kubernetes/participants/place-name.js';
import type { MessageIndex } from '../message-index.js';
import { FollowedObjects } from './followed-objects.js';
import { isPerson } from './noise.js';
import { inDefaultLayers } from './visibility.js';

/** @param index of all messages. @returns a part of it; more messages may be in it than the story has. */
export function storyPart(index: MessageIndex, root: FollowedName): MessageIndex {
  const search = new StorySearch(index);
  search.add(root.name);
  for (;;) {
    const part = search.found();
    const followed = new FollowedObjects(part.ofPart(inDefaultLayers), [root]);
    const before = search.size;
    for (const name of followed.mentioned()) search.add(name);
    for (const namespace of followed.terminating()) search.add(namespaceTerm(namespace));
    if (search.size === before) return part;
  }
}

class StorySearch {
  readonly #index: MessageIndex;
  readonly #mentions: Mentions;
  readonly #terms = new Set<string>();
  /** Messages whose effects are part of the story, too. */
  readonly #ofStory = new Set<Message>();
  readonly #found = new Set<Message>();
  /** Numbers of exchanges whose streamed messages are in `#found`. */
  readonly #streamed = new Set<number>();

  constructor(index: MessageIndex) {
    this.#index = index;
    this.#mentions = index.once(mentionsIn);
    for (const message of this.#mentions.errorsToPeople) this.#addExchange(message, CAUSE_DEPTH);
  }

  /** How many terms were searched for. */
  get size(): number {
    return this.#terms.size;
  }

  /** @param term a name, a uid, `RESOURCE/NAME`, or what namespaceTerm makes. */
  add(term: string): void {
    this.#terms.add(term);
  }

  /** @returns what mentions the terms, and what that leads to. */
  found(): MessageIndex {
    // Both sets grow while they are gone through.
    for (const term of this.#terms) {
      for (const message of this.#mentions.byTerm.get(term) ?? []) this.#ofStory.add(message);
      for (const owned of this.#mentions.owned.get(term) ?? []) this.#terms.add(owned);
    }
    for (const message of this.#ofStory) {
      this.#addExchange(message, CAUSE_DEPTH);
      this.#addEffects(message.seq);
      const request = message.kind === 'event' ? undefined : requestOf(message);
      if (request !== undefined && request !== message) this.#addEffects(request.seq);
    }
    return this.#index.part([...this.#found].sort((a, b) => a.seq - b.seq));
  }

  /** Adds the requests that a message caused, and the calls of webhooks and aggregated API servers for these. */
  #addEffects(seq: number): void {
    for (const effect of this.#mentions.effects.get(seq) ?? []) {
      this.#addExchange(effect, CAUSE_DEPTH);
      for (const call of this.#mentions.effects.get(effect.seq) ?? [])
        if (call.to.tier === 'extensions') this.#ofStory.add(call);
    }
  }

  /** Adds a message with the rest of its exchange, but no other watch events. @param causes how many causes in a row are added, too. */
  #addExchange(message: Message, causes: number): void {
    const { request, response, parts, end } = this.#index.exchangeOf(message);
    const isNew = message.kind !== 'event' && !this.#streamed.has(message.exchange);
    if (isNew) this.#streamed.add(message.exchange);
    const others = isNew ? parts.filter(({ kind }) => kind !== 'event') : [];
    for (const one of [message, request, response, end, ...others]) {
      if (one === undefined) continue;
      this.#found.add(one);
      const cause = causes > 0 ? this.#index.causeOf(one) : undefined;
      if (cause !== undefined && cause.exchange !== one.exchange) this.#addExchange(cause, causes - 1);
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
  /** Events of type ERROR to people: they are drawn whatever is followed. */
  readonly errorsToPeople: readonly Message[];
}

function mentionsIn(index: MessageIndex): Mentions {
  const byTerm = new Map<string, Message[]>();
  const owned = new Map<string, Set<string>>();
  const effects = new Map<number, Message[]>();
  for (const message of index.messages) {
    for (const term of termsOf(message, requestOf(message))) {
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

/** The names and uids in a message by which FollowedObjects recognises what it is about. */
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

/** For requests of people in a Namespace that ends. Names of objects have no space. */
function namespaceTerm(namespace: string): string {
  return `in ${namespace}`;
}

/** Causes in a row that belong to a story: a request follows from an event, that from a write; folding/similar-objects.ts looks at both. */
export const CAUSE_DEPTH = 2;
