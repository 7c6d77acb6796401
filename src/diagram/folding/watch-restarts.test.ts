import { expect, it } from 'vitest';
import { exchanged, type Given, MANAGER, message } from '../../../test/kit/messages.js';
import type { Message } from '../../kubernetes/messages/message.js';
import type { Dispositions } from '../disposition.js';
import { indexMessages } from '../message-index.js';
import { foldWatchRestarts } from './watch-restarts.js';

const watch = (given: Given, answer: Given): Message[] => exchanged({ from: MANAGER, verb: 'watch', ...given }, answer);

function fold(messages: Message[]): { titles: string[]; drawn: number[]; dispositions: Dispositions } {
  const dispositions: Dispositions = new Map(messages.map((one) => [one, 'other-objects']));
  const titles = foldWatchRestarts(indexMessages(messages), dispositions).map((group) => group.title);
  return {
    dispositions,
    titles,
    drawn: messages.flatMap((one, at) => (dispositions.get(one) === 'drawn' ? [at] : [])),
  };
}

it('of watches that are refused, one is drawn for each reason', () => {
  const refused = (status: number, reason: string): Message[] => watch({}, { status, reason });
  const messages = [
    ...refused(403, 'Forbidden'),
    ...refused(403, 'Forbidden'),
    ...refused(429, 'TooManyRequests'),
    ...refused(403, 'Forbidden'),
    ...refused(403, 'Expired'),
  ];
  expect(fold(messages)).toMatchObject({
    titles: ['3 watches of kube-controller-manager are refused'],
    drawn: [0, 1, 4, 5, 8, 9],
  });
});

it('a watch without a response was not resumed', () => {
  const told = message({ kind: 'event', type: 'MODIFIED', to: MANAGER });
  const answered = Array.from({ length: 10 }, () => watch({ causedBy: told.seq }, { status: 200 }));
  const [unanswered] = watch({ causedBy: told.seq }, { status: 200 });
  const { titles, dispositions } = fold([told, ...answered.flat(), unanswered]);
  expect(titles).toEqual(['10 watches of kube-controller-manager resume from the version that they received last']);
  expect(dispositions.get(unanswered)).toBe('other-objects');
});
