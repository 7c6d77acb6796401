import { describe, expect, it } from 'vitest';
import { proven } from '../../participants/participant-record.js';
import { AnonymousClient } from '../mid-session/anonymous-client.js';
import { ParticipantRegistry } from './participant-registry.js';

const KUBELET = 'kubelet/v1.34.4 (linux/amd64) kubernetes/0123456';
const BALANCER = '192.0.2.10';

describe('programs of nodes behind one address', () => {
  it('are distinguished by what their connections request', () => {
    const known = new ParticipantRegistry();
    const [one, other, third] = [1, 2, 3].map((id) => known.onConnection(known.client(BALANCER, KUBELET, 1), id));
    expect(one.name).toBe('kubelet');
    known.learnNode(one, 'node-1', proven('asks for nodes node-1', 2), 1);
    // Nobody knows yet that it is not alone there.
    expect([one.name, other.name]).toEqual(['kubelet (node-1)', 'kubelet (node-1)']);
    known.learnNode(other, 'node-2', proven('asks for nodes node-2', 3), 2);
    expect([one.name, other.name, third.name]).toEqual([
      'kubelet (node-1)',
      'kubelet (node-2)',
      'kubelet (192.0.2.10)',
    ]);
    expect(new Set([one, other, third].map(({ process }) => process)).size).toBe(3);
    expect([one, other, third].map((each) => each.process.node)).toEqual(['node-1', 'node-2', null]);
    const again = known.onConnection(known.client(BALANCER, KUBELET, 9), 4);
    known.learnNode(again, 'node-2', proven('asks for nodes node-2', 9), 4);
    expect([again.process, again.id]).toEqual([other.process, other.id]);
    // Its own: in which frame the first one named itself says nothing of it.
    expect(other.evidence).toEqual(['asks for nodes node-2 (frame 3)']);
  });

  it('one for all its connections, where there is one node', () => {
    const known = new ParticipantRegistry();
    const [one, other] = [1, 2].map((id) => known.onConnection(known.client('192.0.2.11', KUBELET, 1), id));
    known.learnNode(one, 'node-1', proven('asks for nodes node-1', 2), 1);
    known.learnNode(other, 'node-1', proven('asks for nodes node-1', 3), 2);
    expect([one.process, one.name]).toEqual([other.process, other.name]);
    expect(known.all()).toHaveLength(1);
  });

  it('no node’s, where one connection requests several', () => {
    const known = new ParticipantRegistry();
    const mixed = known.onConnection(known.client(BALANCER, KUBELET, 1), 1);
    known.learnNode(mixed, 'node-1', proven('asks for nodes node-1', 2), 1);
    known.learnNode(mixed, 'node-2', proven('asks for nodes node-2', 3), 1);
    expect(mixed.name).toBe('kubelet (192.0.2.10)');
  });

  it('whose their connections are is taken back where what showed it did not', () => {
    const known = new ParticipantRegistry();
    const [one, other] = [1, 2].map((id) => known.onConnection(known.client(`192.0.2.2${id}`, KUBELET, 1), id));
    expect(known.learnNode(one, 'node-1', proven('asks for nodes node-1', 2), 1)).not.toBeNull();
    const takeBack = known.learnNode(other, 'node-1', proven('asks for nodes node-1', 3), 2);
    expect(other.name).toBe('kubelet (node-1)');
    takeBack?.();
    expect([one.name, other.name]).toEqual(['kubelet (node-1)', 'kubelet (192.0.2.22)']);
    expect(other.evidence).toHaveLength(1);
    known.learnNode(other, 'node-2', proven('asks for nodes node-2', 4), 2);
    // What was shown before stays.
    expect(known.learnNode(other, 'node-2', proven('asks for csinodes node-2', 5), 2)).toBeNull();
    expect(other.name).toBe('kubelet (node-2)');
  });

  it('of connections older than the capture, too', () => {
    const known = new ParticipantRegistry();
    const late = [1, 2].map((id) => {
      const client = new AnonymousClient(-id, BALANCER, 1);
      client.learn(known.onConnection(known.concludedAs('kubelet', BALANCER, proven('renews its Lease', null)), id));
      known.learnNode(client.record, `node-${id}`, proven(`renews Lease node-${id}`, null), id);
      return client.record;
    });
    expect(late.map(({ name }) => name)).toEqual(['kubelet (node-1)', 'kubelet (node-2)']);
  });

  it('others are named by their address, and a user’s rule wins', () => {
    const known = new ParticipantRegistry([{ name: 'mine', matches: (address) => address === '192.0.2.7' }]);
    const scheduler = known.client(BALANCER, 'kube-scheduler/v1', 1);
    expect(known.onConnection(scheduler, 1)).toBe(scheduler);
    const named = known.client('192.0.2.7', KUBELET, 1);
    expect(known.onConnection(named, 2)).toBe(named);
  });
});
