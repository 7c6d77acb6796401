// Collects the data of an explorer page: all messages, with the reason why each one is not drawn, so that a reader
// can unfold them.

import { smallestOf } from '../core/collections/many.js';
import { counted } from '../core/quantity.js';
import type { Message, Protocol } from '../kubernetes/messages/message.js';
import { buildSequence } from './build.js';
import { reasonWords } from './disposition.js';
import { whyUncaused } from './explain.js';
import { drawnVia, hopsOf, receiversOf } from './layout/arrows.js';
import { lifelinesOf } from './layout/lifelines.js';
import { legWords, type PathMark } from './layout/path-marks.js';
import { indexMessages, type Observation } from './message-index.js';
import { arrowsOf, type Lifeline, type Sequence, type Step } from './model.js';
import { missingLine } from './notes/closing-note.js';
import { type RowObject, rowObjects } from './row-objects.js';
import { DEFAULT_LAYERS, type DiagramOptions, decisionOf, layerOf } from './selection/visibility.js';
import { problemsIn } from './went-wrong.js';

export interface ExplorerData {
  /** The diagram as other outputs draw it, before a reader unfolds anything. */
  readonly sequence: Sequence;
  /** Lifelines of all entries, from left to right. */
  readonly participants: readonly Lifeline[];
  /** In the order of the observation. */
  readonly entries: readonly ExplorerEntry[];
  readonly remarks: readonly Remark[];
  /** The messages of critical paths that are marked, in order, also those that are not among the entries. */
  readonly path: readonly PathMark[];
  /** In order; at least two, or none. */
  readonly chapters: readonly Chapter[];
  /** Exchanges with a captured response, whether it is among the entries or not. */
  readonly answered: ReadonlySet<number>;
  /** Layers that are shown initially. */
  readonly layers: ReadonlySet<Protocol>;
  /** Messages that a selection (--from, --where …) left out. */
  readonly unselected: number;
  /** Messages beyond the limit, and how many of them are problems or drawn. */
  readonly leftOut: number;
  readonly leftOutOfStory: number;
  /** The diagram's line about missing data; null: nothing is missing. */
  readonly missing: string | null;
}

export interface ExplorerEntry {
  readonly message: Message;
  readonly layer: Protocol;
  /** `summary` lists it as a problem. */
  readonly isProblem: boolean;
  /** Indices of participants. An event of a shared informer points at the controller that acted on it. */
  readonly from: number;
  readonly to: number;
  /** Indices of the Services that it went through, in the order of the route. */
  readonly via: readonly number[];
  /** Why it is folded, in words; null: it is drawn if its layer is shown. */
  readonly folded: string | null;
  /** What it is about; null: no object. */
  readonly about: RowObject | null;
  /** Why it has no cause, in words; empty: it has one, or may have one. */
  readonly uncaused: string;
}

/** The first write of a part of the story. */
export interface Chapter {
  readonly seq: number;
  readonly title: string;
}

/** A note of the diagram, attached to an arrow. */
export interface Remark {
  /** `seq` of the arrow's message; the note is shown with it. */
  readonly seq: number;
  readonly place: 'before' | 'behind';
  /** Indices of participants: from the first to the second. */
  readonly over: readonly [number, number];
  readonly lines: readonly string[];
}

/**
 * Unselected messages are left out; messages outside of the followed story are folded.
 * @param limit number of messages; problems and drawn ones are included first.
 */
export function explorerData(
  observation: Observation,
  options: DiagramOptions = {},
  limit: number = MAX_ENTRIES,
): ExplorerData {
  const index = indexMessages(observation.messages, observation.remainder);
  const decision = decisionOf(index, options);
  const sequence = buildSequence(observation, options, index, decision);
  const layers = options.layers ?? DEFAULT_LAYERS;
  const arrows = new Map(arrowsOf(sequence.steps).map((arrow) => [arrow.message, arrow]));
  const { dispositions: own, chapters } = decision;
  const objectOf = rowObjects(index);
  const { dispositions: others } = decisionOf(index, {
    ...options,
    layers: new Set(observation.messages.map(layerOf)),
  });
  const foldedOf = (message: Message): string | null => {
    if (arrows.has(message)) return null;
    const isShown = layers.has(layerOf(message));
    const disposition = (isShown ? own : others).get(message) ?? 'drawn';
    if (disposition !== 'drawn') return reasonWords(disposition);
    return isShown ? reasonWords('repeats') : null;
  };
  const selected = observation.messages.filter((message) => options.selected?.(message) ?? true);
  const problems = problemsIn(observation.messages);
  const isStory = (message: Message): boolean => problems.has(message) || arrows.has(message);
  const rankOf = (message: Message): number =>
    problems.has(message) ? 0 : arrows.has(message) ? 1 : foldedOf(message) === null ? 2 : 3;
  const kept = withinLimit(selected, limit, rankOf);
  const isKept = new Set(kept);

  const receivers = receiversOf(kept, indexMessages(kept), new Map(kept.map((message) => [message, 'drawn'])));
  const names = new Map(sequence.participants.map((one) => [one.id, one.name]));
  const ends = kept.map((message) => ({ message, from: message.from, to: receivers.get(message) ?? message.to }));
  // Drawn arrows first, so that their lifelines keep their positions.
  const ordered = [...ends.filter(({ message }) => arrows.has(message)), ...ends];
  const hops = ordered.flatMap(({ message, from, to }) => hopsOf(message, from, to));
  const layout = lifelinesOf(hops, { by: options.by ?? 'controller', order: options.order, groups: options.groups });
  const places = new Map(layout.lifelines.map((one, i) => [one.id, i]));
  const byName = new Map(layout.lifelines.map((one, i) => [one.name, i]));
  const placeIn = (id: string): number => byName.get(names.get(id) ?? '') ?? 0;

  const entries = ends.map(({ message, from, to }): ExplorerEntry => {
    const arrow = arrows.get(message);
    return {
      message,
      layer: layerOf(message),
      isProblem: problems.has(message),
      from: arrow === undefined ? (places.get(layout.idOf(from)) ?? 0) : placeIn(arrow.from),
      to: arrow === undefined ? (places.get(layout.idOf(to)) ?? 0) : placeIn(arrow.to),
      via: drawnVia(message).map((participant) => places.get(layout.idOf(participant)) ?? 0),
      folded: foldedOf(message),
      about: objectOf(message),
      uncaused: message.causedBy === undefined ? whyUncaused(message) : '',
    };
  });

  return {
    sequence,
    participants: layout.lifelines,
    entries,
    remarks: [...remarksOf(sequence, placeIn), ...pathRemarks(options.path ?? [], entries, arrows)],
    path: options.path ?? [],
    chapters:
      chapters.beginnings.length < 2
        ? []
        : chapters.beginnings.map((write) => ({ seq: write.seq, title: chapters.titleOf(write) })),
    answered: new Set(observation.messages.filter(({ kind }) => kind === 'response').map(({ exchange }) => exchange)),
    layers,
    unselected: observation.messages.length - selected.length,
    leftOut: selected.length - kept.length,
    leftOutOfStory: selected.filter((message) => isStory(message) && !isKept.has(message)).length,
    missing: sequence.coverage.missing.length === 0 ? null : missingLine(sequence.coverage),
  };
}

