// Expectations of one story in a capture with neighbours of the same shape: four Deployments made within 50 ms, each with a ReplicaSet
// and a Pod (fixtures/lacks-tls). The five ways to break an expectation fail, in every format.

import { describe, expect, it } from 'vitest';
import { indexMessages } from '../../src/diagram/message-index.js';
import { rewrite } from '../../src/expectation/rewrite.js';
import {
  type CheckReport,
  check,
  ExpectationText,
  expectationsOf,
  type Message,
  ObservationIndex,
  renderCheckGithub,
  renderCheckJson,
  renderCheckJunit,
  renderCheckSummary,
  renderCheckText,
} from '../../src/index.js';
import { fixture } from '../kit/fixtures.js';
import { observed } from '../kit/observed.js';
import { START } from '../kit/packetiser.js';

const HEAD = `sequenceDiagram
participant C as kubectl
participant AS as kube-apiserver
participant D as deployment-controller
participant R as replicaset-controller
participant S as kube-scheduler
`;
const DEPLOYMENT = 'C ->> AS: [REQ] POST /apis/apps/v1/namespaces/default/deployments - kept';
const REPLICASET = 'D ->> AS: [REQ] POST /apis/apps/v1/namespaces/default/replicasets - {rs}';
const POD = 'R ->> AS: [REQ] POST /api/v1/namespaces/default/pods';
const TOLD = 'AS ->> S: [RESP-CHUNK] Pod ADDED - {pod}';
const BINDING = 'S ->> AS: [REQ] POST /api/v1/namespaces/default/pods/{pod}/binding';
/** Line of the first arrow. */
const FIRST = 7;

function reportOf(arrows: readonly string[], messages: readonly Message[]): CheckReport {
  const source = `${HEAD}${arrows.join('\n')}\n`;
  const [{ diagram }] = expectationsOf(source, false, 'story');
  const verdict = check(diagram, new ObservationIndex(messages));
  const one = { file: 'story.mmd', name: 'story', line: 1, source, firstLine: 1, verdict };
  return { expectations: [one], budgets: [], missing: [], start: START };
}

function verdictOf(
  arrows: readonly string[],
  messages: readonly Message[],
): CheckReport['expectations'][number]['verdict'] {
  return reportOf(arrows, messages).expectations[0].verdict;
}

/** Every format says that the arrow of this line is not matched, and why. */
function saysEverywhere(report: CheckReport, line: number, ...words: readonly string[]): void {
  const [{ verdict }] = report.expectations;
  expect([verdict.met, verdict.undecided, verdict.failures.map((one) => one.line)]).toEqual([false, null, [line]]);
  const formats = [renderCheckText, renderCheckGithub, renderCheckJunit, renderCheckSummary, renderCheckJson];
  for (const render of formats) for (const word of words) expect(render(report)).toContain(word);
  expect(renderCheckText(report)).toMatch(new RegExp(`^FAIL .*\n {2}story\\.mmd:${line}: `));
  expect(renderCheckGithub(report)).toContain(`::error file=story.mmd,line=${line},title=story::`);
  expect(renderCheckJunit(report)).toContain(`message="line ${line} `);
  expect(JSON.parse(renderCheckJson(report)).expectations[0].result).toBe('FAIL');
}

