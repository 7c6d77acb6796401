// `kubeseq diagram`, also plain `kubeseq CAPTURE...`: a sequence diagram of what happened.

import {
  type Explorable,
  explorable,
  type PictureOptions,
  picture,
  renderHtml,
  renderMarkdown,
  renderMermaid,
  renderSequenceJson,
  renderText,
  Selector,
  type Sequence,
  VERSION,
} from '../index.js';
import { formatOf } from './format.js';
import { LiveScreen } from './live-screen.js';
import {
  capturesOf,
  checkSelection,
  followOf,
  isLive,
  isSelecting,
  layersOf,
  type PictureCliOptions,
  selectionOf,
} from './options.js';
import { openOutput } from './output.js';
import { pageParts, pageTitle } from './page.js';
import { paintFor } from './paint.js';
import { readParticipants } from './participants.js';
import { Session, say } from './session.js';
import { EXIT_FINE, EXIT_INTERRUPTED } from './trouble.js';

const FORMATS = ['mermaid', 'markdown', 'text', 'html', 'json'] as const;
const ENDINGS = {
  '.mmd': 'mermaid',
  '.mermaid': 'mermaid',
  '.md': 'markdown',
  '.txt': 'text',
  '.html': 'html',
  '.htm': 'html',
  '.json': 'json',
} as const;

export async function diagram(files: readonly string[], options: PictureCliOptions): Promise<number> {
  checkSelection(options);
  const followed = followOf(options);
  const format = formatOf(options, FORMATS, ENDINGS, 'mermaid');
  const keysGrow = isLive(capturesOf(files, options), options);
  const bodies = format === 'html';
  const session = new Session(files, { ...options, live: false, keysGrow, growing: options.live, bodies });
  const named = options.participants === undefined ? undefined : readParticipants(options.participants);
  const optionsFor = (messages: readonly PictureMessage[]): PictureOptions => ({
    follow: followed,
    all: options.all,
    layers: layersOf(options),
    by: options.by,
    order: named?.order,
    groups: named?.groups,
    selected: selectedOf(messages, options, session),
  });
  const draw = (messages: readonly PictureMessage[]): Sequence =>
    picture({ messages, notices: session.notices }, optionsFor(messages));
  const messages =
    options.live === true && process.stdout.isTTY === true
      ? await watched(session, (so) => renderText(draw(so)))
      : await session.collect();
  const sequence = draw(messages);
  const text =
    format === 'html'
      ? await renderPage(explorable({ messages, notices: session.notices }, optionsFor(messages)), session)
      : render(sequence, format, options, session);
  const output = openOutput(options.write);
  await output.write(text);
  await output.done();
  session.sayNotices();
  if (followed !== undefined && sequence.drawn === 0 && options.quiet !== true) {
    say(`--follow ${options.follow}: nothing in the capture is about it; is it in another namespace (-n)?`);
  }
  return session.interrupted ? EXIT_INTERRUPTED : EXIT_FINE;
}

/** Shows the picture while it grows. */
async function watched(
  session: Session,
  text: (messages: readonly PictureMessage[]) => string,
): Promise<PictureMessage[]> {
  const messages: PictureMessage[] = [];
  const screen = new LiveScreen(process.stdout, () => text(messages));
  for await (const batch of session.run()) {
    const before = messages.length;
    for (const item of batch) if (item.kind === 'message') messages.push(item.message);
    if (messages.length > before) screen.changed();
  }
  screen.close();
  return messages;
}

/** Which of the messages a user selected; undefined: all. */
export function selectedOf(
  messages: readonly PictureMessage[],
  options: PictureCliOptions,
  session: Session,
): PictureOptions['selected'] {
  if (!isSelecting(options)) return undefined;
  const selector = new Selector(selectionOf(options, session.firstTime));
  const selected = new Set(messages.flatMap((message) => [...selector.feed(message)]));
  for (const message of selector.end()) selected.add(message);
  return (message) => selected.has(message);
}

type PictureMessage = Parameters<Selector['feed']>[0];

async function renderPage(page: Explorable, session: Session): Promise<string> {
  return renderHtml(page, {
    captures: session.captureNames,
    digits: (capture) => session.digits(capture),
    first: session.firstTime ?? 0n,
    title: pageTitle(session.names),
    version: VERSION,
    ...(await pageParts()),
  });
}

function render(
  sequence: Sequence,
  format: Exclude<(typeof FORMATS)[number], 'html'>,
  options: PictureCliOptions,
  session: Session,
): string {
  switch (format) {
    case 'mermaid':
      return renderMermaid(sequence, { frames: options.frames });
    case 'markdown':
      return renderMarkdown(sequence, { frames: options.frames });
    case 'text':
      return renderText(
        sequence,
        paintFor(options.color && options.write === undefined && process.stdout.isTTY === true),
      );
    case 'json':
      return renderSequenceJson(sequence, {
        captures: session.captureNames,
        digits: (capture) => session.digits(capture),
      });
  }
}
