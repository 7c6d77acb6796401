// `kubeseq diff A B`: what differs between two observations. Exit status as diff(1): 0 none, 1 some, 2 trouble.

import { readFileSync } from 'node:fs';
import {
  compare,
  type Diagram,
  exchangesByChance,
  expectationsOf,
  index,
  observedSide,
  type PictureOptions,
  pictureSide,
  renderDiffJson,
  renderDiffMermaid,
  renderDiffStat,
  renderDiffText,
  type Side,
  UnreadableDiagram,
  writtenSide,
} from '../index.js';
import { formatOf } from './format.js';
import { sayWhy } from './input.js';
import { checkSelection, followOf, layersOf, type PictureCliOptions } from './options.js';
import { openOutput } from './output.js';
import { diffPaintFor } from './paint.js';
import { readParticipants } from './participants.js';
import { selectedOf } from './picture.js';
import { Session } from './session.js';
import { EXIT_DIFFERENT, EXIT_FINE, EXIT_INTERRUPTED, Trouble } from './trouble.js';

export interface DiffCliOptions extends PictureCliOptions {
  readonly stat?: true;
  readonly ignoreChance?: true;
}

const FORMATS = ['text', 'mermaid', 'json'] as const;
const ENDINGS = { '.txt': 'text', '.diff': 'text', '.patch': 'text', '.mmd': 'mermaid', '.json': 'json' } as const;

export async function diff(before: string, after: string, options: DiffCliOptions): Promise<number> {
  checkSelection(options);
  const format = formatOf(options, FORMATS, ENDINGS, 'text');
  if (options.stat === true && format !== 'text') throw new Trouble(`--stat is text; leave -o ${format} out`);
  if (before === '-' && after === '-') throw new Trouble('only one of the two can be standard input');
  const isWritten = [before, after].some(isDiagram);
  const sessions: Session[] = [];
  const sideOf = async (file: string): Promise<Side> => {
    if (isDiagram(file)) return writtenSide(file, readDiagram(file));
    const session = new Session([file], options);
    sessions.push(session);
    return observed(session, isWritten ? pictureSide : observedSide, options);
  };
  const a = await sideOf(before);
  const b = await sideOf(after);
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

/** `PAGE.md#heading` names one diagram of a page that has several. */
function isDiagram(file: string): boolean {
  return /\.(?:mmd|mermaid|md|markdown)(?:#.*)?$/i.test(file);
}

function readDiagram(file: string): Diagram {
  const [, path, heading] = /^(.*?)(?:#(.*))?$/s.exec(file) as RegExpExecArray;
  let source: string;
  try {
    source = readFileSync(path, 'utf8');
  } catch (error) {
    throw new Trouble(`${path}: ${sayWhy(error)}`);
  }
  try {
    const found = expectationsOf(source, /\.(?:md|markdown)$/i.test(path), path);
    const wanted = heading === undefined ? found : found.filter(({ name }) => slug(name) === slug(heading));
    if (wanted.length === 1) return wanted[0].diagram;
    const names = found.map(({ name }) => slug(name)).join(', ');
    throw new Trouble(`${file}: name one of its diagrams, as in ${path}#${slug(found[0].name)}; it has ${names}`);
  } catch (error) {
    if (error instanceof UnreadableDiagram) throw new Trouble(`${path}:${error.line}: ${error.message}`);
    throw error;
  }
}

/** A heading as the address of a page has it. */
function slug(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(/\s/g, '-');
}

async function observed(
  session: Session,
  sideOf: typeof observedSide | typeof pictureSide,
  options: DiffCliOptions,
): Promise<Side> {
  const messages = await session.collect();
  const named = options.participants === undefined ? undefined : readParticipants(options.participants);
  const selected = selectedOf(messages, options, session);
  const chance = options.ignoreChance === true ? exchangesByChance(index(messages)) : null;
  const pictureOptions: PictureOptions = {
    follow: followOf(options),
    all: options.all,
    layers: layersOf(options),
    by: options.by,
    order: named?.order,
    groups: named?.groups,
    selected: chance === null ? selected : (message) => !chance.has(message.exchange) && (selected?.(message) ?? true),
  };
  return sideOf(session.files[0], { messages, notices: session.notices }, pictureOptions);
}
