// Each request as the API server's own audit log has it, each watch event as an independent decoder has it: of every recorded cluster
// (fixtures/*/README.md say how it was recorded).

import { expect, it } from 'vitest';
import { operationsIn } from '../../src/diagram/layout/releases.js';
import { indexMessages } from '../../src/diagram/message-index.js';
import type { Message } from '../../src/index.js';
import { type Audit, auditLog, loggedAnswers, programOf, toldOtherwise } from '../kit/audit.js';
import { exists, fixtureLines } from '../kit/fixtures.js';
import { eventsIn, type ToldEvent, words } from '../kit/watch-truth.js';
import { observeWhole, WITH_CAPTURES } from '../kit/whole-fixtures.js';

type Logged = Audit & { readonly userAgent?: string; readonly requestURI: string };

interface Row {
  readonly fixture: string;
  /** More than so many requests are logged. */
  readonly requests: number;
  /** More than so many watch events the decoder has. */
  readonly events?: number;
  /** Who opened its watches in the capture: the decoder has those alone. */
  readonly heard?: readonly string[];
  /** What diagrams call a user, where that is not the program of its name. */
  readonly called?: Readonly<Record<string, string>>;
  readonly nameOf?: (entry: Logged) => string | undefined;
  /** Of so many requests at most the controller's own header field was before the capture: its process is known. */
  readonly late?: number;
  /** Answers to requests of which the log has no name. */
  readonly nameless?: readonly number[];
}

const agent = ({ userAgent }: Logged): string => userAgent?.split('/')[0] ?? '';
/** One watch is all that a connection from before has. */
const older = ({ requestURI }: Logged): string | undefined =>
  requestURI.includes('extension-apiserver-authentication') ? 'client 198.51.100.11' : undefined;
const ARGO = 'argocd-application-controller';
/** kwok's name was said before the capture began. */
const KWOK = { 'kwok-controller': 'client 198.51.100.21' };
const SHOP = 'system:serviceaccount:operators:shop';
const MEMCACHED = 'system:serviceaccount:operators:memcached-operator';

const ROWS: readonly Row[] = [
  {
    ...{ fixture: 'argocd-tls', requests: 600, events: 200, heard: [ARGO, 'kwok', 'kubectl'] },
    ...{ called: { admin: 'kubectl', operator: ARGO }, nameOf: older, late: 30 },
  },
  {
    ...{ fixture: 'autoscaled-tls', requests: 450, events: 150, heard: ['karpenter', 'kwok', 'kubectl'] },
    ...{ called: { admin: 'kubectl', operator: 'karpenter' }, late: 30 },
    // One request of karpenter's does not say who sends it.
    nameOf: (entry) => (agent(entry) === 'Go-http-client' ? `User ${entry.user.username}` : undefined),
  },
  {
    ...{ fixture: 'bootstrap-tls', requests: 200, events: 25, heard: ['kubelet'], late: 4 },
    // Who has the token is who becomes the node.
    called: { ...KWOK, 'system:bootstrap:abcdef': 'kubelet (node-1)' },
  },
  // All controllers have one user, and one connection: each names itself.
  { fixture: 'cert-manager-tls', requests: 60, events: 40, nameOf: agent },
  { fixture: 'connections-tls', requests: 650, events: 700, called: { '': 'kubectl' } },
  { fixture: 'egress-tls', requests: 9, nameOf: () => 'kubectl' },
  {
    ...{ fixture: 'gitops-tls', requests: 400, events: 130, called: { admin: 'kubectl' }, late: 30 },
    heard: ['kustomize-controller', 'source-controller', 'kwok', 'kubectl'],
    // Both controllers have one user. Their first requests do not say who sends them.
    nameOf: (entry) => {
      if (entry.user.username !== 'operator' || older(entry) !== undefined) return older(entry);
      if (agent(entry) !== 'Go-http-client') return agent(entry);
      return entry.requestURI === '/livez/ping' ? 'User operator' : 'kustomize-controller';
    },
  },
  {
    ...{ fixture: 'helm-tls', requests: 400, events: 60, heard: ['helm'], late: 2 },
    called: { ...KWOK, 'kubernetes-admin': 'helm' },
  },
  { fixture: 'lacks-tls', requests: 600, events: 600 },
  // The API server could not decode what it answers with 400.
  { fixture: 'not-starting-tls', requests: 750, nameless: [400] },
  { fixture: 'operator-tls', requests: 650, events: 700, called: { [SHOP]: 'manager' } },
  {
    ...{ fixture: 'volumes-tls', requests: 900, events: 1000 },
    called: { 'system:serviceaccount:storage:gpu': 'drv' },
  },
  { fixture: 'workloads-tls', requests: 1000, called: { [MEMCACHED]: 'manager' } },
];

