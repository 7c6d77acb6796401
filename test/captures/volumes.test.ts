// Pods that wait for volumes and devices, in Kubernetes 1.37 with kubernetes-csi's sidecars. Events are held against what tshark and
// Python make of the same capture, requests against the audit log; stories and causes against what the sources of these programs do
// (fixtures/volumes-tls/README.md).

import { describe, expect, it } from 'vitest';
import { notesOf } from '../../src/diagram/model.js';
import { buildSequence, type Message, parseFollow } from '../../src/index.js';
import { programOf } from '../kit/audit.js';
import { tellsAllOf } from '../kit/captured-truth.js';
import { observedTogether } from '../kit/diagrams.js';
import { edgesOf, missingEdges } from '../kit/edges.js';
import { fixture } from '../kit/fixtures.js';
import { observed, recordsOf, withRecords } from '../kit/observed.js';

const { messages, notices } = await observedTogether(['volumes-tls/control-plane.pcap'], 'volumes-tls/keys.log');
const bySeq = new Map(messages.map((one) => [one.seq, one]));

const DRIVERS = 'system:serviceaccount:storage:gpu';
tellsAllOf('volumes-tls', messages, { events: 1000, requests: 900 }, (entry) =>
  entry.user.username === DRIVERS ? 'drv' : programOf(entry),
);

function storyOf(pod: string) {
  return buildSequence({ messages, notices }, { follow: parseFollow(`pod/${pod}`, 'default')! });
}

describe("a Pod's story", () => {
  it.each(['lost', 'app'])(
    'of %s has the provisioner and the attacher of its volume, in the order in which it must be',
    (pod) => {
      const edges = edgesOf(Buffer.from(fixture(`volumes-tls/expected-${pod}.mmd`)).toString());
      expect(edges.length).toBeGreaterThan(20);
      expect(missingEdges(edges, storyOf(pod))).toEqual([]);
    },
  );

  it.each([
    ['lost', /^ProvisioningFailed: storageclass.storage.k8s.io "nosuch" not found$/],
    ['lost', /^ExternalProvisioning: Waiting for a volume to be created either by the external provisioner 'hostdir/],
    ['full', /^ProvisioningFailed: .* pool gold is full: 0 of 100 GiB are free$/],
    ['stuck', /^attach failed: .* volume vol-\w+ is attached to another machine$/],
    ['sick', /^FailedPrepareDynamicResources: .* gpu-0: the firmware does not answer$/],
  ])('of %s shows why it does not start: %s', (pod, why) => {
    const lines = notesOf(storyOf(pod).steps).flatMap((note) => note.lines);
    expect(lines.filter((line) => why.test(line)).length).toBeGreaterThan(0);
  });
});

describe('what a Pod claims', () => {
  it('is noted where the Pod is new', () => {
    const claimed = messages.filter(({ claims }) => claims !== undefined);
    const words = claimed.map(({ kind, type, object, claims }) => `${kind} ${type ?? ''} ${object?.name} ${claims}`);
    const told = ['request ', 'response ', 'event ADDED'].flatMap((where) => [
      `${where} app persistentvolumeclaims/data`,
      ...['full', 'lost', 'stuck'].map((pod) => `${where} ${pod} persistentvolumeclaims/${pod}`),
      `${where} sick resourceclaims/sick`,
    ]);
    expect([...new Set(words)].sort()).toEqual(told.sort());
  });
});

describe('causes', () => {
  /** `Pod ADDED app`: the event behind each request of a program that changes an object. */
  function causesOf(from: string, verb: string, resource: string): string[] {
    const wanted = ({ kind, from: who, ...one }: Message): boolean =>
      kind === 'request' && who.name === from && one.verb === verb && one.resource === resource;
    return messages.filter(wanted).map(({ causedBy }) => {
      const { type, object } = bySeq.get(causedBy ?? 0) ?? {};
      return `${object?.kind} ${type} ${object?.name?.replace(/-[0-9a-f].*/, '')}`;
    });
  }

  it('a claim gets its node for a Pod, or because its class is there at last', () => {
    const first = causesOf('kube-scheduler', 'update', 'persistentvolumeclaims').filter(
      (one) => !one.includes('Claim'),
    );
    expect(first).toEqual(['Pod ADDED app', 'Pod ADDED full', 'Pod ADDED stuck', 'StorageClass ADDED nosuch']);
  });

  it('a device is chosen for a Pod: when it comes, and when its claim is made from a template', () => {
    const chosen = causesOf('kube-scheduler', 'update', 'resourceclaims');
    expect([...new Set(chosen)].sort()).toEqual(['Pod ADDED sick', 'Pod MODIFIED train']);
  });

  it('a volume comes to a node for a Pod, and goes with it', () => {
    const attached = causesOf('attachdetach-controller', 'create', 'volumeattachments');
    expect(attached).toEqual(['Pod MODIFIED app', 'Pod MODIFIED stuck', 'Pod MODIFIED lost']);
    expect(causesOf('attachdetach-controller', 'delete', 'volumeattachments')).toEqual(['Pod DELETED app']);
  });

  it("a node's status has what is attached by now, and what its kubelet lets go no more", () => {
    const reported = causesOf('attachdetach-controller', 'patch', 'nodes');
    expect(reported).toEqual([...Array(3).fill('VolumeAttachment MODIFIED csi'), 'Node MODIFIED node']);
  });

  it('the attacher holds on to a volume because of its attachment', () => {
    const held = causesOf('csi-attacher', 'patch', 'persistentvolumes');
    expect(held).toEqual(Array(3).fill('VolumeAttachment ADDED csi'));
  });

  it('a claim is let go when its Pod is', () => {
    const status = ({ subresource }: Message): boolean => subresource === 'status';
    const unused = messages.filter((one) => one.kind === 'request' && one.from.name === 'pvc-protection-controller');
    expect(unused.filter(status).length).toBeGreaterThan(0);
    expect(causesOf('pvc-protection-controller', 'update', 'persistentvolumeclaims')).toContain('Pod MODIFIED app');
    expect(causesOf('resource-claim-controller', 'delete', 'resourceclaims')).toContain('Pod MODIFIED train');
  });
});

describe('a capture that begins when the Pod waits already', async () => {
  const file = fixture('volumes-tls/control-plane.pcap');
  const records = recordsOf(file);
  const late = await observed([withRecords(file, records.slice(records.length / 2))], {
    keyLogs: [Buffer.from(fixture('volumes-tls/keys.log')).toString('latin1')],
  });
  const { steps } = buildSequence(late, { follow: parseFollow('pod/full', 'default')! });

  it('has what it claims, in the first answer that has the Pod', () => {
    const claiming = late.messages.filter(({ claims, object }) => claims !== undefined && object?.name === 'full');
    expect(claiming.map(({ kind, claims }) => `${kind} ${claims}`)).toEqual(['response persistentvolumeclaims/full']);
  });

  it('shows why there is no volume, once, where it is repeated', () => {
    const lines = notesOf(steps).flatMap((note) => note.lines);
    expect(lines.filter((line) => /^ProvisioningFailed: .* pool gold is full/.test(line))).toHaveLength(1);
  });
});
