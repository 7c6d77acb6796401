import { describe, expect, it } from 'vitest';
import { type Evidence, ParticipantRecord, proven } from './participant-record.js';

const record = (id: number, component: string, evidence: Evidence = proven(`is ${component}`, id)): ParticipantRecord =>
  new ParticipantRecord(id, component, `192.0.2.${id}`, evidence);

describe('a link between records', () => {
  const [server, proxy, kubelet] = [record(1, 'kube-apiserver'), record(2, 'proxy 192.0.2.2'), record(3, 'kubelet')];

  it('gives all that the other record has, also what is learnt of it later', () => {
    const linked = ParticipantRecord.linkedTo(kubelet, 'proven');
    kubelet.node = 'node-1';
    expect([linked.id, linked.name, linked.tier, linked.shortId]).toEqual([3, 'kubelet (node-1)', 'nodes', 'L']);
    expect(linked.perNode).toBe(true);
    expect(linked.process).toBe(kubelet);
    expect(linked.evidence).toEqual(['is kubelet (frame 3)']);
  });

  it('follows links of links, and the process of the last one', () => {
    const controller = record(4, 'node-controller');
    controller.manager = record(5, 'kube-controller-manager');
    const linked = ParticipantRecord.linkedTo(ParticipantRecord.linkedTo(controller, 'likely'), 'likely');
    expect(linked.find()).toBe(controller);
    expect(linked.process).toBe(controller.manager);
    expect(linked.tier).toBe('controllers');
  });

  it('is replaced by one that is as strong or stronger', () => {
    const linked = ParticipantRecord.linkedTo(server, 'likely');
    linked.link(kubelet, 'likely');
    expect([linked.find(), linked.isProven]).toEqual([kubelet, false]);
    linked.link(proxy, 'proven');
    linked.link(server, 'likely');
    expect([linked.find(), linked.isProven]).toEqual([proxy, true]);
  });

  it('may hold only while a condition does, and adds its evidence then', () => {
    const client = record(6, 'client 192.0.2.6', { claim: 'sent no name', strength: 'address', frame: 6 });
    client.isMidSession = true;
    let found: ParticipantRecord | null = null;
    client.resolveBy(() => found, proven('is the only program there', 7));
    expect([client.name, client.tier, client.isAnonymous, client.isConcluded]).toEqual([
      ...['client 192.0.2.6', 'others'],
      ...[true, false],
    ]);
    found = server;
    expect([client.name, client.tier, client.isAnonymous, client.isConcluded]).toEqual([
      ...['kube-apiserver', 'apiserver'],
      ...[false, true],
    ]);
    expect(client.evidence).toEqual(['is kube-apiserver (frame 1)', 'is the only program there (frame 7)']);
    found = null;
    expect(client.evidence).toEqual(['sent no name (frame 6)']);
  });
});

describe('the name of a record', () => {
  it('has its address where it is not the first of its component, or its node', () => {
    const siblings = [7, 8].map((id) => record(id, 'kubelet'));
    for (const one of siblings) one.siblings = siblings;
    expect(siblings.map(({ name }) => name)).toEqual(['kubelet', 'kubelet (192.0.2.8)']);
    siblings[1].node = 'node-2';
    expect(siblings[1].name).toBe('kubelet (node-2)');
  });

  it('is that of the record that it is named as, and the given one first', () => {
    const [socket, client] = [record(9, 'container-runtime'), record(10, 'container-runtime')];
    client.namedAs = socket;
    socket.node = 'node-1';
    expect([client.name, client.id, client.isFixed]).toEqual(['container-runtime (node-1)', 10, false]);
    client.givenName = 'mine';
    expect([client.name, client.isFixed]).toEqual(['mine', true]);
  });
});

it('evidence is kept once, at most eight pieces, and can be taken back for a node', () => {
  const kubelet = record(11, 'kubelet');
  for (let frame = 1; frame <= 20; frame++) {
    kubelet.addEvidence(proven('serves', frame % 3));
    kubelet.addEvidence(proven(`requests ${frame}`, null));
  }
  expect(kubelet.evidence).toHaveLength(8);
  expect(kubelet.evidence.slice(1, 3)).toEqual(['serves (frame 1)', 'requests 1']);
  kubelet.node = 'node-1';
  kubelet.retractNode('node-2', proven('serves', 1));
  expect(kubelet.node).toBe('node-1');
  kubelet.retractNode('node-1', proven('serves', 1));
  expect([kubelet.node, kubelet.evidence.length]).toEqual([null, 7]);
});

describe('ids of a process', () => {
  it('are its own and those of connections that turned out to be its own, while they do', () => {
    const manager = record(1, 'kube-controller-manager');
    const client = record(2, 'client 192.0.2.2');
    let is: ParticipantRecord | null = manager;
    client.resolveBy(() => is);
    expect(manager.ids).toEqual([1]);
    manager.wasKnownAs(client);
    manager.wasKnownAs(client);
    expect(manager.ids).toEqual([1, 2]);
    is = null;
    expect(manager.ids).toEqual([1]);
  });

  it('are no more than a limit, at which those before are forgotten', () => {
    const manager = record(1, 'kube-controller-manager');
    for (let id = 2; id < 35; id += 1) {
      const client = record(id, `client ${id}`);
      client.resolveBy(() => manager);
      manager.wasKnownAs(client);
    }
    expect(manager.ids).toEqual([1, 34]);
  });
});
