// The file of `--participants`: a user's own names, order, boxes and rules. Reads YAML, checks it, and gives what the
// library takes.

import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import type { NamingRule } from '../index.js';
import { CliError } from './cli-error.js';
import { sayWhy } from './input/input.js';

export interface Participants {
  readonly rules: readonly NamingRule[];
  /** Names and components that the rules give, whether or not anybody fits them. */
  readonly names: readonly string[];
  readonly order: readonly string[];
  readonly groups: ReadonlyMap<string, string>;
}

/**
 * ```yaml
 * participants:
 *   - name: my operator          # as it stands in the picture
 *     component: my-operator     # optional: what it is
 *     userAgent: my-operator/*   # `*` stands for anything
 *     address: 192.0.2.7         # or a list
 *     group: controllers         # optional: a box
 * order: [kubectl, kube-apiserver, my operator]
 * ```
 */
export function readParticipants(path: string): Participants {
  let document: unknown;
  try {
    document = parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new CliError(`--participants ${path}: ${sayWhy(error)}`);
  }
  const wrong = (what: string): CliError => new CliError(`--participants ${path}: ${what}`);
  if (!isRecord(document)) throw wrong('expected a mapping with participants and order');
  for (const key of Object.keys(document)) {
    if (key !== 'participants' && key !== 'order') throw wrong(`unknown key ${key}; expected participants or order`);
  }
  const groups = new Map<string, string>();
  const names: string[] = [];
  const rules = listOf(document['participants'], wrong).map((entry): NamingRule => {
    if (!isRecord(entry) || typeof entry['name'] !== 'string') throw wrong('each participant needs a name');
    const { name, component, group } = entry;
    if (typeof group === 'string') groups.set(name, group);
    names.push(name, ...(typeof component === 'string' ? [component] : []));
    const agent = typeof entry['userAgent'] === 'string' ? glob(entry['userAgent']) : null;
    const addresses = new Set(listOf(entry['address'], wrong, true).map(String));
    if (agent === null && addresses.size === 0) throw wrong(`${name} needs a userAgent or an address`);
    return {
      name,
      component: typeof component === 'string' ? component : undefined,
      matches: (address, userAgent) =>
        (agent === null || (userAgent !== undefined && agent.test(userAgent))) &&
        (addresses.size === 0 || addresses.has(address)),
    };
  });
  return { rules, names, order: listOf(document['order'], wrong).map(String), groups };
}

function listOf(value: unknown, wrong: (what: string) => CliError, single = false): unknown[] {
  if (value === undefined || value === null) return [];
  if (Array.isArray(value)) return value;
  if (single) return [value];
  throw wrong('expected a list');
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function glob(pattern: string): RegExp {
  return new RegExp(`^${pattern.split('*').map(literally).join('.*')}$`, 's');
}

function literally(text: string): string {
  return text.replace(/[.+?^${}()|[\]\\]/g, '\\$&');
}
