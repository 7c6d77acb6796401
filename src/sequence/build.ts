// The picture of an observation: what is drawn, in the order of the capture, with what happened before it at the top and
// what is missing from it at the end. Knows how a person tells such a story; decisions about single messages are
// follow.ts's, participants are cast.ts's, repeats are repeats.ts's.

import type { FollowedName } from '../kubernetes/kinds.js';
import type { Message, Protocol, Speaker } from '../kubernetes/message.js';
import { type Cast, type CastOptions, castOf } from './cast.js';
import { Chapters, titleOf } from './chapters.js';
import { type Fates, FOLDED_TOLD, follow, rootsOf } from './follow.js';
import { drawnVia, hopsOf } from './hops.js';
import { showLanes } from './lanes.js';
import { foldLeftovers } from './leftovers.js';
import { FOLDED_LOOKS, foldLooks } from './looks.js';
import { missingLines } from './missing.js';
import { type Arrow, arrowsOf, type Note, type Sequence, type Step } from './model.js';
import { noiseOf } from './noise.js';
import { type Indexed, index, type Observation, type Talk } from './observation.js';
import { SET_UP_NOTE } from './phases.js';
import { refusedIn, refusedLines, tellRefused } from './refused.js';
import { foldRepeats } from './repeats.js';
import { FOLDED_ROUNDS, foldRounds } from './rounds.js';
import { FOLDED_SIBLINGS, foldSiblings, type Lane } from './siblings.js';
import { foldStorms } from './storms.js';

export interface PictureOptions extends Partial<CastOptions> {
  readonly follow?: FollowedName;
  /** Fold nothing away. */
  readonly all?: boolean;
  /** Doors that are drawn; default: the API server's. */
  readonly layers?: ReadonlySet<Protocol>;
  /** What a user selected (--from, --where …); default: everything. */
  readonly selected?: (message: Message) => boolean;
}

export function picture(observation: Observation, options: PictureOptions = {}): Sequence {
  const seen = index(observation.messages);
  const { fates, view, chapters, lanes, remarks } = decided(seen, options);
  const drawn = drawnOf(seen, fates);
  const receivers = receiversOf(drawn, seen, fates);
  const arrows = drawn.map((message) => ({ message, from: message.from, to: receivers.get(message) ?? message.to }));
  const cast = castOf(
    arrows.flatMap(({ message, from, to }) => hopsOf(message, from, to)),
    {
      by: options.by ?? 'controller',
      order: options.order,
      groups: options.groups,
    },
  );
  const ends: readonly [string, string] | null =
    cast.participants.length === 0
      ? null
      : [cast.participants[0].id, cast.participants[cast.participants.length - 1].id];

  const { setUp, story } = split(arrows, seen);
  const step = (arrow: (typeof arrows)[number]): Step[] => stepsFor(arrow, seen, fates, cast, remarks);
  const steps: Step[] = setUp.flatMap(step);
  if (ends !== null) {
    for (const note of watchesBefore(arrows, seen, cast)) steps.push(note);
    if (steps.length > 0) steps.push({ kind: 'note', over: ends, lines: [SET_UP_NOTE] });
  }
  const setUpSteps = foldRepeats(steps);
  const told = foldRepeats(story.flatMap(step));
  const noteAt = ({ from, to }: Arrow, line: string): Note => ({
    kind: 'note',
    over: over(from, to, cast),
    lines: [line],
  });
  const refused = refusedIn(observation, options.selected === undefined ? null : view.messages);
  const shown = tellRefused(showLanes(told.steps, lanes, noteAt), refused, cast);
  const folding = {
    steps: [...setUpSteps.steps, ...(ends === null ? shown : withChapters(shown, chapters, ends))],
    repeated: setUpSteps.repeated + told.repeated,
  };
  const folded = countFolded(fates);
  if (folding.repeated > 0) folded['repeats'] = folding.repeated;
  const last = [
    ...toldLines(seen, fates),
    ...foldedLines(folded),
    ...refusedLines(refused),
    ...missingLines(observation, seen),
  ];
  const closing: Step[] = ends === null || last.length === 0 ? [] : [{ kind: 'note', over: ends, lines: last }];
  return {
    participants: cast.participants,
    steps: [...folding.steps, ...closing],
    closing: last,
    folded,
    drawn: drawn.length - folding.repeated,
    total: observation.messages.length,
  };
}

/** What a picture would draw, in the order of the capture, before siblings and repeats are folded. */
export function toldMessages(observation: Observation, options: PictureOptions = {}): readonly Message[] {
  const { fates } = fatesOf(index(observation.messages), options);
  return observation.messages.filter((message) => fates.get(message) === null);
}

/** Why each message is drawn (null) or not, before repeats are folded. */
export function decide(observation: Observation, options: PictureOptions = {}): Fates {
  return decided(index(observation.messages), options).fates;
}

function decided(
  seen: Indexed,
  options: PictureOptions,
): Together & { readonly fates: Fates; readonly view: Indexed; readonly chapters: Chapters } {
  const { fates, view } = fatesOf(seen, options);
  const storms = options.all === true || options.follow !== undefined ? [] : foldStorms(view, fates);
  const chapters = new Chapters(seen, fates);
  const together = options.all === true ? NOTHING_FOLDED : foldTogether(seen, fates, chapters, storms);
  return { fates, view, chapters, ...together };
}

