import { describe, expect, it } from 'vitest';
import type { Message, Participant } from '../kubernetes/messages/message.js';
import { readBudgets } from './budget.js';
import { budgetMistakes, kindMistakes, nameMistakes, Roster } from './mistakes.js';
import { parseDiagram } from './syntax/parse.js';

function participant(component: string, name = component, manager?: Participant): Participant {
  const one = { id: 1, component, name, evidence: [] } as unknown as Participant;
  return Object.assign(one, { process: manager ?? one });
}

const MANAGER = participant('kube-controller-manager');
const SERVER = participant('kube-apiserver');
/** A program of which only a controller was seen. */
const OPERATOR = participant('shop-operator');
const ROSTER = new Roster(['my own']);
for (const message of [
  { from: participant('kubectl'), to: SERVER },
  { from: participant('kubelet', 'kubelet (node-1)'), to: SERVER },
  { from: participant('job-controller', 'job-controller', MANAGER), to: SERVER },
  { from: participant('shop-controller', 'shop-controller', OPERATOR), to: SERVER },
  {
    from: participant('shop'),
    to: participant('Pod', 'Pod shop/db-0'),
    via: [participant('Service', 'Service shop/db')],
  },
] as unknown as Message[])
  ROSTER.observe(message);

const GET = 'kube-apiserver: [REQ] GET /api';

describe('names without a participant', () => {
  it.each([
    ['of a controller', `  job-controler ->> ${GET}`, 2, 'nearest: job-controller'],
    [
      'of the server',
      '  participant C as kubectl\n  participant AS as apiserver\n  C ->> AS: [REQ] GET /',
      3,
      'nearest: kube-apiserver',
    ],
    ['in opt', `  opt\n  replicaset-controler ->> ${GET}\n  end`, 3, 'nearest: replicaset-controller'],
    ['in never', `  kubectl ->> ${GET}\n  %% never: kubelett ->> ${GET}`, 3, 'nearest: kubelet'],
    ['of a pattern', `  kubelett* ->> ${GET}`, 2, 'nearest: kubelet'],
    ['far from all', `  warehouse ->> ${GET}`, 2, 'there are: Pod, Pod shop/db-0, '],
  ])('%s', (_, text, line, meant) => {
    const mistakes = nameMistakes(parseDiagram(`sequenceDiagram\n${text}\n`), ROSTER);
    expect(mistakes).toEqual([{ line, text: expect.stringContaining(`; ${meant}`) }]);
  });

  it.each([
    ...[
      'kubectl',
      'kubelet',
      'kubelet (node-1)',
      'kube-controller-manager',
      'Service shop/db',
      'my own',
      'shop',
      'shop-operator',
    ],
    // Kubernetes has them, this observation has not.
    ...[
      'kubelet (node-9)',
      'etcd',
      'deployment-controller',
      'coredns',
      'webhook v.example.com',
      'Pod web-0',
      'client 192.0.2.9',
    ],
    // Patterns that somebody fits.
    ...['kube*', 'kubelet (*)', 'kubectl|curl', 'kube-{which}', 'Pod **'],
  ])('%s is none', (name) => {
    const text = `sequenceDiagram\n  participant X as ${name}\n  X ->> ${GET}\n`;
    expect(nameMistakes(parseDiagram(text), ROSTER)).toEqual([]);
  });

  it('a participant that neither sends nor receives anything may have any name', () => {
    const text = `sequenceDiagram\n  participant You\n  Note over You: look\n  kubectl ->> ${GET}\n`;
    expect(nameMistakes(parseDiagram(text), ROSTER)).toEqual([]);
  });

  it.each([
    ['kubelett', ['kubelett']],
    ['kubectl|kubelett', ['kubelett']],
    ['[kubectl, kubelett]', ['kubelett']],
    ['kube*', []],
    ['job-controller', []],
  ])('in a budget: from: %s', (from, wrong) => {
    const budgets = readBudgets(`budget:\n  - verb: get\n    from: ${from}\n    max: 1\n`, 'b.yaml');
    const said = budgetMistakes(budgets, ROSTER);
    expect(said.map(({ file, line, text }) => [file, line, text.split(/[ ,]/)[4]])).toEqual(
      wrong.map((name) => ['b.yaml', 2, name]),
    );
  });
});

describe('labels of no kind', () => {
  it.each([
    ['[RESP-CHUNCK] Pod ADDED - nginx', '[RESP-CHUNCK] is no kind of message; nearest: [RESP-CHUNK]'],
    ['[req] GET /api', '[req] is no kind of message; nearest: [REQ]'],
    ['[HELLO] GET /api', '[HELLO] is no kind of message; expected one of [REQ], [RESP], '],
    ['GET /api', '"GET /api": expected one of [REQ], [RESP], '],
  ])('%s', (label, message) => {
    const arrow = `kubectl ->> kube-apiserver: ${label}`;
    const diagram = parseDiagram(`sequenceDiagram\n  opt\n  ${arrow}\n  end\n  %% never: ${arrow}\n`);
    const text = expect.stringContaining(message);
    expect(kindMistakes(diagram)).toEqual([
      { line: 3, text },
      { line: 5, text },
    ]);
  });

  it.each(['REQ', 'RESP', 'RESP-CHUNK', 'RPC', 'RPC-RESP', 'RPC-CHUNK', 'DATA'])('[%s] is one', (kind) => {
    expect(kindMistakes(parseDiagram(`sequenceDiagram\n  A ->> B: [${kind}]: x\n`))).toEqual([]);
  });

  it.each(['A --x B: [END] x', 'A -x B: [REQ] GET /', 'A --x B: [RPC] KV/Txn'])('a cut: %s', (arrow) => {
    expect(kindMistakes(parseDiagram(`sequenceDiagram\n  ${arrow}\n  %% never: ${arrow}\n`))).toEqual([]);
  });

  it.each([
    ['A ->> B: [END] x', '[END] is drawn as --x'],
    ['A --x B: [RESP] 200 OK', '--x is a cut; expected [END], or the request that was cut'],
  ])('no cut: %s', (arrow, text) => {
    expect(kindMistakes(parseDiagram(`sequenceDiagram\n  ${arrow}\n  %% never: ${arrow}\n`))).toEqual([
      { line: 2, text: expect.stringContaining(text) },
      { line: 3, text: expect.stringContaining(text) },
    ]);
  });
});
