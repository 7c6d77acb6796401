// What is the same of every recorded cluster: each watch event as an independent decoder has it, each request as the API server
// logged it. Knows the names of a fixture's files; what a capture tells beyond that, its own tests say.

import { expect, it } from 'vitest';
import type { Message } from '../../src/index.js';
import { type Audit, auditLog, loggedAnswers, programOf, toldOtherwise } from './audit.js';
import { fixtureLines } from './fixtures.js';
import { eventsIn, type ToldEvent, words } from './watch-truth.js';

/** @param least how many there are, at least, of each. @param nameOf what a user is called in diagrams. */
export function tellsAllOf(
  folder: string,
  messages: readonly Message[],
  least: { readonly events: number; readonly requests: number },
  nameOf?: (entry: Audit) => string,
): void {
  tellsEventsOf(folder, messages, least.events);
  tellsRequestsOf(folder, messages, least.requests, nameOf);
}

/** @param messages those that the truth file is about. */
export function tellsEventsOf(folder: string, messages: readonly Message[], least: number): void {
  it('every watch event has a message with its frame, as tshark and Python have it, and no other has one', () => {
    const truth = fixtureLines<ToldEvent>(`${folder}/watches.truth.jsonl`);
    expect(truth.length).toBeGreaterThan(least);
    expect(eventsIn(messages).map(words).sort()).toEqual(truth.map(words).sort());
  });
}

/** @param late of how many requests at most the header field that names a controller was before the capture: their process is known. */
export function tellsRequestsOf(
  folder: string,
  messages: readonly Message[],
  least: number,
  nameOf: (entry: Audit) => string = programOf,
  late = 0,
): void {
  it('every request of the audit log has one message, with its client, its object and its status', () => {
    const log = auditLog(`${folder}/audit.jsonl`);
    const told = loggedAnswers(messages, log);
    expect(log.size).toBeGreaterThan(least);
    expect(told.map(({ auditId }) => auditId).sort()).toEqual([...log.keys()].sort());
    const others = toldOtherwise(messages, log, nameOf);
    expect(others.slice(late)).toEqual([]);
    expect(others.filter((line) => line.split(' ')[1] !== 'kube-controller-manager')).toEqual([]);
  });
}
