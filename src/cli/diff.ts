// `kubeseq diff A B`: what differs between two observations. Exit status as diff(1): 0 none, 1 some, 2 trouble.

import { readFileSync } from 'node:fs';
import {
  compare,
  type Diagram,
  exchangesByChance,
  expectationsOf,
  index,
  type Message,
  type Normalise,
  normaliser,
  normaliseText,
  observedSide,
  type PictureOptions,
  pictureSide,
  renderDiffJson,
  renderDiffMermaid,
  renderDiffStat,
  renderDiffText,
  type Side,
  savedPictureSide,
  shorten,
  UnreadableDiagram,
  wordsIn,
  writtenSide,
} from '../index.js';
import { formatOf } from './format.js';
import { sayWhy } from './input.js';
import { STDIN_TWICE } from './inputs.js';
import { refuseUnknownOrder } from './names.js';
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
  if (before === '-' && after === '-') throw new Trouble(STDIN_TWICE);
  const seen = [await see(before, options), await see(after, options)] as const;
  const sessions = seen.flatMap((one) => ('session' in one ? [one.session] : []));
  if (!sessions.some(({ interrupted }) => interrupted))
    refuseUnknownOrder(
      options,
      seen.flatMap((one) => ('messages' in one ? one.messages : [])),
    );
  const [a, b] = sidesOf(...seen, options);
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

/** What a user named: a written diagram, or what a session gave. */
type Seen =
  | { readonly file: string; readonly diagram: Diagram }
  | { readonly session: Session; readonly messages: readonly Message[] };

async function see(file: string, options: DiffCliOptions): Promise<Seen> {
  if (isDiagram(file)) return { file, diagram: readDiagram(file) };
  const session = new Session([file], options);
  return { session, messages: await session.collect() };
}

/** Beside a picture, an observation is told as its picture would be; two pictures saved as data are two observations. */
function sidesOf(a: Seen, b: Seen, options: DiffCliOptions): [Side, Side] {
  const areSaved = isSavedPicture(a) && isSavedPicture(b);
  const isPicture = (one: Seen): boolean => 'diagram' in one || (isSavedPicture(one) && !areSaved);
  const sideOf = (one: Seen, other: Seen): Side => {
    if ('diagram' in one) return writtenSide(one.file, one.diagram);
    const { session, messages } = one;
    const [name] = session.files;
    const observation = { messages, notices: session.notices };
    if (!isPicture(one) && !isPicture(other))
      return observedSide(name, observation, optionsOf(session, messages, options));
    const words = wordsOf(one, other);
    if (isPicture(one)) return savedPictureSide(name, messages, words);
    return pictureSide(name, observation, optionsOf(session, messages, options), words);
  };
  return [sideOf(a, b), sideOf(b, a)];
}

function isSavedPicture(one: Seen): boolean {
  return 'session' in one && one.session.reports.some(({ isPicture }) => isPicture === true);
}

/** Of a written diagram only the letters tell which names are made up; a saved picture need not hold what tells it. */
function wordsOf(one: Seen, other: Seen): Normalise {
  if ('diagram' in other) return wordsIn(other.diagram, shorten);
  if ('diagram' in one) return normaliseText;
  const own = normaliser(index(one.messages));
  if (!isSavedPicture(one)) return own;
  const others = normaliser(index(other.messages));
  return (text) => own(others(text));
}

function optionsOf(session: Session, messages: readonly Message[], options: DiffCliOptions): PictureOptions {
  const named = options.participants === undefined ? undefined : readParticipants(options.participants);
  const selected = selectedOf(messages, options, session);
  const chance = options.ignoreChance === true ? exchangesByChance(index(messages)) : null;
  return {
    follow: followOf(options),
    all: options.all,
    layers: layersOf(options),
    by: options.by,
    order: named?.order,
    groups: named?.groups,
    selected: chance === null ? selected : (message) => !chance.has(message.exchange) && (selected?.(message) ?? true),
  };
}
