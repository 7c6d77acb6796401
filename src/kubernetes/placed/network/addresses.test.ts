import { beforeEach, describe, expect, it } from 'vitest';
import { ParticipantRegistry } from '../identity/participant-registry.js';
import { Addresses } from './addresses.js';

const SECOND = 1_000_000_000n;
/** 2026-01-01T00:00:00Z. */
const NEW_YEAR = 1_767_225_600n * SECOND;

let known: ParticipantRegistry;
let addresses: Addresses;
beforeEach(() => {
  known = new ParticipantRegistry();
  addresses = new Addresses({
    nextId: () => known.newId(),
    isHost: (address) => known.isHost(address),
    onNode: (...claim) => known.nodeIsAt(...claim),
  });
});

interface Given {
  readonly uid?: string;
  readonly version?: string;
  readonly phase?: string;
  readonly created?: string;
  readonly namespace?: string;
}

function learn(kind: string, body: object, given: Given & { name?: string }, deleted = false): void {
  const { uid = 'u1', version = '1', namespace = 'default', name = 'a' } = given;
  const metadata = { name, namespace, uid, creationTimestamp: given.created ?? '2026-01-01T00:00:00Z' };
  const apiVersion = kind === 'EndpointSlice' ? 'discovery.k8s.io/v1' : 'v1';
  const bytes = Buffer.from(JSON.stringify({ apiVersion, kind, metadata, ...body }));
  addresses.learn(bytes, 'application/json', { apiVersion, kind, uid, resourceVersion: version }, deleted, 7);
}

const pod = (name: string, ip: string, given: Given = {}, deleted = false): void =>
  learn(
    'Pod',
    { status: { phase: given.phase ?? 'Running', hostIP: '192.0.2.11', podIP: ip } },
    { name, ...given },
    deleted,
  );
const slice = (ip: string, name: string, uid: string, version = '1'): void =>
  learn(
    'EndpointSlice',
    { endpoints: [{ addresses: [ip], targetRef: { kind: 'Pod', namespace: 'default', name, uid } }] },
    { name: 's', uid: 'slice', version },
  );
const nameAt = (address: string): string | undefined => addresses.placeAt(address)?.name;

