// An expectation's arrows in an order that other runs keep as well. In a capture an answer stands where it was seen, behind what
// its sender happened to receive meanwhile; as an expectation that would mean that it waits for that. So what a server sends
// moves up, as far as to what it answers to. Knows steps and what rests on what; nothing of matching.
//
//   C ->>+ AS: PUT a/status          C ->>+ AS: PUT a/status
//   D ->>+ AS: PUT a           →     AS -->>- C: 200
//   AS -->>- C: 200                  D ->>+ AS: PUT a

import type { MessageIndex } from '../diagram/message-index.js';
import type { Arrow, Note, Step } from '../diagram/model.js';
import { isPerson } from '../diagram/selection/noise.js';

/** A step with the notes on it. */
type Unit = readonly [Step, ...Note[]];

/** @returns the same steps: answers, events, and what a server asks because of a request, as early as they could have come. */
export function stableOrder(steps: readonly Step[], seen: MessageIndex): Step[] {
  const out: Unit[] = [];
  for (const unit of unitsOf(steps)) {
    const [step] = unit;
    let place = out.length;
    if (step.kind === 'arrow' && isServers(step, seen)) {
      while (place > 0 && mayPass(step, out[place - 1][0], seen)) place -= 1;
      // Behind what it cannot pass nothing is to be found: it stays, where nobody says what it answers to.
      if (place === 0) place = out.length;
    }
    out.splice(place, 0, unit);
  }
  return out.flat();
}

function unitsOf(steps: readonly Step[]): Unit[] {
  const units: Unit[] = [];
  for (const step of steps) {
    const [before] = units.at(-1) ?? [];
    if (step.kind === 'note' && before?.kind === 'arrow' && isOn(step, before)) units.push([...units.pop()!, step]);
    else units.push([step]);
  }
  return units;
}

/** A chapter, a pause are over everybody. */
function isOn({ over }: Note, { from, to }: Arrow): boolean {
  return over.every((one) => one === from || one === to);
}

/** What follows from something that was received. Other requests of servers may be writes, whose order counts. */
function isServers({ message }: Arrow, seen: MessageIndex): boolean {
  return message.kind !== 'request' || (message.to.tier === 'extensions' && seen.causeOf(message)?.kind === 'request');
}

/** Could it have come before that one? Not before what it is of or because of, nor before what its receiver sent. */
function mayPass(arrow: Arrow, before: Step, seen: MessageIndex): boolean {
  if (before.kind !== 'arrow' || before.from === arrow.to) return false;
  const [one, other] = [arrow.message, before.message];
  if (one.exchange === other.exchange || one.causedBy === other.seq) return false;
  // Below an answer that somebody waits for, nothing stands that he received before it.
  if (one.kind === 'response' && isPerson(one.to) && before.to === arrow.to && other.kind !== 'response') return false;
  // What was asked of others for the request that it answers, or that it tells of.
  const asked = other.kind === 'event' ? undefined : seen.causeOf(seen.requestOf(other) ?? other);
  return asked === undefined || (asked.exchange !== one.exchange && asked.seq !== one.causedBy);
}
