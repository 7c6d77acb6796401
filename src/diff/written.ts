// Converts a written diagram, a saved one, or an observation drawn as a diagram to items, in the order of the arrows.

import { dictionary } from '../core/collections/dictionary.js';
import { buildSequence } from '../diagram/build.js';
import type { Observation } from '../diagram/message-index.js';
import { arrowsOf } from '../diagram/model.js';
import type { DiagramOptions } from '../diagram/selection/visibility.js';
import { type ArrowText, arrowTexts, type Diagram } from '../expectation/syntax/diagram.js';
import { plainText } from '../expectation/syntax/markup.js';
import type { Message } from '../kubernetes/messages/message.js';
import type { DiffSide, Item } from './item.js';
import { type Normalise, normaliseText } from './names.js';

/** @param name as the user wrote it. */
export function writtenSide(name: string, diagram: Diagram): DiffSide {
  const names = new Map([...diagram.participants.values()].map((one) => [one.id, plainText(one.name)]));
  const nameOf = (id: string): string => normaliseText(names.get(id) ?? id);
  const arrows = arrowTexts(diagram.body).map((arrow: ArrowText) => ({
    from: nameOf(arrow.from),
    to: nameOf(arrow.to),
    label: normaliseText(plainText(arrow.label)),
    line: arrow.line,
  }));
  return { name, items: itemsOf(arrows), notDrawn: [], participants: [...diagram.participants.keys()].map(nameOf) };
}

/**
 * The form of a label in a diagram: whole, shortened, or with text left out where the author wrote `…`.
 * @param shorten as renderers do.
 */
export function wordsIn(diagram: Diagram, shorten: (label: string) => string): Normalise {
  const texts = arrowTexts(diagram.body).map((arrow) => plainText(arrow.label));
  const written = new Map(texts.map(normaliseText).map((text) => [withoutBlanks(text), text]));
  const cut = texts
    .filter((text) => text.includes(LEFT_OUT))
    .map((text) => ({ label: normaliseText(text), patterns: [normaliseText(text), text].map(withoutBlanks) }));
  return (label) => {
    const whole = normaliseText(label);
    if (cut.length === 0 || written.has(withoutBlanks(whole))) return whole;
    const shortened = written.get(withoutBlanks(normaliseText(shorten(label))));
    if (shortened !== undefined) return shortened;
    const ways = [whole, label].map(withoutBlanks);
    return cut.find(({ patterns }) => patterns.some((one, i) => isLeft(one, ways[i])))?.label ?? whole;
  };
}

/** Does the text match a label in which `…` stands for anything? */
function isLeft(pattern: string, text: string): boolean {
  const parts = pattern.split(LEFT_OUT);
  const [first] = parts;
  const last = parts[parts.length - 1];
  if (!text.startsWith(first) || !text.endsWith(last) || text.length < first.length + last.length) return false;
  let at = first.length;
  for (const part of parts.slice(1, -1)) {
    const found = text.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return at <= text.length - last.length;
}

/** Wrapping moves blanks. */
function withoutBlanks(text: string): string {
  return text.replaceAll(' ', '');
}

/** The arrows of the drawn observation, those in loops once. */
export function diagramSide(
  name: string,
  observation: Observation,
  options: DiagramOptions,
  normalise: Normalise,
): DiffSide {
  const { participants, steps } = buildSequence(observation, options);
  const names = new Map(participants.map((one) => [one.id, normalise(one.name)]));
  const nameOf = (id: string): string => names.get(id) ?? id;
  const arrows = arrowsOf(steps).map(({ message, from, to }) => ({
    from: nameOf(from),
    to: nameOf(to),
    label: normalise(message.label),
    frames: message.frames,
    seq: message.seq,
  }));
  return { name, items: itemsOf(arrows), notDrawn: [], participants: [...names.values()] };
}

/** @param messages of a saved diagram, in order. */
export function savedDiagramSide(name: string, messages: readonly Message[], normalise: Normalise): DiffSide {
  const arrows = messages.map(({ from, to, label, frames, seq }) => ({
    from: normalise(from.name),
    to: normalise(to.name),
    label: normalise(label),
    frames,
    seq,
  }));
  const participants = new Set(arrows.flatMap(({ from, to }) => [from, to]));
  return { name, items: itemsOf(arrows), notDrawn: [], participants: [...participants] };
}

type WrittenArrow = { readonly from: string; readonly to: string; readonly label: string } & Item['where'];

/** A response belongs to the oldest unanswered request between the two participants. */
function itemsOf(arrows: readonly WrittenArrow[]): Item[] {
  const open = new Map<string, { readonly label: string; readonly exchange: number }[]>();
  return arrows.map((arrow, place) => {
    const { from, to, label, ...where } = arrow;
    const kind = kindOf(label);
    const common = { kind, from, to, label, about: [], writes: false, seq: place, where: where as Item['where'] };
    if (kind === 'request') {
      const pair = `${from}\n${to}`;
      open.set(pair, [...(open.get(pair) ?? []), { label, exchange: place }]);
      return { ...common, requestLabel: '', exchange: place };
    }
    const request = kind === 'response' ? open.get(`${to}\n${from}`)?.shift() : undefined;
    return { ...common, requestLabel: request?.label ?? '', exchange: request?.exchange ?? -1 };
  });
}

function kindOf(label: string): Item['kind'] {
  const [, tag] = /^\[([A-Z-]+)\]/.exec(label) ?? [];
  return KINDS[tag ?? ''] ?? 'data';
}

const LEFT_OUT = '…';
const KINDS: Readonly<Record<string, Item['kind']>> = dictionary({
  REQ: 'request',
  RPC: 'request',
  RESP: 'response',
  'RPC-RESP': 'response',
  'RESP-CHUNK': 'event',
  END: 'end',
});
