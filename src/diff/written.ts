// A written diagram as items, and an observation told as a diagram would tell it, so that the two can be compared. Knows the
// arrows of both; the order is that of the text.

import { lookup } from '../core/lookup.js';
import { type ArrowText, arrowTexts, type Diagram } from '../expectation/diagram.js';
import { plainText } from '../expectation/markup.js';
import { picture } from '../sequence/build.js';
import type { PictureOptions } from '../sequence/decide.js';
import { arrowsOf } from '../sequence/model.js';
import type { Observation } from '../sequence/observation.js';
import type { Item, Side } from './item.js';
import { normaliseText } from './names.js';

/** @param name what the user called it. */
export function writtenSide(name: string, diagram: Diagram): Side {
  const names = new Map([...diagram.participants.values()].map((one) => [one.id, plainText(one.name)]));
  const nameOf = (id: string): string => normaliseText(names.get(id) ?? id);
  const arrows = arrowTexts(diagram.body).map((arrow: ArrowText) => ({
    from: nameOf(arrow.from),
    to: nameOf(arrow.to),
    label: normaliseText(plainText(arrow.label)),
    line: arrow.line,
  }));
  return { name, items: itemsOf(arrows), untold: [], participants: [...diagram.participants.keys()].map(nameOf) };
}

/** What the picture draws, loops once, as a written diagram has it. */
export function pictureSide(name: string, observation: Observation, options: PictureOptions): Side {
  const { participants, steps } = picture(observation, options);
  const names = new Map(participants.map((one) => [one.id, one.name]));
  const nameOf = (id: string): string => normaliseText(names.get(id) ?? id);
  const arrows = arrowsOf(steps).map(({ message, from, to }) => ({
    from: nameOf(from),
    to: nameOf(to),
    label: normaliseText(message.label),
    frames: message.frames,
    seq: message.seq,
  }));
  return { name, items: itemsOf(arrows), untold: [], participants: participants.map((one) => nameOf(one.id)) };
}

type Arrow = { readonly from: string; readonly to: string; readonly label: string } & Item['where'];

/** An answer belongs to the oldest request between the two that waits for one. */
function itemsOf(arrows: readonly Arrow[]): Item[] {
  const waiting = new Map<string, { readonly label: string; readonly exchange: number }[]>();
  return arrows.map((arrow, place) => {
    const { from, to, label, ...where } = arrow;
    const kind = kindOf(label);
    const common = { kind, from, to, label, about: [], writes: false, seq: place, where: where as Item['where'] };
    if (kind === 'request') {
      const pair = `${from}\n${to}`;
      waiting.set(pair, [...(waiting.get(pair) ?? []), { label, exchange: place }]);
      return { ...common, asked: '', exchange: place };
    }
    const asked = kind === 'response' ? waiting.get(`${to}\n${from}`)?.shift() : undefined;
    return { ...common, asked: asked?.label ?? '', exchange: asked?.exchange ?? -1 };
  });
}

function kindOf(label: string): Item['kind'] {
  const [, tag] = /^\[([A-Z-]+)\]/.exec(label) ?? [];
  return KINDS[tag ?? ''] ?? 'data';
}

const KINDS: Readonly<Record<string, Item['kind']>> = lookup({
  REQ: 'request',
  RPC: 'request',
  RESP: 'response',
  'RPC-RESP': 'response',
  'RESP-CHUNK': 'event',
});
