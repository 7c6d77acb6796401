import { describe, expect, it } from 'vitest';
import { APISERVER, changed, type Given, KUBECTL, message } from '../../../test/kit/messages.js';
import type { Message, StatusProblem } from '../../kubernetes/messages/message.js';
import { buildSequence } from '../build.js';
import { indexMessages } from '../message-index.js';
import { arrowsOf, isFailure } from '../model.js';
import { statusProblemsIn } from './status-problems.js';

function exchanged(given: Given, status = 200): Message[] {
  const request = message({ resource: 'pods', namespace: 'default', name: 'web', ...given });
  const { exchange } = request;
  return [request, message({ kind: 'response', from: APISERVER, to: KUBECTL, exchange, status })];
}

const WAITS: StatusProblem = { of: 'container web', state: 'waiting', reason: 'CrashLoopBackOff' };
const ENDED: StatusProblem = { of: 'container web', state: 'terminated', reason: 'Error', exitCode: 3 };
const tells = (...problems: StatusProblem[]): Message[] =>
  exchanged({ verb: 'patch', subresource: 'status', problems });
const creates = (): Message[] => exchanged({ verb: 'create' });
const deletes = (): Message[] => exchanged({ verb: 'delete' });

const said = (...messages: Message[][]): (readonly string[])[] => [
  ...statusProblemsIn(indexMessages(messages.flat())).values(),
];

describe('problems', () => {
  it('are noted where a status has them first', () => {
    expect(said(creates(), tells(ENDED), tells(WAITS, ENDED), tells(WAITS))).toEqual([
      ['container web: terminated (Error, exit code 3)'],
      ['container web: waiting (CrashLoopBackOff)'],
    ]);
  });

  it('make the arrow of each status red in which a container waits for an error, and of another one the first', () => {
    const messages = [creates(), tells(ENDED), tells(WAITS, ENDED), tells(ENDED), tells(WAITS)].flat();
    const arrows = arrowsOf(buildSequence({ messages, notices: [] }, { all: true }).steps);
    const requests = arrows.filter((arrow) => arrow.message.kind === 'request');
    expect(requests.map(isFailure)).toEqual([false, true, true, false, true]);
  });

  it('are noted again of another object of that name, and of one elsewhere', () => {
    expect(said(tells(WAITS), creates(), tells(WAITS))).toHaveLength(2);
    const other = exchanged({ verb: 'patch', subresource: 'status', problems: [WAITS], namespace: 'team' });
    expect(said(tells(WAITS), other)).toHaveLength(2);
  });

  it('are noted beside the response that creates a Pod which may not be scheduled yet', () => {
    const gated: StatusProblem = { of: 'condition PodScheduled', state: 'False', reason: 'SchedulingGated' };
    const [request, response] = creates();
    const object = { kind: 'Pod', namespace: 'default', name: 'web' };
    const messages = [{ ...request, name: undefined }, changed(response, { object, problems: [gated] })];
    expect([...statusProblemsIn(indexMessages(messages))]).toEqual([
      [messages[1], ['condition PodScheduled=False (SchedulingGated)']],
    ]);
  });

  it('are none where the write was refused', () => {
    const refused = exchanged({ verb: 'patch', subresource: 'status', problems: [WAITS] }, 409);
    expect(said(refused, tells(WAITS))).toEqual([['container web: waiting (CrashLoopBackOff)']]);
  });

  it('do not include how containers of a Pod end that is being deleted, or evicted', () => {
    expect(said(creates(), deletes(), tells(ENDED))).toEqual([]);
    expect(said(exchanged({ verb: 'create', subresource: 'eviction' }), tells(ENDED))).toEqual([]);
    const failed = exchanged({ verb: 'delete' }, 403);
    expect(said(failed, tells(ENDED))).toHaveLength(1);
    const [unanswered] = deletes();
    expect(said([unanswered], tells(ENDED))).toHaveLength(1);
  });

  it('do not include those of a terminating Pod, until one of its name is there anew', () => {
    const opened = message({ verb: 'watch', resource: 'pods' });
    const { exchange } = opened;
    const shown = (type: string, deletionTimestamp?: string): Message[] => {
      const object = { kind: 'Pod', namespace: 'default', name: 'web', deletionTimestamp };
      return [message({ kind: 'event', type, from: APISERVER, to: KUBECTL, exchange, object })];
    };
    const going = shown('MODIFIED', '2026-11-22T18:00:00Z');
    expect(said([opened], going, tells(ENDED), tells(WAITS))).toEqual([['container web: waiting (CrashLoopBackOff)']]);
    expect(said([opened], going, shown('MODIFIED'), tells(ENDED))).toEqual([]);
    expect(said([opened], going, shown('ADDED'), tells(ENDED))).toHaveLength(1);
  });

  it('have neither reason nor exit code where there is none', () => {
    expect(said(tells({ of: 'condition Ready', state: 'Unknown', reason: '' }))).toEqual([['condition Ready=Unknown']]);
  });
});