/** What each message comes to, and the messages that a user selected. */
function fatesOf(seen: Indexed, options: PictureOptions): { readonly fates: Fates; readonly view: Indexed } {
  const layers = options.layers ?? DEFAULT_LAYERS;
  const isSelected = (message: Message): boolean => options.selected?.(message) ?? true;
  // What an object caused is told by all that was seen; a selection says what of it is drawn.
  const inside = seen.messages.filter(
    (message) => isInLayers(message, layers) && (options.follow !== undefined || isSelected(message)),
  );
  const view = inside.length === seen.messages.length ? seen : index(inside);
  const fates = options.all === true ? allOf(view, options) : followed(view, options);
  for (const message of seen.messages) {
    if (!fates.has(message))
      fates.set(message, isInLayers(message, layers) ? 'not selected' : `layer ${message.protocol}`);
    else if (!isSelected(message)) fates.set(message, 'not selected');
  }
  const chosen = options.selected === undefined ? view : index(view.messages.filter(isSelected));
  return { fates, view: chosen };
}

/** What the API server asks a webhook belongs to its own door: it is why it answers as it does. */
export function isInLayers({ protocol, from, to }: Message, layers: ReadonlySet<Protocol>): boolean {
  const isWebhooks = from.component === 'webhook' || to.component === 'webhook';
  return layers.has(isWebhooks ? 'kubernetes' : protocol);
}

function followed(view: Indexed, options: PictureOptions): Fates {
  if (options.follow !== undefined) return follow(view, [options.follow], { people: 'nothing' });
  const { roots, asked } = rootsOf(view);
  const fates = follow(view, roots, { people: asked ? 'everything' : 'writes' });
  if ([...fates.values()].includes(null)) return fates;
  // Nobody asked anything: what is left when the noise is folded is all there is to tell.
  for (const message of view.messages) {
    fates.set(message, noiseOf(message, view.requestOf(message)));
  }
  return fates;
}

function drawnOf(seen: Indexed, fates: Fates): readonly Message[] {
  return seen.messages.filter((message) => fates.get(message) === null);
}

interface Together {
  readonly lanes: readonly Lane[];
  /** What to say beside a message. */
  readonly remarks: ReadonlyMap<Message, string>;
}

const NOTHING_FOLDED: Together = { lanes: [], remarks: new Map() };

/** What repeats, object by object and round by round, is drawn once. */
function foldTogether(seen: Indexed, fates: Fates, chapters: Chapters, storms: readonly Lane[]): Together {
  const lanes = [...storms, ...foldSiblings(seen, fates, chapters)];
  const remarks = foldRounds(seen, fates, chapters);
  if (lanes.length > 0 || remarks.size > 0) foldLeftovers(seen, fates, new Set([FOLDED_SIBLINGS, FOLDED_ROUNDS]));
  if (drawnOf(seen, fates).length > LONG_STORY) foldLooks(seen, fates);
  const isDrawn = (request: Message): boolean => fates.get(request) === null;
  return { lanes: lanes.map((lane) => ({ ...lane, requests: lane.requests.filter(isDrawn) })), remarks };
}

/** A long story of several changes that people made gets a line where each begins. */
function withChapters(steps: readonly Step[], chapters: Chapters, ends: Note['over']): readonly Step[] {
  const beginnings = new Map(chapters.beginnings.map((message) => [message.seq, message]));
  if (beginnings.size < 2 || arrowsOf(steps).length < LONG_STORY) return steps;
  return steps.flatMap((step): Step[] => {
    const begins = arrowsOf([step]).flatMap(({ message }) => beginnings.get(message.seq) ?? []);
    return begins.length === 0 ? [step] : [{ kind: 'note', over: ends, lines: begins.map(titleOf) }, step];
  });
}

/** Nothing folded; with `--follow` everything that is about the object, told or acted on. */
function allOf(view: Indexed, options: PictureOptions): Fates {
  if (options.follow === undefined) return new Map(view.messages.map((message) => [message, null]));
  const fates = follow(view, [options.follow], { people: 'nothing' });
  for (const [message, fate] of fates) if (fate === FOLDED_TOLD || fate === 'Events') fates.set(message, null);
  return fates;
}

/** An event of a shared informer points at the controller that acted on it first. */
export function receiversOf(drawn: readonly Message[], seen: Indexed, fates: Fates): ReadonlyMap<Message, Speaker> {
  const events = new Map(drawn.filter((message) => message.kind === 'event').map((message) => [message.seq, message]));
  const receivers = new Map<Message, Speaker>();
  for (const message of seen.messages) {
    const fate = fates.get(message);
    if (fate !== null && fate !== FOLDED_LOOKS) continue;
    if (message.verb === 'watch' || message.verb === 'list') continue;
    const event =
      message.kind === 'request' && message.causedBy !== undefined ? events.get(message.causedBy) : undefined;
    if (event === undefined || receivers.has(event) || message.from.process !== event.to.process) continue;
    receivers.set(event, message.from);
  }
  return receivers;
}

