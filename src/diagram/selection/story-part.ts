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
  readonly #found = new Set<Message>();
  readonly #withEffects = new Set<number>();

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
    if (this.#terms.has(term)) return;
    this.#terms.add(term);
    for (const message of this.#mentions.byTerm.get(term) ?? []) this.#addOfStory(message);
  }

  found(): MessageIndex {
    return this.#index.part([...this.#found].sort((a, b) => a.seq - b.seq));
  }

  #addOfStory(message: Message): void {
    this.#add(message, CAUSES);
    const { request } = this.#index.exchangeOf(message);
    for (const cause of message.kind === 'event' ? [message] : [message, request])
      if (cause !== undefined) this.#addEffects(cause.seq);
  }

  /** Whatever was caused, and what the API server asked others for because of that. */
  #addEffects(seq: number): void {
    if (this.#withEffects.has(seq)) return;
    this.#withEffects.add(seq);
    for (const effect of this.#mentions.effects.get(seq) ?? []) {
      this.#add(effect, CAUSES);
      for (const call of this.#mentions.effects.get(effect.seq) ?? [])
        if (call.to.tier === 'extensions') this.#addOfStory(call);
    }
  }

  /** With the rest of its exchange: of a watch that tells of it, what opened and what ended it. @param causes in a row that belong to it. */
  #add(message: Message, causes: number): void {
    const { request, response, parts } = this.#index.exchangeOf(message);
    const others = message.kind === 'event' ? parts.filter(isEnd) : parts.filter(({ kind }) => kind !== 'event');
    for (const one of [message, request, response, ...others]) {
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
  /** `seq` → requests that it caused. */
  readonly effects: ReadonlyMap<number, readonly Message[]>;
  /** They are drawn whatever is followed. */
  readonly errorsToPeople: readonly Message[];
}

function mentionsIn(index: MessageIndex): Mentions {
  const byTerm = new Map<string, Message[]>();
  const effects = new Map<number, Message[]>();
  for (const message of index.messages) {
    for (const term of new Set(termsOf(message, index.requestOf(message))))
      if (term != null) add(byTerm, term, message);
    if (message.kind === 'request' && message.causedBy !== undefined) add(effects, message.causedBy, message);
  }
  const errorsToPeople = index.messages.filter(({ type, to }) => type === 'ERROR' && isPerson(to));
  return { byTerm, effects, errorsToPeople };
}

function add<Key>(map: Map<Key, Message[]>, key: Key, message: Message): void {
  const known = map.get(key);
  if (known === undefined) map.set(key, [message]);
  else known.push(message);
}

/** Whatever of a message FollowedObjects compares. */
function* termsOf(message: Message, request: Message | undefined): Generator<string | null | undefined> {
  const { name, namespace, object, k8sEvent, appliedFor, missing, from, to, via } = message;
  yield* [name, object?.name, object?.uid, object?.row?.name, object?.row?.uid, k8sEvent?.name, k8sEvent?.uid];
  // An event of a Table may have no other name than that which is watched.
  yield* [message.kind === 'event' ? request?.name : undefined, appliedFor?.name];
  for (const { uid } of object?.owners ?? []) yield uid;
  for (const one of missing ?? []) yield* [one, one.slice(one.indexOf('/') + 1)];
  if (message.resource === undefined) for (const one of [from, to, ...(via ?? [])]) yield placeOf(one)?.name;
  if (message.kind === 'request' && namespace !== undefined && isPerson(from)) yield namespaceTerm(namespace);
}

/** No name of an object. */
function namespaceTerm(namespace: string): string {
  return `in ${namespace}`;
}

function isEnd({ kind }: Message): boolean {
  return kind === 'end';
}

/** A request follows from an event, which follows from a write; folding/similar-objects.ts looks at both. */
const CAUSES = 2;
