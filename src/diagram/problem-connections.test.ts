import { expect, it } from 'vitest';
import { APISERVER, exchanged, KUBECTL } from '../../test/kit/messages.js';
import { serverOf } from '../core/connection-name.js';
import { notice } from '../core/notice.js';
import { FailedConnections } from './problem-connections.js';

const answered = exchanged({ from: KUBECTL, to: APISERVER, verb: 'get', resource: 'pods' }, { status: 200 });
const { connection } = answered[0];
/** ns: of the answer. */
const ANSWER = answered[1].time;
const failure = (code: 'tcp.refused' | 'tls.refused', time: bigint) =>
  notice(code, 'why', { connection, origin: { capture: 0, frame: 7, time } });

it('takes it for usual that a server refuses before its first answer, and for none of its kind that it never answers', () => {
  const kinds = (...inputs: ((typeof answered)[number] | ReturnType<typeof failure>)[]): string[] => {
    const found = new FailedConnections();
    for (const one of inputs) {
      if ('code' in one) found.add(one);
      else found.observe(one);
    }
    return found.result().map(({ kind, count }) => `${count} ${kind}`);
  };
  const early = failure('tcp.refused', ANSWER - 2n);
  expect(serverOf(connection)).not.toBe('');
  expect(kinds(early, failure('tcp.refused', ANSWER - 1n), ...answered)).toEqual(['2 start-up']);
  expect(kinds(early, ...answered, failure('tcp.refused', ANSWER + 1n))).toEqual(['1 start-up', '1 unreachable']);
  expect(kinds(early)).toEqual(['1 unreachable']);
  // It has shown a certificate: it was there.
  expect(kinds(failure('tls.refused', ANSWER - 3n), early, ...answered)).toEqual(['1 unreachable', '1 unreachable']);
});
