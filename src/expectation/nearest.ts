// Finds the message most similar to an arrow without a match: one that fits except for its position, else the actual
// response to its request, else the one with the fewest differences.

import { elapsedText } from '../core/duration.js';
import { ancestorsOf } from '../diagram/message-index.js';
import type { Message, Participant } from '../kubernetes/messages/message.js';
import { differencesOf, unlikeness } from './differences.js';
import { type CandidateFinder, isBetween, type ParticipantIds } from './matching/candidates.js';
import { Lifelines } from './matching/lifelines.js';
import type { MessageGroup, ObservationIndex } from './matching/observation-index.js';
import type { ArrowPair } from './matching/partial-match.js';
import { type ExpectedArrow, type Plan, shownParticipant } from './matching/plan.js';
import type { SearchOutcome } from './matching/search.js';
import type { Stories } from './matching/stories.js';

export interface Nearest {
  readonly message: Message;
  /** Sentences; none for `%% never:`. */
  readonly differences: readonly string[];
  /** Its label and participants fit, but its position or time does not. */
  readonly fits: boolean;
  /** It has another sender or receiver. */
  readonly isBetweenOthers: boolean;
  /** Its label fits the arrow. */
  readonly hasSameLabel: boolean;
}

interface Tools {
  readonly observation: ObservationIndex;
  readonly finder: CandidateFinder;
  readonly stories: Stories;
}

export function nearestTo(arrow: ExpectedArrow, plan: Plan, outcome: SearchOutcome, tools: Tools): Nearest | null {
  return (
    misplaced(arrow, plan, outcome, tools) ??
    realAnswer(arrow, plan, outcome, tools) ??
    mostAlike(arrow, plan, outcome, tools)
  );
}

