// Builds the first look at a capture with several stories: who spoke to whom, each story with its outcome, what went wrong.

import { elapsedText } from '../../core/duration.js';
import { counted } from '../../core/quantity.js';
import { objectReference } from '../../kubernetes/api/object-ref.js';
import type { Message, Participant, Protocol } from '../../kubernetes/messages/message.js';
import { buildSequence } from '../build.js';
import { answerWords } from '../layout/folded-answers.js';
import { type LifelineLayout, lifelinesOf } from '../layout/lifelines.js';
import { indexMessages, type MessageIndex, type Observation } from '../message-index.js';
import { type Arrow, type Coverage, type Note, OVERVIEW_REMARK, type Sequence, type Step } from '../model.js';
import { captureGaps } from '../notes/capture-gaps.js';
import { closingLines, closingSteps } from '../notes/closing-note.js';
import { wentWrong } from '../notes/failed-requests.js';
import { type Problem, problemText } from '../problems.js';
import { DEFAULT_LAYERS, type DiagramOptions, isInLayers } from '../selection/visibility.js';
import { requestWords } from '../verbs.js';
import { wentWrongIn } from '../went-wrong.js';
import { followArguments, heaviestStories, type ObjectStories, type ObjectStory, storiesOf } from './stories.js';

/** The same for every story; what a user chose otherwise is no first look. */
type OverviewOptions = Pick<DiagramOptions, 'order' | 'groups'>;

/** How stories stand in it: an arrow and a note for each, or a row of one table. */
export type OverviewForm = 'arrows' | 'table';

export interface FirstLookOptions {
  /** The user asks for the overview, whatever it hides. */
  readonly isWanted?: boolean;
  readonly form?: OverviewForm;
  /** The diagram of everything, where it was built before. */
  readonly built?: Sequence;
  /** The stories, where they were found before. */
  readonly stories?: ObjectStories;
}

/**
 * The diagram that is drawn where the user asks for nothing in particular.
 *
 * @returns an overview where the diagram of everything is long and tells several stories, else that diagram.
 */
export function firstLook(
  observation: Observation,
  options: DiagramOptions,
  { isWanted = false, form = 'arrows', built, stories }: FirstLookOptions = {},
): Sequence {
  const index = indexMessages(observation.messages, observation.remainder);
  const whole = built ?? buildSequence(observation, options, index);
  if (!isWanted && whole.drawn <= MAX_WHOLE) return whole;
  const found = stories ?? storiesOf(index);
  const isSingle = !isWanted && found.stories.length + found.unfollowed === 1;
  return isSingle || observation.messages.length === 0
    ? whole
    : overviewOf(observation, index, found, whole, options, form);
}

/** @param whole the diagram of everything. */
function overviewOf(
  observation: Observation,
  index: MessageIndex,
  found: ObjectStories,
  whole: Sequence,
  options: OverviewOptions,
  form: OverviewForm,
): Sequence {
  const shown = mostTelling(found.stories);
  const pairs = participantPairs(index, DEFAULT_LAYERS);
  const spoken = pairs.slice(0, MAX_ARROWS - shown.length);
  const ends = [...spoken, ...shown.map(({ request: { from, to } }) => ({ from, to }))];
  const layout = lifelinesOf(ends, { by: 'component', order: options.order, groups: options.groups });
  const over = endsOf(layout);
  const note = (...lines: readonly string[]): Note => ({ kind: 'note', over, lines });
  const steps: Step[] = [
    note('who spoke to whom, in all'),
    ...spoken.map((pair) => pairArrow(pair, layout)),
    ...(form === 'table' && shown.length > 0
      ? [storyTable(shown, index, over)]
      : [
          note(shown.length === 0 ? 'no story begins in this capture' : 'the stories, and what came of them'),
          ...shown.flatMap((story) => storySteps(story, index, layout, over)),
        ]),
  ];
  const others = otherProblems(observation, found.stories);
  if (others.length > 0) steps.push(note('what went wrong elsewhere:', ...atMost(others, MAX_OTHERS)));
  const coverage: Coverage = {
    delivered: [],
    folded: {},
    foldedFailures: {},
    others: behind(found, shown, whole, pairs.slice(spoken.length)),
    failed: [],
    ...captureGaps(observation, index, { chosen: null, layers: DEFAULT_LAYERS }),
  };
  const closing = closingLines(coverage);
  steps.push(...closingSteps(closing, over));
  return {
    participants: layout.lifelines,
    steps,
    closing,
    coverage,
    folded: whole.folded,
    drawn: spoken.length + shown.length,
    total: whole.total,
    remarks: found.stories.length === 0 ? [] : [OVERVIEW_REMARK, ...found.stories.map(storyLine)],
  };
}

/** `--follow deployments/web -n shop: 84 arrows, 12.3 s, 1 problem`. */
function storyLine(story: ObjectStory): string {
  return `${followArguments(story.root).map(quoted).join(' ')}: ${measures(story)}`;
}

function measures(story: ObjectStory): string {
  const { length } = story.problems;
  return length === 0 ? storyMeasures(story) : `${storyMeasures(story)}, ${counted(length, 'problem')}`;
}

