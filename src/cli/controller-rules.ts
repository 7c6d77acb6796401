// Reads the `controllers:` rows of a `--participants` file: what wakes a user's own controller.

import { isMap, isSeq, type LineCounter, type Node, type YAMLMap } from 'yaml';
import type { ControllerRule, NamingRule } from '../index.js';

export interface OwnControllers {
  readonly rules: readonly ControllerRule[];
  /** For each row with a `userAgent`: senders whose User-Agent matches are called as the row. */
  readonly naming: readonly NamingRule[];
}

/**
 * ```yaml
 * controllers:
 *   - name: cache-operator            # the component, as in its User-Agent
 *     resource: caches                # objects whose keys it queues (For)
 *     wakesOn: [deployments]          # other resources whose events wake it (Owns, Watches)
 *     endsWith: [update caches/status]
 * ```
 * @param wrong makes the error of a mistake. @param glob compiles a pattern with `*` into a test.
 */
export function controllersIn(
  root: unknown,
  lines: LineCounter,
  wrong: (what: string) => Error,
  glob: (pattern: string) => (text: string) => boolean,
): OwnControllers {
  const list = isMap(root) ? root.get('controllers', true) : undefined;
  if (list === undefined) return { rules: [], naming: [] };
  const at = (node: unknown, what: string): Error => {
    const offset = (node as Node | undefined)?.range?.[0] ?? 0;
    return wrong(`line ${lines.linePos(offset).line}: ${what}`);
  };
  if (!isSeq(list)) throw at(list, 'controllers: expected a list');
  const rules: ControllerRule[] = [];
  const naming: NamingRule[] = [];
  for (const item of list.items) {
    if (!isMap(item)) throw at(item, 'expected a controller with a name');
    const { userAgent, ...rule } = readRow(item, at);
    rules.push(rule);
    if (userAgent === undefined) continue;
    const agent = glob(userAgent);
    naming.push({
      name: rule.name,
      component: rule.name,
      matches: (_address, sent) => sent !== undefined && agent(sent),
    });
  }
  return { rules, naming };
}

type ReadRow = ControllerRule & { readonly userAgent?: string | undefined };

function readRow(item: YAMLMap, at: (node: unknown, what: string) => Error): ReadRow {
  for (const { key } of item.items)
    if (!KEYS.includes(String(key))) throw at(key, `unknown key ${String(key)}; expected ${KEYS.join(', ')}`);
  const textOf = (key: string): string | undefined => {
    const value = item.get(key);
    if (value !== undefined && typeof value !== 'string') throw at(item.get(key, true), `${key}: expected a text`);
    return value;
  };
  const listOf = (key: string, fits: RegExp, what: string): string[] => {
    const value = item.get(key, true) as unknown;
    if (value === undefined) return [];
    const items: unknown[] = isSeq(value) ? value.items : [value];
    return items.map((one) => {
      const text = String((one as { value?: unknown }).value);
      if (!fits.test(text)) throw at(one, `${key}: ${what}`);
      return text;
    });
  };
  const name = textOf('name');
  const resource = textOf('resource');
  if (name === undefined) throw at(item, 'each controller needs a name');
  const wakesOn = listOf('wakesOn', RESOURCE, 'expected resources in plural, such as deployments');
  const endsWith = listOf('endsWith', REQUEST, 'expected requests, such as update caches/status');
  if (resource === undefined && wakesOn.length + endsWith.length > 0)
    throw at(item, `${name} needs a resource: that of the objects whose keys it queues`);
  if (resource !== undefined && !RESOURCE.test(resource))
    throw at(item.get('resource', true), 'resource: expected one in plural, such as deployments');
  return { name, resource, wakesOn, endsWith, userAgent: textOf('userAgent') };
}

const KEYS = ['name', 'userAgent', 'resource', 'wakesOn', 'endsWith'];
const RESOURCE = /^[a-z][a-z0-9-]*$/;
const REQUEST = /^(?:create|update|patch|apply|delete) [a-z][a-z0-9-]*(?:\/[a-z]+)?$/;
