// `kubeseq diff A B` compares two observations. Exit status as of diff(1): 0 equal, 1 different, 2 error.

import {
  type Anonymizer,
  alignInstances,
  compare,
  type Diagram,
  type DiagramOptions,
  type DiffLine,
  type DiffSide,
  diagramSide,
  indexMessages,
  type Message,
  type Normalise,
  nondeterministicExchanges,
  normaliser,
  normaliseText,
  observedSide,
  placesText,
  savedDiagramSide,
  shorten,
  type UnreadPlace,
  UnreadTraffic,
  unreadPlaces,
  weigh,
  wordsIn,
  writtenSide,
} from '../../index.js';
import { CliError, EXIT_DIFFERENT, EXIT_FINE, EXIT_INTERRUPTED, EXIT_TROUBLE } from '../cli-error.js';
import type { Command } from '../command.js';
import { FORMATS } from '../formats.js';
import { diagramOptions } from '../input/diagram.js';
import { readText } from '../input/input.js';
import { STDIN_TWICE } from '../input/inputs.js';
import { Session } from '../input/session.js';
import { checkSelection } from '../option-values.js';
import type { DiagramCliOptions } from '../options.js';
import type { ComparedCaptures } from '../output/results.js';
import { refuseUnknownOrder, rosterOf } from '../participants.js';
import { nothingRead } from '../unread.js';
import { diagramsIn } from './expectation-file.js';

export interface DiffCliOptions extends DiagramCliOptions {
  readonly stat?: true;
  readonly ignoreNondeterminism?: true;
}

export const diff: Command<[before: string, after: string], DiffCliOptions, ComparedCaptures> = {
  formats: FORMATS.diff,
  async run([before, after], options, { name }) {
    checkSelection(options);
    if (options.stat === true && name !== 'text') throw new CliError(`--stat is text; leave -o ${name} out`);
    if (before === '-' && after === '-') throw new CliError(STDIN_TWICE);
    const seen = [await see(before, options), await see(after, options)] as const;
    const sessions = seen.flatMap((one) => ('session' in one ? [one.session] : []));
    const isInterrupted = sessions.some(({ interrupted }) => interrupted);
    if (!isInterrupted) {
      refuseUnknownOrder(options, () =>
        rosterOf(
          options,
          seen.flatMap((one) => ('messages' in one ? one.messages : [])),
        ),
      );
      const unread = unreadSides(seen, options);
      if (unread.length > 0) return { reasons: unread, status: EXIT_TROUBLE };
    }
    const sides = alignInstances(...sidesOf(...seen, options));
    const difference = weigh(compare(...sides), options.all);
    return {
      result: { difference, sides, isStat: options.stat === true, all: options.all },
      end() {
        const remarks = sessions.flatMap((session) => session.remarks());
        if (isInterrupted) return { remarks, status: EXIT_INTERRUPTED };
        if (difference.findings.length === 0) return { remarks, status: EXIT_FINE };
        const differing = difference.lines.filter(({ kind }) => kind !== 'same');
        const why = whyUndecided(differing, seen);
        return { remarks, reasons: why, status: why.length > 0 ? EXIT_TROUBLE : EXIT_DIFFERENT };
      },
    };
  },
};

/** Why a side could not be decoded: everything on the other side would seem different. Empty: both were. */
function unreadSides(seen: readonly DiffInput[], options: DiffCliOptions): readonly string[] {
  return seen.flatMap((one) => {
    if (!('session' in one) || one.messages.length > 0) return [];
    return nothingRead(one.session, options).map((line) => `${one.session.files[0]}: ${line}`);
  });
}

/** Why two sides cannot be compared: messages missing on one side may be in its unread traffic. Empty: they can. */
function whyUndecided(differing: readonly DiffLine[], seen: readonly [DiffInput, DiffInput]): string[] {
  const unread = seen.map((one) =>
    'session' in one ? new UnreadTraffic(unreadPlaces(one.session.notices), one.messages) : null,
  );
  const places = [new Set<UnreadPlace>(), new Set<UnreadPlace>()];
  for (const { kind, item } of differing) {
    const lacking = kind === 'removed' ? 1 : 0;
    const found = unread[lacking]?.placesOf(item.from, item.to, item.kind) ?? [];
    if (found.length === 0) return [];
    for (const place of found) places[lacking].add(place);
  }
  return seen.flatMap((one, i) =>
    'session' in one && places[i].size > 0
      ? [
          `${one.session.files[0]}: what differs may be in what could not be read: ${placesText([...places[i]], one.session.notices)}`,
        ]
      : [],
  );
}

