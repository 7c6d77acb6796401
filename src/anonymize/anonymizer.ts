// Replaces the names of a cluster in everything that the pipeline emits: first it learns the names of all messages, then it replaces them.

import { builtInResource } from '../core/api-resources.js';
import { dictionary } from '../core/collections/dictionary.js';
import type { Notice } from '../core/notice.js';
import { isCustomGroup, resourceOfKind } from '../kubernetes/api/kinds.js';
import { MessageLinker } from '../kubernetes/emitted/message-links.js';
import { ObjectStore } from '../kubernetes/lives/object-store.js';
import type { Details } from '../kubernetes/messages/details-types.js';
import { FIELD_ROWS } from '../kubernetes/messages/fields.js';
import type { Message, Participant } from '../kubernetes/messages/message.js';
import type { PipelineItem } from '../pipeline/message-stage.js';
import { rewritten } from '../redaction/shown.js';
import type { Connection } from '../tcp/stream-event.js';
import { anonymousBody, anonymousHeader, namesInBody, placeOfHeader } from './anonymous-body.js';
import { AnonymousText } from './anonymous-text.js';
import { isKept } from './kept-words.js';
import { KIND, NameMap } from './name-map.js';

export class Anonymizer {
  readonly #map: NameMap;
  readonly #texts: AnonymousText;
  /** One for each of the pipeline's, whose names may still get better. */
  readonly #participants = new WeakMap<Participant, Participant>();
  readonly #connections = new WeakMap<Connection, Connection>();
  readonly #links = new MessageLinker(new ObjectStore());

  /** @param key 16 bytes at least: with the same key, names are replaced alike. */
  constructor(key: Uint8Array) {
    this.#map = new NameMap(key);
    this.#texts = new AnonymousText(this.#map);
  }

  /** Every name that was replaced, with what stands for it. */
  get entries(): Iterable<readonly [name: string, replaced: string]> {
    return this.#map.entries;
  }

  /** Learns the names of a message. All messages are to be learnt before the first one is replaced. */
  learn(message: Message): void {
    const learn = (text: string | null | undefined, of: string): void => {
      if (text != null) this.#texts.learn(text, of);
    };
    const { namespace, name, resource, apiGroup, object, user, k8sEvent, details } = message;
    learn(namespace, 'ns');
    if (apiGroup !== undefined && isCustomGroup(apiGroup) && !isKept(apiGroup)) {
      learn(apiGroup, 'group');
      learn(resource, KIND);
      learn(object?.kind, KIND);
    }
    learn(name, beginningOf(resource));
    if (object !== undefined) {
      const { apiVersion, kind } = object;
      const group = apiVersion?.split('/').at(-2);
      if (group !== undefined && isCustomGroup(group) && !isKept(group)) {
        learn(group, 'group');
        learn(kind, KIND);
      }
      learn(object.namespace, 'ns');
      learn(object.name, beginningOf(resourceOfKind(kind)));
      for (const owner of object.owners ?? []) {
        if (!isKept(owner.kind)) learn(owner.kind, KIND);
        learn(owner.name, beginningOf(resourceOfKind(owner.kind)));
      }
      learn(object.row?.namespace, 'ns');
      learn(object.row?.name, beginningOf(resource));
    }
    learnUser(user, learn);
    if (k8sEvent !== undefined) {
      learn(k8sEvent.namespace, 'ns');
      learn(k8sEvent.name, beginningOf(resourceOfKind(k8sEvent.kind)));
      if (!isKept(k8sEvent.kind)) learn(k8sEvent.kind, KIND);
      learn(k8sEvent.component, 'program');
    }
    const { image, claims, missing, appliedFor, release, lease, problems, from, to, via, connection } = message;
    learn(image, 'image');
    for (const one of [...(claims ?? []), ...(missing ?? [])]) learn(one.slice(one.indexOf('/') + 1), 'name');
    learn(appliedFor?.namespace, 'ns');
    learn(appliedFor?.name, 'name');
    learn(release?.name, 'release');
    learn(lease?.holder.replace(/_.*$/, ''), 'node');
    for (const { of } of problems ?? []) learn(CONTAINER.exec(of)?.[1], 'container');
    for (const one of [from, to, ...(via ?? [])]) learnParticipant(one, learn);
    // So that `asked` replaces addresses and ids of the captures, and no others.
    this.#texts.connection(connection);
    if (object?.uid != null) this.#texts.text(object.uid, 'names');
    if (details === undefined) return;
    const body = details.body();
    if (body !== undefined) namesInBody(body, learn);
  }

