// Reads the `--participants` file (the user's names, order, boxes and rules), and checks names that users write into
// files.

import { readFileSync } from 'node:fs';
import { LineCounter, parseDocument } from 'yaml';
import type { ControllerRule, NamingRule } from '../index.js';
import { isRecord, type Message, type Mistake, Roster, yamlMistake } from '../index.js';
import { CliError, describeError } from './cli-error.js';
import { controllersIn } from './controller-rules.js';
import type { CommonOptions } from './options.js';

export interface Participants {
  readonly rules: readonly NamingRule[];
  /** Names and components in the rules, used or not. */
  readonly names: readonly string[];
  readonly order: readonly string[];
  readonly groups: ReadonlyMap<string, string>;
  readonly controllers: readonly ControllerRule[];
}

/**
 * ```yaml
 * participants:
 *   - name: my operator          # as it stands in the diagram
 *     component: my-operator     # optional: what it is
 *     userAgent: my-operator/*   # `*` stands for anything
 *     address: 192.0.2.7         # or a list
 *     group: controllers         # optional: a box
 * order: [kubectl, kube-apiserver, my operator]
 * ```
 * `controllers`: see `controllersIn`.
 */
export function readParticipants(path: string): Participants {
  const wrong = (what: string): CliError => new CliError(`--participants ${path}: ${what}`);
  let source: string;
  try {
    source = readFileSync(path, 'utf8');
  } catch (error) {
    throw wrong(describeError(error));
  }
  const lines = new LineCounter();
  let document: unknown;
  let root: unknown;
  try {
    const parsed = parseDocument(source, { lineCounter: lines, logLevel: 'error' });
    if (parsed.errors.length > 0) throw parsed.errors[0];
    root = parsed.contents;
    document = parsed.toJS();
  } catch (error) {
    throw wrong(yamlMistake(error));
  }
  // Of a file that is something else, not a word is shown.
  if (!isRecord(document) || !KEYS.some((key) => key in document))
    throw wrong(`expected a mapping with ${KEYS.join(', ')}`);
  for (const key of Object.keys(document))
    if (!KEYS.includes(key)) throw wrong(`unknown key ${key}; expected ${KEYS.join(', ')}`);
  const own = controllersIn(root, lines, wrong, glob);
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
        (agent === null || (userAgent !== undefined && agent(userAgent))) &&
        (addresses.size === 0 || addresses.has(address)),
    };
  });
  names.push(...own.naming.map(({ name }) => name));
  const order = listOf(document['order'], wrong).map(String);
  return { rules: [...rules, ...own.naming], names, order, groups, controllers: own.rules };
}

const KEYS = ['participants', 'order', 'controllers'];

function listOf(value: unknown, wrong: (what: string) => CliError, single = false): unknown[] {
  if (value === undefined || value === null) return [];
  if (Array.isArray(value)) return value;
  if (single) return [value];
  throw wrong('expected a list');
}

/** `*` stands for anything. Each piece is looked for once, from where the one before ends: no pattern takes long. */
function glob(pattern: string): (text: string) => boolean {
  const [first, ...others] = pattern.split('*');
  const last = others.pop();
  if (last === undefined) return (text) => text === pattern;
  return (text) => {
    if (!text.startsWith(first)) return false;
    let at = first.length;
    for (const piece of others) {
      const found = text.indexOf(piece, at);
      if (found === -1) return false;
      at = found + piece.length;
    }
    return text.length - last.length >= at && text.endsWith(last);
  };
}

export interface MistakeInFile extends Mistake {
  readonly file: string;
}

/** Valid names: those of captured participants, of the user's file, and of Kubernetes programs. */
export function rosterOf({ participants }: CommonOptions, messages: readonly Message[] = []): Roster {
  const roster = new Roster(participants === undefined ? [] : readParticipants(participants).names);
  for (const message of messages) roster.observe(message);
  return roster;
}

export function mistakeText({ file, line, text }: MistakeInFile): string {
  return `${file}:${line}: ${text}`;
}

/** Throws CliError for an unknown name in the `order` of `--participants`. @param rosterOfAll of the whole observation; asked for only where there is such a file. */
export function refuseUnknownOrder({ participants }: CommonOptions, rosterOfAll: () => Roster | null): void {
  if (participants === undefined) return;
  const roster = rosterOfAll();
  if (roster === null || roster.isEmpty) return;
  for (const name of readParticipants(participants).order)
    if (!roster.has(name)) throw new CliError(`--participants ${participants}: order: ${roster.mistake(name)}`);
}