/** A message that fits the arrow but not its position. */
function misplaced(
  arrow: ExpectedArrow,
  plan: Plan,
  outcome: SearchOutcome,
  { observation, finder, stories }: Tools,
): Nearest | null {
  const candidates = finder.of(arrow, plan);
  if (candidates.places.length === 0) return null;
  const answer = answerPlace(arrow, outcome, observation);
  // The actual response to its request is more useful than a response to another request.
  if (answer >= 0 && candidates.at(answer).length === 0) return null;
  const used = new Map(outcome.pairs.map(({ arrow: other, place }) => [place, other]));
  const last = outcome.pairs[outcome.pairs.length - 1]?.place ?? -1;
  let best: { place: number; reason: string; weight: number } | null = null;
  for (const i of candidates.all.slice(0, LOOKED_AT)) {
    const place = candidates.places[i];
    const reason = reasonAgainst(arrow, place, i);
    const isForeign = stories.isForeign(arrow, i);
    const weight =
      (place === answer ? -4 : 0) + (isForeign ? 4 : 0) + (used.has(place) ? 2 : 0) + (place < last ? 0 : 1);
    if (best === null || weight < best.weight) best = { place, reason, weight };
  }
  if (best === null) return null;
  return {
    message: observation.messages[best.place],
    differences: [best.reason],
    fits: true,
    isBetweenOthers: false,
    hasSameLabel: true,
  };

  function reasonAgainst(one: ExpectedArrow, place: number, candidate: number): string {
    const user = used.get(place);
    if (user !== undefined) return `it is matched already, by line ${user.text.line}`;
    for (const [at, name] of candidates.names.entries()) {
      const text = finder.names[name];
      const bound = outcome.names.get(text);
      const value = candidates.bindings[candidate][at];
      if (bound !== undefined && value !== bound) return `{${text}} would be ${value}, and is ${bound} above`;
    }
    if (stories.isForeign(one, candidate) || isApart(one, place))
      return `it belongs to another story, that of ${stories.nameAt(place)}, which the expectation does not name`;
    const message = observation.messages[place];
    const above = outcome.pairs[outcome.pairs.length - 1];
    if (one.text.within !== null && above !== undefined) {
      const passed = message.time - observation.messages[above.place].time;
      if (passed > one.text.within) {
        return `it came ${elapsedText(passed)} after line ${above.arrow.text.line}, not within ${elapsedText(one.text.within)}`;
      }
    }
    if (one.answers !== null && message.kind === 'response') {
      const request = observation.requestOf(place);
      if (!outcome.pairs.some((pair) => pair.place === request)) return 'it answers another request';
    }
    const { exchanges } = observation;
    if (message.kind === 'end' && !outcome.pairs.some((pair) => exchanges[pair.place] === exchanges[place]))
      return 'it is the cut of another exchange than those above it';
    const effect = outcome.pairs.find((pair) =>
      [...ancestorsOf(observation.messages[pair.place], observation.index)].includes(message.seq),
    );
    if (effect !== undefined) {
      const frame = observation.messages[effect.place].frames[0];
      return `it is the cause of line ${effect.arrow.text.line} (frame ${frame}): in the expectation it has to stand above that line`;
    }
    const cause = causeOf(one, place);
    if (cause !== null) {
      const frame = observation.messages[cause.place].frames[0];
      return `it came before line ${cause.arrow.text.line} (frame ${frame}), which has to come first`;
    }
    const answer = answerAbove(one, place);
    if (answer !== null) {
      const frame = observation.messages[answer.place].frames[0];
      const line = shownParticipant(plan, answer.arrow.to);
      return `it came before line ${answer.arrow.text.line} (frame ${frame}), an answer above it on the lifeline of ${line}`;
    }
    const create = one.hasFreeName && observation.creations.isAddedEvent(place) ? createAbove(one, place) : null;
    if (create !== null) {
      const frame = observation.messages[create.place].frames[0];
      return `it is not about what line ${create.arrow.text.line} (frame ${frame}) created`;
    }
    return 'it does not fit with the lines that are matched above';
  }

  /** Is it of another story than those that the arrows above begin? */
  function isApart(one: ExpectedArrow, place: number): boolean {
    const begun = outcome.pairs.filter((pair) => stories.canBegin(pair.arrow));
    return begun.length > 0 && stories.outsideOf(begun.map((pair) => pair.place))(one, place);
  }

  /** A matched message that has to come before this one and came later. */
  function causeOf(one: ExpectedArrow, place: number): ArrowPair | null {
    const related = new Set(observation.relatedTo(observation.subjectAt(place)));
    const isOwn = (receiver: number): boolean =>
      receiver === one.from ||
      [...idsOf(receiver).sending].some((participant) => idsOf(one.from).sending.has(participant));
    const cause = outcome.pairs.find(
      (pair) =>
        pair.place > place &&
        related.has(observation.subjectAt(pair.place)) &&
        (isOwn(pair.arrow.to) || (observation.isWrite(pair.place) && observation.isWrite(place))),
    );
    return cause ?? null;
  }

  /** The last create above without an event about its object. */
  function createAbove(one: ExpectedArrow, place: number): ArrowPair | null {
    const { creations } = observation;
    const creates = outcome.pairs.filter((pair) => creations.couldBeAbout(one.label, pair.place));
    if (creates.some((pair) => creations.isAbout(place, pair.place))) return null;
    const withoutEvent = creates.filter(
      (create) => !outcome.pairs.some((pair) => creations.isAbout(pair.place, create.place)),
    );
    return withoutEvent.at(-1) ?? null;
  }

  /** A response that its sender or receiver waited for and received later. */
  function answerAbove(one: ExpectedArrow, place: number): ArrowPair | null {
    const lifelines = new Lifelines(observation, plan.isStrict);
    const isOwn = (participant: number): boolean =>
      (participant === one.from && lifelines.waitsToSend(place)) ||
      (participant === one.to && lifelines.waitsToReceive(place, one.answers !== null));
    const answer = outcome.pairs.find(
      (pair) => pair.place > place && lifelines.isAwaited(pair.place) && isOwn(pair.arrow.to),
    );
    return answer ?? null;
  }

  function idsOf(participant: number): ParticipantIds {
    return finder.idsOf(plan.participants[participant]);
  }
}

/** The actual response to the request that the arrow answers. */
function realAnswer(
  arrow: ExpectedArrow,
  plan: Plan,
  outcome: SearchOutcome,
  { observation, finder }: Tools,
): Nearest | null {
  const place = answerPlace(arrow, outcome, observation);
  if (place < 0) return null;
  const message = observation.messages[place];
  const group = groupAt(observation, place);
  if (group === undefined) return null;
  return { message, fits: false, ...describeDifferences(arrow, plan, group, finder) };
}

/** Place of the response to the request that the arrow can answer; -1: none. */
function answerPlace(arrow: ExpectedArrow, outcome: SearchOutcome, observation: ObservationIndex): number {
  if (arrow.answers === null) return -1;
  const used = new Set(outcome.pairs.map(({ place }) => place));
  const places = outcome.pairs
    .filter(({ arrow: request }) => arrow.answers?.includes(request) === true)
    .map(({ place }) => observation.responseTo(place))
    .filter((place) => place >= 0 && !used.has(place));
  return places[0] ?? -1;
}

