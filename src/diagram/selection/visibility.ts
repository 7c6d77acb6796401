// Decides which messages a diagram draws, and why each of the others is folded: by selection and layer, story, noise,
// and repetition.

import type { FollowedName } from '../../kubernetes/api/kinds.js';
import { requestOf } from '../../kubernetes/emitted/message-links.js';
import { PROTOCOLS } from '../../kubernetes/messages/fields.js';
import type { Message, Protocol } from '../../kubernetes/messages/message.js';
import type { Disposition, Dispositions, FoldReason } from '../disposition.js';
import { foldOrphanedEvents, foldReadsBeforeWrites } from '../folding/fold-exchange.js';
import {
  applyFoldRules,
  repeatedErrors,
  repeatedEvents,
  statusUpdates,
  unchangedWrites,
} from '../folding/fold-rules.js';
import { type FoldGroup, foldSimilarObjects } from '../folding/similar-objects.js';
import { foldWatchRestarts } from '../folding/watch-restarts.js';
import { Chapters, LONG_STORY } from '../layout/chapters.js';
import type { LifelineOptions } from '../layout/lifelines.js';
import type { PathMark } from '../layout/path-marks.js';
import { releaseNotes } from '../layout/releases.js';
import { indexMessages, type MessageIndex, type Observation } from '../message-index.js';
import { wentWrong } from '../notes/failed-requests.js';
import { silenceNotes } from '../notes/node-silence.js';
import { statusProblemsIn } from '../notes/status-problems.js';
import { follow, isAboutIn, rootsOf, succeeded } from './follow.js';
import { isManualChange, isPerson, noiseOf } from './noise.js';

export interface DiagramOptions extends Partial<LifelineOptions> {
  readonly follow?: FollowedName;
  /** Fold nothing. */
  readonly all?: boolean;
  /** Notes of all users; default: of those that an audit log names. */
  readonly users?: boolean;
  /** Messages of a critical path, which are marked and not folded. */
  readonly path?: readonly PathMark[];
  /** Layers to draw; default: the API server's. */
  readonly layers?: ReadonlySet<Protocol>;
  /** The user's selection (--from, --where …); default: everything. */
  readonly selected?: (message: Message) => boolean;
}

export interface Decision extends FoldResult {
  readonly dispositions: Dispositions;
  /** Selected messages of the drawn layers. */
  readonly view: MessageIndex;
  readonly chapters: Chapters;
}

interface FoldResult {
  readonly groups: readonly FoldGroup[];
  /** Notes beside messages. */
  readonly notes: ReadonlyMap<Message, readonly string[]>;
}

/** The disposition of each message, before repeated steps are folded. */
export function decide(observation: Observation, options: DiagramOptions = {}): Dispositions {
  return decisionOf(indexMessages(observation.messages), options).dispositions;
}

export function decisionOf(index: MessageIndex, options: DiagramOptions): Decision {
  const { dispositions, view } = storyOf(index, options);
  const restarts = options.all === true || options.follow !== undefined ? [] : foldWatchRestarts(view, dispositions);
  const chapters = new Chapters(index, dispositions);
  const problems = index.once(statusProblemsIn);
  const together =
    options.all === true
      ? { groups: [], notes: problems }
      : foldRepetition(index, dispositions, chapters, restarts, problems, options.follow !== undefined);
  const notes = new Map(together.notes);
  for (const [message, lines] of [...index.once(silenceNotes), ...index.once(releaseNotes)])
    notes.set(message, [...(notes.get(message) ?? []), ...lines]);
  if (options.path !== undefined) drawPath(options.path, view, dispositions);
  return { dispositions, view, chapters, groups: together.groups, notes };
}

/** What is on the path is drawn with the other half of its exchange, whatever else it would be: a kubelet's Event that it pulls. */
function drawPath(path: readonly PathMark[], view: MessageIndex, dispositions: Dispositions): void {
  const seqs = new Set(path.map(({ seq }) => seq));
  for (const message of view.messages) {
    if (!seqs.has(message.seq)) continue;
    const { request, response } = view.exchangeOf(message);
    for (const one of message.kind === 'event' ? [message] : [message, request, response])
      if (one !== undefined) dispositions.set(one, 'drawn');
  }
}

export function drawnOf(index: MessageIndex, dispositions: Dispositions): readonly Message[] {
  return index.messages.filter((message) => dispositions.get(message) === 'drawn');
}

/** The layer in which a message is drawn. Webhook calls belong to the API server's layer, because they explain its responses. */
export function layerOf({ protocol, from, to }: Message): Protocol {
  return from.component === 'webhook' || to.component === 'webhook' ? 'kubernetes' : protocol;
}

export function isInLayers(message: Message, layers: ReadonlySet<Protocol>): boolean {
  return layers.has(layerOf(message));
}

/** The disposition of each message, before repetition is folded, and the selected messages of the drawn layers. */
export function storyOf(
  index: MessageIndex,
  options: DiagramOptions,
): { readonly dispositions: Dispositions; readonly view: MessageIndex } {
  const layers = options.layers ?? DEFAULT_LAYERS;
  const isSelected = (message: Message): boolean => options.selected?.(message) ?? true;
  // The story of an object is followed through all messages; the selection then decides what is drawn.
  const isFollowed = options.follow !== undefined;
  const view =
    layers === DEFAULT_LAYERS && (isFollowed || options.selected === undefined)
      ? index.ofPart(inDefaultLayers)
      : reduced(index, (message) => isInLayers(message, layers) && (isFollowed || isSelected(message)));
  const dispositions = options.all === true ? allOf(view, options) : followed(view, options);
  for (const message of view.messages) {
    const { request, response } = view.exchangeOf(message);
    const whole = request ?? response;
    if (message.kind === 'end' && whole !== undefined) dispositions.set(message, dispositions.get(whole) ?? 'drawn');
  }
  for (const message of index.messages) {
    if (!dispositions.has(message))
      dispositions.set(message, isInLayers(message, layers) ? 'not-selected' : `layer-${layerOf(message)}`);
    else if (!isSelected(message)) dispositions.set(message, 'not-selected');
  }
  const chosen = options.selected === undefined ? view : indexMessages(view.messages.filter(isSelected), index.facts);
  return { dispositions, view: chosen };
}

