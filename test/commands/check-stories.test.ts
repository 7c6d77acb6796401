// Whom the names of an expectation mean, and in which order it is read: among neighbours of the same shape, of people and of controllers.

import { describe, expect, it } from 'vitest';
import { indexMessages } from '../../src/diagram/message-index.js';
import { rewrite } from '../../src/expectation/rewrite.js';
import {
  ExpectationText,
  ObservationIndex,
  renderCheckGithub,
  renderCheckJson,
  renderCheckJunit,
  renderCheckSummary,
  renderCheckText,
} from '../../src/index.js';
import { HEAD, judged, type Row, readingOf, said } from '../kit/check-rows.js';

type Of = Omit<Row, 'capture'>;
const lines = (...arrows: string[]): string => arrows.join('\n');

// ── four Deployments made within 50 ms, each with a ReplicaSet and a Pod (fixtures/lacks-tls) ──

const DEPLOYMENT = 'C ->> AS: [REQ] POST /apis/apps/v1/namespaces/default/deployments - kept';
const DEPLOYMENT_OPEN = DEPLOYMENT.replace('kept', '{deployment}');
const REPLICASET = 'D ->> AS: [REQ] POST /apis/apps/v1/namespaces/default/replicasets - {rs}';
const KEPTS = REPLICASET.replace('{rs}', 'kept-974cdb8bb');
const POD = 'R ->> AS: [REQ] POST /api/v1/namespaces/default/pods';
const TOLD = 'AS ->> S: [RESP-CHUNK] Pod ADDED - {pod}';
const BINDING = 'S ->> AS: [REQ] POST /api/v1/namespaces/default/pods/{pod}/binding';
const STANDS_ABOVE = ': in the expectation it has to stand above that line';

