// The entry for the MCP registry is what its schema and its publishing rules ask for, and starts the server of this version.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { kubeseq, ROOT } from '../kit/command.js';
import { type Schema, violations } from '../kit/json-schema.js';

const read = (name: string): Record<string, unknown> =>
  JSON.parse(readFileSync(join(ROOT, name), 'utf8')) as Record<string, unknown>;
const ENTRY = read('server.json');
const MANIFEST = read('package.json');

const ARGUMENT: Schema = {
  type: 'object',
  required: ['type'],
  additionalProperties: false,
  properties: {
    type: { enum: ['positional', 'named'] },
    name: { type: 'string', pattern: '^--[a-z-]+$' },
    value: { type: 'string' },
    valueHint: { type: 'string' },
    description: { type: 'string' },
    format: { enum: ['string', 'number', 'boolean', 'filepath'] },
    isRequired: { type: 'boolean' },
    isRepeated: { type: 'boolean' },
  },
};
/**
 * What the registry's documentation says of an entry with one npm package that speaks over standard input and output
 * (github.com/modelcontextprotocol/registry: docs/reference/server-json/server.schema.json, official-registry-requirements.md).
 */
const SCHEMA: Schema = {
  type: 'object',
  required: ['$schema', 'name', 'description', 'version', 'packages'],
  additionalProperties: false,
  properties: {
    $schema: { const: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json' },
    name: { type: 'string', pattern: '^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$' },
    title: { type: 'string', pattern: '^.{1,100}$' },
    description: { type: 'string', pattern: '^.{1,100}$' },
    version: { type: 'string', pattern: '^\\d+\\.\\d+\\.\\d+(?:-[\\w.]+)?$' },
    repository: {
      type: 'object',
      required: ['url', 'source'],
      additionalProperties: false,
      properties: {
        url: { type: 'string', pattern: '^https://github\\.com/[^/]+/[^/]+$' },
        source: { const: 'github' },
      },
    },
    packages: {
      type: 'array',
      minItems: 1,
      maxItems: 1,
      items: {
        type: 'object',
        required: ['registryType', 'identifier', 'version', 'transport'],
        additionalProperties: false,
        properties: {
          registryType: { const: 'npm' },
          identifier: { type: 'string' },
          version: { type: 'string', pattern: '^\\d+\\.\\d+\\.\\d+(?:-[\\w.]+)?$' },
          runtimeHint: { const: 'npx' },
          transport: {
            type: 'object',
            required: ['type'],
            additionalProperties: false,
            properties: { type: { const: 'stdio' } },
          },
          packageArguments: { type: 'array', items: ARGUMENT },
        },
      },
    },
  },
};

interface Argument {
  readonly type: string;
  readonly name?: string;
  readonly value?: string;
  readonly valueHint?: string;
}

describe('server.json', () => {
  const [npm] = ENTRY['packages'] as readonly Record<string, unknown>[];
  const args = npm['packageArguments'] as readonly Argument[];

  it('is what the registry takes', () => {
    expect(violations(SCHEMA, ENTRY)).toEqual([]);
    for (const { type, name, value, valueHint } of args)
      expect(type === 'named' ? name : (value ?? valueHint)).toBeDefined();
  });

  it('is of this package and version, whose mcpName proves the owner', () => {
    expect(npm['identifier']).toBe(MANIFEST['name']);
    expect(MANIFEST['mcpName']).toBe(ENTRY['name']);
    expect([ENTRY['version'], npm['version']]).toEqual([MANIFEST['version'], MANIFEST['version']]);
    const owner = /github\.com\/([^/]+)\//.exec((ENTRY['repository'] as { url: string }).url)?.[1];
    expect(ENTRY['name']).toBe(`io.github.${owner}/kubeseq`);
  });

  it('gives arguments that the command has', () => {
    const help = kubeseq([args[0].value ?? '', '--help']).stdout;
    expect(help).toContain('Usage: kubeseq mcp');
    const named = args.filter(({ type }) => type === 'named').map(({ name }) => name);
    expect(named.filter((name) => !help.includes(`  ${name} <`))).toEqual([]);
    expect(named.length).toBeGreaterThan(0);
  });
});