interface Drawn {
  readonly message: Message;
  readonly from: Speaker;
  readonly to: Speaker;
}

/** Watches that were opened before the story begins stand at the top. */
function split(arrows: readonly Drawn[], seen: Indexed): { setUp: Drawn[]; story: Drawn[] } {
  const isWatch = ({ message }: Drawn): boolean => {
    const request = seen.requestOf(message);
    return (
      message.kind !== 'event' && request?.verb === 'watch' && (seen.talkOf(message).response?.status ?? 200) < 300
    );
  };
  const begin = arrows.findIndex((arrow) => !isWatch(arrow));
  if (begin < 0) return { setUp: [], story: [...arrows] };
  return { setUp: arrows.slice(0, begin), story: arrows.slice(begin) };
}

function stepsFor(
  arrow: Drawn,
  seen: Indexed,
  fates: Fates,
  cast: Cast,
  together: ReadonlyMap<Message, string>,
): Step[] {
  const { message } = arrow;
  const from = cast.idOf(arrow.from);
  const to = cast.idOf(arrow.to);
  const talk = seen.talkOf(message);
  const paired = talk.request !== undefined && talk.response !== undefined && fates.get(talk.response) === null;
  const via = drawnVia(message).map((one) => cast.idOf(one));
  const drawn: Arrow = {
    ...(via.length === 0 ? null : { via }),
    kind: 'arrow',
    message,
    from,
    to,
    activates: message.kind === 'request' && paired,
    deactivates: message.kind === 'response' && paired && fates.get(talk.request as Message) === null,
  };
  const lines = remarks(message, talk);
  const remark = together.get(message);
  if (remark !== undefined) lines.unshift(remark);
  return lines.length === 0 ? [drawn] : [drawn, { kind: 'note', over: over(from, to, cast), lines }];
}

/** What the arrow itself cannot say: why it failed, what an Event reports, that nobody answered, how large a blob is. */
function remarks(message: Message, { request, response }: Talk): string[] {
  if (message.kind === 'request' && message.report !== undefined)
    return [`${message.report.reason}: ${message.report.message}`];
  if (message.kind === 'request' && response === undefined) return ['no answer in the capture'];
  if (message.kind === 'response' && (message.status ?? 0) >= 400) {
    const said = [message.reason, message.statusMessage].filter((text) => text !== undefined && text !== '');
    return said.length === 0 ? [] : [[...new Set(said)].join(': ')];
  }
  if (message.kind === 'event' && message.type === 'ERROR' && message.statusMessage !== undefined)
    return [message.statusMessage];
  if (message.kind === 'response' && message.bytes !== undefined && request?.target?.includes('/blobs/') === true)
    return [`a blob of ${message.bytes} bytes`];
  return [];
}

function over(from: string, to: string, cast: Cast): Note['over'] {
  if (from === to) return [from];
  const order = cast.participants.map((one) => one.id);
  return order.indexOf(from) < order.indexOf(to) ? [from, to] : [to, from];
}

/** Watches whose opening is not in the capture. */
function watchesBefore(arrows: readonly Drawn[], seen: Indexed, cast: Cast): Note[] {
  const told = new Map<string, Set<string>>();
  for (const { message, to } of arrows) {
    if (message.kind !== 'event' || seen.requestOf(message) !== undefined) continue;
    const id = cast.idOf(to);
    const kinds = told.get(id) ?? new Set();
    kinds.add(message.object?.kind ?? 'objects');
    told.set(id, kinds);
  }
  return [...told].map(([id, kinds]) => ({
    kind: 'note',
    over: [id],
    lines: [`watches ${[...kinds].join(', ')}`, '(opened before the capture)'],
  }));
}

function countFolded(fates: Fates): Record<string, number> {
  const folded: Record<string, number> = {};
  for (const reason of fates.values()) if (reason !== null) folded[reason] = (folded[reason] ?? 0) + 1;
  return folded;
}

function toldLines(seen: Indexed, fates: Fates): string[] {
  const told = new Map<string, Set<number>>();
  for (const message of seen.messages) {
    if (fates.get(message) !== FOLDED_TOLD) continue;
    const exchanges = told.get(message.to.name) ?? new Set();
    exchanges.add(message.exchange);
    told.set(message.to.name, exchanges);
  }
  if (told.size === 0) return [];
  const parts = [...told].map(
    ([name, exchanges]) => `${exchanges.size} ${exchanges.size === 1 ? 'watch' : 'watches'} of ${name}`,
  );
  return [`also told: ${parts.join(', ')}`];
}

function foldedLines(folded: Readonly<Record<string, number>>): string[] {
  const parts = Object.entries(folded)
    .sort((a, b) => b[1] - a[1])
    .map(([reason, count]) => `${count} ${reason}`);
  return parts.length === 0 ? [] : [`not drawn: ${parts.join(', ')}`];
}

/** Arrows; a shorter one is taken in at a glance. */
const LONG_STORY = 100;
export const DEFAULT_LAYERS: ReadonlySet<Protocol> = new Set(['kubernetes']);