const NEIGHBOURS: readonly Of[] = [
  {
    name: 'what stands above its cause, though messages that are not drawn lie between',
    expectation: lines(KEPTS, DEPLOYMENT, POD, TOLD, BINDING),
    verdict: 'FAIL 4',
    says: [`it is the cause of line 3 (frame 2975)${STANDS_ABOVE}`],
    everywhere: true,
  },
  // The neighbours' ReplicaSets do not stand in for it.
  ...[DEPLOYMENT, DEPLOYMENT_OPEN].map(
    (deployment): Of => ({
      name: `the same with the name open: ${deployment}`,
      expectation: lines(REPLICASET, deployment, POD, TOLD, BINDING),
      verdict: 'FAIL 4',
      says: [STANDS_ABOVE],
      everywhere: true,
    }),
  ),
  { name: 'the same in branches of par', expectation: lines('par', KEPTS, 'and', DEPLOYMENT, 'end'), verdict: 'pass' },
  ...['kept', 'robot', 'urgent', 'boxed'].map(
    (name): Of => ({
      name: `as it was, of ${name}`,
      expectation: lines(DEPLOYMENT.replace('kept', name), REPLICASET, POD, TOLD, BINDING),
      verdict: 'pass',
      says: [new RegExp(`\\{rs\\} is (${name}-\\w+), \\{pod\\} is \\1-`)],
      never: /warning/,
    }),
  ),
  {
    name: 'as it was, of any',
    expectation: lines(DEPLOYMENT_OPEN, REPLICASET, POD, TOLD, BINDING),
    verdict: 'pass',
    says: [/\{deployment\} is (\w+), \{rs\} is (\1-\w+), \{pod\} is \2-/],
    never: /warning/,
  },
  {
    name: 'a missing step: what a neighbour did does not stand in for it',
    expectation: lines(DEPLOYMENT, REPLICASET, POD, TOLD, BINDING),
    without: { from: 'deployment-controller', label: '/replicasets - kept-', about: 'kept-' },
    verdict: 'FAIL 4',
    says: ['it belongs to another story, that of deployments/robot, which the expectation does not name'],
    everywhere: true,
  },
  {
    name: 'a missing step: the same of its Pod',
    expectation: lines(DEPLOYMENT, REPLICASET, POD, TOLD, BINDING),
    without: { from: 'replicaset-controller', label: '/pods', about: 'kept-' },
    verdict: 'FAIL 5',
    says: ['it belongs to another story, that of deployments/'],
    everywhere: true,
  },
  {
    name: 'an expectation that names both has two stories',
    expectation: lines(DEPLOYMENT, DEPLOYMENT.replace('kept', 'robot'), REPLICASET),
    without: { from: 'deployment-controller', label: '/replicasets - kept-', about: 'kept-' },
    verdict: 'pass',
  },
  {
    // Kept's ReplicaSet is not made, the others' Deployments not by this capture.
    name: 'of two Deployments whose names are open, none has the rest of the other',
    expectation: lines(DEPLOYMENT_OPEN, REPLICASET, POD),
    without: / - kept-\w+$|POST .*\/deployments - (?:robot|urgent|boxed)$/,
    verdict: 'FAIL 4',
  },
  {
    name: 'another object: what is nearest goes by its name',
    expectation: lines(DEPLOYMENT.replace('kept', 'kopt'), REPLICASET),
    verdict: 'FAIL 3',
    says: ['its object is named kept, not kopt'],
    everywhere: true,
  },
  {
    name: 'another object of an event',
    expectation: 'AS ->> S: [RESP-CHUNK] ReplicaSet ADDED - kopt-974cdb8bb',
    verdict: 'FAIL 3',
    says: ['ReplicaSet ADDED - kept-974cdb8bb'],
    everywhere: true,
  },
  {
    name: 'another object of a binding',
    expectation: lines(DEPLOYMENT, POD, TOLD, BINDING.replace('{pod}', 'kept-974cdb8bb-km6h8')),
    verdict: 'FAIL 6',
    says: ['pods/kept-974cdb8bb-km6h7/binding'],
    everywhere: true,
  },
  {
    name: 'another participant: the same message of another one is nearest',
    expectation: lines(DEPLOYMENT, REPLICASET.replace('D ', 'R ')),
    verdict: 'FAIL 4',
    says: ['it was sent by deployment-controller, not replicaset-controller'],
    everywhere: true,
  },
  {
    name: 'another participant: first one of the same program',
    expectation: lines('participant K as kubelet (node-3)', 'AS ->> K: [RESP-CHUNK] Pod ADDED - {pod}'),
    verdict: 'FAIL 4',
    says: ['it was sent to kubelet (node-1), not kubelet (node-3)'],
    everywhere: true,
  },
  {
    name: 'an extra write: never names what occurred',
    expectation: lines(DEPLOYMENT, REPLICASET, POD, TOLD, `%% never: ${BINDING}`),
    verdict: 'FAIL 7',
    says: ['/pods/kept-974cdb8bb-km6h7/binding'],
    everywhere: true,
  },
  {
    name: 'every namespace, default too, whose events are labelled without it',
    expectation: lines(
      DEPLOYMENT.replace('default', '{ns}'),
      'AS ->> D: [RESP-CHUNK] Deployment ADDED - {ns}/kept',
      TOLD.replace('{pod}', '{ns}/{pod}'),
      BINDING.replace('default', '{ns}'),
    ),
    verdict: 'pass',
    says: ['{ns} is default'],
  },
  { name: 'another namespace', expectation: TOLD.replace('{pod}', 'kube-system/{pod}'), verdict: 'FAIL 3' },
  {
    name: 'a namespace of what has none',
    expectation: 'AS ->> S: [RESP-CHUNK] Node ADDED - {ns}/node-1',
    verdict: 'FAIL 3',
  },
];

describe('a Deployment among neighbours of its shape', () => {
  it.each(NEIGHBOURS.map((row): Row => ({ ...row, capture: 'lacks-tls' })))('$name: $verdict', said);

  it('as it would pass: placeholders stay, and wildcards', async () => {
    const { messages } = await readingOf('lacks-tls');
    const wrong = lines(
      DEPLOYMENT.replace('default', '{ns}'),
      REPLICASET.replace('POST', 'PUT').replace('default', '{ns}'),
      TOLD.replace('ADDED', 'GONE'),
      BINDING.replace('/binding', '/bindings').replace('default', '*'),
    );
    const text = new ExpectationText(indexMessages(messages));
    const observation = new ObservationIndex(messages);
    const { source, verdict } = rewrite(`${HEAD}${wrong}\n`, 1, observation, { label: (one) => text.label(one) });
    expect(verdict.met).toBe(true);
    const passing = [
      DEPLOYMENT.replace('default', '{ns}'),
      REPLICASET.replace('default', '{ns}'),
      TOLD.replace('ADDED', 'MODIFIED'),
      BINDING.replace('default', '*'),
    ];
    expect(source.split('\n').slice(2, -1).sort()).toEqual(passing.sort());
  });
});

