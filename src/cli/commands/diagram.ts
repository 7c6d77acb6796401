// `kubeseq diagram`, also plain `kubeseq CAPTURE...`, draws a sequence diagram.

import {
  arrowsOf,
  buildSequence,
  ChangeWords,
  criticalPaths,
  DEFAULT_LAYERS,
  type ExplorerData,
  explorerData,
  firstLook,
  foldAnswers,
  HistoryBuilder,
  htmlPage,
  type Message,
  type Notice,
  type Observation,
  pathMarks,
  renderMarkdown,
  renderMermaid,
  renderPlantuml,
  renderSequenceJson,
  renderText,
  type Sequence,
  shortLabels,
  touching,
  VERSION,
} from '../../index.js';
import { CliError, EXIT_DIFFERENT, EXIT_FINE, printError } from '../cli-error.js';
import { type CollectedMessages, DiagramMessages } from '../input/diagram-messages.js';
import { Session } from '../input/session.js';
import { printOtherNamespaces } from '../message-selection.js';
import { capturesOf, checkSelection, followOf, isLive, isSelecting, layersOf, takesAll } from '../option-values.js';
import type { DiagramCliOptions } from '../options.js';
import { diagramOptions, optionsOf } from '../output/diagram.js';
import { formatOf } from '../output/format.js';
import { drawImage, type ImageOptions } from '../output/image.js';
import { LiveScreen } from '../output/live-screen.js';
import { whyNoPath } from '../output/no-path.js';
import { openOutput, widestMode } from '../output/output.js';
import { loadPageParts, pageTitle } from '../output/page.js';
import { paintFor } from '../output/paint.js';
import { terminalWidth } from '../output/terminal-width.js';
import { isTraceFormat, TRACE_ENDINGS, type TraceFormat, traceWriter } from '../output/trace.js';
import { refuseUnknownOrder } from '../participants.js';
import { exitStatusOf } from '../unread.js';

export const DIAGRAM_FORMATS = [
  'mermaid',
  'markdown',
  'plantuml',
  'svg',
  'png',
  'text',
  'html',
  'json',
  'otlp',
  'perfetto',
] as const;
const ENDINGS = {
  // Before `.json`.
  ...TRACE_ENDINGS,
  '.mmd': 'mermaid',
  '.mermaid': 'mermaid',
  '.md': 'markdown',
  '.puml': 'plantuml',
  '.svg': 'svg',
  '.png': 'png',
  '.plantuml': 'plantuml',
  '.txt': 'text',
  '.html': 'html',
  '.htm': 'html',
  '.json': 'json',
} as const;

export interface DiagramCommandOptions extends DiagramCliOptions, ImageOptions {
  /** undefined: an overview where several stories have many arrows. */
  readonly overview?: boolean;
  readonly answers?: 'drawn' | 'folded';
  readonly users?: boolean;
  readonly wide?: true;
  readonly labels?: 'full' | 'short' | 'changes';
  /** Mark the critical path of the followed object. */
  readonly path?: true;
}

