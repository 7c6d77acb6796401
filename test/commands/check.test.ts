// What `check` says of recorded captures: a row is an expectation, a capture, the verdict and the sentence.

import { expect, it } from 'vitest';
import { renderCheckGithub } from '../../src/index.js';
import { judged, type Row, said } from '../kit/check-rows.js';

const HTTP1 = 'run-nginx-http1';
/** Line 12 creates the Pod, 13 and 16 are events, 14 and 17 answers, 15 binds it, 18 is the kubelet's status. */
const EXPECTED = 'check/expected-run-nginx.mmd';
const ARTICLE = 'check/article-flow.mmd';

const RUN_NGINX: readonly Row[] = [
  {
    name: 'the expected flow over HTTP/1.1',
    expectation: EXPECTED,
    capture: HTTP1,
    verdict: 'pass',
    says: ['diagram story: 12 arrows, frames 150 to 1835, lines 13 and 14 happened in the other order'],
  },
  { name: 'the expected flow over TLS', expectation: EXPECTED, capture: 'run-nginx-tls', verdict: 'pass' },
  {
    name: 'the expected flow in a pcapng with its secrets',
    expectation: EXPECTED,
    capture: 'run-nginx-tls/capture-with-secrets.pcapng',
    verdict: 'pass',
  },
  { name: 'a capture of something else', expectation: EXPECTED, capture: 'errors-http1', verdict: 'FAIL 7' },
  {
    name: "the article's own text: its first wrong arrow, what was matched before and what came nearest",
    expectation: ARTICLE,
    capture: HTTP1,
    verdict: 'FAIL 9',
    // Frames as tshark numbers them: the scheduler's watch and its answer, the kubelet's watch.
    says: [
      /^ {2}story\.mmd:9: not matched: kubelet → kube-apiserver: \[REQ\] GET /m,
      /^ {4}nearest: {2}frame 745 /m,
      'its fieldSelector is spec.nodeName=node-1, not fieldSelector=spec.nodeName=node-1',
      /matched above it:\n {6}line 7: frame 150 .*\n {6}line 8: frame 249 .*\n$/,
    ],
  },
  {
    name: "all failures of the article's text: its third and its eleventh arrow",
    expectation: ARTICLE,
    capture: HTTP1,
    allFailures: true,
    verdict: 'FAIL 9, 18',
    says: [
      /: kubelet \(node-1\) → kube-apiserver: \[REQ\] PATCH \S+\/pods\/nginx\/status\n/,
      'its method is PATCH, not PUT',
    ],
  },
];