// ── the order as its readers take it: what people run is read from top to bottom, of components it is causes that count ──

const QUOTAS = '/api/v1/namespaces/team/resourcequotas';
const JOBS = '/apis/batch/v1/namespaces/team/jobs';
const PODS = '/api/v1/namespaces/team/pods';
const REFUSED = `job-controller POST ${PODS} 403 Pod/once- of Job/once`;
const AS_DRAWN = `0 kubectl DELETE ${QUOTAS}/q 200\n1 kubectl POST ${JOBS} 201 Job/once\n1.1 ${REFUSED}`;
const QUOTA_LATER = `0 kubectl POST ${JOBS} 201 Job/once\n0.1 ${REFUSED}\n6 kubectl DELETE ${QUOTAS}/q 200`;
const QUOTA_FIRST = `0 kubectl DELETE ${QUOTAS}/q 200\n6 ${REFUSED}`;
const POD_FIRST = `0 ${REFUSED}\n1 job-controller GET ${JOBS}/other 200 Job/other`;
/** What people do, with an answer before the next. */
const laterOf = (agent: string): string => `0 ${agent} POST ${JOBS} 201 Job/once\n6 ${agent} DELETE ${QUOTAS}/q 200`;

const DELETED = [`C ->> AS: [REQ] DELETE ${QUOTAS}/q`, 'AS -->> C: [RESP] 200 OK'];
const CREATED = [`C ->> AS: [REQ] POST ${JOBS} - once`, 'AS -->> C: [RESP] 201 Created'];
const POD_REFUSED = [`J ->> AS: [REQ] POST ${PODS}`, 'AS -->> J: [RESP] 403 Forbidden'];
const OTHER_READ = [`J ->> AS: [REQ] GET ${JOBS}/other`, 'AS -->> J: [RESP] 200 OK'];
const QUOTA = lines(...DELETED, ...CREATED, ...POD_REFUSED);
const RACING = lines(...POD_REFUSED, ...DELETED);
const READ_FIRST = lines(...OTHER_READ, ...POD_REFUSED);
const SYNC = 'participant X as sync';
const OF_SYNC = lines(
  SYNC,
  ...[...DELETED, ...CREATED].map((line) => line.replaceAll('C', 'X').replace('Xreated', 'Created')),
);
const STRICT = '%% order: strict';

const ORDER: readonly Row[] = [
  { name: 'as it is drawn', expectation: QUOTA, capture: AS_DRAWN, verdict: 'pass', never: /other order|warning/ },
  {
    name: 'the quota was deleted six seconds after the Job: kubectl is read from top to bottom',
    expectation: QUOTA,
    capture: QUOTA_LATER,
    verdict: 'FAIL 5',
    says: [/^ {14}it came before line 4 \(frame \d+\), an answer above it on the lifeline of kubectl$/m],
  },
  {
    name: 'kubectl may do both at once, in branches of par',
    expectation: lines('par', ...DELETED, 'and', ...CREATED, 'end'),
    capture: QUOTA_LATER,
    verdict: 'pass',
    never: /other order/,
  },
  {
    name: 'which lines of a race happened in the other order',
    expectation: RACING,
    capture: QUOTA_FIRST,
    verdict: 'pass',
    says: [/^pass .*: 4 arrows, .*, lines 3 and 5 happened in the other order\n {2}warning: line 5 /],
  },
  { name: 'strict, as it is drawn', expectation: lines(STRICT, QUOTA), capture: AS_DRAWN, verdict: 'pass' },
  // The API server is on both lifelines, and gets no answers here.
  { name: 'strict, of two lifelines', expectation: lines(STRICT, RACING), capture: QUOTA_FIRST, verdict: 'pass' },
  {
    name: 'a controller may do both',
    expectation: READ_FIRST,
    capture: POD_FIRST,
    verdict: 'pass',
    says: ['lines 3 and 5 happened in the other order'],
  },
  { name: 'strict, of a controller', expectation: lines(STRICT, READ_FIRST), capture: POD_FIRST, verdict: 'FAIL 6' },
  { name: 'a program that people run', expectation: OF_SYNC, capture: laterOf('sync'), verdict: 'FAIL 6' },
  { name: 'a program with a service account', expectation: OF_SYNC, capture: laterOf('sync+sync'), verdict: 'pass' },
  {
    name: 'kubectl, whatever its account',
    expectation: lines(...DELETED, ...CREATED),
    capture: laterOf('kubectl+sync'),
    verdict: 'FAIL 5',
  },
  {
    name: 'another word behind order:',
    expectation: '%% order: loose',
    capture: AS_DRAWN,
    verdict: 'unreadable',
    says: [/^:3: .*expected strict behind order:/],
  },
];

