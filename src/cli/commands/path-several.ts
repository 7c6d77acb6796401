// `kubeseq path pods CAPTURE...` and its like: which objects are meant, and statistics over their critical paths.

import { existsSync } from 'node:fs';
import {
  ALL_LAYERS,
  type FollowedName,
  indexPaths,
  type LabelTest,
  missingCauses,
  ObjectHistories,
  type Observation,
  type PathIndex,
  parseFollow,
  parseLabelSelector,
  pathStatistics,
  SeqSet,
  type WantedObjects,
} from '../../index.js';
import { CliError, EXIT_DIFFERENT } from '../cli-error.js';
import type { CommandRun } from '../command.js';
import { GatheredMessages } from '../input/gathered-messages.js';
import { Session } from '../input/session.js';
import type { CommonOptions } from '../options.js';
import type { MeasuredPaths } from '../output/results.js';
import { endOf } from '../unread.js';

export interface PathOptions extends CommonOptions {
  readonly namespace: string;
  readonly allNamespaces?: true;
  readonly selector?: string;
  /** Of the Pods that the object owns. */
  readonly pods?: true;
  readonly goal?: 'ready' | 'gone';
}

/** What the arguments name, and the captures behind them. */
export interface WantedPaths {
  readonly one?: FollowedName;
  readonly several?: WantedObjects;
  readonly files: readonly string[];
}

/** Throws CliError where the name, or what the options choose, is none. @param args after the name: further names, captures. */
export function wantedPaths(name: string, args: readonly string[], options: PathOptions): WantedPaths {
  const namespace = options.allNamespaces === true ? null : options.namespace;
  const labels = selectorOf(options.selector);
  const one = parseFollow(name, namespace);
  if (one !== null && options.pods === true) {
    if (labels !== undefined) throw new CliError('--pods and -l: choose one of them');
    return { several: { resource: 'pods', group: '', namespace: one.namespace, owner: one }, files: args };
  }
  if (one !== null) {
    if (labels !== undefined) throw new CliError(`-l chooses among all of a kind: ${one.resource} instead of ${name}`);
    const further = furtherNames(one, args, namespace);
    if (further.length === 0) return { one, files: args };
    const { resource, group } = one;
    const names = new Set([one.name, ...further]);
    return { several: { resource, group, namespace: one.namespace, names }, files: args.slice(further.length) };
  }
  const kind = existsSync(name) ? null : parseFollow(`${name}/x`, namespace);
  if (kind === null || options.pods === true)
    throw new CliError(`${name}: expected KIND/NAME, for example pod/nginx, or KIND for all: pods`);
  const { resource, group } = kind;
  return { several: { resource, group, namespace: kind.namespace, labels }, files: args };
}

/** Names that follow the first one, of the same kind; what is a file is a capture. */
function furtherNames(
  { resource }: FollowedName,
  args: readonly string[],
  namespace: string | null,
): readonly string[] {
  const names: string[] = [];
  for (const arg of args) {
    const next = parseFollow(arg, namespace);
    if (next === null || next.resource !== resource || existsSync(arg)) break;
    names.push(next.name);
  }
  return names;
}

function selectorOf(text: string | undefined): LabelTest | undefined {
  if (text === undefined) return undefined;
  const selector = parseLabelSelector(text);
  if (selector === null)
    throw new CliError(`-l ${text}: expected labels as in kubectl, for example app=web,tier!=front`);
  return selector;
}

export async function pathsOfSeveral(
  wanted: WantedObjects,
  files: readonly string[],
  options: PathOptions,
): Promise<CommandRun<MeasuredPaths>> {
  const session = new Session(files, { ...options, bodies: true, numbersPlaceholders: true });
  const objects = session.withDropNotices(() => new ObjectHistories(wanted));
  const about = new SeqSet();
  const gathered = new GatheredMessages({ layers: ALL_LAYERS }, { quiet: options.quiet });
  try {
    await session.eachMessage((message) => {
      if (objects.feed(message)) about.add(message.seq);
      gathered.add(message);
    });
    const histories = objects.results();
    const goal = options.goal ?? 'ready';
    const observe = (): Observation => gathered.observation(session.notices, (seq) => about.has(seq));
    const index = withCauses(observe, about, (found) => missingCauses(found, histories, { goal }));
    const { resource } = wanted;
    const statistics = pathStatistics(index, histories, { resource, goal, unlisted: objects.unlisted });
    return {
      result: { paths: [], statistics },
      captures: session,
      end() {
        const remarks = session.remarks();
        const isMeasured = statistics.paths.length > 0 || statistics.others.some(({ path }) => path !== undefined);
        if (isMeasured || session.messages === 0) return endOf(session, options, remarks);
        const why =
          histories.length > 0
            ? `none of the ${resource} was ${goal === 'gone' ? 'deleted' : 'created'} in the capture`
            : `no ${resource} of that choice are in the capture`;
        return { remarks: [...remarks, why], status: EXIT_DIFFERENT };
      },
    };
  } finally {
    gathered.close();
  }
}

/** Where only a part of the messages came back, a path may lead beyond it: then the causes that are missing are fetched, too. */
function withCauses(
  observe: () => Observation,
  about: SeqSet,
  missingIn: (index: PathIndex) => readonly number[],
): PathIndex {
  let index = indexPaths(observe().messages);
  for (let pass = 0; pass < MAX_PASSES; pass++) {
    const fresh = missingIn(index).filter((seq) => !about.has(seq));
    if (fresh.length === 0) break;
    for (const seq of fresh) about.add(seq);
    index = indexPaths(observe().messages);
  }
  return index;
}

/** Limit: readings of the temporary file; each leads two causes further back, and a path begins with the creation of its object. */
const MAX_PASSES = 20;
