// Draws the contents of one generated block of a Markdown page, whose paths are relative to the page.

import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type Block, type Message, messagesAbout, NearestNames, otherNamespaces, type Sequence } from '../../index.js';
import { CliError, describeError } from '../cli-error.js';
import { checkSelection, followOf } from '../option-values.js';
import type { DiagramCliOptions } from '../options.js';
import { refuseUnknownOrder, rosterOf } from '../participants.js';
import * as renderers from '../renderers.js';
import type { CaptureCache } from './capture-cache.js';
import { sequenceOf } from './diagram.js';
import { otherNamespacesText } from './message-choice.js';
import { pageFile } from './page-file.js';
import { commandOf, pageOptionsOf, partsOf } from './page-options.js';

export interface BlockContent {
  readonly text: string;
  /** Why the diagram has no arrow, in words; null: it has some. */
  readonly empty: string | null;
}

/** @param folder of the page. @param name of the page, for errors. Throws CliError with the line of what is wrong. */
export async function blockContent(
  block: Block,
  folder: string,
  name: string,
  captured: CaptureCache,
): Promise<BlockContent> {
  const options = pageOptionsOf(block, name);
  const parts = partsOf(options);
  try {
    checkSelection(options);
    const path = (file: string): string => pageFile(folder, file);
    const { capture: captures = [], keylog = [], until } = options;
    const files = captures.map(path);
    const participants = options.participants === undefined ? undefined : path(options.participants);
    const { messages, session } = await captured.read({
      ...{ captures: files, keylogs: keylog.map(path), participants, until },
      bodies: parts.some(({ hasBodies }) => hasBodies === true),
    });
    const named = { ...options, participants };
    if (!session.interrupted) refuseUnknownOrder(named, () => rosterOf(named, messages));
    const sequence = sequenceOf(messages, named, session);
    const hashes = (): Promise<string[]> => Promise.all(files.map(sha256));
    const page = {
      ...{ sequence, messages, first: session.firstTime ?? 0n },
      ...{ options, captures, command: commandOf(block), hashes },
    };
    const texts = [renderers.renderMarkdown(sequence, { frames: options.frames })];
    for (const part of parts) texts.push(await part.render(renderers, page));
    const text = texts.filter((one) => one !== '').join('\n');
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
  if (followed === undefined || messagesAbout(messages, followed).length > 0)
    return 'nothing of its captures is chosen';
  const names = new NearestNames(followed);
  for (const message of messages) names.observe(message);
  const offered = { ...names.offered(), present: [] };
  return `follow=${options.follow}: ${otherNamespacesText(otherNamespaces(messages, followed), offered)}`;
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
