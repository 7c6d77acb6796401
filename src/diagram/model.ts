// Defines a sequence diagram as data, from which every renderer draws the same diagram.

import { counted } from '../core/quantity.js';
import type { Message } from '../kubernetes/messages/message.js';

export interface Lifeline {
  /** Short, and never from captured text: `AS`, `L2`. */
  readonly id: string;
  readonly name: string;
  readonly component: string;
  /** Evidence for the name, in words with frames. */
  readonly evidence: readonly string[];
  /** Name of the box around it and its neighbours. */
  readonly box?: string;
}

/** Several messages as one arrow: a request with its answer, or in an overview all that belong together. */
export interface ArrowSummary {
  /** Captured text among them is escaped by the renderer. */
  readonly words: string;
  /** Of the messages: `976, 977`, or the first and the last, `13 to 3473`. */
  readonly seqs: string;
  readonly hasFailed: boolean;
}

/** What a picture shows of a message. */
export type PicturedMessage = Pick<Message, 'kind' | 'seq' | 'frames' | 'translated'> & { readonly label: string };

export interface Arrow<Drawn extends PicturedMessage = Message> {
  readonly kind: 'arrow';
  readonly message: Drawn;
  /** Participant ids. An event of a shared informer points at the controller that acted on it. */
  readonly from: string;
  readonly to: string;
  /** A request whose response is drawn too activates, and that response deactivates. */
  readonly activates: boolean;
  readonly deactivates: boolean;
  /** Participant ids between the two, in the order of the route. */
  readonly via?: readonly string[];
  /** First and last frame of a leg, if they differ from the message's. */
  readonly frames?: readonly [number, number];
  /** absent: the arrow is its message. */
  readonly summary?: ArrowSummary;
  /** A failed answer (notes/failed-requests.ts), a watch's error, a Warning, a status in which something is newly wrong. */
  readonly hasFailed?: true;
  /** On the critical path that the diagram shows. */
  readonly isOnPath?: true;
  /** Of two captures that are compared, it is in one only. */
  readonly isOnlyIn?: 'before' | 'after';
}

export interface Note {
  readonly kind: 'note';
  /** Participant ids: over one, or from the first to the second. */
  readonly over: readonly [string] | readonly [string, string];
  /** Lines; captured text among them is escaped by the renderer. */
  readonly lines: readonly string[];
  /** It is about the arrow before it; else about a part of the diagram, or all of it. */
  readonly isOnArrow?: true;
  /** With it, the bar on the lane of the first participant begins or ends. */
  readonly bar?: 'begins' | 'ends';
  /** It is the last one, which says how much of the captures the diagram covers. */
  readonly isClosing?: true;
  /** Its lines are rows of a table, padded with no-break spaces: they are not broken, and of letters of one width. */
  readonly isTable?: true;
}

/** Steps that occur several times, drawn once. */
export interface Loop<Drawn extends PicturedMessage = Message> {
  readonly kind: 'loop';
  readonly times: number;
  /** Objects of the repetitions: `3 Pods: web-a, web-b, web-c`. Without a title, the steps repeat in a row. */
  readonly title?: string;
  readonly steps: readonly Step<Drawn>[];
}

export type Step<Drawn extends PicturedMessage = Message> = Arrow<Drawn> | Note | Loop<Drawn>;

/** Characters of a line in a note: renderers break longer ones. */
export const NOTE_WIDTH = 90;

/** How much of the captures a diagram covers. Lists are empty where there is nothing to say. */
export interface Coverage {
  /** Receivers of watch events about the story that did nothing: `kube-scheduler (2 watches)`. */
  readonly delivered: readonly string[];
  /** Number of messages that are not drawn, by reason. */
  readonly folded: Readonly<Record<string, number>>;
  /** Requests among them that failed, by reason. */
  readonly foldedFailures: Readonly<Record<string, number>>;
  /** Further sentences on what is not drawn. */
  readonly others: readonly string[];
  /** Sentences on connections that failed. */
  readonly failed: readonly string[];
  /** What could not be read: `3 gaps of lost bytes`. */
  readonly missing: readonly string[];
  /** What is said where nothing is missing. */
  readonly complete: string;
}

