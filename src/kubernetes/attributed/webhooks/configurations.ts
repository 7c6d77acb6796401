// Learns the names and addresses of webhooks from their configurations (admissionregistration.k8s.io).

import { RecentMap } from '../../../core/collections/bounded.js';
import { decodeBody } from '../../objects/decode-body.js';
import { record, textOf } from '../../objects/value-cursor.js';

export class Configurations {
  /** By host, port and path, as in a request to the webhook. */
  readonly #names = new RecentMap<string, string>(MAX_WEBHOOKS);

  /** Learns from a body or a watch event that carries such a configuration, or a list of them. */
  learn(bytes: Uint8Array, contentType: string): void {
    const fields = record(decodeBody(bytes, contentType));
    const configurations = Array.isArray(fields['items']) ? (fields['items'] as unknown[]) : [fields];
    for (const configuration of configurations) {
      const webhooks = record(configuration)['webhooks'];
      if (Array.isArray(webhooks)) for (const webhook of webhooks) this.#learn(record(webhook));
    }
  }

  /** @param host of the request, with a port or not. @param path without a query. */
  nameAt(host: string, path: string): string | undefined {
    return this.#names.get(placeOf(host, path));
  }

  #learn(webhook: Readonly<Record<string, unknown>>): void {
    const name = textOf(webhook['name']);
    const place = placeOfConfig(record(webhook['clientConfig']));
    if (name === '' || place === undefined) return;
    this.#names.set(place, name);
  }
}

/** `url`, or the Service that the API server calls as `NAME.NAMESPACE.svc` (apiserver/pkg/util/webhook/client.go). */
function placeOfConfig(config: Readonly<Record<string, unknown>>): string | undefined {
  const url = URL_PARTS.exec(textOf(config['url']));
  if (url !== null) return placeOf(url[1], url[2] ?? '/');
  const service = record(config['service']);
  const name = textOf(service['name']);
  if (name === '') return undefined;
  const port = typeof service['port'] === 'number' ? service['port'] : HTTPS;
  return placeOf(`${name}.${textOf(service['namespace'])}.svc:${port}`, textOf(service['path']) || '/');
}

function placeOf(host: string, path: string): string {
  return `${/:\d+$/.test(host) ? host : `${host}:${HTTPS}`} ${path}`;
}

const HTTPS = 443;
const URL_PARTS = /^https:\/\/([^/?#]+)(\/[^?#]*)?/;
/** Kinds of objects that configure webhooks. */
export const WEBHOOK_CONFIGURATIONS: ReadonlySet<string> = new Set(
  ['Validating', 'Mutating'].flatMap((of) => [`${of}WebhookConfiguration`, `${of}WebhookConfigurationList`]),
);
/** Limit: admission webhooks whose names are known; a cluster full of operators has some hundred. */
const MAX_WEBHOOKS = 1000;
