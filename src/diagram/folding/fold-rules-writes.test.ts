import { describe, expect, it } from 'vitest';
import { changed, type Given, KUBECTL, exchanged as pair, REPLICASETS } from '../../../test/kit/messages.js';
import type { Message } from '../../kubernetes/messages/message.js';
import type { Dispositions } from '../disposition.js';
import { Chapters } from '../layout/chapters.js';
import { indexMessages, type MessageIndex } from '../message-index.js';
import { foldReadsBeforeWrites } from './fold-exchange.js';
import { applyFoldRules, repeatedErrors, statusUpdates, unchangedWrites } from './fold-rules.js';

const exchanged = (given: Given, status = 200, answered: Given = {}): Message[] =>
  pair({ from: REPLICASETS, resource: 'replicasets', name: 'web', ...given }, { status, ...answered });

const update = (status = 200): Message[] =>
  exchanged({ verb: 'update', subresource: 'status', label: 'status' }, status);
const scale = (): Message[] =>
  exchanged({ from: KUBECTL, verb: 'patch', resource: 'deployments', subresource: 'scale', label: 'scale' });

function foldWrites(
  index: MessageIndex,
  dispositions: Dispositions,
  problems: ReadonlyMap<Message, unknown> = new Map(),
): ReadonlyMap<Message, readonly string[]> {
  const context = { index, chapters: new Chapters(index, dispositions), problems };
  return applyFoldRules([statusUpdates, unchangedWrites], context, dispositions);
}

function fold(
  messages: Message[],
  how: 'writes' | 'reads',
): { drawn: number; notes: string[]; dispositions: Dispositions } {
  const dispositions: Dispositions = new Map(messages.map((one) => [one, 'drawn']));
  const index = indexMessages(messages);
  const notes = how === 'writes' ? [...foldWrites(index, dispositions).values()].flat() : [];
  if (how === 'reads') foldReadsBeforeWrites(index, dispositions);
  return {
    drawn: [...dispositions.values()].filter((disposition) => disposition === 'drawn').length,
    notes,
    dispositions,
  };
}

describe('repeated status updates', () => {
  it('draws the first and the last, with the number of all', () => {
    const { drawn, notes, dispositions } = fold(
      [...update(), ...update(), ...update(), ...update(), ...update()],
      'writes',
    );
    expect(drawn).toBe(4);
    expect(notes).toEqual(['5 such requests: the first and the last are drawn']);
    expect([...dispositions.values()].filter((disposition) => disposition === 'status-updates')).toHaveLength(6);
  });

  it('draws the first of writes that change nothing: their responses have a version that was shown before', () => {
    const versioned = (resourceVersion: string, given: Given = {}): Message[] => {
      const [request, response] = exchanged({ verb: 'patch', resource: 'deployments', label: 'apply', ...given });
      const object = { kind: 'Deployment', uid: 'u', resourceVersion };
      return [request, changed(response, { object })];
    };
    const changes = versioned('7');
    const same = Array.from({ length: 5 }, () => versioned('7'));
    const { drawn, notes, dispositions } = fold([...changes, ...same.flat(), ...versioned('8')], 'writes');
    expect(drawn).toBe(6);
    expect(notes).toEqual(['5 of these change nothing: the first is drawn']);
    expect([...dispositions.values()].filter((disposition) => disposition === 'unchanged-writes')).toHaveLength(8);
    expect(fold([...changes, ...same.slice(0, 3).flat()], 'writes').notes).toEqual([]);
    const people = Array.from({ length: 5 }, () => versioned('7', { from: KUBECTL }));
    expect(fold([...changes, ...people.flat()], 'writes').notes).toEqual([]);
  });

  it('draws a failed one, and does not count it', () => {
    const { drawn, notes } = fold([...update(), ...update(), ...update(409), ...update(), ...update()], 'writes');
    expect(drawn).toBe(6);
    expect(notes).toEqual(['4 such requests: the first and the last are drawn']);
  });

  it('does not count one without a response', () => {
    const [unanswered] = update();
    const { drawn, notes, dispositions } = fold(
      [...update(), ...update(), unanswered, ...update(), ...update()],
      'writes',
    );
    expect(drawn).toBe(5);
    expect(dispositions.get(unanswered)).toBe('drawn');
    expect(notes).toEqual(['4 such requests: the first and the last are drawn']);
  });

  it('does not count one with a new problem', () => {
    const messages = [...update(), ...update(), ...update(), ...update(), ...update()];
    const dispositions: Dispositions = new Map(messages.map((one) => [one, 'drawn']));
    const index = indexMessages(messages);
    const notes = foldWrites(index, dispositions, new Map([[messages[4], ['new']]]));
    expect([...notes.values()].flat()).toEqual(['4 such requests: the first and the last are drawn']);
    expect(messages.map((one) => dispositions.get(one) === 'drawn')).toEqual([
      true,
      true,
      false,
      false,
      true,
      true,
      false,
      false,
      true,
      true,
    ]);
  });

  it('counts within a chapter', () => {
    const two = (): Message[] => [...update(), ...update()];
    expect(fold([...two(), ...scale(), ...two()], 'writes').notes).toEqual([]);
  });

  it('draws all of a few', () => {
    expect(fold([...update(), ...update(), ...update()], 'writes').drawn).toBe(6);
  });
});