/** What renderers of pictures draw. */
export interface SequencePicture<Drawn extends PicturedMessage = PicturedMessage> {
  readonly participants: readonly Pick<Lifeline, 'id' | 'name' | 'box'>[];
  readonly steps: readonly Step<Drawn>[];
  /** Of an empty picture, its only content. */
  readonly closing: readonly string[];
  /** Number of messages, of which some may not be drawn. */
  readonly total: number;
  readonly remarks?: readonly string[];
  /** Characters of a line of a label, for a slide; undefined: as wide as labels are. */
  readonly labelWidth?: number;
  /** undefined: it is no story of captures, whose arrows have numbers. */
  readonly coverage?: Coverage;
}

export interface Sequence extends SequencePicture<Message> {
  readonly participants: readonly Lifeline[];

  /** Lines about folded and missing messages: the last note, or the only content of an empty diagram. */
  readonly closing: readonly string[];
  /** What these lines are made of. */
  readonly coverage: Coverage;
  /** Number of messages that are not drawn, by reason. */
  readonly folded: Readonly<Record<string, number>>;
  readonly drawn: number;
  /** Lines for the reader of the file: of an overview, the command that draws each story. */
  readonly remarks?: readonly string[];
}

/** The first remark of an overview, by which readers of diagrams know it. */
export const OVERVIEW_REMARK = 'the options that draw each story:';

/** Does it stand for a failure? */
export function isFailure({ summary, hasFailed }: Arrow<PicturedMessage>): boolean {
  return summary === undefined ? hasFailed === true : summary.hasFailed;
}

/** The text on an arrow. */
export function labelOf({ message, summary }: Arrow<PicturedMessage>): string {
  return summary?.words ?? message.label;
}

/** The legs of an arrow, from participant to participant. */
export function legsOf<Drawn extends PicturedMessage>(arrow: Arrow<Drawn>): readonly Arrow<Drawn>[] {
  const { via, from, to, ...rest } = arrow;
  if (via === undefined) return [arrow];
  const stops = [from, ...via, to];
  const frames = legFrames(arrow.message, stops.length - 1);
  return stops.slice(1).map((stop, i) => ({ ...rest, from: stops[i], to: stop, ...frames[i] }));
}

/** The message's frames belong to the client's leg, those of its translated copy to the other one. */
function legFrames({ kind, translated, frames }: PicturedMessage, legs: number): readonly Pick<Arrow, 'frames'>[] {
  if (legs !== 2 || translated?.length !== 1 || (kind !== 'request' && kind !== 'response')) return [];
  const both = [{ frames }, { frames: translated[0].frames }];
  return kind === 'request' ? both : both.reverse();
}

/** The arrow with this number, counted from 1 as `autonumber` does; undefined: there is none. */
export function arrowNumbered(steps: readonly Step[], number: number): Arrow | undefined {
  let last = 0;
  return arrowsOf(steps).find((arrow) => {
    last += legsOf(arrow).length;
    return last >= number;
  });
}

export function loopTitle({ times, title }: Loop<PicturedMessage>): string {
  return title ?? counted(times, 'time');
}

/** All arrows in order, those inside loops once. */
export function arrowsOf<Drawn extends PicturedMessage>(steps: readonly Step<Drawn>[]): Arrow<Drawn>[] {
  return steps.flatMap((step) => (step.kind === 'arrow' ? [step] : step.kind === 'loop' ? arrowsOf(step.steps) : []));
}

export function notesOf(steps: readonly Step[]): Note[] {
  return steps.flatMap((step) => (step.kind === 'note' ? [step] : step.kind === 'loop' ? notesOf(step.steps) : []));
}
