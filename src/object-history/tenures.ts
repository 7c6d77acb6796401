// Finds who held a Lease when: from the revisions in which its holder changed, and the renewals in between (client-go,
// tools/leaderelection).

import type { Message } from '../kubernetes/messages/message.js';
import type { Attempt, HistoryStep, Revision, Tenure } from './model.js';

/** @param steps of a Lease, in the order of time. */
export function tenuresOf(steps: readonly HistoryStep[]): readonly Tenure[] {
  const tenures: OpenTenure[] = [];
  let lease: number | null = null;
  let held: OpenTenure | null = null;
  for (const step of steps) {
    if (step.kind === 'attempt' && held !== null && isFailedRenewal(step, held)) held.failed.push(step.request);
    if (step.kind !== 'version') continue;
    const seconds = valueIn(step, 'spec.leaseDurationSeconds');
    if (typeof seconds?.after === 'number') lease = seconds.after;
    const change = valueIn(step, 'spec.holderIdentity');
    const at = step.author?.request ?? step.first;
    if (change !== undefined || step.happened === 'deleted') {
      const holder = typeof change?.after === 'string' ? change.after : '';
      if (held !== null) {
        held.ended = step.happened === 'deleted' ? 'deleted' : holder === '' ? 'released' : 'taken over';
        held.end = at;
      }
      held = holder === '' ? null : opened(holder, at, lease);
      if (held !== null) tenures.push(held);
    } else if (held !== null && (step.changes === null || valueIn(step, 'spec.renewTime') !== undefined))
      renew(held, at);
  }
  return tenures;
}

type OpenTenure = { -readonly [Key in keyof Omit<Tenure, 'failed'>]: Tenure[Key] } & { readonly failed: Message[] };

function opened(holder: string, begin: Message, leaseSeconds: number | null): OpenTenure {
  const since = { begin, lastRenewal: begin, renewals: 0, longestGap: 0n };
  return {
    holder,
    participant: begin.kind === 'request' ? begin.from.name : null,
    ...since,
    failed: [],
    leaseSeconds,
    ended: null,
    end: null,
  };
}

/** Others may write a Lease, too: those who want to have it. */
function isFailedRenewal({ what, request }: Attempt, { participant }: OpenTenure): boolean {
  return (what === 'refused' || what === 'unanswered') && (participant === null || request.from.name === participant);
}

function renew(held: OpenTenure, at: Message): void {
  const gap = at.time - held.lastRenewal.time;
  if (gap > held.longestGap) held.longestGap = gap;
  held.lastRenewal = at;
  held.renewals += 1;
}

/** Of what was sent, or of what differs. */
function valueIn({ sent, changes }: Revision, path: string) {
  return (sent ?? []).find((one) => one.path === path) ?? (changes ?? []).find((one) => one.path === path);
}
