// Draws the contents of one generated block of a Markdown page. Its settings are options of `kubeseq diagram`; paths
// are relative to the page.

import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import {
  type Block,
  type Key,
  type Message,
  messagesAbout,
  otherNamespaces,
  type PagePartOptions,
  renderPagePart,
  type Sequence,
  type Setting,
  VERSION,
} from '../../index.js';
import { CliError, describeError } from '../cli-error.js';
import { offeredIn, otherNamespacesText } from '../message-selection.js';
import { checkSelection, followOf } from '../option-values.js';
import { checkLayers, type DiagramCliOptions } from '../options.js';
import { sequenceOf } from '../output/diagram.js';
import { refuseUnknownOrder, rosterOf } from '../participants.js';
import type { CachedCapture, CapturedFiles } from './capture-cache.js';
import { pageFile } from './page-file.js';

export interface BlockContent {
  readonly text: string;
  /** Why the diagram has no arrow, in words; null: it has some. */
  readonly empty: string | null;
}

/** @param folder of the page. @param name of the page, for errors. */
export async function blockContent(
  block: Block,
  folder: string,
  name: string,
  captured: CachedCapture,
): Promise<BlockContent> {
  const presentation = presentationOf(block, name);
  try {
    const options = optionsOf(block);
    const path = (file: string): string => pageFile(folder, file);
    const files: CapturedFiles = {
      captures: all(block, 'capture').map(path),
      keylogs: all(block, 'keylog').map(path),
      participants: options.participants === undefined ? undefined : path(options.participants),
      until: options.until,
      bodies: presentation.steps !== undefined,
    };
    const { messages, session } = await captured.read(files);
    const named = { ...options, participants: files.participants };
    if (!session.interrupted) refuseUnknownOrder(named, () => rosterOf(named, messages));
    const sequence = sequenceOf(messages, named, session);
    const captures = files.captures.length > 1 ? all(block, 'capture') : undefined;
    const hashes = has(block, 'provenance') ? await Promise.all(files.captures.map(sha256)) : [];
    const text = renderPagePart(sequence, {
      ...presentation,
      steps: presentation.steps === undefined ? undefined : { ...presentation.steps, captures },
      provenance: has(block, 'provenance')
        ? {
            version: VERSION,
            command: commandOf(block),
            captures: all(block, 'capture').map((file, i) => ({ file, sha256: hashes[i] })),
          }
        : undefined,
    });
    return { text, empty: tellsNothing(sequence) ? whyNothing(options, messages) : null };
  } catch (error) {
    throw error instanceof CliError ? new CliError(`${name}:${block.line}: ${error.message}`) : error;
  }
}

/** Neither a message nor a connection that failed is drawn. */
function tellsNothing({ drawn, participants }: Sequence): boolean {
  return drawn === 0 && participants.length === 0;
}

function whyNothing(options: DiagramCliOptions, messages: readonly Message[]): string {
  const followed = followOf(options);
  if (messages.length === 0) return 'no message in its captures could be read';
  if (followed !== undefined && messagesAbout(messages, followed).length === 0)
    return `follow=${options.follow}: ${otherNamespacesText(otherNamespaces(messages, followed), { ...offeredIn(messages, followed), present: [] })}`;
  return 'nothing of its captures is chosen';
}

function presentationOf(block: Block, name: string): PagePartOptions {
  const bodies = textOf(block, 'bodies');
  if (bodies !== undefined && bodies !== 'yaml' && bodies !== 'json')
    throw troubleAt(block, 'bodies', name, 'expected bodies=yaml or bodies=json');
  const steps = textOf(block, 'steps');
  const wanted = steps === undefined ? undefined : rangesOf(steps);
  if (wanted === null) throw troubleAt(block, 'steps', name, 'expected numbers of arrows: steps=1-12,20');
  return {
    frames: has(block, 'frames'),
    participants: block.settings.some(({ key, value }) => key === 'participants' && value === null),
    steps: has(block, 'steps') ? { wanted, bodies } : undefined,
  };
}

/** `1-12,20`; null: another text. */
function rangesOf(text: string): ((number: number) => boolean) | null {
  const ranges = text.split(',').map((range) => /^(\d{1,6})(?:-(\d{1,6}))?$/.exec(range.trim()));
  if (ranges.includes(null)) return null;
  const ends = ranges.map((match) => [Number(match?.[1]), Number(match?.[2] ?? match?.[1])]);
  return (number) => ends.some(([first, last]) => number >= first && number <= last);
}

/** Its files are as the page names them. */
function optionsOf(block: Block): DiagramCliOptions {
  const layers = textOf(block, 'layers');
  const by = textOf(block, 'by') ?? 'controller';
  if (by !== 'controller' && by !== 'component') throw new CliError(`by=${by}: expected controller or component`);
  const options: DiagramCliOptions = {
    color: false,
    quiet: true,
    follow: textOf(block, 'follow'),
    namespace: textOf(block, 'namespace') ?? 'default',
    allNamespaces: has(block, 'all-namespaces') ? true : undefined,
    all: has(block, 'all') ? true : undefined,
    layers: layers === undefined ? undefined : checkLayers(layers),
    by,
    from: textOf(block, 'from'),
    to: textOf(block, 'to'),
    since: textOf(block, 'since'),
    until: textOf(block, 'until'),
    where: textOf(block, 'where'),
    participants: textOf(block, 'participants'),
  };
  followOf(options);
  checkSelection(options);
  return options;
}

/** The command that draws the block's diagram, to be run in the folder of the page. */
function commandOf({ settings }: Block): string {
  const words = settings.flatMap(({ key, value }) => {
    if (key === 'capture') return [quoted(value as string)];
    if (PAGE_KEYS.has(key) || (key === 'participants' && value === null)) return [];
    return value === null ? [`--${key}`] : [`--${key}`, quoted(value)];
  });
  return ['kubeseq', ...words].join(' ');
}

function quoted(word: string): string {
  return /^[\w./:,@%+=-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

async function sha256(file: string): Promise<string> {
  const hash = createHash('sha256');
  try {
    for await (const chunk of createReadStream(file)) hash.update(chunk as Uint8Array);
  } catch (error) {
    throw new CliError(`${file}: ${describeError(error)}`);
  }
  return hash.digest('hex');
}

function troubleAt(block: Block, key: Key, name: string, message: string): CliError {
  const line = block.settings.find((one) => one.key === key)?.line ?? block.line;
  return new CliError(`${name}:${line}: ${message}`);
}

function has(block: Block, key: Key): boolean {
  return block.settings.some((one) => one.key === key);
}

function textOf(block: Block, key: Key): string | undefined {
  return block.settings.find((one: Setting) => one.key === key && one.value !== null)?.value ?? undefined;
}

function all(block: Block, key: Key): string[] {
  return block.settings.flatMap((one) => (one.key === key && one.value !== null ? [one.value] : []));
}

/** Settings of the page and not of the diagram. */
const PAGE_KEYS: ReadonlySet<Key> = new Set<Key>(['steps', 'bodies', 'provenance']);