/** Messages of the lowest ranks, in order. A request and its response stay together, or the request would seem unanswered. */
function withinLimit(
  messages: readonly Message[],
  limit: number,
  rankOf: (message: Message) => number,
): readonly Message[] {
  if (messages.length <= limit) return messages;
  const exchanges = new Map<number, Message[]>();
  const units: Message[][] = [];
  for (const message of messages) {
    const isHalf = message.kind === 'request' || message.kind === 'response';
    const other = isHalf ? exchanges.get(message.exchange) : undefined;
    if (other !== undefined) {
      other.push(message);
      continue;
    }
    const unit = [message];
    units.push(unit);
    if (isHalf) exchanges.set(message.exchange, unit);
  }
  const ranked = units.map((unit) => ({ unit, rank: smallestOf(unit.map(rankOf)) }));
  const kept = new Set<Message>();
  for (const { unit } of ranked.sort((a, b) => a.rank - b.rank))
    if (kept.size + unit.length <= limit) for (const message of unit) kept.add(message);
  return messages.filter((message) => kept.has(message));
}

/** Without the summary note, whose numbers change when a reader unfolds messages. */
function remarksOf({ steps, participants }: Sequence, placeIn: (id: string) => number): Remark[] {
  const out: Remark[] = [];
  const inside = steps.filter((step) => step.kind !== 'note' || step.isClosing !== true);
  const ends = [participants[0]?.id, participants[participants.length - 1]?.id].join();
  let last: number | null = null;
  /** Notes of the next arrow: headings over all participants, and notes above the first arrow. */
  let waiting: Omit<Remark, 'seq' | 'place'>[] = [];
  const arrive = (seq: number): void => {
    for (const note of waiting) out.push({ ...note, seq, place: 'before' });
    waiting = [];
  };
  const visit = (step: Step): void => {
    if (step.kind === 'loop') {
      const [first] = arrowsOf([step]);
      if (first === undefined) return;
      arrive(first.message.seq);
      const over = spanOf(step.steps, placeIn);
      out.push({
        seq: first.message.seq,
        place: 'before',
        over,
        lines: [`${counted(step.times, 'time')}, drawn once`],
      });
      for (const inner of step.steps) visit(inner);
    } else if (step.kind === 'arrow') {
      last = step.message.seq;
      arrive(last);
    } else {
      const places = step.over.map(placeIn);
      const note = { over: [Math.min(...places), Math.max(...places)] as const, lines: step.lines };
      if (last === null || (step.isOnArrow !== true && step.over.join() === ends)) waiting.push(note);
      else out.push({ ...note, seq: last, place: 'behind' });
    }
  };
  for (const step of inside) visit(step);
  if (last !== null) for (const note of waiting) out.push({ ...note, seq: last, place: 'behind' });
  return out;
}

/** The steps of critical paths that the diagram does not draw, such as those in other layers, for when a reader shows them. */
function pathRemarks(
  path: readonly PathMark[],
  entries: readonly ExplorerEntry[],
  arrows: ReadonlyMap<Message, unknown>,
): Remark[] {
  const legs = new Map(path.map(({ seq, leg }) => [seq, leg]));
  return entries.flatMap(({ message, from, to }): Remark[] => {
    const leg = legs.get(message.seq);
    if (leg == null || arrows.has(message)) return [];
    const over = [Math.min(from, to), Math.max(from, to)] as const;
    return [{ seq: message.seq, place: 'behind', over, lines: [legWords(leg)] }];
  });
}

function spanOf(steps: readonly Step[], placeIn: (id: string) => number): readonly [number, number] {
  const places = arrowsOf(steps).flatMap(({ from, to }) => [placeIn(from), placeIn(to)]);
  return [Math.min(...places), Math.max(...places)];
}

/**
 * Limit: messages of an explorable page (problems, then what is drawn, then the rest): a browser opens so many in less than two
 * seconds (docs/performance.md). The page's head and standard error give the number of those left out.
 */
const MAX_ENTRIES = 50_000;
