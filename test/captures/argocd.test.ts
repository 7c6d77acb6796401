// Argo CD applies what is in a repository. Requests are held against the audit log, what is told of watches that were opened in the
// capture against what tshark and Python make of them; causes, against what its controller logs (fixtures/argocd-tls/README.md).

import { describe, expect, it } from 'vitest';
import { arrowsOf } from '../../src/diagram/model.js';
import { buildSequence, type Message, parseFollow } from '../../src/index.js';
import { type Audit, programOf } from '../kit/audit.js';
import { tellsEventsOf, tellsRequestsOf } from '../kit/captured-truth.js';
import { causesIn } from '../kit/causes.js';
import { observedTogether } from '../kit/diagrams.js';

const { messages, notices } = await observedTogether(['argocd-tls/control-plane.pcap'], 'argocd-tls/keys.log');
const causeOf = causesIn(messages);
const ARGO = 'argocd-application-controller';

const CALLED: Readonly<Record<string, string | undefined>> = { admin: 'kubectl', operator: ARGO };
/** One watch is all that a connection from before has. */
const nameOf = (entry: Audit & { readonly requestURI?: string }): string =>
  entry.requestURI?.includes('extension-apiserver-authentication') === true
    ? 'client 198.51.100.11'
    : (CALLED[entry.user.username] ?? programOf(entry));

tellsRequestsOf('argocd-tls', messages, 600, nameOf, 30);
tellsEventsOf(
  'argocd-tls',
  messages.filter(({ to }) => [ARGO, 'kwok', 'kubectl'].includes(to.name)),
  200,
);

const words = (one: Message | undefined): string => `${one?.type} ${one?.object?.kind}`;

describe('what is applied', () => {
  const written = messages.filter(
    ({ kind, verb, from, namespace, resource }) =>
      kind === 'request' && from.name === ARGO && namespace === 'default' && verb !== 'get' && resource !== 'events',
  );

  it('is applied for the Application that its annotation names, in whichever namespace', () => {
    const shop = { resource: 'applications', apiGroup: 'argoproj.io', namespace: 'argocd', name: 'shop' };
    const said = written.filter(({ appliedFor }) => appliedFor !== undefined);
    expect(said.map(({ verb, resource, appliedFor }) => ({ verb, resource, appliedFor }))).toEqual([
      { verb: 'create', resource: 'configmaps', appliedFor: shop },
      { verb: 'create', resource: 'deployments', appliedFor: shop },
    ]);
  });

  // Its log: two automated syncs, the second after a refresh; one of what somebody changed by hand; the end.
  it('has a cause: the Application, which is new, refreshed or going, or what was changed', () => {
    expect(written.map((one) => `${one.verb} ${one.resource} because of ${words(causeOf(one))}`)).toEqual([
      // The operation that the refresh of the new one writes into it (argo-cd controller/appcontroller.go: appOperationQueue).
      'create configmaps because of MODIFIED Application',
      'create deployments because of MODIFIED Application',
      'patch deployments because of MODIFIED Application',
      'patch deployments because of MODIFIED Deployment',
      'delete deployments because of MODIFIED Application',
      'delete configmaps because of MODIFIED Application',
    ]);
  });
});

it('the story of the Application has what is applied, and what becomes of it', () => {
  const { steps } = buildSequence({ messages, notices }, { follow: parseFollow('application/shop', 'argocd')! });
  const drawn = arrowsOf(steps).map(({ message }) => message);
  const about = new Set(drawn.filter(({ kind }) => kind === 'request').map(({ resource }) => resource));
  expect([...about]).toEqual(
    expect.arrayContaining(['applications', 'configmaps', 'deployments', 'replicasets', 'pods']),
  );
});