/** The message between the arrow's own participants with the fewest differences; null: none is similar. */
export function nearestBetweenTheSame(
  arrow: ExpectedArrow,
  plan: Plan,
  outcome: SearchOutcome,
  tools: Tools,
): Nearest | null {
  return mostAlike(arrow, plan, outcome, tools, ({ isBetweenOthers }) => !isBetweenOthers);
}

function mostAlike(
  arrow: ExpectedArrow,
  plan: Plan,
  outcome: SearchOutcome,
  { observation, finder, stories }: Tools,
  isWanted: (found: ReturnType<typeof differences>) => boolean = () => true,
): Nearest | null {
  const used = new Set(outcome.pairs.map(({ place }) => place));
  const last = outcome.pairs[outcome.pairs.length - 1]?.place ?? -1;
  let best: { group: MessageGroup; weight: number } | null = null;
  for (const group of observation.messageGroups) {
    if (group.label.tag !== arrow.label.tag && arrow.label.tag !== null) continue;
    const found = differences(arrow, plan, group, finder);
    if (!isWanted(found)) continue;
    const { weight } = found;
    const isUsed = group.places.every((place) => used.has(place)) ? 0.5 : 0;
    const isOther = group.places.every((place) => stories.isOther(place)) ? 0.5 : 0;
    const whole = weight + isUsed + isOther;
    if (whole < (best?.weight ?? TOO_FAR)) best = { group, weight: whole };
  }
  if (best === null) return null;
  const unused = best.group.places.filter((place) => !used.has(place));
  const own = unused.filter((place) => !stories.isOther(place));
  const free = own.length > 0 ? own : unused;
  const place = free.find((one) => one > last) ?? free[0] ?? best.group.places[0];
  return { message: observation.messages[place], fits: false, ...describeDifferences(arrow, plan, best.group, finder) };
}

function describeDifferences(
  arrow: ExpectedArrow,
  plan: Plan,
  group: MessageGroup,
  finder: CandidateFinder,
): Pick<Nearest, 'differences' | 'isBetweenOthers' | 'hasSameLabel'> {
  const { texts, isBetweenOthers } = differences(arrow, plan, group, finder);
  return { differences: texts, isBetweenOthers, hasSameLabel: arrow.label.read(group.label) !== null };
}

function differences(
  arrow: ExpectedArrow,
  plan: Plan,
  group: MessageGroup,
  finder: CandidateFinder,
): { readonly weight: number; readonly texts: readonly string[]; readonly isBetweenOthers: boolean } {
  const from = finder.idsOf(plan.participants[arrow.from]);
  const to = finder.idsOf(plan.participants[arrow.to]);
  const texts: string[] = [];
  let weight = 0;
  const isBetweenOthers = !isBetween(group, from, to);
  if (isBetweenOthers) {
    const isSent = from.sending.has(group.from.id);
    const isReceived = (group.kind === 'event' ? to.receiving : to.sending).has(group.to.id);
    weight += isSent ? 0 : participantDistance(shownParticipant(plan, arrow.from), group.from);
    weight += isReceived ? 0 : participantDistance(shownParticipant(plan, arrow.to), group.to);
    if (!isSent) texts.push(`it was sent by ${group.from.name}, not ${shownParticipant(plan, arrow.from)}`);
    if (!isReceived) texts.push(`it was sent to ${group.to.name}, not ${shownParticipant(plan, arrow.to)}`);
  }
  const ofLabel = differencesOf(arrow.label, group.label);
  return { weight: weight + ofLabel.weight, texts: [...ofLabel.texts, ...texts], isBetweenOthers };
}

/** `kubelet (node-1)` is nearer to `kubelet (node-3)` than another program is. */
function participantDistance(expected: string, { name, component }: Participant): number {
  const [program] = expected.split(' (');
  return (program === component ? 2 : 4) + unlikeness(expected, name);
}

function groupAt(observation: ObservationIndex, place: number): MessageGroup | undefined {
  return observation.messageGroups.find(({ places }) => places.includes(place));
}

/** A message with more differences than this is not similar. */
const TOO_FAR = 9;
/** Messages that are examined for the best reason why their position does not fit. */
const LOOKED_AT = 1000;
