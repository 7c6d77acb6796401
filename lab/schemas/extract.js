// Cuts the kinds of deploy/ out of the API server's own OpenAPI description (api/openapi-spec/swagger.json of the
// kubernetes repository, Apache-2.0), without its descriptions: what test/project/deploy.test.ts validates the manifests with.
//
//   node lab/schemas/extract.js swagger.json > fixtures/api-schema/kubernetes.json

import { readFileSync } from 'node:fs';

const { definitions, info } = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const KINDS = [
  'io.k8s.api.apps.v1.DaemonSet',
  'io.k8s.api.batch.v1.Job',
  'io.k8s.api.core.v1.Namespace',
  'io.k8s.api.core.v1.PersistentVolumeClaim',
];
const wanted = {};
const queue = [...KINDS];
while (queue.length > 0) {
  const name = queue.pop();
  if (wanted[name] !== undefined) continue;
  wanted[name] = plain(definitions[name]);
}
process.stdout.write(`${JSON.stringify({ version: info.version, definitions: wanted })}\n`);

function plain(schema) {
  if (Array.isArray(schema)) return schema.map(plain);
  if (typeof schema !== 'object' || schema === null) return schema;
  const out = {};
  for (const [key, value] of Object.entries(schema)) {
    if (key === 'description' && typeof value === 'string') continue;
    if (key === '$ref') queue.push(value.replace('#/definitions/', ''));
    out[key] = plain(value);
  }
  return out;
}
