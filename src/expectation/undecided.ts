// Tells a verdict that cannot be given from a failure: where what could not be read may hold the arrow that was not matched, or
// the one that must never occur, an expectation neither holds nor fails.

import type { UnreadPlace } from '../diagram/unread-places.js';
import type { CheckFailure, CheckVerdict } from './check.js';
import type { Diagram } from './syntax/diagram.js';
import type { TrafficKind, UnreadTraffic } from './unread-traffic.js';

export interface UndecidedExpectation {
  /** 1-based line of the arrow. */
  readonly line: number;
  readonly places: readonly UnreadPlace[];
}

/**
 * @param verdict with all its failures: one that nothing unread explains is a failure, whatever else is unread.
 * @returns the arrows that may be in what was not read; empty: the verdict stands.
 */
export function undecidedIn(
  diagram: Diagram,
  verdict: CheckVerdict,
  unread: UnreadTraffic,
): readonly UndecidedExpectation[] {
  const explained = failuresUnread(diagram, verdict, unread);
  if (verdict.failures.length > 0) return explained.length < verdict.failures.length ? [] : explained;
  return diagram.nevers.flatMap((never) => explanationOf(never, diagram, unread));
}

/** The failures of a verdict that may be in what was not read. */
export function failuresUnread(
  diagram: Diagram,
  { failures }: CheckVerdict,
  unread: UnreadTraffic,
): readonly UndecidedExpectation[] {
  return failures.flatMap(({ kind, text }) => (kind === 'missing' ? explanationOf(text, diagram, unread) : []));
}

function explanationOf(
  { line, from, to, label }: CheckFailure['text'],
  diagram: Diagram,
  unread: UnreadTraffic,
): UndecidedExpectation[] {
  const places = unread.placesOf(nameOf(from, diagram), nameOf(to, diagram), kindOf(label));
  return places.length === 0 ? [] : [{ line, places }];
}

function nameOf(id: string, { participants }: Diagram): string {
  return participants.get(id)?.name ?? id;
}

function kindOf(label: string): TrafficKind {
  const [, kind = ''] = /^\[([A-Z-]+)\]/.exec(label) ?? [];
  if (kind === 'REQ' || kind === 'RPC') return 'request';
  if (kind === 'DATA') return 'data';
  return kind.endsWith('CHUNK') ? 'event' : 'response';
}
