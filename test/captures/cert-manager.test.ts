// cert-manager signs a Certificate, and again when its Secret is gone. Requests are held against the audit log, watch events against
// what tshark and Python make of them; causes, against the handlers and the log of its controllers (fixtures/cert-manager-tls/README.md).

import { describe, expect, it } from 'vitest';
import { arrowsOf } from '../../src/diagram/model.js';
import { buildSequence, type Message, parseFollow } from '../../src/index.js';
import type { Audit } from '../kit/audit.js';
import { tellsEventsOf, tellsRequestsOf } from '../kit/captured-truth.js';
import { causesIn } from '../kit/causes.js';
import { observedTogether } from '../kit/diagrams.js';

const { messages, notices } = await observedTogether(
  ['cert-manager-tls/control-plane.pcap'],
  'cert-manager-tls/keys.log',
);
const causeOf = causesIn(messages);

/** All controllers have one user, and one connection: each names itself. */
const nameOf = (entry: Audit): string => (entry as Audit & { readonly userAgent: string }).userAgent.split('/')[0];

tellsRequestsOf('cert-manager-tls', messages, 60, nameOf);
tellsEventsOf('cert-manager-tls', messages, 40);

const short = (name: string): string => name.replace(/^cert-manager-(?:certificates-|certificaterequests-)?/, '');
const words = ({ type, object, causedBy }: Message): string => {
  const write = messages.find(({ seq }) => seq === causedBy);
  return `${object?.kind} ${type} by ${short(write?.from.name ?? '')}`;
};
const WRITES = new Set(['create', 'update', 'patch', 'delete']);
const written = messages.filter(
  ({ kind, verb, from, resource, namespace }) =>
    kind === 'request' &&
    WRITES.has(verb ?? '') &&
    from.name.startsWith('cert-manager-') &&
    namespace === 'default' &&
    resource !== 'events',
);
const because = written.map((one) => {
  const cause = causeOf(one);
  return `${short(one.from.name)}: ${one.verb} ${one.resource} because of ${cause === undefined ? '' : words(cause)}`;
});

describe('controllers that share a connection', () => {
  it('are parts of the program that listens for them', () => {
    const names = new Set(written.map(({ from }) => from.process.name));
    expect([...names]).toEqual(['cert-manager']);
    expect(new Set(written.map(({ from }) => from.name)).size).toBe(8);
    expect(written.every(({ from }) => from.tier === 'controllers')).toBe(true);
  });

  it('do the next step because of the one before', () => {
    const steps = because.filter((line) => !/^(?:readiness|key-manager: update)/.test(line));
    expect(steps.slice(0, 6)).toEqual([
      'trigger: update certificates because of Certificate ADDED by kubectl',
      'key-manager: create secrets because of Certificate MODIFIED by readiness',
      'request-manager: create certificaterequests because of Certificate MODIFIED by key-manager',
      'approver: update certificaterequests because of CertificateRequest ADDED by request-manager',
      'issuer-ca: update certificaterequests because of CertificateRequest MODIFIED by approver',
      'issuing: patch secrets because of CertificateRequest MODIFIED by issuer-ca',
    ]);
  });

  // trigger_controller.go:238, 03:37:53.160105: "Certificate must be re-issued", "Issuing certificate as Secret does not exist".
  it('begin anew because the Secret that the Certificate names is gone', () => {
    const anew = because.filter((line) => line.endsWith('Secret DELETED by kubectl'));
    expect(anew.map((line) => line.split(' because')[0]).sort()).toEqual([
      'readiness: update certificates',
      'trigger: update certificates',
    ]);
  });

  it('make a Secret for its Certificate, and nothing because of what they did to it themselves', () => {
    const patches = written.filter(({ verb, resource }) => verb === 'patch' && resource === 'secrets');
    expect(patches.length).toBeGreaterThan(2);
    for (const { appliedFor } of patches)
      expect(appliedFor).toEqual({
        resource: 'certificates',
        apiGroup: 'cert-manager.io',
        namespace: 'default',
        name: 'web',
      });
    expect(because.filter((line) => /^(\S+): .* by \1$/.test(line))).toEqual([]);
  });
});

it('the diagram of a Certificate has its Secret, and what was done because of each', () => {
  const { steps } = buildSequence({ messages, notices }, { follow: parseFollow('certificate/web', 'default')! });
  const drawn = new Set(arrowsOf(steps).map(({ message }) => message));
  const missing = written.filter((one) => !drawn.has(one) && one.resource === 'secrets');
  expect(missing).toEqual([]);
});
