import { describe, expect, it } from 'vitest';
import type { UnreadPlace } from '../diagram/unread-places.js';
import type { Message, Participant } from '../kubernetes/messages/message.js';
import { UnreadTraffic } from './unread-traffic.js';

function participant(component: string, name = component): Participant {
  const one = { component, name } as unknown as Participant;
  return Object.assign(one, { process: one });
}

const SERVER = participant('kube-apiserver');
const SEEN = [
  { kind: 'request', connection: '192.0.2.1:4000-192.0.2.10:6443', from: participant('kubectl'), to: SERVER },
  {
    kind: 'event',
    connection: '192.0.2.11:4000-192.0.2.10:6443',
    from: SERVER,
    to: participant('kubelet', 'kubelet (node-1)'),
  },
  {
    kind: 'request',
    connection: '192.0.2.10:4001-192.0.2.30:9443',
    from: SERVER,
    to: participant('webhook', 'webhook v.example'),
  },
] as unknown as Message[];

const place = (client: string, server: string): UnreadPlace => ({
  code: 'tls.no-secret',
  detail: '',
  ends: { client, server },
});

describe('a message may be in an unread connection', () => {
  const cases: [string, string, string, UnreadPlace, boolean][] = [
    ['to a server that is known there', 'kubectl', 'kube-apiserver', place('192.0.2.1:5000', '192.0.2.10:6443'), true],
    ['from another host than its own', 'kubectl', 'kube-apiserver', place('192.0.2.11:5000', '192.0.2.10:6443'), false],
    [
      'from anywhere, of a client without messages',
      'helm',
      'kube-apiserver',
      place('192.0.2.11:5000', '192.0.2.10:6443'),
      true,
    ],
    ['by a pattern', 'kube*', 'kube-apiserver', place('192.0.2.11:5000', '192.0.2.10:6443'), true],
    ['to a server that is another', 'kubectl', 'etcd', place('192.0.2.1:5000', '192.0.2.10:6443'), false],
    ['to a port that is known', 'kube-apiserver', 'etcd', place('192.0.2.10:5000', '192.0.2.10:2379'), true],
    ['to a port of another', 'kubectl', 'kube-apiserver', place('192.0.2.1:5000', '192.0.2.10:2379'), false],
    [
      'of one of several nodes',
      'kube-apiserver',
      'kubelet (node-2)',
      place('192.0.2.10:5000', '192.0.2.12:10250'),
      true,
    ],
    ['to the API server by its Service', 'kubectl', 'kube-apiserver', place('192.0.2.1:5000', '10.96.0.1:443'), true],
    [
      'to the Internet, where no API server is',
      'kubectl',
      'kube-apiserver',
      place('192.0.2.1:5000', '8.8.8.8:443'),
      false,
    ],
    [
      'to an unknown port, of a participant with another address',
      'kubectl',
      'kube-apiserver',
      place('192.0.2.1:5000', '192.0.2.40:7777'),
      false,
    ],
    [
      'to an unknown port, of a participant without messages',
      'kubectl',
      'shop',
      place('192.0.2.1:5000', '192.0.2.40:7777'),
      true,
    ],
  ];
  it.each(cases)('%s', (_, client, server, unread, isPossible) => {
    const traffic = new UnreadTraffic([unread], SEEN);
    const expected = isPossible ? [unread] : [];
    expect(traffic.placesOf(client, server, 'request')).toEqual(expected);
    expect(traffic.placesOf(server, client, 'response')).toEqual(expected);
    expect(traffic.placesOf(server, client, 'event')).toEqual(expected);
    expect(traffic.placesOf(server, client, 'data')).toEqual(expected);
  });

  it('of skipped packets the connection is not known', () => {
    const skipped: UnreadPlace = { code: 'capture.unknown-link', detail: '', ends: null };
    expect(new UnreadTraffic([skipped], SEEN).placesOf('kubectl', 'kube-apiserver', 'request')).toEqual([skipped]);
  });
});
