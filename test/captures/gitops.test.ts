// Flux applies what is in a repository. Requests are held against the audit log, what is told of watches that were opened in the
// capture against what tshark and Python make of them; causes, against what was done (fixtures/gitops-tls/README.md).

import { describe, expect, it } from 'vitest';
import { arrowsOf } from '../../src/diagram/model.js';
import { buildSequence, type Message, parseFollow } from '../../src/index.js';
import { type Audit, programOf } from '../kit/audit.js';
import { tellsEventsOf, tellsRequestsOf } from '../kit/captured-truth.js';
import { causesIn } from '../kit/causes.js';
import { observedTogether } from '../kit/diagrams.js';
import { fixtureLines } from '../kit/fixtures.js';

type Logged = Audit & { readonly userAgent: string; readonly requestURI: string };

const { messages, notices } = await observedTogether(['gitops-tls/control-plane.pcap'], 'gitops-tls/keys.log');
const causeOf = causesIn(messages);

/** Both controllers have one user. Their first requests do not say who sends them, and one is all that a connection from before has. */
const nameOf = (entry: Audit): string => {
  const { user, userAgent, requestURI } = entry as Logged;
  if (requestURI.includes('extension-apiserver-authentication')) return 'client 198.51.100.11';
  if (user.username === 'admin') return 'kubectl';
  if (user.username !== 'operator') return programOf(entry);
  if (userAgent.startsWith('Go-http-client'))
    return requestURI === '/livez/ping' ? 'User operator' : 'kustomize-controller';
  return userAgent.split('/')[0];
};

tellsRequestsOf('gitops-tls', messages, 400, nameOf, 30);
tellsEventsOf(
  'gitops-tls',
  messages.filter(({ to }) => ['kustomize-controller', 'source-controller', 'kwok', 'kubectl'].includes(to.name)),
  130,
);

const words = (one: Message | undefined): string => {
  const write = one === undefined ? undefined : causeOf(one);
  return `${one?.type} ${one?.object?.kind} by ${write?.from.name}`;
};
const shop = {
  resource: 'kustomizations',
  apiGroup: 'kustomize.toolkit.fluxcd.io',
  namespace: 'flux-system',
  name: 'shop',
};

const isApplied = ({ kind, verb, from, namespace, dryRun }: Message): boolean =>
  kind === 'request' && verb === 'patch' && from.name === 'kustomize-controller' && namespace === 'default' && !dryRun;

describe('what is applied', () => {
  it('is applied for the Kustomization that its labels name', () => {
    const logged = fixtureLines<Logged>('gitops-tls/audit.jsonl').filter(
      ({ verb, requestURI }) => verb === 'patch' && requestURI.includes('fieldManager=kustomize-controller'),
    );
    const said = messages.filter(({ appliedFor }) => appliedFor !== undefined);
    // Its own finalizer and status are applied under that name, too.
    const others = logged.filter(({ objectRef }) => objectRef?.namespace === 'default');
    expect(others.length).toBeGreaterThan(10);
    expect(said).toHaveLength(others.length);
    expect(said.every(({ appliedFor }) => JSON.stringify(appliedFor) === JSON.stringify(shop))).toBe(true);
  });

  // kustomize-controller's own log: the artifact is not there at first; then four versions of it, and the drift between.
  it('has a cause: a new version of the repository, or a request of a user', () => {
    const applied = messages.filter(isApplied).map((one) => `${one.resource} because of ${words(causeOf(one))}`);
    expect(applied).toEqual([
      'configmaps because of MODIFIED GitRepository by source-controller',
      'deployments because of MODIFIED GitRepository by source-controller',
      'deployments because of MODIFIED GitRepository by source-controller',
      'deployments because of MODIFIED Kustomization by kubectl',
      'deployments because of MODIFIED GitRepository by source-controller',
    ]);
  });

  it('is taken away because the repository has it no more, or the Kustomization goes', () => {
    const gone = messages.filter(
      ({ kind, verb, from }) => kind === 'request' && verb === 'delete' && from.name === 'kustomize-controller',
    );
    expect(gone.map((one) => `${one.resource} because of ${words(causeOf(one))}`)).toEqual([
      'configmaps because of MODIFIED GitRepository by source-controller',
      'deployments because of MODIFIED Kustomization by kubectl',
    ]);
  });
});

describe('the story of the Kustomization', () => {
  const follow = (name: string, namespace: string) =>
    arrowsOf(buildSequence({ messages, notices }, { follow: parseFollow(name, namespace)! }).steps).map(
      ({ message }) => message,
    );
  const drawn = follow('kustomization/shop', 'flux-system');

  it('has what is applied, and what becomes of it', () => {
    const about = new Set(drawn.filter(({ kind }) => kind === 'request').map(({ resource }) => resource));
    expect([...about]).toEqual(
      expect.arrayContaining(['kustomizations', 'configmaps', 'deployments', 'replicasets', 'pods']),
    );
  });

  it('has the new version of the repository, which triggers its controller', () => {
    const told = drawn.filter(({ kind, object }) => kind === 'event' && object?.kind === 'GitRepository');
    expect(new Set(told.map(({ to }) => to.name))).toEqual(new Set(['kustomize-controller']));
    const wakes = new Set(messages.filter(isApplied).map(({ causedBy }) => causedBy));
    expect(told.filter(({ seq }) => wakes.has(seq))).toHaveLength(3);
  });

  it('has what could not be applied, and why', () => {
    expect(drawn.filter(({ status }) => status === 422)).toHaveLength(1);
    const reasons = drawn.map(({ kind, k8sEvent }) => (kind === 'request' ? k8sEvent?.reason : undefined));
    expect(reasons).toContain('ReconciliationFailed');
  });

  it('and that of an applied object begins with the client that applies it', () => {
    const [first] = follow('deployment/web', 'default').filter(
      ({ kind, verb, status }) => kind === 'request' && verb === 'patch' && status !== 404,
    );
    expect(first.from.name).toBe('kustomize-controller');
  });
});
