import { describe, expect, it } from 'vitest';
import { ParticipantRegistry } from '../identity/participant-registry.js';
import { DualStackHosts } from './dual-stack-hosts.js';

const IPV4 = '192.0.2.11';
const IPV6 = '2001:db8::11';

describe('one program on one host is one participant', () => {
  it('over the loopbacks of both families, if it names itself', () => {
    const known = new ParticipantRegistry();
    const first = known.client('127.0.0.1', 'curl/8.5.0', 1);
    expect(known.client('::1', 'curl/8.5.0', 2)).toBe(first);
    // Who is silent may be anybody: two programs of a host, each on its own loopback.
    const silent = known.client('127.0.0.1', undefined, 3);
    expect(known.client('::1', undefined, 4)).not.toBe(silent);
    expect(known.client('127.0.0.2', undefined, 5).name).toBe('client 127.0.0.2');
    expect(known.client('192.0.2.1', undefined, 6).name).toBe('client 192.0.2.1');
  });

  it.each([undefined, 'curl/8.5.0', 'etcdctl/3.6'])(
    'over the two addresses of a node, reported before: %s',
    (agent) => {
      const known = new ParticipantRegistry();
      known.client('192.0.2.99', agent, 1);
      known.nodeIsAt('node-1', IPV4, 2);
      known.nodeIsAt('node-1', IPV6, 2);
      expect(known.client(IPV6, agent, 3).name).toBe(known.client(IPV4, agent, 4).name);
      expect(known.client(IPV6, agent, 5).name).not.toBe(known.client('192.0.2.99', agent, 6).name);
    },
  );

  it.each([undefined, 'curl/8.5.0', 'my-operator/v1 (linux/amd64) kubernetes/x'])(
    'over the two addresses of a node, learnt later: %s',
    (agent) => {
      const known = new ParticipantRegistry();
      known.client('192.0.2.99', agent, 1);
      const [one, other] = [known.client(IPV4, agent, 1), known.client(IPV6, agent, 2)];
      expect(one.name).not.toBe(other.name);
      known.nodeIsAt('node-1', IPV4, 3);
      known.nodeIsAt('node-1', IPV6, 3);
      expect(other.name).toBe(one.name);
      expect(one.evidence).toContain(`Node node-1 has ${IPV4} and ${IPV6} (frame 3)`);
      expect(known.client(IPV6, agent, 4)).toBe(known.client(IPV4, agent, 4));
      expect(known.all().filter(({ name }) => name === one.name)).toHaveLength(1);
    },
  );

  it('and servers of it, too', () => {
    const known = new ParticipantRegistry();
    known.server('kube-apiserver', '192.0.2.99', 6443, 1);
    const one = known.server('kubelet', IPV6, 10250, 1);
    known.nodeIsAt('node-1', IPV4, 2);
    known.nodeIsAt('node-1', IPV6, 2);
    expect(known.server('kubelet', IPV4, 10250, 3).name).toBe(one.name);
    expect(one.name).toBe('kubelet (node-1)');
  });

  it('but not without a Node', () => {
    const hosts = new DualStackHosts();
    expect(hosts.nodeHas('node-1', IPV4)).toBeNull();
    // Two of one family may be of several networks, and a name is none.
    expect([hosts.nodeHas('node-1', '192.0.2.12'), hosts.nodeHas('node-1', 'node-1.example')]).toEqual([null, null]);
    expect(hosts.nodeHas('node-1', IPV6)).toBe(IPV4);
    expect(hosts.nodeHas('node-1', IPV6)).toBeNull();
    expect(hosts.hostAt(IPV6)).toBe(IPV4);
    // What two nodes call their own is neither's.
    expect(hosts.nodeHas('node-2', IPV6)).toBeNull();
    expect(hosts.hostAt(IPV6)).toBe(IPV6);
  });
});