export async function diagram(files: readonly string[], options: DiagramCommandOptions): Promise<number> {
  checkSelection(options);
  // A person reads what the terminal shows; a file or a pipe is for a program that draws.
  const isForTerminal = options.write === undefined && process.stdout.isTTY === true;
  const format = formatOf(options, DIAGRAM_FORMATS, ENDINGS, isForTerminal ? 'text' : 'mermaid');
  if (format === 'png' && isForTerminal)
    throw new CliError('a PNG is nothing for a terminal; write it to a file: -w FILE.png');
  checkOverview(format, options);
  const keysGrow = isLive(capturesOf(files, options), options);
  const bodies = format === 'html';
  const history = pathHistoryOf(options, format);
  const changes = options.labels === 'changes' && PICTURES.has(format) ? new ChangeWords() : null;
  const session = new Session(files, {
    ...options,
    live: false,
    keysGrow,
    growing: options.live,
    bodies: bodies || changes !== null || history !== null,
  });
  const { observation, selected, unknown, roster, offered } = await collected(
    session,
    options,
    bodies,
    changes,
    history,
  );
  const { messages } = observation;
  if (!session.interrupted) refuseUnknownOrder(options, () => roster);
  const life = history?.result();
  const path = life === undefined ? undefined : criticalPaths(messages, life, {}).flatMap(pathMarks);
  const drawing = { ...optionsOf(options), users: options.users, path, selected };
  const complete = isFirstLook(format, options)
    ? firstLook(observation, drawing, options.overview === true)
    : buildSequence(observation, drawing);
  const isPicture = PICTURES.has(format);
  const isShort = options.labels === 'short' || options.labels === 'changes';
  const worded = isShort && isPicture ? shortLabels(complete, changes?.words) : complete;
  const sequence = options.answers === 'folded' && isPicture ? foldAnswers(worded) : worded;
  const { text, cut } =
    format === 'html'
      ? await renderPage(explorerData(observation, drawing), session)
      : isTraceFormat(format)
        ? { text: traceOf(sequence, messages, format, options, session), cut: [] }
        : { text: await render(sequence, format, options, session), cut: [] };
  const output = openOutput(options.write, widestMode(options));
  await output.write(isForTerminal && options.output === undefined ? `${text}${PICTURE_HINT}` : text);
  await output.done();
  session.printNotices(drawnTouches(sequence, observation, options));
  if (options.quiet !== true) {
    for (const line of cut) printError(line);
    if (path?.length === 0 && life !== undefined && life.incarnations.length > 0)
      printError(`${options.follow}: ${whyNoPath(`${options.follow}`, life)}`);
  }
  // A selection may leave nothing of what is there.
  const isEmpty = sequence.drawn === 0 && sequence.total > 0;
  const isAbsent = isEmpty && options.follow !== undefined && !isSelecting(options);
  if (isEmpty) printOtherNamespaces(options, messages, offered());
  unknown.print();
  const status = exitStatusOf(session, options);
  return status === EXIT_FINE && isAbsent ? EXIT_DIFFERENT : status;
}

/** null: no path is asked for. */
function pathHistoryOf(options: DiagramCommandOptions, format: string): HistoryBuilder | null {
  if (options.path !== true) return null;
  const follow = followOf(options);
  if (follow === undefined) throw new CliError('--path marks the critical path of one object: give it with --follow');
  if (format !== 'html' && !PICTURES.has(format))
    throw new CliError(`--path marks a diagram, which -o ${format} is not; kubeseq path prints it`);
  return new HistoryBuilder(follow);
}

/** The user asks for nothing in particular. Markdown has everything in parts, after an overview of its own. */
function isFirstLook(format: string, options: DiagramCommandOptions): boolean {
  if (options.overview !== undefined) return options.overview;
  const isChosen = CHOOSING.some((name) => options[name] !== undefined) || options.by !== 'controller';
  return !isChosen && !isSelecting(options) && PICTURES.has(format) && format !== 'markdown';
}

function checkOverview(format: string, options: DiagramCommandOptions): void {
  if (options.overview !== true) return;
  const other = CHOOSING.find((name) => options[name] !== undefined);
  if (other !== undefined || isSelecting(options))
    throw new CliError(`--overview shows all stories: not with ${other === undefined ? 'a selection' : `--${other}`}`);
  if (!PICTURES.has(format))
    throw new CliError(`--overview is a diagram: -o mermaid, markdown, plantuml, text, svg or png, not ${format}`);
}

async function collected(
  session: Session,
  options: DiagramCommandOptions,
  bodies: boolean,
  changes: ChangeWords | null,
  history: HistoryBuilder | null,
): Promise<CollectedMessages> {
  const messages = new DiagramMessages(session, options, bodies || history !== null);
  const add = (message: Message): void => {
    changes?.feed(message);
    history?.feed(message);
    // Bodies are as large as the capture.
    messages.add(
      bodies || (changes === null && history === null) || message.details === undefined
        ? message
        : { ...message, details: undefined },
    );
  };
  try {
    if (options.live === true && process.stdout.isTTY === true) {
      const optionsFor = diagramOptions(options, session);
      const draw = (so: readonly Message[]): Sequence =>
        buildSequence({ messages: so, notices: session.notices }, optionsFor(so));
      const seen = await watched(session, (so) => renderText(draw(so), { first: session.firstTime ?? 0n }));
      for (const message of seen) add(message);
    } else await session.eachMessage(add);
    return messages.end();
  } finally {
    messages.close();
  }
}