// ── whom a placeholder means: what the story above made, not a neighbour that was there before it ──

const WEB_POD = 'Pod/web-6f8d9c7b54-x7k2p of ReplicaSet/web-6f8d9c7b54';
const LATER_POD = 'Pod/web-6f8d9c7b54-b4cdf of ReplicaSet/web-6f8d9c7b54';
const DEFAULT = '/api/v1/namespaces/default/pods';
const DEFAULT_JOBS = '/apis/batch/v1/namespaces/default/jobs';
/** A Job beside a Deployment; the scheduler is told of the Job's Pod, or is not. */
const besides = (told: string): string => `0 kube-scheduler WATCH /api/v1/pods
  1.1 ADDED ${WEB_POD}
  ${told}
  5.6 ADDED ${LATER_POD}
1 replicaset-controller POST ${DEFAULT} 201 ${WEB_POD}
5 kubectl POST ${DEFAULT_JOBS} 201 Job/once
5.3 job-controller POST ${DEFAULT} 201 Pod/once-zzvt4 of Job/once
5.5 replicaset-controller POST ${DEFAULT} 201 ${LATER_POD}`;
const BESIDES = besides('5.4 ADDED Pod/once-zzvt4 of Job/once');
const UNTOLD = besides('5.4 ADDED Pod/other');

const CREATES_JOB = lines(`C ->> AS: [REQ] POST ${DEFAULT_JOBS} - once`, 'AS -->> C: [RESP] 201 Created');
const CREATES_POD = lines(`M ->> AS: [REQ] POST ${DEFAULT}`, 'AS -->> M: [RESP] 201 Created');
const BY_JOBS = lines(`J ->> AS: [REQ] POST ${DEFAULT}`, 'AS -->> J: [RESP] 201 Created');
const TOLD_OF_WEB = TOLD.replace('{pod}', 'web-6f8d9c7b54-x7k2p');

const STORY: readonly Row[] = [
  {
    name: '{pod} is the Pod of the create above it, not one that was delivered four seconds before the Job',
    expectation: lines(CREATES_JOB, CREATES_POD, TOLD),
    capture: BESIDES,
    verdict: 'pass',
    says: ['{pod} is once-zzvt4'],
    never: /other order|warning/,
  },
  {
    name: '{pod} where only its owner is created above',
    expectation: lines(CREATES_JOB, TOLD),
    capture: BESIDES,
    verdict: 'pass',
    says: ['{pod} is once-zzvt4'],
  },
  {
    name: 'the created Pod is not delivered: why its neighbours do not count',
    expectation: lines(CREATES_JOB, BY_JOBS, TOLD),
    capture: UNTOLD,
    verdict: 'FAIL 7',
    says: [/^ {14}it is not about what line 5 \(frame \d+\) created$/m],
  },
  {
    name: 'a neighbour that was there before the capture: its Pod has an owner, and no known cause',
    expectation: lines(CREATES_JOB, TOLD),
    capture: `0 kube-scheduler WATCH /api/v1/pods
  5.6 ADDED Pod/twice-x7k2p of Job/twice
5 kubectl POST ${DEFAULT_JOBS} 201 Job/once`,
    verdict: 'FAIL 5',
    says: ['it belongs to another story, that of jobs/twice'],
  },
  {
    name: 'an object of another story counts where its label names it',
    expectation: lines(CREATES_JOB, CREATES_POD, TOLD_OF_WEB),
    capture: BESIDES,
    verdict: 'pass',
  },
  {
    name: 'and by a part of its name',
    expectation: lines(TOLD.replace('{pod}', 'web-{old}'), CREATES_JOB, CREATES_POD, TOLD),
    capture: BESIDES,
    verdict: 'pass',
    says: ['{old} is 6f8d9c7b54-x7k2p, {pod} is once-zzvt4'],
  },
  {
    // The only Pod of the story is told of below its Job.
    name: 'not by a placeholder alone',
    expectation: lines(TOLD.replace('{pod}', '{old}'), CREATES_JOB, CREATES_POD, TOLD),
    capture: BESIDES,
    verdict: 'FAIL 8',
    says: ['it is matched already, by line 3'],
  },
];