function nameIn({ nameOf, called = {} }: Row): (entry: Audit) => string {
  return (entry) => nameOf?.(entry as Logged) ?? called[entry.user.username] ?? programOf(entry);
}

it.each(ROWS)(
  '$fixture: one message for every request that is logged, with its client, object and status',
  async (row) => {
    const { fixture, requests, late = 0, nameless = [] } = row;
    const { messages } = await observeWhole(fixture);
    const log = auditLog(`${fixture}/audit.jsonl`);
    expect(log.size).toBeGreaterThan(requests);
    const told = loggedAnswers(messages, log).map(({ auditId }) => auditId);
    expect(told.sort()).toEqual([...log.keys()].sort());
    const others = toldOtherwise(messages, log, nameIn(row), new Set(nameless));
    expect(others.slice(late)).toEqual([]);
    expect(others.filter((line) => line.split(' ')[1] !== 'kube-controller-manager')).toEqual([]);
  },
);

const WATCHED = ROWS.filter(({ events }) => events !== undefined);

it.each(WATCHED)('$fixture: each watch event with its frame, as tshark and Python have it', async (row) => {
  const { fixture, events, heard } = row;
  const { messages } = await observeWhole(fixture);
  const truth = fixtureLines<ToldEvent>(`${fixture}/watches.truth.jsonl`);
  expect(truth.length).toBeGreaterThan(events!);
  const isHeard = ({ protocol, to }: Message): boolean =>
    protocol === 'kubernetes' && (heard?.some((name) => name === to.name || name === to.component) ?? true);
  expect(eventsIn(messages.filter(isHeard)).map(words).sort()).toEqual(truth.map(words).sort());
});

// Those of envtest-tls: envtest.test.ts.
it('knows each list of watch events that a decoder made', () => {
  expect(WATCHED.map(({ fixture }) => fixture).sort()).toEqual(
    WITH_CAPTURES.filter((name) => exists(`${name}/watches.truth.jsonl`) && !name.startsWith('envtest-tls')),
  );
});

/** Release, what was done to it, how that ended (fixtures/helm-tls/README.md). */
const OPERATIONS = ['shop', 'till'].flatMap((release) => [
  [`install of release ${release}, revision 1`, 'deployed'],
  [`upgrade of release ${release}, revision 2`, 'failed'],
  [`rollback of release ${release}, revision 3`, 'deployed'],
  [`uninstall of release ${release}, revision 3`, 'uninstalling'],
]);

it("helm-tls: each of Helm's writes that the API server took is in one operation, and each operation ends as it did", async () => {
  const { messages } = await observeWhole('helm-tls');
  const parts = operationsIn(indexMessages(messages));
  const last = new Map<string, string | undefined>();
  for (const [{ release }, title] of parts)
    if (release === undefined || title.endsWith(` of release ${release.name}, revision ${release.revision}`))
      last.set(title, release?.status ?? last.get(title));
  expect([...last]).toEqual(OPERATIONS);
  const taken = [...auditLog('helm-tls/audit.jsonl').values()].filter(
    ({ user, verb, responseStatus }) =>
      user.username === 'kubernetes-admin' &&
      ['create', 'update', 'patch', 'delete'].includes(verb) &&
      responseStatus.code < 300,
  );
  expect(taken.length).toBeGreaterThan(50);
  expect(parts.size).toBe(taken.length);
  // Nothing of what a release is made of: its record holds that.
  const records = messages.flatMap(({ from, release }) =>
    from.name === 'helm' && release !== undefined ? [release] : [],
  );
  expect(records.length).toBeGreaterThan(15);
  for (const release of records) expect(Object.keys(release)).toEqual(['name', 'revision', 'status']);
});