/** Selects notices that concern drawn messages. */
function drawnTouches(
  { steps }: Sequence,
  observation: Observation,
  options: DiagramCommandOptions,
): (one: Notice) => boolean {
  const isAll = takesAll(options);
  const chosen = isAll ? null : arrowsOf(steps).map(({ message }) => message);
  return touching({ ...observation, chosen, layers: layersOf(options) ?? DEFAULT_LAYERS });
}

/** Redraws the diagram while messages arrive. */
async function watched(session: Session, text: (messages: readonly Message[]) => string): Promise<Message[]> {
  const messages: Message[] = [];
  const screen = new LiveScreen(process.stdout, () => text(messages));
  for await (const batch of session.run()) {
    const before = messages.length;
    for (const item of batch) if (item.kind === 'message') messages.push(item.message);
    if (messages.length > before) screen.changed();
  }
  screen.close();
  return messages;
}

/** @returns the page, and a note on messages beyond its limit. */
async function renderPage(
  page: ExplorerData,
  session: Session,
): Promise<{ readonly text: string; readonly cut: readonly string[] }> {
  const { html, cut } = htmlPage(page, {
    captures: session.captureNames,
    digits: (capture) => session.digits(capture),
    first: session.firstTime ?? 0n,
    title: pageTitle(session.names),
    version: VERSION,
    ...loadPageParts(),
  });
  return { text: html, cut };
}

async function render(
  sequence: Sequence,
  format: Exclude<(typeof DIAGRAM_FORMATS)[number], 'html' | TraceFormat>,
  options: DiagramCommandOptions,
  session: Session,
): Promise<string | Uint8Array> {
  switch (format) {
    case 'mermaid':
      return checked(renderMermaid(sequence, { seqs: true, frames: options.frames }), options);
    case 'markdown':
      return renderMarkdown(sequence, { seqs: true, frames: options.frames });
    case 'svg':
    case 'png':
      return drawImage(renderMermaid(sequence), format, options);
    case 'plantuml':
      return renderPlantuml(sequence);
    case 'text':
      return renderText(sequence, {
        first: session.firstTime ?? 0n,
        width: options.wide === true ? undefined : terminalWidth(options),
        paint: paintFor(options.color && options.write === undefined && process.stdout.isTTY === true),
      });
    case 'json':
      return renderSequenceJson(sequence, {
        captures: session.captureNames,
        digits: (capture) => session.digits(capture),
      });
  }
}

/** Spans of the drawn messages. An exchange is whole, also where only one of its messages is drawn. */
function traceOf(
  { steps }: Sequence,
  messages: readonly Message[],
  format: TraceFormat,
  options: DiagramCommandOptions,
  session: Session,
): string {
  const drawn = new Set(arrowsOf(steps).map(({ message }) => message));
  const exchanges = new Set([...drawn].map(({ exchange }) => exchange));
  const isAll = takesAll(options);
  const writer = traceWriter(format, session, isAll);
  const isHead = ({ kind }: Message): boolean => kind === 'request' || kind === 'response';
  for (const message of messages)
    if (drawn.has(message) || (isHead(message) && exchanges.has(message.exchange))) writer.add(message);
  return writer.end();
}

const CHOOSING = ['follow', 'all', 'layers'] as const;
/** For the eye; the other formats are data, of which nothing is left out. */
const PICTURE_HINT = '\nA picture: -w story.svg; a page to look into: -w story.html; mermaid: -o mermaid.\n';
const PICTURES: ReadonlySet<string> = new Set(['mermaid', 'markdown', 'plantuml', 'text', 'svg', 'png']);

/** Warns only, because other renderers have other limits. */
function checked(text: string, { quiet }: DiagramCliOptions): string {
  if (text.length > MERMAID_LIMIT && quiet !== true)
    printError(
      `the diagram has ${text.length} characters; GitHub's mermaid draws ${MERMAID_LIMIT}. -o markdown cuts it into parts`,
    );
  return text;
}

/** Limit: characters over which `-o mermaid` warns that GitHub draws no more: mermaid's `maxTextSize`, which GitHub does not change. */
const MERMAID_LIMIT = 50_000;