  /** A copy in which every name is replaced. */
  item(item: PipelineItem): PipelineItem {
    switch (item.kind) {
      case 'message':
        return { kind: 'message', message: this.message(item.message) };
      case 'notice':
        return this.notice(item);
      case 'connection-end':
        return { ...item, connection: this.#texts.connection(item.connection) };
      case 'stream-bytes': {
        const { client, server } = item.md5 ?? {};
        const md5 =
          client === undefined || server === undefined
            ? null
            : { client: this.#map.hex(client), server: this.#map.hex(server) };
        return { ...item, connection: this.#connection(item.connection), md5 };
      }
      case 'protocol': {
        const { connection, why, detail } = item;
        return {
          ...item,
          connection: this.#connection(connection),
          ...(why === undefined ? null : { why: this.#texts.text(why, 'prose') }),
          ...(detail === undefined ? null : { detail: this.#texts.text(detail, 'prose') }),
        };
      }
      case 'saved-capture':
        return { ...item, file: captureName(item.capture) };
      case 'capture-report':
        return item;
    }
  }

  message(message: Message): Message {
    const out: Record<string, unknown> = { ...message, request: undefined, about: undefined, reportsOn: undefined };
    for (const [field, value] of Object.entries(message)) {
      const words = LISTED.get(field);
      if (UNCHANGED.has(field) || (Array.isArray(words) && words.includes(value))) continue;
      if ((field === 'verb' || field === 'method') && isKept(String(value).toLowerCase())) continue;
      out[field] = this.#value(value, field);
    }
    const { from, to, via, connection, translated, details, patch } = message;
    out['from'] = this.#participant(from);
    out['to'] = this.#participant(to);
    out['connection'] = this.#texts.connection(connection);
    if (via !== undefined) out['via'] = via.map((one) => this.#participant(one));
    if (translated !== undefined)
      out['translated'] = translated.map((one) => ({ ...one, connection: this.#texts.connection(one.connection) }));
    if (patch !== undefined) out['patch'] = anonymousBody(patch, this.#texts);
    if (details !== undefined) out['details'] = this.#details(details);
    return this.#links.link(out as unknown as Message);
  }

  notice(one: Notice): Notice {
    const { connection, detail } = one;
    return {
      ...one,
      detail: this.#texts.text(detail, 'prose'),
      ...(connection === undefined ? null : { connection: this.#texts.connection(connection) }),
    };
  }

  /** What a user asks with, `pod/web`: names that the captures have are replaced. */
  asked(text: string): string {
    return this.#texts.asked(text);
  }

  /** A diagram that a user wrote: every name in labels and participants is replaced, in other lines those that the captures have. */
  written(source: string): string {
    return this.#map.keeping(() =>
      source.replace(WRITTEN, (line, before: string | undefined, text: string) =>
        before === undefined ? this.asked(line) : this.asked(before) + this.#texts.text(text, 'prose'),
      ),
    );
  }

  #value(value: unknown, field: string): unknown {
    if (typeof value === 'string') return this.#texts.field(value, field, PROSE.has(field) ? 'prose' : 'names');
    if (Array.isArray(value)) return value.map((one) => this.#value(one, field));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, this.#value(inner, key)]));
  }

  #participant(one: Participant): Participant {
    let made = this.#participants.get(one);
    if (made === undefined) {
      // It follows the participant that it stands for, whose name gets better as evidence grows.
      made = new Proxy(one, {
        get: (of, field) => {
          if (field === 'process') return this.#participant(of.process);
          if (field === 'evidence') return of.evidence.map((text) => this.#texts.text(text, 'prose'));
          return field === 'component' || field === 'name'
            ? this.#texts.text(of[field], 'names')
            : Reflect.get(of, field);
        },
      });
      this.#participants.set(one, made);
    }
    return made;
  }

  #connection(one: Connection): Connection {
    let made = this.#connections.get(one);
    if (made === undefined) {
      const { client, server, name } = one;
      made = {
        ...one,
        client: { ...client, address: this.#texts.address(client.address) },
        server: { ...server, address: this.#texts.address(server.address) },
        name: this.#texts.connection(name),
      };
      this.#connections.set(one, made);
    }
    return made;
  }

  #details(details: Details): Details {
    const texts = this.#texts;
    return {
      fields: () =>
        details
          .fields()
          .map(
            ([name, value]) =>
              [
                anonymousHeader(name, texts),
                rewritten(value, (one) => texts.field(one, name, placeOfHeader(name))),
              ] as const,
          ),
      body() {
        const body = details.body();
        return body === undefined ? undefined : anonymousBody(body, texts);
      },
      bodyBytes: () => details.bodyBytes(),
    };
  }
}

/** Names of captures may be those of hosts and customers. @param capture from 0. */
export function captureName(capture: number): string {
  return `capture-${capture + 1}`;
}

/** `deploy` of `deployments`: as kubectl abbreviates it. */
function beginningOf(resource: string | undefined): string {
  if (resource === undefined) return 'name';
  const short = BEGINNINGS[resource] ?? builtInResource(resource)?.shortName;
  return short ?? (isKept(resource) ? resource.replace(/(?<=ss)es$|s$/, '') : 'object');
}

type Learn = (text: string | null | undefined, of: string) => void;

function learnUser(user: string | undefined, learn: Learn): void {
  const [, kind, rest] = /^system:(node|serviceaccount):(.*)$/.exec(user ?? '') ?? [];
  if (kind === 'node') learn(rest, 'node');
  else if (kind === 'serviceaccount') {
    learn(rest.split(':')[0], 'ns');
    learn(rest.split(':')[1], 'sa');
  } else if (user?.startsWith('system:') !== true) learn(user, 'user');
}

/** `kubelet (node-1)`, `Pod shop/web-0`, `client 192.0.2.7`, `acme-operator`. */
function learnParticipant({ component, name, perNode }: Participant, learn: Learn): void {
  if (perNode) learn(/ \(([^)]*)\)$/.exec(name)?.[1], 'node');
  const [, kind, of] = /^([A-Za-z]+) (.*)$/.exec(component) ?? [];
  if (of === undefined) learn(component, 'program');
  else learn(of, PARTICIPANTS[kind] ?? 'host');
}

const PARTICIPANTS: Readonly<Partial<Record<string, string>>> = { Pod: 'pod', Service: 'svc', ServiceAccount: 'sa' };
/** Where kubectl's short name would say less, or of what has the name of its Service. */
const BEGINNINGS: Readonly<Partial<Record<string, string>>> = dictionary({
  nodes: 'node',
  pods: 'pod',
  events: 'event',
  endpoints: 'svc',
  endpointslices: 'svc',
});
/** A line of a diagram; with a text, what is before it: an arrow, `participant A as`, `title`. */
const WRITTEN =
  /^(\s*(?:%%\s*never:)?[^:\n]*-[->x)][^:\n]*:|\s*(?:create\s+)?(?:participant|actor)\s.*?\sas\s|\s*title\b)(.*)$|^.*$/gim;
const CONTAINER = /^(?:init |ephemeral )?container (.*)$/;
/** Fields of a message with numbers, or values that are replaced by rules of their own. */
const UNCHANGED: ReadonlySet<string> = new Set(
  'request about reportsOn from to via connection translated details patch cause cut times revision inferred'.split(
    ' ',
  ),
);
/** Values that the schema of a field lists. */
const LISTED: ReadonlyMap<string, unknown> = new Map(
  FIELD_ROWS.map(([name, { schema }]) => [name, (schema as { readonly enum?: unknown }).enum]),
);
/** Fields with sentences. */
const PROSE: ReadonlySet<string> = new Set(
  'label statusMessage warnings authorization message of reason state status'.split(' '),
);
