import { describe, expect, it } from 'vitest';
import { APISERVER, changed, message } from '../../../test/kit/messages.js';
import { parseFollow } from '../../kubernetes/api/kinds.js';
import type { Message } from '../../kubernetes/messages/message.js';
import { indexMessages } from '../message-index.js';
import { FollowedObjects } from '../selection/followed-objects.js';
import { namespacesMeant, otherNamespaces } from '../selection/names.js';

function read(namespace: string | undefined, name = 'sample', resource = 'memcacheds'): Message[] {
  const request = message({ verb: 'get', resource, name, namespace });
  const object = { kind: 'Memcached', name, namespace: namespace ?? null };
  return [request, message({ kind: 'response', exchange: request.exchange, from: APISERVER, object })];
}

const messages = [
  ...read('one'),
  ...read('two'),
  ...read('one'),
  ...read('three', 'other'),
  ...read('four', 'sample', 'pods'),
];
const followed = (namespace: string | null) => parseFollow('memcached/sample', namespace)!;

describe('an object by its name', () => {
  it('in any namespace, of the API group that was given', () => {
    const ofGroup = (namespace: string, apiGroup: string): Message[] => {
      const [asked, response] = read(namespace);
      const request = changed(asked, { apiGroup });
      return [request, changed(response, { request })];
    };
    const both = [...ofGroup('one', 'cache.example.com'), ...ofGroup('two', 'other.example.com')];
    const { group, ...any } = followed(null);
    expect(namespacesMeant(indexMessages(both), { ...any, group })).toEqual(['one', 'two']);
    expect(namespacesMeant(indexMessages(both), { ...any, group: 'cache.example.com' })).toEqual(['one']);
  });

  it('in any namespace: in those that have it', () => {
    expect(namespacesMeant(indexMessages(messages), followed(null))).toEqual(['one', 'two']);
    const tracked = new FollowedObjects(indexMessages(messages), [followed(null)]);
    expect(messages.filter((one) => tracked.isAbout(one)).length).toBe(6);
  });

  it('in one: the other namespaces that have it are named', () => {
    expect(otherNamespaces(messages, followed('default'))).toEqual(['one', 'two']);
    expect(otherNamespaces(messages, followed('two'))).toEqual(['one']);
  });

  it('is found without one, where its kind is in none', () => {
    const cluster = read(undefined);
    const tracked = new FollowedObjects(indexMessages(cluster), [followed('default')]);
    expect(cluster.every((one) => tracked.isAbout(one))).toBe(true);
  });

  it('shown by events of a watch', () => {
    const watch = message({ verb: 'watch', resource: 'memcacheds' });
    const object = { kind: 'Memcached', name: 'sample', namespace: 'five' };
    const event = message({ kind: 'event', exchange: watch.exchange, from: APISERVER, type: 'ADDED', object });
    expect(otherNamespaces([watch, event], followed('default'))).toEqual(['five']);
  });
});
