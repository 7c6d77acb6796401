// Admission webhooks: whom the API server asks whether it may write, about which write, and what it is told. Knows
// AdmissionReviews and their configurations; which writes are out is the joiner's. Where two writes are possible there is
// no cause.

import { fieldValue } from '../../core/fields.js';
import type { Body } from '../../http/exchange-event.js';
import type { RequestHead } from '../../http/http-event.js';
import type { Endpoint } from '../../packet/segment.js';
import type { Write } from '../causes.js';
import type { Draft } from '../draft.js';
import { addressOf, placeOf } from '../hosts.js';
import type { Joiner } from '../joiner.js';
import type { Speaker } from '../message.js';
import { objectKey } from '../object-key.js';
import type { ObjectInfo } from '../objects/object-info.js';
import type { Speakers } from '../speakers.js';
import type { Talk } from '../talk.js';
import { Configurations, tellsOfWebhooks } from './configurations.js';
import { type Review, reviewOf, verdictOf } from './review.js';
import { WEBHOOK } from './words.js';

export class Webhooks {
  readonly #configurations = new Configurations();
  readonly #reviews = new WeakMap<Talk, Review>();
  readonly #joiner: Joiner;
  readonly #redact: (text: string) => string;

  /** @param redact no captured text gets into a message without it. */
  constructor(joiner: Joiner, redact: (text: string) => string) {
    this.#joiner = joiner;
    this.#redact = redact;
  }

  /** A body or a watch event may tell of webhooks. @param bytes borrowed. */
  learn({ kind }: ObjectInfo, bytes: Uint8Array, contentType: string): void {
    if (tellsOfWebhooks(kind)) this.#configurations.learn(bytes, contentType);
  }

  /** Who answers: the webhook of its configuration, else that of its address. */
  server(request: RequestHead, server: Endpoint, speakers: Speakers, frame: number): Speaker {
    const host = fieldValue(request.fields, 'host') ?? fieldValue(request.fields, ':authority') ?? '';
    const path = (request.target ?? '').replace(/\?.*$/, '');
    const name = this.#configurations.nameAt(host, path);
    const evidence = `answers the API server's admission reviews on ${server.address} port ${server.port} (frame ${frame})`;
    const shown = this.#redact(name ?? (host === '' ? placeOf(server) : host.replace(/:443$/, '')));
    const place = { key: `${host} ${path}`, name: `${WEBHOOK} ${shown}`, address: addressOf(server) };
    return speakers.extension({ component: WEBHOOK, ...place, evidence, frame });
  }

  /** The API server asks: the message gets the object that is judged, and the write that waits for it. */
  asked(talk: Talk, message: Draft, body: Body | null): void {
    if (!isWebhook(talk)) return;
    const review = body === null ? null : reviewOf(body.read().bytes, body.contentType);
    if (review === null) return;
    this.#reviews.set(talk, review);
    message.apiGroup = review.group;
    message.apiVersion = review.version;
    message.resource = review.resource;
    message.subresource = review.subresource || undefined;
    message.namespace = review.namespace || undefined;
    message.name = review.name === '' ? undefined : this.#redact(review.name);
    message.label = [message.label, '-', review.operation, this.#redact(review.resource), message.name ?? '']
      .join(' ')
      .trimEnd();
    const candidates = this.#candidates(review);
    if (candidates.length === 1) message.causedBy = candidates[0].seq;
  }

  /** What it is told: allowed or not, and why. */
  answered(talk: Talk, message: Draft, body: Body | null): void {
    const verdict = !isWebhook(talk) || body === null ? null : verdictOf(body.read().bytes, body.contentType);
    if (verdict === null) return;
    const isSecret = this.#reviews.get(talk)?.resource === 'secrets';
    const why = verdict.message === '' || isSecret ? '' : `: ${this.#redact(verdict.message)}`;
    const what = verdict.allowed ? (verdict.patches ? 'allowed, with changes' : 'allowed') : 'denied';
    message.label = `${message.label}, ${what}${why}`;
  }

  #candidates({ operation, resource, group, namespace, name }: Review): readonly Write[] {
    // A Namespace is in none, but requests about it fill both.
    for (const place of resource === 'namespaces' ? [namespace, ''] : [namespace]) {
      const key = objectKey(resource, group, place === '' ? undefined : place, name);
      const found = this.#joiner.carriedOut({ key }, operation === 'CREATE');
      const fitting = found.filter((write) => write.deletes === (operation === 'DELETE'));
      if (fitting.length > 0) return fitting;
    }
    return [];
  }
}

export function isWebhook({ door }: Pick<Talk, 'door'>): boolean {
  return door.component === WEBHOOK;
}
