// Names that differ from run to run: what a controller made up for what it made, uids, revisions, ids, ports. Told from
// names that people gave by evidence: owners, creates without a name, fields of the message; only what can look like
// nothing else is told by its looks. Knows messages; nothing of diagrams.

import { lookup } from '../core/lookup.js';
import type { Message } from '../kubernetes/message.js';
import type { Indexed } from '../sequence/observation.js';

/** What stands in place of a generated part. */
export interface Stand {
  /** `{hash}`: the same wherever the part is the same. */
  name(stem: string): string;
  /** `*`: any. */
  any(): string;
}

export class GeneratedNames {
  readonly #stand: Stand;
  /** Whole names → what to write for them. */
  readonly #names = new Map<string, string>();
  readonly #used = new Map<string, number>();
  readonly #parts = new Map<string, string>();

  constructor(seen: Indexed, stand: Stand) {
    this.#stand = stand;
    const owned = new Map<string, { readonly owner: string; readonly kind: string }>();
    for (const message of seen.messages) this.#collect(message, seen, owned);
    // An owner's own name may be generated: from the longest chain of owners down.
    const written = (name: string, depth: number): string => {
      const known = this.#names.get(name);
      const child = owned.get(name);
      if (known !== undefined || child === undefined || depth > CHAIN) return known ?? name;
      const suffix = name.slice(child.owner.length + 1);
      const text = `${written(child.owner, depth + 1)}-${this.#part(stemOf(child.kind), suffix)}`;
      this.#names.set(name, text);
      return text;
    };
    for (const name of owned.keys()) written(name, 0);
  }

  /** A text of a message, such as its label, with generated parts replaced. */
  in(text: string, message?: Message): string {
    let out = text.replace(UID, (uid) => this.#part('uid', uid));
    for (const id of [message?.podSandboxId, message?.containerId]) {
      if (id !== undefined && id.length >= SHORT_ID)
        out = out.replaceAll(new RegExp(`\\b${id.slice(0, SHORT_ID)}[0-9a-f]*`, 'g'), this.#part('id', id));
    }
    return out
      .replace(/\brevision \d+/g, () => `revision ${this.#stand.any()}`)
      .replace(/(?<=\d):(?:3[2-9]|[45]\d|6[0-5])\d{3}\b/g, () => `:${this.#stand.any()}`)
      .replace(NAME, (name) => this.#name(name));
  }

  #name(name: string): string {
    const known = this.#names.get(name);
    if (known !== undefined) return known;
    const [, about] = EVENT_NAME.exec(name) ?? [];
    return about === undefined ? name : `${this.#name(about)}.${this.#stand.any()}`;
  }

  #collect(message: Message, seen: Indexed, owned: Map<string, { owner: string; kind: string }>): void {
    const { object } = message;
    if (object?.name == null || object.name === '') return;
    for (const owner of object.owners ?? []) {
      const suffix = object.name.startsWith(`${owner.name}-`) ? object.name.slice(owner.name.length + 1) : '';
      if (GENERATED.test(suffix) && !isOrdinal(owner.kind, suffix))
        owned.set(object.name, { owner: owner.name, kind: object.kind });
    }
    const request = seen.requestOf(message);
    const isNamedByServer = message.kind === 'response' && request?.verb === 'create' && request.name === undefined;
    const [, prefix] = SERVER_NAMED.exec(object.name) ?? [];
    if (!isNamedByServer || prefix === undefined || (request?.subresource ?? '') !== '' || owned.has(object.name))
      return;
    owned.set(object.name, { owner: prefix, kind: object.kind });
  }

  #part(stem: string, value: string): string {
    const known = this.#parts.get(`${stem} ${value}`);
    if (known !== undefined) return known;
    const count = (this.#used.get(stem) ?? 0) + 1;
    this.#used.set(stem, count);
    const text = this.#stand.name(count === 1 ? stem : `${stem}${count}`);
    this.#parts.set(`${stem} ${value}`, text);
    return text;
  }
}

function stemOf(kind: string): string {
  return STEMS[kind] ?? 'suffix';
}

/** Pods of a StatefulSet are numbered, not named at random. */
function isOrdinal(kind: string, suffix: string): boolean {
  return kind === 'StatefulSet' && /^\d+$/.test(suffix);
}

const STEMS: Readonly<Record<string, string>> = lookup({
  ReplicaSet: 'hash',
  ControllerRevision: 'hash',
  Pod: 'suffix',
  Job: 'time',
  EndpointSlice: 'slice',
});
/** What controllers append: rand.SafeEncodeString's letters, or digits (k8s.io/apimachinery/pkg/util/rand). */
const GENERATED = /^[bcdfghjklmnpqrstvwxz2456789]{4,10}$|^\d{8,10}$/;
/** `generateName`: five such letters (k8s.io/apiserver/pkg/storage/names). */
const SERVER_NAMED = /^(.*[a-z0-9.])-([bcdfghjklmnpqrstvwxz2456789]{5})$/;
const UID = /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g;
const NAME = /[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?/g;
/** `nginx.18e9f4305bf968fa`: client-go's recorder appends the time in hexadecimal digits. */
const EVENT_NAME = /^(.+)\.[0-9a-f]{14,17}$/;
const SHORT_ID = 12;
/** Deployment, ReplicaSet, Pod: owners hang less deep in each other. */
const CHAIN = 6;
