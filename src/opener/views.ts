// Makes views of the messages that were kept: the page to explore with its diagram, the critical path, the messages as lines.

import {
  criticalPaths,
  explorerData,
  type FollowedName,
  firstLook,
  HistoryBuilder,
  htmlPage,
  LineBuffer,
  type Message,
  messagesAbout,
  type Observation,
  type PagePart,
  pageOverview,
  parseFollow,
  pathMarks,
  pathReport,
  renderMermaid,
  reportText,
  VERSION,
  writeMessage,
} from '../index.js';
import { UnreadableFiles } from './chosen-files.js';
import { type KeptCaptures, unpacked } from './kept-captures.js';
import type { CaptureView, WantedView } from './protocol.js';

/** The page's code and look. */
export interface PageParts {
  readonly script: PagePart;
  readonly style: PagePart;
}

/** @throws UnreadableFiles for an object that cannot be meant. */
export async function viewOf(
  kept: KeptCaptures,
  { follow, namespace, path }: WantedView,
  parts: PageParts,
): Promise<CaptureView> {
  const followed = follow === '' ? undefined : parseFollow(follow, namespace === '' ? null : namespace);
  if (followed === null)
    throw new UnreadableFiles(`Give an object as KIND/NAME, for example pod/nginx, not ${follow}.`);
  const messages = [...(await unpacked(kept.messages))()];
  const observation: Observation = { messages, notices: kept.notices };
  const paths = followed === undefined || !path ? null : pathsOf(messages, followed);
  const drawing = { follow: followed, path: paths?.flatMap(pathMarks) };
  const page = explorerData(observation, drawing, MAX_ROWS);
  const overview = pageOverview(observation);
  const sequence =
    followed === undefined
      ? firstLook(observation, drawing, { form: 'table', built: page.sequence, stories: overview.found })
      : page.sequence;
  const { html, cut } = htmlPage(page, {
    captures: kept.names,
    digits: (capture) => digitsOf(kept, capture),
    first: kept.first,
    title: kept.title,
    version: VERSION,
    overview,
    ...parts,
  });
  const isAbsent = followed !== undefined && sequence.drawn === 0;
  return {
    html: new Blob([html], { type: 'text/html' }),
    mermaid: renderMermaid(sequence, { seqs: true }),
    path: paths === null ? '' : pathText(paths, kept.first, follow),
    remarks: [
      ...(isAbsent ? [`Nothing is about ${follow}${namespace === '' ? '' : ` in ${namespace}`}.`] : []),
      ...cut,
    ],
  };
}

/** All messages as `kubeseq messages -o ndjson` prints them. */
export async function linesOf(kept: KeptCaptures): Promise<Blob> {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  const out = new LineBuffer(PIECE);
  for (const message of (await unpacked(kept.messages))()) {
    writeMessage(out, message, { captures: kept.names, digits: (capture) => digitsOf(kept, capture) });
    out.ascii('\n');
    if (out.length >= PIECE) parts.push(new Uint8Array(out.take()));
  }
  if (out.length > 0) parts.push(new Uint8Array(out.take()));
  return new Blob(parts, { type: 'application/x-ndjson' });
}

/** Saved messages may name more captures than there are files. */
function digitsOf({ digits }: KeptCaptures, capture: number): number {
  return digits[capture] ?? MICROSECONDS;
}

function pathsOf(messages: readonly Message[], follow: FollowedName): ReturnType<typeof criticalPaths> {
  const history = new HistoryBuilder(follow);
  for (const message of messages) history.feed(message);
  return criticalPaths(messages, history.result(), { story: messagesAbout(messages, follow) });
}

function pathText(paths: ReturnType<typeof criticalPaths>, first: bigint, follow: string): string {
  return paths.length > 0
    ? reportText(pathReport(paths, first), 0)
    : `${follow} was neither created nor deleted in this capture, and did not become ready in it.\n`;
}

/** Limit: messages of an explorable page in the page (problems, then what is drawn, then the rest): its frame is in the memory of the tab. */
const MAX_ROWS = 20_000;
/** Digits of a second's fraction. */
const MICROSECONDS = 6;
/** Bytes of a piece of the lines. */
const PIECE = 1 << 20;
