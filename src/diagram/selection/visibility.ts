// Which messages a picture draws, and why each of the others is folded away: what a user asked for, what tells the story
// (follow.ts), what is noise, and what repeats and is drawn once. In: an observation; out: a fate for every message. Knows
// the order in which these are asked; nothing of arrows and notes.

import type { FollowedName } from '../../kubernetes/api/kinds.js';
import type { Message, Protocol } from '../../kubernetes/messages/message.js';
import { idleOf } from '../folding/background-watches.js';
import { foldOrphanedEvents } from '../folding/orphaned-events.js';
import { foldReadsBeforeWrites } from '../folding/reads-before-writes.js';
import { foldRepeatedErrors } from '../folding/repeated-errors.js';
import { foldRepeatedEvents } from '../folding/repeated-events.js';
import { FOLDED_IDLE, FOLDED_REPEATED_WRITES, foldRepeatedWrites } from '../folding/repeated-writes.js';
import { FOLDED_SIMILAR, type FoldGroup, foldSimilarObjects } from '../folding/similar-objects.js';
import { foldWatchRestarts } from '../folding/watch-restarts.js';
import { Chapters, LONG_STORY } from '../layout/chapters.js';
import type { LifelineOptions } from '../layout/lifelines.js';
import { recordsIn } from '../layout/releases.js';
import { indexMessages, type MessageIndex, type Observation } from '../message-index.js';
import { wentWrong } from '../notes/failed-requests.js';
import { silencesIn } from '../notes/node-silence.js';
import { statusProblemsIn } from '../notes/status-problems.js';
import { isAboutIn } from './about.js';
import { type Dispositions, follow, rootsOf } from './follow.js';
import { isHandiwork, noiseOf } from './noise.js';

export interface PictureOptions extends Partial<LifelineOptions> {
  readonly follow?: FollowedName;
  /** Fold nothing away. */
  readonly all?: boolean;
  /** Layers that are drawn; default: the API server's. */
  readonly layers?: ReadonlySet<Protocol>;
  /** What a user selected (--from, --where …); default: everything. */
  readonly selected?: (message: Message) => boolean;
}

/** What was decided of an observation. */
export interface Decision extends Together {
  readonly fates: Dispositions;
  /** What a user selected, in the layers that are drawn. */
  readonly view: MessageIndex;
  readonly chapters: Chapters;
}

interface Together {
  readonly lanes: readonly FoldGroup[];
  /** What to say beside a message. */
  readonly remarks: ReadonlyMap<Message, readonly string[]>;
}

/** Why each message is drawn (null) or not, before repeats are folded. */
export function decide(observation: Observation, options: PictureOptions = {}): Dispositions {
  return decisionOf(indexMessages(observation.messages), options).fates;
}

/** The same, with all of it that a picture is made of. */
export function decisionOf(seen: MessageIndex, options: PictureOptions): Decision {
  const { fates, view } = fatesOf(seen, options);
  const storms = options.all === true || options.follow !== undefined ? [] : foldWatchRestarts(view, fates);
  const chapters = new Chapters(seen, fates);
  const problems = statusProblemsIn(seen);
  const together =
    options.all === true
      ? { lanes: [], remarks: problems }
      : foldTogether(seen, fates, chapters, storms, problems, options.follow !== undefined);
  const remarks = new Map(together.remarks);
  for (const [message, lines] of [...silencesIn(seen), ...recordsIn(seen)])
    remarks.set(message, [...(remarks.get(message) ?? []), ...lines]);
  return { fates, view, chapters, lanes: together.lanes, remarks };
}

/** What a picture would draw, in the order of the capture, before siblings and repeats are folded. */
export function toldMessages(observation: Observation, options: PictureOptions = {}): readonly Message[] {
  const { fates } = fatesOf(indexMessages(observation.messages), options);
  return observation.messages.filter((message) => fates.get(message) === null);
}

/** In the order of the capture. */
export function drawnOf(seen: MessageIndex, fates: Dispositions): readonly Message[] {
  return seen.messages.filter((message) => fates.get(message) === null);
}

/**
 * The layer that a message is drawn in. What the API server asks an admission webhook belongs to its own: it is why it answers as
 * it does.
 */
