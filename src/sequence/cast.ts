// Who stands in the picture and where: participants from the speakers of drawn messages, from left to right as a person
// would draw them, controllers in their manager's box. Knows speakers and the user's own order, not what they say.

import type { Speaker } from '../kubernetes/message.js';
import { TIERS } from '../kubernetes/tiers.js';
import type { Participant } from './model.js';

export interface CastOptions {
  /** Controllers of the controller manager as participants of their own, or as one. */
  readonly by: 'controller' | 'component';
  /** Names from left to right that a user asked for; others follow. */
  readonly order?: readonly string[];
  /** A user's own boxes: participant name to box. */
  readonly groups?: ReadonlyMap<string, string>;
}

export interface Cast {
  /** Participant id of a speaker. */
  idOf(speaker: Speaker): string;
  readonly participants: readonly Participant[];
}

/** @param arrows sender and receiver of each drawn arrow, in order. */
export function castOf(
  arrows: readonly { readonly from: Speaker; readonly to: Speaker }[],
  options: CastOptions,
): Cast {
  const shown = (speaker: Speaker): Speaker => (options.by === 'component' ? speaker.process : speaker);
  const speakers = new Map<string, Speaker>();
  for (const { from, to } of arrows)
    for (const one of [shown(from), shown(to)]) if (!speakers.has(one.name)) speakers.set(one.name, one);

  const appeared = [...speakers.values()];
  /** Where the first of each process appears: its parts stand together. */
  const firsts = new Map<string, number>();
  appeared.forEach((speaker, order) => {
    const { name } = speaker.process;
    if (!firsts.has(name)) firsts.set(name, order);
  });
  const sorted = appeared
    .map((speaker, order) => {
      const first = firsts.get(speaker.process.name) as number;
      return { speaker, place: placeOf(speaker, options.order ?? []), first, order };
    })
    .sort((a, b) => a.place - b.place || compareNames(a, b));

  const used = new Map<string, number>();
  const managers = new Set(appeared.filter((one) => one.process.name !== one.name).map((one) => one.process.name));
  const participants = sorted.map(({ speaker }): Participant => {
    const stem = speaker.shortId ?? (speaker.process.name === speaker.name ? 'P' : initials(speaker.component));
    const count = (used.get(stem) ?? 0) + 1;
    used.set(stem, count);
    const box =
      options.groups?.get(speaker.name) ?? (managers.has(speaker.process.name) ? speaker.process.name : undefined);
    const participant = {
      id: count === 1 ? stem : `${stem}${count}`,
      name: speaker.name,
      component: speaker.component,
    };
    return { ...participant, evidence: speaker.evidence, ...(box === undefined ? null : { box }) };
  });
  const ids = new Map(participants.map((one) => [one.name, one.id]));
  return { idOf: (speaker) => ids.get(shown(speaker).name) as string, participants };
}

function placeOf(speaker: Speaker, order: readonly string[]): number {
  const asked = order.findIndex((name) => name === speaker.name || name === speaker.component);
  if (asked >= 0) return asked - order.length;
  return TIERS.indexOf(speaker.tier);
}

interface Appeared {
  readonly speaker: Speaker;
  readonly first: number;
  readonly order: number;
}

/** Within a tier: nodes by their name, the rest as they appear, parts of a process together. */
function compareNames(a: Appeared, b: Appeared): number {
  const perNode = a.speaker.perNode && b.speaker.perNode;
  if (perNode && a.speaker.component === b.speaker.component) return a.speaker.name < b.speaker.name ? -1 : 1;
  // A manager stands before its controllers, so that its box begins with it.
  if (a.speaker.process === b.speaker.process && a.speaker !== b.speaker) {
    if (a.speaker.process === a.speaker) return -1;
    if (b.speaker.process === b.speaker) return 1;
  }
  return a.first - b.first || a.order - b.order;
}

/** `replicaset-controller` is RC: letters of our own alphabet only, whatever a User-Agent held. */
function initials(name: string): string {
  const letters = name
    .split('-')
    .map((word) => word[0] ?? '')
    .join('')
    .toUpperCase();
  return /^[A-Z]{1,4}$/.test(letters) ? `K${letters}` : 'K';
}
