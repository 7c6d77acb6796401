import { expect, it } from 'vitest';
import { APISERVER, type Given, KUBECTL, message, REPLICASETS } from '../../../test/kit/messages.js';
import type { Message } from '../../kubernetes/messages/message.js';
import { indexMessages } from '../message-index.js';
import { backgroundReasonOf } from '../selection/visibility.js';

const PODS = '/api/v1/pods?allowWatchBookmarks=true&watch=true';

function asked(request: Given, status = 200, before: Message[] = []): (string | null)[] {
  const made = message({ from: REPLICASETS, to: APISERVER, ...request });
  const answer = message({ kind: 'response', from: APISERVER, to: made.from, exchange: made.exchange, status });
  const index = indexMessages([...before, made, answer]);
  return [backgroundReasonOf(made, index), backgroundReasonOf(answer, index)];
}

const watch = (target: string, more: Given = {}) => ({ verb: 'watch', resource: 'pods', target, ...more });

it('a watch that goes on is no news', () => {
  expect(asked(watch(`${PODS}&resourceVersion=42`))).toEqual(['renewed-watches', 'renewed-watches']);
  const bookmark = message({ kind: 'event', type: 'BOOKMARK', from: APISERVER, to: REPLICASETS });
  const again = watch(`${PODS}&resourceVersion=42`, { causedBy: bookmark.seq });
  expect(asked(again, 200, [bookmark])).toEqual(['renewed-watches', 'renewed-watches']);
});

it('one that begins is, one that fails or has no response, and a person', () => {
  const list = message({ verb: 'list', resource: 'pods', from: REPLICASETS, to: APISERVER });
  const listed = message({ kind: 'response', from: APISERVER, to: REPLICASETS, exchange: list.exchange, status: 200 });
  const begins = watch(`${PODS}&resourceVersion=42`, { causedBy: listed.seq });
  expect(asked(begins, 200, [list, listed])).toEqual([null, null]);
  expect(asked(watch(`${PODS}&resourceVersion=42&sendInitialEvents=true`))).toEqual([null, null]);
  expect(asked(watch(`${PODS}&resourceVersion=0`))).toEqual([null, null]);
  expect(asked(watch(`${PODS}&resourceVersion=42`), 410)).toEqual([null, null]);
  const unanswered = message({ from: REPLICASETS, ...watch(`${PODS}&resourceVersion=42`) });
  expect(backgroundReasonOf(unanswered, indexMessages([unanswered]))).toBeNull();
  expect(asked(watch(`${PODS}&resourceVersion=42`, { from: KUBECTL }))).toEqual([null, null]);
});

it('an API server looks after its own address; no other program does', () => {
  const own = { verb: 'get', resource: 'endpoints', namespace: 'default', name: 'kubernetes' };
  expect(asked({ ...own, from: APISERVER })).toEqual(['own-address', 'own-address']);
  expect(asked({ ...own, from: APISERVER, verb: 'update' })).toEqual([null, null]);
  expect(asked(own)).toEqual([null, null]);
});

it('what ends that began before the capture', () => {
  const end = message({ kind: 'response', from: APISERVER, to: REPLICASETS });
  expect(backgroundReasonOf(end, indexMessages([end]))).toBe('renewed-watches');
});