export function layerOf({ protocol, from, to }: Message): Protocol {
  return from.component === 'webhook' || to.component === 'webhook' ? 'kubernetes' : protocol;
}

export function isInLayers(message: Message, layers: ReadonlySet<Protocol>): boolean {
  return layers.has(layerOf(message));
}

/** What each message comes to, and the messages that a user selected. */
function fatesOf(
  seen: MessageIndex,
  options: PictureOptions,
): { readonly fates: Dispositions; readonly view: MessageIndex } {
  const layers = options.layers ?? DEFAULT_LAYERS;
  const isSelected = (message: Message): boolean => options.selected?.(message) ?? true;
  // What an object caused is told by all that was seen; a selection says what of it is drawn.
  const inside = seen.messages.filter(
    (message) => isInLayers(message, layers) && (options.follow !== undefined || isSelected(message)),
  );
  const view = inside.length === seen.messages.length ? seen : indexMessages(inside);
  const fates = options.all === true ? allOf(view, options) : followed(view, options);
  for (const message of seen.messages) {
    if (!fates.has(message))
      fates.set(message, isInLayers(message, layers) ? 'not selected' : `layer ${layerOf(message)}`);
    else if (!isSelected(message)) fates.set(message, 'not selected');
  }
  const chosen = options.selected === undefined ? view : indexMessages(view.messages.filter(isSelected));
  return { fates, view: chosen };
}

function followed(view: MessageIndex, options: PictureOptions): Dispositions {
  if (options.follow !== undefined) return follow(view, [options.follow], { people: 'nothing' });
  const { roots, asked } = rootsOf(view);
  const fates = follow(view, roots, { people: asked ? 'everything' : 'writes' });
  const isTold = (message: Message): boolean => {
    const request = view.requestOf(message);
    const isNoise = noiseOf(message, request) !== null && (request === undefined || !isHandiwork(request));
    return fates.get(message) === null && !isNoise;
  };
  if (view.messages.some(isTold)) return fates;
  // Nobody asked anything: what is left when the noise is folded, with what went wrong, is all there is to tell.
  for (const message of view.messages) {
    const { request, response } = view.exchangeOf(message);
    const hasFailed =
      (message === request || message === response) && request !== undefined && wentWrong(request, response);
    fates.set(message, hasFailed ? null : (noiseOf(message, request) ?? idleOf(message, view)));
  }
  return fates;
}

/** Nothing folded; with `--follow` everything that is about the object, told or acted on. */
function allOf(view: MessageIndex, options: PictureOptions): Dispositions {
  if (options.follow === undefined) return new Map(view.messages.map((message) => [message, null]));
  const fates = follow(view, [options.follow], { people: 'nothing' });
  for (const message of view.messages.filter(isAboutIn(view, options.follow, fates))) fates.set(message, null);
  return fates;
}

/** What repeats, object by object and round by round, is drawn once. */
function foldTogether(
  seen: MessageIndex,
  fates: Dispositions,
  chapters: Chapters,
  storms: readonly FoldGroup[],
  problems: Together['remarks'],
  isFollowed: boolean,
): Together {
  const lanes = [...storms, ...foldSimilarObjects(seen, fates, chapters, problems)];
  const rounds = foldRepeatedWrites(seen, fates, chapters, problems);
  const reports = foldRepeatedEvents(seen, fates, chapters);
  const refusals = isFollowed ? NO_REMARKS : foldRepeatedErrors(seen, fates, chapters);
  if (lanes.length > 0 || rounds.size > 0 || reports.size > 0)
    foldOrphanedEvents(seen, fates, new Set([FOLDED_SIMILAR, FOLDED_REPEATED_WRITES, FOLDED_IDLE]));
  if (drawnOf(seen, fates).length > LONG_STORY) foldReadsBeforeWrites(seen, fates);
  const isDrawn = (request: Message): boolean => fates.get(request) === null;
  return {
    lanes: lanes.map((lane) => ({ ...lane, requests: lane.requests.filter(isDrawn) })),
    remarks: new Map([...problems, ...rounds, ...reports, ...refusals]),
  };
}

const NO_REMARKS: Together['remarks'] = new Map();
export const DEFAULT_LAYERS: ReadonlySet<Protocol> = new Set(['kubernetes']);