describe('the owner of an address', () => {
  it('a Pod’s by its status, a Service’s by its spec', () => {
    pod('a', '198.18.0.2');
    learn('Service', { spec: { clusterIP: '203.0.113.33' } }, { name: 'web', uid: 'u2', namespace: 'shop' });
    expect([nameAt('198.18.0.2'), nameAt('203.0.113.33'), nameAt('198.18.0.3')]).toEqual([
      'Pod a',
      'Service shop/web',
      undefined,
    ]);
    expect(addresses.isService('203.0.113.33')).toBe(true);
    expect(addresses.placeAt('198.18.0.2')?.evidence).toEqual(['has podIP 198.18.0.2 in its status (frame 7)']);
  });

  it('none once the Pod is deleted or has ended; another when the address is reused', () => {
    pod('a', '198.18.0.2');
    pod('a', '198.18.0.2', { version: '2' }, true);
    expect(nameAt('198.18.0.2')).toBeUndefined();
    pod('b', '198.18.0.2', { uid: 'u2' });
    expect(nameAt('198.18.0.2')).toBe('Pod b');
    pod('b', '198.18.0.2', { uid: 'u2', version: '2', phase: 'Succeeded' });
    expect(nameAt('198.18.0.2')).toBeUndefined();
  });

  it('and the first version in which it had ended is known', () => {
    pod('a', '198.18.0.2');
    expect(addresses.endedSince('u1')).toBeUndefined();
    for (const version of ['2', '3']) pod('a', '198.18.0.2', { version, phase: 'Failed' });
    expect(addresses.endedSince('u1')).toBe('2');
  });

  it('the present one, though the end of an earlier one is reported later', () => {
    pod('a', '198.18.0.2');
    pod('b', '198.18.0.2', { uid: 'u2' });
    pod('a', '198.18.0.2', { version: '2' }, true);
    expect(nameAt('198.18.0.2')).toBe('Pod b');
  });

  it('the Pod’s own status counts more than an EndpointSlice, which is older', () => {
    slice('198.18.0.2', 'a', 'u1');
    expect(nameAt('198.18.0.2')).toBe('Pod a');
    pod('b', '198.18.0.2', { uid: 'u2' });
    slice('198.18.0.2', 'a', 'u1', '2');
    expect(nameAt('198.18.0.2')).toBe('Pod b');
  });

  it('one participant, however it was learnt', () => {
    slice('198.18.0.2', 'a', 'u1');
    const place = addresses.placeAt('198.18.0.2');
    pod('a', '198.18.0.2');
    expect(addresses.placeAt('198.18.0.2')).toBe(place);
    expect(place?.evidence).toHaveLength(2);
  });

  it('not a Pod’s where it is a host’s', () => {
    slice('192.0.2.11', 'exporter', 'u9');
    expect(nameAt('192.0.2.11')).toBe('Pod exporter');
    pod('a', '198.18.0.2');
    expect(nameAt('192.0.2.11')).toBeUndefined();
    slice('192.0.2.12', 'exporter-2', 'u10', '2');
    known.client('192.0.2.12', 'kubelet/v1.34.4 (linux/amd64) kubernetes/0123456', 1);
    expect(nameAt('192.0.2.12')).toBeUndefined();
    learn('Node', { status: { addresses: [{ type: 'InternalIP', address: '192.0.2.13' }] } }, { uid: 'n' });
    slice('192.0.2.13', 'exporter-3', 'u11', '3');
    expect(nameAt('192.0.2.13')).toBeUndefined();
  });

  it('of a Node: what answers there is that node’s, whichever was reported first', () => {
    const node = (name: string, address: string, version = '1') =>
      learn('Node', { status: { addresses: [{ type: 'InternalIP', address }] } }, { name, uid: name, version });
    const early = known.server('kubelet', '192.0.2.21', 10250, 1);
    expect(early.name).toBe('kubelet');
    node('node-1', '192.0.2.21');
    node('node-2', '192.0.2.22');
    expect([early.name, known.server('kubelet', '192.0.2.22', 10250, 8).name]).toEqual([
      'kubelet (node-1)',
      'kubelet (node-2)',
    ]);
    expect(early.evidence.at(-1)).toBe('Node node-1 has address 192.0.2.21 (frame 7)');
    // Who asks from there may be behind a load balancer on that host.
    node('node-3', '192.0.2.23');
    expect(known.client('192.0.2.23', 'kubelet/v1', 9).name).toBe('kubelet (192.0.2.23)');
    // Two Nodes that claim one address: it is no one's.
    node('node-4', '192.0.2.24');
    node('node-5', '192.0.2.24');
    expect(known.server('kubelet', '192.0.2.24', 10250, 10).name).toBe('kubelet (192.0.2.24)');
  });

  it('the API server’s Service is no workload', () => {
    learn('Service', { spec: { clusterIP: '203.0.113.1' } }, { name: 'kubernetes', uid: 'u2' });
    learn('Service', { spec: { clusterIP: '203.0.113.2' } }, { name: 'kubernetes', uid: 'u3', namespace: 'other' });
    expect([addresses.isWorkload('203.0.113.1'), addresses.isWorkload('203.0.113.2')]).toEqual([false, true]);
  });
});

describe('participants before the address was known', () => {
  const participantAt = (address: string, time = NEW_YEAR) =>
    addresses.participantAt(address, known.client(address, undefined, 1), time);

  it('turns out to be the Pod that existed by then', () => {
    const participant = participantAt('198.18.0.2');
    expect(participant.name).toBe('client 198.18.0.2');
    pod('a', '198.18.0.2', { created: '2025-12-31T23:59:00Z' });
    expect([participant.name, participant.component, participant.id]).toEqual([
      'Pod a',
      'Pod',
      addresses.placeAt('198.18.0.2')?.id,
    ]);
  });

  it('stay unresolved where the Pod was created later, or at an unknown time', () => {
    const participant = participantAt('198.18.0.2');
    pod('a', '198.18.0.2', { created: '2026-01-01T00:00:05Z' });
    expect(participant.name).toBe('client 198.18.0.2');
    const other = participantAt('198.18.0.3');
    slice('198.18.0.3', 'b', 'u2');
    expect([other.name, nameAt('198.18.0.3')]).toEqual(['client 198.18.0.3', 'Pod b']);
  });
});
