// `kubeseq diff A B`: what differs between two observations. Exit status as diff(1): 0 none, 1 some, 2 trouble.

import {
  compare,
  observedSide,
  type PictureOptions,
  renderDiffJson,
  renderDiffMermaid,
  renderDiffStat,
  renderDiffText,
  type Side,
} from '../index.js';
import { selectedOf } from './diagram.js';
import { formatOf } from './format.js';
import { checkSelection, followOf, layersOf, type PictureCliOptions } from './options.js';
import { openOutput } from './output.js';
import { diffPaintFor } from './paint.js';
import { readParticipants } from './participants.js';
import { Session } from './session.js';
import { EXIT_DIFFERENT, EXIT_FINE, EXIT_INTERRUPTED, Trouble } from './trouble.js';

export interface DiffCliOptions extends PictureCliOptions {
  readonly stat?: true;
}

const FORMATS = ['text', 'mermaid', 'json'] as const;
const ENDINGS = { '.txt': 'text', '.diff': 'text', '.patch': 'text', '.mmd': 'mermaid', '.json': 'json' } as const;

export async function diff(before: string, after: string, options: DiffCliOptions): Promise<number> {
  checkSelection(options);
  const format = formatOf(options, FORMATS, ENDINGS, 'text');
  if (options.stat === true && format !== 'text') throw new Trouble(`--stat is text; leave -o ${format} out`);
  if (before === '-' && after === '-') throw new Trouble('only one of the two can be standard input');
  const sessions = [before, after].map((file) => new Session([file], options));
  const sides: Side[] = [];
  for (const session of sessions) sides.push(await sideOf(session, options));
  const [a, b] = sides;
  const difference = compare(a, b);
  const output = openOutput(options.write);
  const text = (): string => {
    if (options.stat === true) return renderDiffStat(difference, a, b);
    if (format === 'mermaid') return renderDiffMermaid(difference, a, b);
    if (format === 'json') return renderDiffJson(difference, [a.name, b.name]);
    const onTerminal = options.write === undefined && process.stdout.isTTY === true;
    return renderDiffText(difference, [a.name, b.name], diffPaintFor(options.color && onTerminal));
  };
  await output.write(text());
  await output.done();
  for (const session of sessions) session.sayNotices();
  if (sessions.some(({ interrupted }) => interrupted)) return EXIT_INTERRUPTED;
  return difference.lines.some(({ kind }) => kind !== 'same') ? EXIT_DIFFERENT : EXIT_FINE;
}

async function sideOf(session: Session, options: DiffCliOptions): Promise<Side> {
  const messages = await session.collect();
  const named = options.participants === undefined ? undefined : readParticipants(options.participants);
  const pictureOptions: PictureOptions = {
    follow: followOf(options),
    all: options.all,
    layers: layersOf(options),
    by: options.by,
    order: named?.order,
    groups: named?.groups,
    selected: selectedOf(messages, options, session),
  };
  return observedSide(session.files[0], { messages, notices: session.notices }, pictureOptions);
}
