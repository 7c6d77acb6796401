import { describe, expect, it } from 'vitest';
import { APISERVER, exchanged, type Given, KUBECTL, REPLICASETS } from '../../../test/kit/messages.js';
import type { Message } from '../../kubernetes/messages/message.js';
import { indexMessages } from '../message-index.js';
import { nondeterministicExchanges } from './nondeterminism.js';

const asked = (given: Given, answer?: Given): Message[] =>
  exchanged({ from: REPLICASETS, method: 'GET', target: '/pods/web', ...given }, answer);

const get = (given: Given = {}) => asked({ verb: 'get', resource: 'pods', name: 'web', ...given });
const put = (answer: Given = { status: 200 }) =>
  asked({ verb: 'update', method: 'PUT', resource: 'pods', name: 'web' }, answer);
const post = (answer: Given, name = 'web') =>
  asked({ verb: 'create', method: 'POST', target: '/pods', object: { kind: 'Pod', name } }, answer);

/** Which of the exchanges are there by chance, by their place. */
function byChance(...exchanges: readonly Message[][]): number[] {
  const found = nondeterministicExchanges(indexMessages(exchanges.flat()));
  return exchanges.flatMap(([{ exchange }], i) => (found.has(exchange) ? [i] : []));
}

describe('reads', () => {
  it.each([
    ['again and again: all but the last', [get(), get(), get()], [0, 1]],
    ['with a write between them: each is of its own', [get(), put(), get()], []],
    ['of something else: each is of its own', [get(), get({ target: '/pods/other' })], []],
    ['of another client: each is of its own', [get(), get({ from: KUBECTL })], []],
    ['of a log, which is no look', [get({ subresource: 'log' }), get({ subresource: 'log' })], []],
  ])('%s', (_, exchanges, expected) => {
    expect(byChance(...exchanges)).toEqual(expected);
  });

  it('of users: all of them if the user writes as well, else all but the last', () => {
    const look = () => get({ from: KUBECTL });
    const write = asked({ from: KUBECTL, verb: 'delete', method: 'DELETE' });
    expect(byChance(look(), write, look())).toEqual([0, 2]);
    expect(byChance(look(), look())).toEqual([0]);
  });
});

describe('writes', () => {
  const conflict = { status: 409, reason: 'Conflict' };
  const exists = { status: 409, reason: 'AlreadyExists' };

  it.each([
    ['of a version that is none any more', [put(conflict), put()], [0]],
    ['of what it made itself', [post({ status: 201 }), post(exists)], [1]],
    ['of an object that another client created: that is why it fails', [post(exists)], []],
    ['of something else than what it made', [post({ status: 201 }), post(exists, 'other')], []],
    ['that were refused', [put({ status: 403, reason: 'Forbidden' }), put()], []],
  ])('%s', (_, exchanges, expected) => {
    expect(byChance(...exchanges)).toEqual(expected);
  });

  it('go with the requests that they triggered', () => {
    const late = put(conflict);
    const webhook = asked({
      from: APISERVER,
      verb: undefined,
      method: 'POST',
      target: '/review',
      causedBy: late[0].seq,
    });
    expect(byChance(late, webhook, put())).toEqual([0, 1]);
  });
});