export function inDefaultLayers(index: MessageIndex): MessageIndex {
  return reduced(index, (message) => isInLayers(message, DEFAULT_LAYERS));
}

function reduced(index: MessageIndex, isInside: (message: Message) => boolean): MessageIndex {
  const inside = index.messages.filter(isInside);
  if (index.whole !== null) return index.whole.ofPart(inDefaultLayers).part(inside);
  return inside.length === index.messages.length ? index : indexMessages(inside, index.facts);
}

function followed(view: MessageIndex, options: DiagramOptions): Dispositions {
  if (options.follow !== undefined) return follow(view, [options.follow], { people: 'nothing' });
  const { roots, isReadOnly } = rootsOf(view);
  const dispositions = follow(view, roots, { people: isReadOnly ? 'everything' : 'writes' });
  const isStory = (message: Message): boolean => {
    const request = requestOf(message);
    const isNoise = noiseOf(message, request) !== null && (request === undefined || !isManualChange(request));
    return dispositions.get(message) === 'drawn' && !isNoise;
  };
  if (view.messages.some(isStory)) return dispositions;
  // No person sent a request: everything is drawn except noise, and noise that failed is drawn too.
  for (const message of view.messages) {
    const { request, response, end } = view.exchangeOf(message);
    const isBroken = end !== undefined && request?.verb !== 'watch';
    const hasFailed =
      (message === request || message === response) &&
      request !== undefined &&
      (isBroken || wentWrong(request, response));
    dispositions.set(
      message,
      hasFailed ? 'drawn' : (noiseOf(message, request) ?? backgroundReasonOf(message, view) ?? 'drawn'),
    );
  }
  return dispositions;
}

/** `--all`: everything, or with `--follow` everything about the object. */
function allOf(view: MessageIndex, options: DiagramOptions): Dispositions {
  if (options.follow === undefined) return new Map(view.messages.map((message) => [message, 'drawn']));
  const dispositions = follow(view, [options.follow], { people: 'nothing' });
  for (const message of view.messages.filter(isAboutIn(view, options.follow, dispositions)))
    dispositions.set(message, 'drawn');
  return dispositions;
}

/** Folds what repeats: similar objects, repeated requests, then what belongs only to them. */
function foldRepetition(
  index: MessageIndex,
  dispositions: Dispositions,
  chapters: Chapters,
  restarts: readonly FoldGroup[],
  problems: FoldResult['notes'],
  isFollowed: boolean,
): FoldResult {
  const groups = [...restarts, ...foldSimilarObjects(index, dispositions, chapters, problems)];
  const context = { index, chapters, problems };
  const notes = applyFoldRules([statusUpdates, unchangedWrites, repeatedEvents], context, dispositions);
  // Errors of a followed object are all part of its story.
  const errors = isFollowed ? [] : applyFoldRules([repeatedErrors], context, dispositions);
  if (groups.length > 0 || notes.size > 0) foldOrphanedEvents(index, dispositions, REPETITION);
  if (drawnOf(index, dispositions).length > LONG_STORY) foldReadsBeforeWrites(index, dispositions);
  const isDrawn = (request: Message): boolean => dispositions.get(request) === 'drawn';
  return {
    groups: groups.map((group) => ({ ...group, requests: group.requests.filter(isDrawn) })),
    notes: new Map([...problems, ...notes, ...errors]),
  };
}

const REPETITION: ReadonlySet<Disposition> = new Set(['similar-objects', 'status-updates', 'unchanged-writes']);
export const DEFAULT_LAYERS: ReadonlySet<Protocol> = new Set(['kubernetes']);
export const ALL_LAYERS: ReadonlySet<Protocol> = new Set(PROTOCOLS);

// Recognises the background of an idle cluster: watches that time out and are renewed, and an API server that checks its own address.
// Where a capture has no story to follow, its diagram has everything but noise and these messages.

/** null: the message is part of nothing that goes on in the background. */
export function backgroundReasonOf(message: Message, index: MessageIndex): FoldReason | null {
  const request = requestOf(message);
  if (message.protocol !== 'kubernetes' || message.kind === 'event') return null;
  // The end of a response that began before the capture.
  if (request === undefined)
    return message.kind === 'response' && message.status === undefined ? 'renewed-watches' : null;
  if (isPerson(request.from) || !succeeded(index.exchangeOf(request).response)) return null;
  if (isRenewed(request, index)) return 'renewed-watches';
  return isOwnAddress(request) ? 'own-address' : null;
}

/** A watch that continues an earlier one: a new watch follows a list or includes it. */
function isRenewed(request: Message, index: MessageIndex): boolean {
  if (request.verb !== 'watch' || !GOES_ON.test(request.target ?? '') || LISTS.test(request.target ?? '')) return false;
  return index.causeOf(request)?.kind !== 'response';
}

/** pkg/controlplane/controller/kubernetesservice: every ten seconds. */
function isOwnAddress({ from, verb, name, resource }: Message): boolean {
  const isOwn = name === 'kubernetes' && (resource === 'endpoints' || resource === 'endpointslices');
  return isOwn && verb === 'get' && from.component === 'kube-apiserver';
}

const GOES_ON = /[?&]resourceVersion=[1-9]/;
const LISTS = /[?&]sendInitialEvents=/;