describe('a Deployment among neighbours of its shape', async () => {
  const capture = fixture('lacks-tls/control-plane.pcap');
  const keyLogs = [Buffer.from(fixture('lacks-tls/keys.log')).toString('latin1')];
  const { messages } = await observed([capture], { keyLogs });
  const replicaSet = REPLICASET.replace('{rs}', 'kept-974cdb8bb');

  it('order: what stands above its cause fails, though messages that are not drawn lie between', () => {
    saysEverywhere(
      reportOf([replicaSet, DEPLOYMENT, POD, TOLD, BINDING], messages),
      FIRST + 1,
      'it is the cause of line 7 (frame 2975): in the expectation it has to stand above that line',
    );
    // With the name open, the neighbours' ReplicaSets do not stand in for it; nor where the Deployment's name is open, too.
    for (const deployment of [DEPLOYMENT, DEPLOYMENT.replace('kept', '{deployment}')])
      saysEverywhere(
        reportOf([REPLICASET, deployment, POD, TOLD, BINDING], messages),
        FIRST + 1,
        ': in the expectation it has to stand above that line',
      );
    const apart = ['par', replicaSet, 'and', DEPLOYMENT, 'end'];
    expect(reportOf(apart, messages).expectations[0].verdict.met).toBe(true);
  });

  it('holds as it was, with any names open, for the Deployment that it names', () => {
    for (const deployment of [DEPLOYMENT, DEPLOYMENT.replace('kept', '{deployment}')]) {
      const verdict = verdictOf([deployment, REPLICASET, POD, TOLD, BINDING], messages);
      expect([verdict.met, verdict.beforeStory]).toEqual([true, []]);
      const name = verdict.names.get('deployment') ?? 'kept';
      expect([...verdict.names.values()].filter((value) => !value.startsWith(name))).toEqual([]);
    }
    for (const name of ['robot', 'urgent', 'boxed']) {
      const verdict = verdictOf([DEPLOYMENT.replace('kept', name), REPLICASET, POD, TOLD, BINDING], messages);
      expect(verdict.met).toBe(true);
      expect([...verdict.names.values()].filter((value) => !value.startsWith(`${name}-`))).toEqual([]);
    }
  });

  it('missing step: what a neighbour did does not stand in for it', () => {
    const ofKept = new Set(
      messages.filter(({ object }) => object?.name?.startsWith('kept-') === true).map(({ exchange }) => exchange),
    );
    const without = (text: string, from: string): readonly Message[] => {
      const steps = messages.filter(
        (one) => one.kind === 'request' && one.label.includes(text) && one.from.name === from,
      );
      const gone = new Set(steps.map(({ exchange }) => exchange).filter((exchange) => ofKept.has(exchange)));
      expect(gone.size).toBeGreaterThan(0);
      return messages.filter(({ exchange }) => !gone.has(exchange));
    };
    saysEverywhere(
      reportOf([DEPLOYMENT, REPLICASET, POD, TOLD, BINDING], without('/replicasets - kept-', 'deployment-controller')),
      FIRST + 1,
      'it belongs to another story, that of deployments/robot, which the expectation does not name',
    );
    saysEverywhere(
      reportOf([DEPLOYMENT, REPLICASET, POD, TOLD, BINDING], without('/pods', 'replicaset-controller')),
      FIRST + 2,
      'it belongs to another story, that of deployments/',
    );
    // An expectation that names both has two stories.
    const both = DEPLOYMENT.replace('kept', 'robot');
    expect(
      verdictOf([DEPLOYMENT, both, REPLICASET], without('/replicasets - kept-', 'deployment-controller')).met,
    ).toBe(true);
  });

  it('missing step: of two Deployments whose names are open, none has the rest of the other', () => {
    // Kept's ReplicaSet is not made, the others' Deployments not by this capture.
    const gone = messages.filter(
      ({ label }) => !/ - kept-\w+$/.test(label) && !/POST .*\/deployments - (?:robot|urgent|boxed)$/.test(label),
    );
    const open = DEPLOYMENT.replace('kept', '{deployment}');
    const { failures } = verdictOf([open, REPLICASET, POD], gone);
    expect(failures.map(({ line }) => line)).toEqual([FIRST + 1]);
  });

  it('other object: what is nearest goes by its name', () => {
    saysEverywhere(
      reportOf([DEPLOYMENT.replace('kept', 'kopt'), REPLICASET], messages),
      FIRST,
      'its object is named kept, not kopt',
    );
    const event = 'AS ->> S: [RESP-CHUNK] ReplicaSet ADDED - kopt-974cdb8bb';
    saysEverywhere(reportOf([event], messages), FIRST, 'ReplicaSet ADDED - kept-974cdb8bb');
    const bound = BINDING.replace('{pod}', 'kept-974cdb8bb-km6h8');
    saysEverywhere(reportOf([DEPLOYMENT, POD, TOLD, bound], messages), FIRST + 3, 'pods/kept-974cdb8bb-km6h7/binding');
  });

  it('other participant: the same message of another one is nearest, first one of the same program', () => {
    saysEverywhere(
      reportOf([DEPLOYMENT, REPLICASET.replace('D ', 'R ')], messages),
      FIRST + 1,
      'it was sent by deployment-controller, not replicaset-controller',
    );
    const kubelet = ['participant K as kubelet (node-3)', 'AS ->> K: [RESP-CHUNK] Pod ADDED - {pod}'];
    saysEverywhere(reportOf(kubelet, messages), FIRST + 1, 'it was sent to kubelet (node-1), not kubelet (node-3)');
  });

  it('extra write: critical names what came between, never what occurred', () => {
    const status = 'D ->> AS: [REQ] PUT /apis/apps/v1/namespaces/default/deployments/kept/status';
    saysEverywhere(
      reportOf(['critical', REPLICASET.replace('{rs}', 'kept-974cdb8bb'), status, 'end'], messages),
      FIRST + 2,
      'as critical requires',
      '(message 1345), deployment-controller',
      'PUT /apis/apps/v1/namespaces/default/deployments/urgent/status',
    );
    const never = `%% never: ${BINDING}`;
    saysEverywhere(
      reportOf([DEPLOYMENT, REPLICASET, POD, TOLD, never], messages),
      FIRST + 4,
      '/pods/kept-974cdb8bb-km6h7/binding',
    );
  });

  it('one expectation serves every namespace, default too, whose events are labelled without it', () => {
    const anywhere = [
      DEPLOYMENT.replace('default', '{ns}'),
      'AS ->> D: [RESP-CHUNK] Deployment ADDED - {ns}/kept',
      TOLD.replace('{pod}', '{ns}/{pod}'),
      BINDING.replace('default', '{ns}'),
    ];
    const verdict = verdictOf(anywhere, messages);
    expect([verdict.met, verdict.names.get('ns')]).toEqual([true, 'default']);
    expect(verdictOf([TOLD.replace('{pod}', 'kube-system/{pod}')], messages).met).toBe(false);
    expect(verdictOf(['AS ->> S: [RESP-CHUNK] Node ADDED - {ns}/node-1'], messages).met).toBe(false);
  });

  it('as it would pass: placeholders stay, and wildcards', () => {
    const wrong = [
      DEPLOYMENT.replace('default', '{ns}'),
      REPLICASET.replace('POST', 'PUT').replace('default', '{ns}'),
      TOLD.replace('ADDED', 'GONE'),
      BINDING.replace('/binding', '/bindings').replace('default', '*'),
    ];
    const source = `${HEAD}${wrong.join('\n')}\n`;
    const text = new ExpectationText(indexMessages(messages));
    const { source: passing, verdict } = rewrite(source, 1, new ObservationIndex(messages), {
      label: (message) => text.label(message),
    });
    expect(verdict.met).toBe(true);
    expect(
      passing
        .split('\n')
        .slice(FIRST - 1, -1)
        .sort(),
    ).toEqual(
      [
        DEPLOYMENT.replace('default', '{ns}'),
        REPLICASET.replace('default', '{ns}'),
        TOLD.replace('ADDED', 'MODIFIED'),
        BINDING.replace('default', '*'),
      ].sort(),
    );
  });
});
