// Draws an expectation that other runs can meet: without nondeterministic requests, and with responses directly below
// their causes.

import { buildSequence } from '../diagram/build.js';
import { nondeterministicExchanges } from '../diagram/folding/nondeterminism.js';
import type { MessageIndex } from '../diagram/message-index.js';
import { ancestorsOf, indexMessages, type Observation } from '../diagram/message-index.js';
import type { Arrow, Note, Sequence, Step } from '../diagram/model.js';
import { isPerson } from '../diagram/selection/noise.js';
import type { DiagramOptions } from '../diagram/selection/visibility.js';
import { requestOf } from '../kubernetes/emitted/message-links.js';

/** @returns the sequence, and the number of exchanges that are left out as nondeterministic. */
export function stableExpectation(
  observation: Observation,
  options: DiagramOptions,
): { readonly sequence: Sequence; readonly nondeterministic: number } {
  // With `--all` the capture stays as it is.
  if (options.all === true) return { sequence: buildSequence(observation, options), nondeterministic: 0 };
  const seen = indexMessages(observation.messages);
  const nondeterministic = nondeterministicExchanges(seen);
  const isSelected = options.selected ?? (() => true);
  const selected: DiagramOptions['selected'] =
    nondeterministic.size === 0
      ? options.selected
      : (message) => !nondeterministic.has(message.exchange) && isSelected(message);
  const sequence = buildSequence(observation, { ...options, selected });
  return {
    sequence: { ...sequence, steps: stableOrder(sequence.steps, seen) },
    nondeterministic: nondeterministic.size,
  };
}

/** A step with its notes. */
type Unit = readonly [Step, ...Note[]];

/**
 * Moves what servers send up to its cause, as far as it could have been sent. A capture has a response where it was seen, after
 * what its sender received meanwhile; in an expectation that position would be a condition.
 *
 *   C ->>+ AS: PUT a/status          C ->>+ AS: PUT a/status
 *   D ->>+ AS: PUT a           →     AS -->>- C: 200
 *   AS -->>- C: 200                  D ->>+ AS: PUT a
 */
export function stableOrder(steps: readonly Step[], seen: MessageIndex): Step[] {
  const out: Unit[] = [];
  for (const unit of unitsOf(steps)) {
    const [step] = unit;
    let place = out.length;
    if (step.kind === 'arrow' && isServers(step, seen)) {
      while (place > 0 && mayPass(step, out[place - 1][0], seen)) place -= 1;
      // Without any step that it must follow, its cause is unknown: it stays.
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

/** Notes of chapters and pauses are over all participants. */
function isOn({ over }: Note, { from, to }: Arrow): boolean {
  return over.every((one) => one === from || one === to);
}

/** Does a server send it because of a request? Other requests of servers may be writes, whose order matters. */
function isServers({ message }: Arrow, seen: MessageIndex): boolean {
  return message.kind !== 'request' || (message.to.tier === 'extensions' && seen.causeOf(message)?.kind === 'request');
}

/** Can the arrow stand above the step: not above its request or cause, nor above what its receiver sent? */
function mayPass(arrow: Arrow, before: Step, seen: MessageIndex): boolean {
  if (before.kind !== 'arrow' || before.from === arrow.to) return false;
  const [one, other] = [arrow.message, before.message];
  if (one.exchange === other.exchange || one.causedBy === other.seq) return false;
  for (const ancestor of ancestorsOf(one, seen)) if (ancestor === other.seq) return false;
  // A client that waits for this response received the other message before it.
  if (one.kind === 'response' && isPerson(one.to) && before.to === arrow.to && other.kind !== 'response') return false;
  // Requests that the server sent because of the request that this response answers.
  const cause = other.kind === 'event' ? undefined : seen.causeOf(requestOf(other) ?? other);
  return cause === undefined || (cause.exchange !== one.exchange && cause.seq !== one.causedBy);
}