/** `84 arrows, 12.3 s`. */
export function storyMeasures({ arrows, duration }: ObjectStory): string {
  return `${counted(arrows, 'arrow')}, ${elapsedText(duration)}`;
}

/** The heaviest stories, in the order of time. */
function mostTelling(stories: readonly ObjectStory[]): readonly ObjectStory[] {
  const shown = new Set(heaviestStories(stories).slice(0, MAX_STORIES));
  return stories.filter((story) => shown.has(story));
}

function pairArrow(pair: ParticipantPair, layout: LifelineLayout): Arrow {
  const summary = { words: pairWords(pair), seqs: range(pair.first.seq, pair.last.seq), hasFailed: false };
  return arrowOf(pair.first, layout.idOf(pair.from), layout.idOf(pair.to), summary);
}

/** The request with its answer on one arrow, and a note with the rest of the story. */
function storySteps(story: ObjectStory, index: MessageIndex, layout: LifelineLayout, over: Note['over']): Step[] {
  const { request, root } = story;
  const { response } = index.exchangeOf(request);
  const summary = {
    words: `${requestWords(request)} ${root.name}${outcome(request, response)}`,
    seqs: range(request.seq, story.messages.at(-1)?.seq ?? request.seq),
    hasFailed: wentWrong(request, response),
  };
  const arrow = arrowOf(request, layout.idOf(request.from), layout.idOf(request.to), summary);
  const lines = [
    `${objectReference(root.resource, root.name)}: ${measures(story)}`,
    ...atMost(story.problems, MAX_PROBLEMS),
  ];
  return [arrow, { kind: 'note', over, lines }];
}

/** A row for each story: what follows --follow, how it begins, how large it is, and the heaviest of its problems. */
function storyTable(shown: readonly ObjectStory[], index: MessageIndex, over: Note['over']): Note {
  const rows = shown.map(({ root, request, arrows, duration, problems: [worst = '', ...more] }) => [
    followArguments(root).slice(1).map(quoted).join(' '),
    `${request.from.name}: ${request.verb}${outcome(request, index.exchangeOf(request).response)}`,
    ...[String(request.seq), String(arrows), elapsedText(duration)],
    cut(ofItself(worst, root), MAX_CELL) + (more.length === 0 ? '' : ` +${more.length}`),
  ]);
  const table = [COLUMNS, ...rows].map((row) => row.map((cell) => cut(cell, MAX_CELL + LONGER)));
  const widths = table[0].map((_, i) => Math.max(...table.map((row) => row[i].length)));
  const lines = table.map((row) =>
    row.map((cell, i) => (i === widths.length - 1 ? cell : cell.padEnd(widths[i] + 2, NO_BREAK))).join(''),
  );
  return { kind: 'note', over, lines, isTable: true };
}

/** A problem of the story's own object without its name, which stands in the row. */
function ofItself(problem: string, { resource, name }: ObjectStory['root']): string {
  const subject = /^(\S+|Event on \S+) (?:[^/\s]+\/)?(\S+): /.exec(problem);
  const isOwn = subject?.[2] === name && (subject[1] === resource || subject[1].startsWith('Event on '));
  return isOwn ? problem.slice(subject[0].length) : problem;
}

/** ` → 201, 12 ms`. */
function outcome(request: Message, response: Message | undefined): string {
  return response?.status === undefined ? ' → no answer in the capture' : answerWords(request, response);
}

function arrowOf(message: Message, from: string, to: string, summary: Arrow['summary']): Arrow {
  return { kind: 'arrow', message, from, to, activates: false, deactivates: false, summary };
}

/** Problems that no story tells of, servers that are away before all others, then heaviest first; without what is usual at a start. */
function otherProblems(observation: Observation, stories: readonly ObjectStory[]): readonly string[] {
  const told = new Set(stories.flatMap((story) => story.messages.map(({ seq }) => seq)));
  const isAway = ({ kind, count }: Problem): boolean => kind === 'unreachable' && count >= MANY_FAILURES;
  return wentWrongIn(observation)
    .filter(({ kind, message }) => kind !== 'start-up' && (message === undefined || !told.has(message)))
    .toSorted((a, b) => Number(isAway(b)) - Number(isAway(a)))
    .map(problemText);
}

/** What stands behind the arrows, and what has none. */
function behind(
  { stories, unfollowed }: ObjectStories,
  shown: readonly ObjectStory[],
  whole: Sequence,
  unspoken: readonly ParticipantPair[],
): string[] {
  const hidden = stories.filter((story) => !shown.includes(story));
  const arrows = hidden.reduce((sum, story) => sum + story.arrows, 0);
  const messages = unspoken.reduce((sum, pair) => sum + messagesIn(pair), 0);
  const parts: string[] = [];
  if (hidden.length > 0)
    parts.push(`${counted(hidden.length, 'smaller story', 'smaller stories')} of ${counted(arrows, 'arrow')}`);
  if (unfollowed > 0) parts.push(`${counted(unfollowed, 'further object')} not followed`);
  if (unspoken.length > 0)
    parts.push(`${counted(unspoken.length, 'further pair')} that spoke, of ${counted(messages, 'message')}`);
  const first = `${whole.drawn} arrows are behind this overview: --follow KIND/NAME draws a story, --no-overview all`;
  return parts.length === 0 ? [first] : [first, `not shown: ${parts.join(', ')}`];
}

