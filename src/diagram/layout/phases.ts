// Divides a diagram into phases: set-up, a person's write, scheduling, the nodes, clean-up.

import { type Arrow, arrowsOf, type Sequence, type Step } from '../model.js';
import { WRITES } from '../selection/follow.js';

export interface Phase {
  /** `create deployments`; has no captured text but resource names. */
  readonly title: string;
  /** Indices of the steps, [from, to). */
  readonly from: number;
  readonly to: number;
  /** It belongs to the phase before it. */
  readonly goesOn: boolean;
}

/** @returns phases that cover all steps, in order. */
export function phasesOf({ steps }: Sequence): Phase[] {
  const begins: { title: string; from: number; kind: PhaseKind }[] = [];
  const begin = (title: string, from: number, kind: PhaseKind): void => void begins.push({ title, from, kind });
  const setUp = steps.findIndex(isSetUpNote);
  if (setUp >= 0) begin('set-up', 0, 'set-up');
  for (let at = setUp + 1; at < steps.length; at++) {
    const arrow = firstArrow(steps[at]);
    const last = begins[begins.length - 1]?.kind;
    const write = arrow === undefined ? null : writeOf(arrow);
    if (write !== null) begin(write.title, at, 'write');
    else if (arrow !== undefined && last === 'write' && sends(arrow, 'kube-scheduler'))
      begin('scheduling', at, 'scheduling');
    else if (arrow !== undefined && last === 'scheduling' && isOfNode(arrow)) begin('the nodes', at, 'nodes');
    else if (begins.length === 0 || last === 'set-up') begin('the story', at, 'story');
  }
  return begins.map(({ title, from, kind }, i) => ({
    title,
    from,
    to: begins[i + 1]?.from ?? steps.length,
    goesOn: kind === 'scheduling' || kind === 'nodes',
  }));
}

type PhaseKind = 'set-up' | 'write' | 'scheduling' | 'nodes' | 'story';

function isSetUpNote(step: Step): boolean {
  return step.kind === 'note' && step.lines[0] === SET_UP_NOTE;
}

function firstArrow(step: Step): Arrow | undefined {
  return step.kind === 'note' ? undefined : arrowsOf([step])[0];
}

/** A write of a person begins a phase, even if it fails. */
function writeOf({ message }: Arrow): { readonly title: string } | null {
  const { kind, verb = '', resource, subresource, from } = message;
  if (kind !== 'request' || from.tier !== 'people' || resource === undefined || !WRITES.has(verb)) return null;
  const what = subresource === undefined ? resource : `${resource}/${subresource}`;
  const words = `${verb} ${what}`;
  return { title: verb.startsWith('delete') ? `clean-up: ${words}` : words };
}

function sends({ message }: Arrow, component: string): boolean {
  return message.kind === 'request' && message.from.component === component && message.verb !== 'watch';
}

function isOfNode({ message }: Arrow): boolean {
  return (message.from.tier === 'nodes' || message.from.tier === 'runtimes') && message.kind === 'request';
}

export const SET_UP_NOTE = 'After k8s setup';
