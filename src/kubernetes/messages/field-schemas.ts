// JSON Schemas of the fields of a message that hold more than one value.

import { CAUSE_KINDS, CUT_KINDS, CUT_SIDES } from './field-values.js';

/** A JSON Schema of an object of texts, all required. */
function recordOf(...fields: readonly string[]) {
  const properties = Object.fromEntries(fields.map((field) => [field, { type: 'string' }]));
  return { type: 'object', required: fields, properties } as const;
}

export const CONNECTION = { type: 'string', pattern: '^[0-9a-f.:]+:[0-9]{1,5}-[0-9a-f.:]+:[0-9]{1,5}$' } as const;
export const FRAMES = { type: 'array', items: { $ref: '#/$defs/count' }, minItems: 2, maxItems: 2 } as const;
export const CAUSE = {
  type: 'object',
  required: ['seq', 'how', 'certain'],
  properties: {
    seq: { $ref: '#/$defs/count' },
    how: { enum: CAUSE_KINDS },
    certain: { type: 'boolean' },
    others: { type: 'array', items: { $ref: '#/$defs/count' }, minItems: 1 },
  },
} as const;
export const OBJECT = {
  type: 'object',
  required: ['kind'],
  properties: {
    apiVersion: { type: 'string' },
    kind: { type: 'string' },
    namespace: { type: ['string', 'null'] },
    name: { type: ['string', 'null'] },
    uid: { type: ['string', 'null'] },
    resourceVersion: { type: ['string', 'null'] },
    generation: { type: 'integer' },
    deletionTimestamp: { type: 'string', description: 'somebody deletes it' },
    owners: { type: 'array', items: { $ref: '#/$defs/owner' } },
    items: { type: 'integer', minimum: 0, description: 'lists: how many' },
    rows: { type: 'integer', minimum: 0, description: 'Tables: how many' },
    row: {
      type: 'object',
      description: 'of a Table with one row: whom it is about',
      required: ['name'],
      properties: { namespace: { type: 'string' }, name: { type: 'string' }, uid: { type: 'string' } },
    },
  },
} as const;
export const PROBLEMS = {
  type: 'array',
  minItems: 1,
  items: {
    type: 'object',
    required: ['of', 'state', 'reason'],
    properties: {
      of: { type: 'string', description: 'container web, init container wait, condition Failed, phase' },
      state: { type: 'string' },
      reason: { type: 'string' },
      exitCode: { type: 'integer' },
    },
  },
} as const;
export const APPLIED_FOR = recordOf('resource', 'apiGroup', 'namespace', 'name');
export const K8S_EVENT = recordOf('type', 'reason', 'message', 'kind', 'namespace', 'name', 'uid', 'component');
export const RELEASE = {
  type: 'object',
  required: ['name', 'revision', 'status'],
  properties: { name: { type: 'string' }, revision: { type: 'integer', minimum: 0 }, status: { type: 'string' } },
} as const;
export const LEASE = {
  type: 'object',
  required: ['holder', 'seconds', 'transitions'],
  properties: { holder: { type: 'string' }, seconds: { type: 'integer' }, transitions: { type: 'integer' } },
} as const;
export const TIMES = {
  type: 'object',
  properties: {
    connectMs: { type: 'number', minimum: 0 },
    syns: { type: 'integer', minimum: 1 },
    tlsMs: { type: 'number', minimum: 0 },
    sendMs: { type: 'number', minimum: 0 },
    sent: { type: 'integer', minimum: 1 },
    waitMs: { type: 'number', minimum: 0 },
    receiveMs: { type: 'number', minimum: 0 },
    stalledMs: { type: 'number', minimum: 0 },
  },
} as const;
export const CUT = {
  type: 'object',
  required: ['by', 'how'],
  properties: {
    by: { enum: CUT_SIDES },
    how: { enum: CUT_KINDS },
    code: { type: 'string' },
    silentMs: { type: 'number', minimum: 0 },
    afterMs: { type: 'number' },
    openMs: { type: 'number', minimum: 0 },
    timeoutMs: { type: 'number', minimum: 0 },
    received: { type: 'integer', minimum: 0 },
    promised: { type: 'integer', minimum: 0 },
    unprocessed: { const: true },
  },
} as const;
export const PATCH = { type: 'array', items: { type: 'object', required: ['op', 'path'] } } as const;
export const TRANSLATED = {
  type: 'array',
  minItems: 1,
  items: {
    type: 'object',
    required: ['connection', 'frames'],
    properties: { connection: CONNECTION, frames: FRAMES, capture: { type: 'string' } },
  },
} as const;