/** The five ways in which an expectation of one flow is wrong, each at the arrow that is named. */
const WRONG: readonly Omit<Row, 'expectation' | 'capture'>[] = [
  {
    name: 'an arrow that never happens',
    edits: { 12: ['+', 'C ->> AS: [REQ] DELETE /api/v1/namespaces/default/pods/apache'] },
    verdict: 'FAIL 13',
    says: [
      '[REQ] DELETE /api/v1/namespaces/default/pods/nginx',
      'its path is /api/v1/namespaces/default/pods/nginx, not /api/v1/namespaces/default/pods/apache',
    ],
  },
  {
    name: 'a request above the event that it answers to',
    swap: [13, 15],
    verdict: 'FAIL 14',
    says: ['it came before line 13 (frame 1791), which has to come first'],
  },
  {
    name: 'an event above the write that made it',
    swap: [12, 13],
    verdict: 'FAIL 13',
    says: ['it is the cause of line 12 (frame 1789): in the expectation it has to stand above that line'],
  },
  {
    name: 'an answer above its request',
    swap: [15, 17],
    verdict: 'FAIL 17',
    says: ['it is the cause of line 16 (frame 1795): in the expectation it has to stand above that line'],
  },
  {
    name: 'two writes to one object in the other order',
    swap: [12, 15],
    verdict: 'FAIL 13',
    says: ['it is the cause of line 12 (frame 1791): in the expectation it has to stand above that line'],
  },
  { name: 'two arrows that race, in the other order', swap: [13, 14], verdict: 'pass', never: /other order/ },
  {
    name: 'a status',
    edits: { 14: ['201 Created', '409 Conflict'] },
    verdict: 'FAIL 14',
    says: ['it has the label [RESP] 201 Created'],
  },
  {
    name: 'another status',
    edits: { 17: ['201 Created', '200 OK'] },
    verdict: 'FAIL 17',
    says: [/frame 1801 .*\n {14}it has the label \[RESP\] 201 Created/],
  },
  { name: 'a component', edits: { 15: ['S ->>+ AS', 'L ->>+ AS'] }, verdict: 'FAIL 15' },
  { name: 'a receiver', edits: { 13: ['AS ->> S', 'AS ->> C'] }, verdict: 'FAIL 13' },
  {
    name: 'a participant that is not there',
    edits: { 6: ['as kubelet', 'as etcd'] },
    verdict: 'FAIL 9',
    says: ['it was sent by kubelet (node-1), not etcd'],
  },
  { name: 'a method', edits: { 15: ['POST', 'PUT'] }, verdict: 'FAIL 15', says: ['its method is POST, not PUT'] },
  {
    name: 'an object',
    edits: { 13: ['nginx', 'web'] },
    verdict: 'FAIL 13',
    says: ['it has the label [RESP-CHUNK] Pod ADDED - nginx'],
  },
  {
    name: 'a type of event',
    edits: { 13: ['ADDED', 'DELETED'] },
    verdict: 'FAIL 15',
    says: [/it came before line 13 \(frame \d+\), which has to come first/],
  },
  {
    name: 'a parameter',
    edits: { 9: ['node-1', 'node-2'] },
    verdict: 'FAIL 9',
    says: ['its fieldSelector is spec.nodeName=node-1, not spec.nodeName=node-2'],
  },
  // From the event at 7.180600 to the binding at 7.183… as tshark times frames 1789 and 1791.
  { name: 'within: enough time', edits: { 13: ['+', '%% within: 10s'] }, verdict: 'pass' },
  {
    name: 'within: not enough',
    edits: { 15: ['+', '%% within: 10us'] },
    verdict: 'FAIL 17',
    says: [/it came \d.* after line 15, not within 10 µs/],
  },
  {
    name: 'within: of the last arrow',
    edits: { 19: ['+', '%% within: 1us'] },
    verdict: 'FAIL 19',
    says: [/it came \d+ ms after line 18, not within 1 µs/],
  },
  {
    name: 'never: what occurred',
    edits: { 11: ['+', '%% never: C ->> AS: [REQ] DELETE /api/v1/namespaces/default/pods/nginx'] },
    verdict: 'FAIL 12',
    says: [/:12: must not occur: .*\n {4}occurred: .*\[REQ\] DELETE \/api\/v1\/namespaces\/default\/pods\/nginx\n/],
  },
  {
    name: 'never: what did not',
    edits: { 11: ['+', '%% never: L ->> AS: [REQ] DELETE /api/v1/nodes/**'] },
    verdict: 'pass',
  },
  {
    name: 'a time that is none',
    edits: { 12: ['+', '%% within: soon'] },
    verdict: 'unreadable',
    says: [/^:13: "soon": expected a time/],
  },
  {
    name: 'never without an arrow',
    edits: { 12: ['+', '%% never: A'] },
    verdict: 'unreadable',
    says: [/^:13: "A": expected an arrow behind never:/],
  },
  {
    name: 'a participant whom nobody knows',
    edits: { 5: ['kube-scheduler', 'kube-schedular'] },
    verdict: 'unreadable',
    says: [/^:5: no participant is called kube-schedular, .*; nearest: kube-scheduler$/m],
  },
  {
    name: 'a kind of message that is none',
    edits: { 16: ['[RESP-CHUNK]', '[RESP-CHUNCK]'] },
    verdict: 'unreadable',
    says: [/^:16: \[RESP-CHUNCK\] is no kind of message; nearest: \[RESP-CHUNK\]$/],
  },
  {
    name: 'a budget that is generous',
    budget: 'budget:\n  - { from: kubelet, verb: patch, resource: pods, max: 10 }\n',
    verdict: 'pass',
    // As many as the API server's own audit log has.
    says: [/^pass {2}budget\.yaml:2: .*: 4 of at most 10$/m],
  },
  {
    name: 'a budget of as many as there are',
    budget: 'budget:\n  - { from: kubelet, verb: patch, resource: pods, max: 4 }\n',
    verdict: 'pass',
  },
  {
    name: 'a budget that is exceeded, beside one that is not',
    budget:
      'budget:\n  - name: patches\n    from: kubelet\n    verb: patch\n    resource: pods\n    max: 1\n  - status: 409|429\n    max: 0\n',
    verdict: 'FAIL',
    says: [
      /^FAIL {2}budget\.yaml:2: patches: at most 1\n {4}4\n {4}one too many: .*\[REQ\] PATCH .*\npass {2}budget\.yaml:7: status 409\|429: 0 of at most 0\n/m,
    ],
  },
  {
    name: 'a participant of a budget whom nobody knows',
    budget: 'budget:\n  - verb: get\n    from: kubectl|kubelett\n    max: 10000\n',
    verdict: 'unreadable',
    says: [/^:2: no participant is called kubelett, .*; nearest: kubelet$/m],
  },
];

