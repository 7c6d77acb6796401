import { describe, expect, it } from 'vitest';
import { changed, type Given, KUBECTL, exchanged as pair, REPLICASETS } from '../../../test/messages.js';
import type { Message } from '../../kubernetes/messages/message.js';
import { Chapters } from '../layout/chapters.js';
import { indexMessages } from '../message-index.js';
import type { Dispositions } from '../selection/follow.js';
import { FOLDED_READS_BEFORE_WRITES, foldReadsBeforeWrites } from './reads-before-writes.js';
import { FOLDED_IDLE, FOLDED_REPEATED_WRITES, foldRepeatedWrites } from './repeated-writes.js';

const exchanged = (given: Given, status = 200, answered: Given = {}): Message[] =>
  pair({ from: REPLICASETS, resource: 'replicasets', name: 'web', ...given }, { status, ...answered });

const round = (status = 200): Message[] =>
  exchanged({ verb: 'update', subresource: 'status', label: 'status' }, status);
const scale = (): Message[] =>
  exchanged({ from: KUBECTL, verb: 'patch', resource: 'deployments', subresource: 'scale', label: 'scale' });

function fold(messages: Message[], how: 'rounds' | 'looks'): { drawn: number; remarks: string[]; fates: Dispositions } {
  const fates: Dispositions = new Map(messages.map((one) => [one, null]));
  const seen = indexMessages(messages);
  const remarks =
    how === 'rounds' ? [...foldRepeatedWrites(seen, fates, new Chapters(seen, fates)).values()].flat() : [];
  if (how === 'looks') foldReadsBeforeWrites(seen, fates);
  return { drawn: [...fates.values()].filter((fate) => fate === null).length, remarks, fates };
}

describe('rounds of status updates', () => {
  it('the first and the last are drawn, with the number of all', () => {
    const { drawn, remarks, fates } = fold([...round(), ...round(), ...round(), ...round(), ...round()], 'rounds');
    expect(drawn).toBe(4);
    expect(remarks).toEqual(['5 of these: the first and the last are drawn']);
    expect([...fates.values()].filter((fate) => fate === FOLDED_REPEATED_WRITES)).toHaveLength(6);
  });

  it('of writes that change nothing, the first is drawn: their answers have a version that was told before', () => {
    const versioned = (resourceVersion: string, given: Given = {}): Message[] => {
      const [request, response] = exchanged({ verb: 'patch', resource: 'deployments', label: 'apply', ...given });
      const object = { kind: 'Deployment', uid: 'u', resourceVersion };
      return [request, changed(response, { object })];
    };
    const changes = versioned('7');
    const same = Array.from({ length: 5 }, () => versioned('7'));
    const { drawn, remarks, fates } = fold([...changes, ...same.flat(), ...versioned('8')], 'rounds');
    expect(drawn).toBe(6);
    expect(remarks).toEqual(['5 of these change nothing: the first is drawn']);
    expect([...fates.values()].filter((fate) => fate === FOLDED_IDLE)).toHaveLength(8);
    expect(fold([...changes, ...same.slice(0, 3).flat()], 'rounds').remarks).toEqual([]);
    const people = Array.from({ length: 5 }, () => versioned('7', { from: KUBECTL }));
    expect(fold([...changes, ...people.flat()], 'rounds').remarks).toEqual([]);
  });

  it('one that failed is drawn, and is none of them', () => {
    const { drawn, remarks } = fold([...round(), ...round(), ...round(409), ...round(), ...round()], 'rounds');
    expect(drawn).toBe(6);
    expect(remarks).toEqual(['4 of these: the first and the last are drawn']);
  });

  it('nor is one that nobody answered', () => {
    const [unanswered] = round();
    const { drawn, remarks, fates } = fold([...round(), ...round(), unanswered, ...round(), ...round()], 'rounds');
    expect(drawn).toBe(5);
    expect(fates.get(unanswered)).toBeNull();
    expect(remarks).toEqual(['4 of these: the first and the last are drawn']);
  });

  it('nor is one that says something new', () => {
    const messages = [...round(), ...round(), ...round(), ...round(), ...round()];
    const fates: Dispositions = new Map(messages.map((one) => [one, null]));
    const seen = indexMessages(messages);
    const remarks = foldRepeatedWrites(seen, fates, new Chapters(seen, fates), new Map([[messages[4], ['new']]]));
    expect([...remarks.values()].flat()).toEqual(['4 of these: the first and the last are drawn']);
    expect(messages.map((one) => fates.get(one) === null)).toEqual([
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

  it('are counted within a chapter', () => {
    const two = (): Message[] => [...round(), ...round()];
    expect(fold([...two(), ...scale(), ...two()], 'rounds').remarks).toEqual([]);
  });

  it('a few are all drawn', () => {
    expect(fold([...round(), ...round(), ...round()], 'rounds').drawn).toBe(6);
  });
});

describe('looks before writes', () => {
  const look = (status = 200): Message[] => exchanged({ verb: 'get', label: 'get' }, status);

  it('are folded, the write stays', () => {
    const { drawn, fates } = fold([...look(), ...round()], 'looks');
    expect(drawn).toBe(2);
    expect([...fates.values()].filter((fate) => fate === FOLDED_READS_BEFORE_WRITES)).toHaveLength(2);
  });

  it('stay where they failed, where nothing follows, and where a person looks', () => {
    expect(fold([...look(403), ...round()], 'looks').drawn).toBe(4);
    expect(fold([...look()], 'looks').drawn).toBe(2);
    expect(
      fold([...exchanged({ from: KUBECTL, verb: 'get' }), ...exchanged({ from: KUBECTL, verb: 'delete' })], 'looks')
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
      ...round(),
      ...exchanged({ from: KUBECTL, verb: 'delete', resource: 'deployments' }),
      ...exchanged({ from: KUBECTL, verb: 'create', resource: 'jobs', name: undefined }, 201, {
        object: { kind: 'Job', name: 'run-x7k2p' },
      }),
    ];
    const seen = indexMessages(messages);
    const chapters = new Chapters(seen, new Map(messages.map((one) => [one, null])));
    expect(chapters.beginnings.map((write) => chapters.titleOf(write))).toEqual([
      'patch deployments/web/scale',
      'delete deployments/web',
      'create jobs/run-x7k2p',
    ]);
    expect(messages.map((one) => chapters.of(one))).toEqual([1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 3, 3]);
  });
});
