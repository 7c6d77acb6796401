// What families of planted secrets share: objects, and ways to ask the API server.

import { gzipSync } from 'node:zlib';
import { secret } from '../secrets.js';

export const json = JSON.stringify;

export const NS = 'shop';

export const packed = (value) => gzipSync(json(value)).toString('base64');

/** Of a family: makes secrets by their carriers alone. */
export const of = (family) => (carrier, form) => secret(family, carrier, form);

export const object = (apiVersion, kind, name, rest = {}, metadata = {}) => ({
  apiVersion,
  kind,
  metadata: { name, namespace: NS, ...metadata },
  ...rest,
});

export const cluster = (apiVersion, kind, name, rest = {}, metadata = {}) => ({
  apiVersion,
  kind,
  metadata: { name, ...metadata },
  ...rest,
});

export const pod = (name, container, spec = {}, metadata = {}) =>
  object(
    'v1',
    'Pod',
    name,
    {
      spec: {
        nodeName: 'node-1',
        containers: [{ name: 'app', image: 'registry.example/app:1.2', ...container }],
        ...spec,
      },
    },
    metadata,
  );

/** Ways to ask the API server. */
export function ways({ kubectl, api }) {
  const create = (...objects) =>
    kubectl(['create', '--validate=false', '-f', '-'], json({ apiVersion: 'v1', kind: 'List', items: objects }));
  const post = (target, body, headers = {}) => api({ method: 'POST', target, body, headers });
  const patch = (target, type, body) => api({ method: 'PATCH', target, body, type: `application/${type}` });
  return { kubectl, api, create, post, patch };
}

export const OK = { status: 200, body: '{"ok":true}' };