const OTHERS: readonly Row[] = [
  {
    name: 'more ways to read a label than are looked at',
    expectation: 'M ->> AS: [REQ] POST /api/v1/namespaces/kube-system/serviceaccounts/{a}{b}{c}{d}/token',
    capture: HTTP1,
    verdict: 'undecided',
    says: ['READINGS_LIMIT: one label can be read in more than 256 ways'],
  },
  {
    name: 'a storm of refusals, by its budget',
    expectation: 'participant U as curl\nU ->> AS: [REQ] GET **',
    capture: 'throttle-tls',
    budget: 'budget:\n  - { status: 429, per: resource, max: 3, within: 2s }\n',
    verdict: 'FAIL',
    says: [/^FAIL {2}budget\.yaml:2: status 429: at most 3/m],
  },
];

// What the API server and etcd say to each other is not encrypted in this capture, what others say to the API server is. From the
// truth of the fixture: the ReplicaSet's Pod, and that the API server writes it into etcd.
const STORY = `participant E as etcd
R ->> AS: [REQ] POST /api/v1/namespaces/shop/pods
AS ->> E: [RPC] KV/Txn create /registry/pods/shop/{pod}
AS -->> R: [RESP] 201 Created`;
const NEVER = '%% never: R ->> AS: [REQ] POST /api/v1/namespaces/shop/pods';
const UNREAD = /\d+ encrypted connections .* \(\S+:\d+ to \S+:6443, .*--keylog/;

/** Undecided is not failed: what may be in traffic that could not be read. */
const BOOT: readonly Row[] = [
  { name: 'with keys', expectation: STORY, capture: 'boot-etcd-tls', verdict: 'pass' },
  {
    name: 'an arrow that may be in what could not be read',
    expectation: STORY,
    capture: 'boot-etcd-tls/capture.pcap',
    verdict: 'undecided',
    says: ['the arrows of lines 4, 6 may be in what could not be read: ', UNREAD],
    everywhere: true,
    never: /^(?:pass|FAIL)/m,
  },
  {
    name: 'an arrow that cannot be in there',
    expectation: STORY,
    edits: { 5: ['Txn create', 'Txn delete'] },
    capture: 'boot-etcd-tls/capture.pcap',
    verdict: 'FAIL 4',
  },
  { name: 'what must never occur, and did', expectation: NEVER, capture: 'boot-etcd-tls', verdict: 'FAIL 3' },
  {
    name: 'what must never occur, and may be in there',
    expectation: NEVER,
    capture: 'boot-etcd-tls/capture.pcap',
    verdict: 'undecided',
    says: ['the arrow of line 3 must never occur, and may be in what could not be read', UNREAD],
  },
  {
    name: 'nothing that could be read',
    expectation: EXPECTED,
    capture: 'run-nginx-tls/capture.pcap',
    budget: 'budget:\n  - { verb: get, max: 0 }\n',
    verdict: 'undecided',
    says: [/^undecided {2}story\.mmd:1: .*\n.*\nundecided {2}budget\.yaml:2: /],
    never: /^(?:pass|FAIL)/m,
  },
];

const ROWS: readonly Row[] = [
  ...RUN_NGINX,
  ...WRONG.map((row): Row => ({ ...row, expectation: EXPECTED, capture: HTTP1 })),
  ...OTHERS,
  ...BOOT,
];

it.each(ROWS)('$name: $verdict', said);

it('on GitHub ten annotations at most, the last with a count of the rest', async () => {
  const expectation = Array.from({ length: 25 }, (_, i) => `C ->> AS: [REQ] GET /none/${i}`).join('\n');
  const { report } = await judged({ name: 'many', expectation, capture: HTTP1, allFailures: true, verdict: 'FAIL' });
  const annotations = renderCheckGithub(report!)
    .split('\n')
    .filter((line) => line.startsWith('::error '));
  expect(annotations).toHaveLength(10);
  expect(annotations[9]).toContain('16 more');
});
