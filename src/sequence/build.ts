// The picture of an observation: what is drawn, in the order of the capture, with what happened before it at the top and
// what is missing from it at the end. Knows how a person tells such a story; decisions about single messages are
// follow.ts's, participants are cast.ts's, repeats are repeats.ts's.

import type { FollowedName } from '../kubernetes/kinds.js';
import type { Message, Protocol, Speaker } from '../kubernetes/message.js';
import { type Cast, type CastOptions, castOf } from './cast.js';
import { type Fates, FOLDED_TOLD, follow, rootsOf } from './follow.js';
import { drawnVia, hopsOf } from './hops.js';
import { missingLines } from './missing.js';
import type { Arrow, Note, Sequence, Step } from './model.js';
import { noiseOf } from './noise.js';
import { type Indexed, index, type Observation } from './observation.js';
import { foldRepeats } from './repeats.js';
import { foldSiblings } from './siblings.js';

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
  const fates = fatesOf(seen, options);
  const siblings = options.all === true ? new Map<Message, string>() : foldSiblings(seen, fates);
  const drawn = observation.messages.filter((message) => fates.get(message) === null);
  const receivers = receiversOf(drawn);
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
  const step = (arrow: (typeof arrows)[number]): Step[] => stepsFor(arrow, seen, fates, cast, siblings);
  const steps: Step[] = setUp.flatMap(step);
  if (ends !== null) {
    for (const note of watchesBefore(arrows, seen, cast)) steps.push(note);
    if (steps.length > 0) steps.push({ kind: 'note', over: ends, lines: ['After k8s setup'] });
  }
  steps.push(...story.flatMap(step));
  const folding = foldRepeats(steps);
  const folded = countFolded(fates);
  if (folding.repeated > 0) folded['repeats'] = folding.repeated;
  const last = [...toldLines(seen, fates), ...foldedLines(folded), ...missingLines(observation, seen)];
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
  const fates = fatesOf(index(observation.messages), options);
  return observation.messages.filter((message) => fates.get(message) === null);
}

/** Why each message is drawn (null) or not, before repeats are folded. */
export function decide(observation: Observation, options: PictureOptions = {}): Fates {
  const seen = index(observation.messages);
  const fates = fatesOf(seen, options);
  if (options.all !== true) foldSiblings(seen, fates);
  return fates;
}

function fatesOf(seen: Indexed, options: PictureOptions): Fates {
  const layers = options.layers ?? DEFAULT_LAYERS;
  const inside = seen.messages.filter(
    (message) => layers.has(message.protocol) && (options.selected?.(message) ?? true),
  );
  const view = inside.length === seen.messages.length ? seen : index(inside);
  const fates = options.all === true ? allOf(view, options) : followed(view, options);
  for (const message of seen.messages) {
    if (!fates.has(message))
      fates.set(message, layers.has(message.protocol) ? 'not selected' : `layer ${message.protocol}`);
  }
  return fates;
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

/** Nothing folded; with `--follow` everything that is about the object, told or acted on. */
function allOf(view: Indexed, options: PictureOptions): Fates {
  if (options.follow === undefined) return new Map(view.messages.map((message) => [message, null]));
  const fates = follow(view, [options.follow], { people: 'nothing' });
  for (const [message, fate] of fates) if (fate === FOLDED_TOLD || fate === 'Events') fates.set(message, null);
  return fates;
}

/** An event of a shared informer points at the controller that acted on it first. */
export function receiversOf(drawn: readonly Message[]): ReadonlyMap<Message, Speaker> {
  const events = new Map(drawn.filter((message) => message.kind === 'event').map((message) => [message.seq, message]));
  const receivers = new Map<Message, Speaker>();
  for (const message of drawn) {
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
  siblings: ReadonlyMap<Message, string>,
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
  const lines = remarks(message, talk.response);
  const together = siblings.get(message);
  if (together !== undefined) lines.unshift(together);
  return lines.length === 0 ? [drawn] : [drawn, { kind: 'note', over: over(from, to, cast), lines }];
}

/** What the arrow itself cannot say: why it failed, what an Event reports, that nobody answered. */
function remarks(message: Message, response: Message | undefined): string[] {
  if (message.kind === 'request' && message.report !== undefined && message.report.type !== 'Normal') {
    return [`${message.report.reason}: ${message.report.message}`];
  }
  if (message.kind === 'request' && response === undefined) return ['no answer in the capture'];
  if (message.kind === 'response' && (message.status ?? 0) >= 400) {
    const said = [message.reason, message.statusMessage].filter((text) => text !== undefined && text !== '');
    return said.length === 0 ? [] : [[...new Set(said)].join(': ')];
  }
  if (message.kind === 'event' && message.type === 'ERROR' && message.statusMessage !== undefined)
    return [message.statusMessage];
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

export const DEFAULT_LAYERS: ReadonlySet<Protocol> = new Set(['kubernetes']);