// ── fixtures/not-starting-tls/README.md: the quota, Deployment `two` at 15.8 s, its Pods refused; the node is labelled at 17.9 s;
// kubectl makes `crash` at 5.7 s and, at 19.3, Job `once` ──

const TWO = lines(
  'C ->> AS: [REQ] POST /apis/apps/v1/namespaces/team/deployments - two',
  'AS -->> C: [RESP] 201 Created',
  `R ->> AS: [REQ] POST ${PODS}`,
  'AS -->> R: [RESP] 403 Forbidden',
);
const MAKES_QUOTA = lines(`C ->> AS: [REQ] POST ${QUOTAS} - q`, 'AS -->> C: [RESP] 201 Created');
const LABELS_NODE = lines('C ->> AS: [REQ] PATCH /api/v1/nodes/node-1', 'AS -->> C: [RESP] 200 OK');
const READS = Array.from({ length: 12 }, () => 'C ->> AS: [REQ] GET **\nAS -->> C: [RESP] **').join('\n');

const RECORDED: readonly Of[] = [
  {
    name: 'the quota, the Deployment, its Pod',
    expectation: lines(MAKES_QUOTA, TWO),
    verdict: 'pass',
    never: /other order/,
  },
  { name: 'the label of two seconds later above them', expectation: lines(LABELS_NODE, TWO), verdict: 'FAIL 5' },
  {
    name: "the scheduler receives the Job's Pod, not the first Pod there is",
    expectation: lines(CREATES_JOB, CREATES_POD, TOLD),
    verdict: 'pass',
    says: [/\{pod\} is once-/],
    never: /warning/,
  },
];

describe('order', () => {
  it.each(ORDER)('$name: $verdict', said);

  it('which lines of a race happened in the other order, in every report', async () => {
    const { report } = await judged({ name: '', expectation: RACING, capture: QUOTA_FIRST, verdict: 'pass' });
    const words = 'lines 3 and 5 happened in the other order';
    expect(JSON.parse(renderCheckJson(report!))).toMatchObject({ expectations: [{ met: true, reordered: [[3, 5]] }] });
    expect(renderCheckJunit(report!)).toContain(words);
    expect(renderCheckSummary(report!)).toContain(`pass, ${words}\n`);
  });
});

describe('names', () => {
  it.each(STORY)('$name: $verdict', said);

  it('what matched before the first arrow is a warning, in every report', async () => {
    const expectation = lines(CREATES_JOB, TOLD_OF_WEB);
    const { report } = await judged({ name: '', expectation, capture: BESIDES, verdict: 'pass' });
    const early =
      /line 5 \(frame \d+ \(message 5\)\) came before line 3 \(frame \d+ \(message 6\)\), with which the story begins/;
    expect(renderCheckText(report!)).toMatch(
      new RegExp(`^pass .*, lines 3 and 5 happened in the other order\\n {2}warning: ${early.source}\\n$`),
    );
    expect(renderCheckGithub(report!)).toMatch(/^::warning file=story\.mmd,line=1,title=story::line 5 /);
    expect(renderCheckGithub(report!)).toMatch(/\n1 checked, 0 failures, 1 warning\n$/);
    for (const render of [renderCheckGithub, renderCheckJunit, renderCheckSummary])
      expect(render(report!)).toMatch(/line 5 \(frame \d+ \(message 5\)\) came before line 3 /);
    expect(JSON.parse(renderCheckJson(report!)).expectations[0].beforeStory).toMatchObject([{ line: 5, seq: 5 }]);
  });
});

describe('a recorded cluster', () => {
  it.each(RECORDED.map((row): Row => ({ ...row, capture: 'not-starting-tls' })))('$name: $verdict', said);

  it('many lines of kubectl and of controllers are checked soon, whichever order fails', async () => {
    const expectation = lines(READS, LABELS_NODE, READS, TWO);
    const { verdict } = await judged({ name: '', expectation, capture: 'not-starting-tls', verdict: 'FAIL' });
    expect(verdict).toMatch(/^FAIL/);
  });
});