/** `13 to 3473`. */
function range(first: number, last: number): string {
  return first === last ? String(first) : `${first} to ${last}`;
}

function endsOf({ lifelines }: LifelineLayout): Note['over'] {
  const [first] = lifelines;
  const last = lifelines[lifelines.length - 1];
  return first === last ? [first.id] : [first.id, last.id];
}

function atMost(problems: readonly string[], most: number): readonly string[] {
  const lines = problems.map((problem) => cut(problem, MAX_PROBLEM));
  return lines.length <= most ? lines : [...lines.slice(0, most - 1), `and ${lines.length - most + 1} more problems`];
}

function cut(text: string, most: number): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length <= most ? line : `${line.slice(0, most - 1)}…`;
}

/** For a shell, as names come from the capture. */
function quoted(word: string): string {
  return /^[\w./:@-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** Limit: arrows of a diagram that is drawn whole, whatever it tells: more are not read at once. */
const MAX_WHOLE = 60;
/** Limit: arrows of an overview, which fits a screen. */
const MAX_ARROWS = 40;
/** Limit: stories that have an arrow of their own: the others are listed. */
const MAX_STORIES = 16;
/** Limit: lines on problems under a story. */
const MAX_PROBLEMS = 3;
const COLUMNS = ['story', 'begins with', 'message', 'arrows', 'takes', 'what went wrong'];
const NO_BREAK = '\u00a0';
/** Limit: characters of a cell of the table; `--follow` draws the story with the whole text. */
const MAX_CELL = 64;
/** Characters of ` +12` behind a cell that was cut. */
const LONGER = 4;
/** Failed connections from which on a server is away: a few are usual. */
const MANY_FAILURES = 10;
/** Limit: lines on problems that no story tells of. */
const MAX_OTHERS = 6;
/** Limit: characters of such a line; `summary` has the whole text. */
const MAX_PROBLEM = 160;

export interface ParticipantPair {
  readonly from: Participant;
  readonly to: Participant;
  readonly first: Message;
  last: Message;
  requests: number;
  /** Requests whose answers tell a failure. */
  failed: number;
  /** Watches among the requests. */
  watches: number;
  /** Watch events. */
  events: number;
  /** Messages of other streams: exec, logs. */
  streamed: number;
  /** Exchanges that a side broke off. */
  broken: number;
}

/** @returns programs rather than their controllers, the most frequent pair first. */
export function participantPairs(index: MessageIndex, layers: ReadonlySet<Protocol>): readonly ParticipantPair[] {
  const pairs = new Map<string, ParticipantPair>();
  for (const { request, response, parts } of index.exchanges.values()) {
    const first = request ?? response ?? parts[0];
    if (!isInLayers(first, layers)) continue;
    // A request from before the capture is known by what answers it.
    const [client, server] = request === undefined ? [first.to, first.from] : [first.from, first.to];
    const [from, to] = [client.process, server.process];
    const key = `${from.name}\n${to.name}`;
    let pair = pairs.get(key);
    if (pair === undefined) {
      pair = { from, to, first, last: first, requests: 0, failed: 0, watches: 0, events: 0, streamed: 0, broken: 0 };
      pairs.set(key, pair);
    }
    pair.requests += request === undefined ? 0 : 1;
    pair.watches += request?.verb === 'watch' ? 1 : 0;
    pair.failed += request !== undefined && wentWrong(request, response) ? 1 : 0;
    for (const { kind } of parts) {
      if (kind === 'event') pair.events += 1;
      else if (kind === 'end') pair.broken += 1;
      else pair.streamed += 1;
    }
    const last = parts.at(-1) ?? response ?? first;
    if (last.seq > pair.last.seq) pair.last = last;
  }
  return [...pairs.values()].sort((a, b) => messagesIn(b) - messagesIn(a) || a.first.seq - b.first.seq);
}

/** `412 requests, 9 watches, 1203 watch events, 3 failed`. */
export function pairWords({ requests, failed, watches, events, streamed, broken }: ParticipantPair): string {
  const others = requests - watches;
  const words: string[] = [];
  if (others > 0) words.push(counted(others, 'request'));
  if (watches > 0) words.push(counted(watches, 'watch', 'watches'));
  if (events > 0) words.push(counted(events, 'watch event'));
  if (streamed > 0) words.push(counted(streamed, 'streamed message'));
  if (broken > 0) words.push(`${broken} broken off`);
  if (failed > 0) words.push(`${failed} failed`);
  return words.length === 0 ? 'answers alone' : words.join(', ');
}

/** Requests and what came over their streams. */
export function messagesIn({ requests, events, streamed }: ParticipantPair): number {
  return requests + events + streamed;
}