describe('reads before writes', () => {
  const read = (status = 200): Message[] => exchanged({ verb: 'get', label: 'get' }, status);

  it('folds the read and draws the write', () => {
    const { drawn, dispositions } = fold([...read(), ...update()], 'reads');
    expect(drawn).toBe(2);
    expect([...dispositions.values()].filter((disposition) => disposition === 'reads-before-writes')).toHaveLength(2);
  });

  it('draws a read that failed, that no write follows, or that a person sent', () => {
    expect(fold([...read(403), ...update()], 'reads').drawn).toBe(4);
    expect(fold([...read()], 'reads').drawn).toBe(2);
    expect(
      fold([...exchanged({ from: KUBECTL, verb: 'get' }), ...exchanged({ from: KUBECTL, verb: 'delete' })], 'reads')
        .drawn,
    ).toBe(4);
  });
});

describe('chapters', () => {
  it('begin where a person changed something, not where that failed, was a dry run or had no answer', () => {
    const messages = [
      ...scale(),
      ...exchanged({ from: KUBECTL, verb: 'delete', resource: 'deployments' }, 404),
      ...exchanged({ from: KUBECTL, verb: 'patch', resource: 'deployments', dryRun: true }),
      ...exchanged({ from: KUBECTL, verb: 'delete', resource: 'deployments' }).slice(0, 1),
      ...update(),
      ...exchanged({ from: KUBECTL, verb: 'delete', resource: 'deployments' }),
      ...exchanged({ from: KUBECTL, verb: 'create', resource: 'jobs', name: undefined }, 201, {
        object: { kind: 'Job', name: 'run-x7k2p' },
      }),
    ];
    const index = indexMessages(messages);
    const chapters = new Chapters(index, new Map(messages.map((one) => [one, 'drawn'])));
    expect(chapters.beginnings.map((write) => chapters.titleOf(write))).toEqual([
      'patch deployments/web/scale',
      'delete deployments/web',
      'create jobs/run-x7k2p',
    ]);
    expect(messages.map((one) => chapters.of(one))).toEqual([1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 3, 3]);
  });
});

describe('the same error again', () => {
  it('is folded of a program, which retries, and never of a person', () => {
    const failed = (from: Message['from']): Message[] =>
      Array.from({ length: 5 }, () =>
        exchanged(
          { from, verb: 'get', resource: undefined, name: undefined, target: '/apis', label: 'GET /apis' },
          503,
        ),
      ).flat();
    const drawnOf = (messages: readonly Message[]): number => {
      const dispositions: Dispositions = new Map(messages.map((one) => [one, 'drawn']));
      const index = indexMessages(messages);
      const context = { index, chapters: new Chapters(index, dispositions), problems: new Map() };
      applyFoldRules([repeatedErrors], context, dispositions);
      return [...dispositions.values()].filter((one) => one === 'drawn').length;
    };
    expect(drawnOf(failed(REPLICASETS))).toBe(2);
    expect(drawnOf(failed(KUBECTL))).toBe(10);
  });
});
