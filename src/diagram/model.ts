// A picture as data: who stands where, what is drawn in which order, what was folded away. Knows nothing of the text
// that it becomes; plain data, so that every output draws the same picture.

import type { Message } from '../kubernetes/messages/message.js';

export interface Lifeline {
  /** Short and generated from our own words, never from captured text: `AS`, `L2`. */
  readonly id: string;
  readonly name: string;
  readonly component: string;
  /** In words, with frames: how it was recognised. */
  readonly evidence: readonly string[];
  /** Drawn inside a box of this name, with its neighbours of the same box. */
  readonly box?: string;
}

export interface Arrow {
  readonly kind: 'arrow';
  readonly message: Message;
  /** Participant ids. An event of a shared informer points at the controller that acted on it. */
  readonly from: string;
  readonly to: string;
  /** The request of an answer that is drawn too, and that answer. */
  readonly activates: boolean;
  readonly deactivates: boolean;
  /** Participant ids between the two, in the order of the way: see `legsOf`. */
  readonly via?: readonly string[];
  /** First and last frame of a leg, where they are not the message's own. */
  readonly frames?: readonly [number, number];
}

export interface Note {
  readonly kind: 'note';
  /** Participant ids: over one, or from the first to the second. */
  readonly over: readonly [string] | readonly [string, string];
  /** Lines; captured text among them is escaped by the renderer. */
  readonly lines: readonly string[];
}

/** The same steps, several times; drawn once. */
export interface Loop {
  readonly kind: 'loop';
  readonly times: number;
  /** Whose steps they are, where each time is about another object: `3 Pods: web-a, web-b, web-c`. Else they came in a row. */
  readonly title?: string;
  readonly steps: readonly Step[];
}

export type Step = Arrow | Note | Loop;

export interface Sequence {
  readonly participants: readonly Lifeline[];
  readonly steps: readonly Step[];
  /** What was folded and what is missing, in lines; the last note of the picture, and all there is of an empty one. */
  readonly closing: readonly string[];
  /** Messages that are not drawn, by reason: with the drawn ones these are all messages of the observation. */
  readonly folded: Readonly<Record<string, number>>;
  /** Messages that are drawn. */
  readonly drawn: number;
  readonly total: number;
}

/** An arrow as it is drawn: by way of whoever stands between, one leg after the other. */
export function legsOf(arrow: Arrow): readonly Arrow[] {
  const { via, from, to, ...rest } = arrow;
  if (via === undefined) return [arrow];
  const stops = [from, ...via, to];
  const frames = legFrames(arrow.message, stops.length - 1);
  return stops.slice(1).map((stop, i) => ({ ...rest, from: stops[i], to: stop, ...frames[i] }));
}

/** The message's own frames are the client's leg; of two legs the other one is its copy. */
function legFrames({ kind, translated, frames }: Message, legs: number): readonly Pick<Arrow, 'frames'>[] {
  if (legs !== 2 || translated?.length !== 1 || (kind !== 'request' && kind !== 'response')) return [];
  const both = [{ frames }, { frames: translated[0].frames }];
  return kind === 'request' ? both : both.reverse();
}

/** The arrow of which a leg has this number in the picture, counted from 1 as `autonumber` does; undefined: there is none. */
export function arrowNumbered(steps: readonly Step[], number: number): Arrow | undefined {
  let last = 0;
  return arrowsOf(steps).find((arrow) => {
    last += legsOf(arrow).length;
    return last >= number;
  });
}

/** What stands over a loop. */
export function loopTitle({ times, title }: Loop): string {
  return title ?? `${times} times`;
}

/** All arrows in the order of the picture, those inside loops once. */
export function arrowsOf(steps: readonly Step[]): Arrow[] {
  return steps.flatMap((step) => (step.kind === 'arrow' ? [step] : step.kind === 'loop' ? arrowsOf(step.steps) : []));
}

export function notesOf(steps: readonly Step[]): Note[] {
  return steps.flatMap((step) => (step.kind === 'note' ? [step] : step.kind === 'loop' ? notesOf(step.steps) : []));
}