/** `PAGE.md#heading` selects one of several diagrams. */
function isDiagram(file: string): boolean {
  return /\.(?:mmd|mermaid|md|markdown)(?:#.*)?$/i.test(file);
}

function readDiagram(file: string, anonymizer?: Anonymizer): Diagram {
  const [, path, heading] = /^(.*?)(?:#(.*))?$/s.exec(file) as RegExpExecArray;
  const source = readText(path);
  const found = diagramsIn(anonymizer?.written(source) ?? source, path, path);
  const wanted = heading === undefined ? found : found.filter(({ name }) => slug(name) === slug(heading));
  if (wanted.length === 1) return wanted[0].diagram;
  const names = found.map(({ name }) => slug(name)).join(', ');
  throw new CliError(`${file}: name one of its diagrams, as in ${path}#${slug(found[0].name)}; it has ${names}`);
}

/** A heading as a URL fragment. */
function slug(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(/\s/g, '-');
}

/** An argument: a written diagram, or an observation. */
type DiffInput =
  | { readonly file: string; readonly diagram: Diagram }
  | { readonly session: Session; readonly messages: readonly Message[] };

async function see(file: string, options: DiffCliOptions): Promise<DiffInput> {
  if (isDiagram(file)) return { file, diagram: readDiagram(file, options.anonymizer) };
  const session = new Session([file], { ...options, bodies: true, namesCapture: true });
  return { session, messages: await session.collect() };
}

/** Compared with a diagram, an observation is drawn as one; two saved diagrams are compared as observations. */
function sidesOf(a: DiffInput, b: DiffInput, options: DiffCliOptions): [DiffSide, DiffSide] {
  const areSaved = isSavedDiagram(a) && isSavedDiagram(b);
  const isDiagramInput = (one: DiffInput): boolean => 'diagram' in one || (isSavedDiagram(one) && !areSaved);
  const sideOf = (one: DiffInput, other: DiffInput): DiffSide => {
    if ('diagram' in one) return writtenSide(one.file, one.diagram);
    const { session, messages } = one;
    const name = options.anonymizer === undefined ? session.files[0] : one === a ? 'before' : 'after';
    const observation = { messages, notices: session.notices };
    if (!isDiagramInput(one) && !isDiagramInput(other))
      return observedSide(name, observation, optionsOf(session, messages, options));
    const words = wordsOf(one, other);
    if (isDiagramInput(one)) return savedDiagramSide(name, messages, words);
    return diagramSide(name, observation, optionsOf(session, messages, options), words);
  };
  return [sideOf(a, b), sideOf(b, a)];
}

function isSavedDiagram(one: DiffInput): boolean {
  return 'session' in one && one.session.reports.some(({ isDiagram }) => isDiagram === true);
}

/** A written diagram shows only by their letters which names are generated, and a saved one may lack the evidence. */
function wordsOf(one: DiffInput, other: DiffInput): Normalise {
  if ('diagram' in other) return wordsIn(other.diagram, shorten);
  if ('diagram' in one) return normaliseText;
  const own = normaliser(indexMessages(one.messages));
  if (!isSavedDiagram(one)) return own;
  const others = normaliser(indexMessages(other.messages));
  return (text) => own(others(text));
}

function optionsOf(session: Session, messages: readonly Message[], options: DiffCliOptions): DiagramOptions {
  const common = diagramOptions(options, session)(messages);
  if (options.ignoreNondeterminism !== true) return common;
  const ignored = nondeterministicExchanges(indexMessages(messages));
  const isSelected = common.selected ?? (() => true);
  return { ...common, selected: (message) => !ignored.has(message.exchange) && isSelected(message) };
}
