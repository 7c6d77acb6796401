// Arranges lifelines from left to right: people, control plane, nodes, with controllers in their manager's box.

import type { Participant } from '../../kubernetes/messages/message.js';
import { TIERS } from '../../kubernetes/participants/tiers.js';
import type { Lifeline } from '../model.js';

export interface LifelineOptions {
  /** Draw each controller of the controller manager, or the manager as one lifeline. */
  readonly by: 'controller' | 'component';
  /** The user's order from left to right; other names follow. */
  readonly order?: readonly string[];
  /** The user's boxes: participant name → box. */
  readonly groups?: ReadonlyMap<string, string>;
}

export interface LifelineLayout {
  idOf(participant: Participant): string;
  readonly lifelines: readonly Lifeline[];
}

export function lifelinesOf(
  arrows: readonly { readonly from: Participant; readonly to: Participant }[],
  options: LifelineOptions,
): LifelineLayout {
  const shown = (participant: Participant): Participant =>
    options.by === 'component' ? participant.process : participant;
  const participants = new Map<string, Participant>();
  for (const { from, to } of arrows)
    for (const one of [shown(from), shown(to)]) if (!participants.has(one.name)) participants.set(one.name, one);

  const appeared = [...participants.values()];
  /** Process → position of its first part, so that its parts stand together. */
  const firsts = new Map<string, number>();
  appeared.forEach((participant, order) => {
    const { name } = participant.process;
    if (!firsts.has(name)) firsts.set(name, order);
  });
  const sorted = appeared
    .map((participant, order) => {
      const first = firsts.get(participant.process.name) as number;
      return { participant, place: placeOf(participant, options.order ?? []), first, order };
    })
    .sort((a, b) => a.place - b.place || compareNames(a, b));

  const used = new Map<string, number>();
  const managers = new Set(appeared.filter((one) => one.process.name !== one.name).map((one) => one.process.name));
  const lifelines = sorted.map(({ participant }): Lifeline => {
    const stem =
      participant.shortId ?? (participant.process.name === participant.name ? 'P' : initials(participant.component));
    const count = (used.get(stem) ?? 0) + 1;
    used.set(stem, count);
    const box =
      options.groups?.get(participant.name) ??
      (managers.has(participant.process.name) ? participant.process.name : undefined);
    const lifeline = {
      id: count === 1 ? stem : `${stem}${count}`,
      name: participant.name,
      component: participant.component,
    };
    return { ...lifeline, evidence: participant.evidence, ...(box === undefined ? null : { box }) };
  });
  const ids = new Map(lifelines.map((one) => [one.name, one.id]));
  return { idOf: (participant) => ids.get(shown(participant).name) as string, lifelines };
}

function placeOf(participant: Participant, order: readonly string[]): number {
  const wanted = order.findIndex((name) => name === participant.name || name === participant.component);
  if (wanted >= 0) return wanted - order.length;
  return TIERS.indexOf(participant.tier);
}

interface Appeared {
  readonly participant: Participant;
  readonly first: number;
  readonly order: number;
}

/** Within a tier: nodes by name, others in the order of appearance, parts of a process together. */
function compareNames(a: Appeared, b: Appeared): number {
  const perNode = a.participant.perNode && b.participant.perNode;
  if (perNode && a.participant.component === b.participant.component)
    return a.participant.name < b.participant.name ? -1 : 1;
  // The box of a manager begins with the manager.
  if (a.participant.process === b.participant.process && a.participant !== b.participant) {
    if (a.participant.process === a.participant) return -1;
    if (b.participant.process === b.participant) return 1;
  }
  return a.first - b.first || a.order - b.order;
}

/** `replicaset-controller` → KRC: only letters A to Z, whatever the User-Agent has. */
function initials(name: string): string {
  const letters = name
    .split('-')
    .map((word) => word[0] ?? '')
    .join('')
    .toUpperCase();
  return /^[A-Z]{1,4}$/.test(letters) ? `K${letters}` : 'K';
}
