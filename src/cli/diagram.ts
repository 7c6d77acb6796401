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
import { checkSelection, followOf, isSelecting, layersOf, type PictureCliOptions, selectionOf } from './options.js';
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
  const session = new Session(files, { ...options, bodies: format === 'html' });
  const messages = await session.collect();
  const named = options.participants === undefined ? undefined : readParticipants(options.participants);
  const pictureOptions: PictureOptions = {
    follow: followed,
    all: options.all,
    layers: layersOf(options),
    by: options.by,
    order: named?.order,
    groups: named?.groups,
    selected: selectedOf(messages, options, session),
  };
  const observation = { messages, notices: session.notices };
  const sequence = picture(observation, pictureOptions);
  const text =
    format === 'html'
      ? await renderPage(explorable(observation, pictureOptions), session)
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
