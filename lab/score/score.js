// Scores the causes of one recording, and sums the scores of several.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { scoreAudit, scoreEtcd, scoreEvents, scoreWebhooks } from './calls.js';
import { count, indexMessages } from './capture.js';
import { scoreRequests, wrongEvents } from './requests.js';
import { openFile, pathOf, readLines, readStream } from './truth.js';

const KUBESEQ = fileURLToPath(new URL('../../bin/kubeseq.js', import.meta.url));

/**
 * @param controllers lines of YAML: rows in place of those of the table.
 * @returns the truth of a folder, and the messages that kubeseq reads from its capture or that a file already has.
 */
export async function readRecording(folder, { kubeseq = KUBESEQ, messages, controllers = [] } = {}) {
  return {
    messages: await (messages === undefined
      ? messagesOf(folder, kubeseq, controllers)
      : readStream(openFile(messages))),
    truth: readLines(folder, 'causes.jsonl'),
    turns: readLines(folder, 'turns.jsonl'),
    etcd: readLines(folder, 'etcd-causes.jsonl'),
    webhooks: readLines(folder, 'webhook-causes.jsonl'),
    audit: readLines(folder, 'audit.jsonl'),
  };
}

function messagesOf(folder, kubeseq, controllers) {
  const capture = pathOf(folder, 'capture.pcap');
  if (capture === undefined) throw new Error(`${folder} has no capture.pcap`);
  return printedMessages(capture, pathOf(folder, 'keys.log'), kubeseq, controllers);
}

/** @returns the messages of a capture, as `kubeseq messages` prints them. @param keys a key log; undefined: none. */
export async function printedMessages(capture, keys, kubeseq = KUBESEQ, controllers = []) {
  const args = [kubeseq, 'messages', capture, '-q', '-o', 'ndjson'];
  if (keys !== undefined) args.push('--keylog', keys);
  const own =
    controllers.length === 0 ? undefined : join(mkdtempSync(join(tmpdir(), 'kubeseq-score-')), 'controllers.yaml');
  if (own !== undefined) {
    writeFileSync(own, ['controllers:', ...controllers, ''].join('\n'));
    args.push('--participants', own);
  }
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = new Promise((resolve) => child.on('close', resolve));
  const rows = await readStream(child.stdout);
  const status = await ended;
  if (own !== undefined) rmSync(dirname(own), { recursive: true });
  if (rows.length === 0) throw new Error(`${kubeseq} read no message of ${capture} (exit status ${status})`);
  return rows;
}

/** @returns the score of a recording; see `score.d.ts`. */
export function score({ messages, truth, turns = [], etcd = [], webhooks = [], audit = [] }) {
  const capture = indexMessages(messages, etcd);
  const { counts, outcomes, notFound, names } = scoreRequests(truth, capture);
  return {
    messages: messages.length,
    truth: truth.length,
    notFound,
    counts,
    wrong: wrongEvents(turns.length > 0 ? outcomes : [], turns),
    events: scoreEvents(capture),
    etcd: scoreEtcd(etcd, capture),
    webhooks: scoreWebhooks(webhooks, capture),
    audit: scoreAudit(audit, capture),
    outcomes,
    names,
    capture,
  };
}

/** @returns one score with the counts of all; single requests stay with their recording. */
export function sumScores(scores) {
  const total = { messages: 0, truth: 0, notFound: 0, counts: {}, wrong: [], events: {} };
  Object.assign(total, { etcd: { counts: {}, methods: {} }, webhooks: { counts: {} } });
  const audits = scores.map(({ audit }) => audit);
  total.audit = { requests: sum(audits.map((one) => one.requests)), missed: audits.flatMap((one) => one.missed) };
  const wrong = new Map();
  for (const one of scores) {
    for (const field of ['messages', 'truth', 'notFound']) total[field] += one[field];
    addAll(total.counts, one.counts);
    addAll(total.etcd.methods, one.etcd.methods);
    addAll(total, { events: one.events });
    addAll(total.etcd, { counts: one.etcd.counts });
    addAll(total.webhooks, { counts: one.webhooks.counts });
    for (const [queue, request, what, times] of one.wrong) {
      const key = JSON.stringify([queue, request, what]);
      wrong.set(key, (wrong.get(key) ?? 0) + times);
    }
  }
  total.wrong = [...wrong].map(([key, times]) => [...JSON.parse(key), times]).sort((a, b) => b[3] - a[3]);
  return total;
}

function addAll(groups, more) {
  for (const [group, counts] of Object.entries(more)) {
    groups[group] ??= {};
    for (const [key, value] of Object.entries(counts)) count(groups[group], key, value);
  }
}

function sum(numbers) {
  return numbers.reduce((total, one) => total + one, 0);
}

/** @returns the columns of one group of requests; shares are from 0 to 1, undefined where nothing is counted. */
export function figuresOf(counts = {}) {
  const of = (...outcomes) => sum(outcomes.map((outcome) => counts[outcome] ?? 0));
  const right = of('right', 'right, of an earlier turn');
  const none = of('none given', 'none given, not in the capture');
  const truth = right + none + of('echo', 'other version', 'other object');
  const falsePositives = of('no event: given', 'timer: given');
  const again = of('again: right');
  const given = right + of('echo', 'other version', 'other object', 'again: other') + again + falsePositives;
  return {
    truth,
    right,
    echo: of('echo'),
    otherVersion: of('other version'),
    otherObject: of('other object'),
    none,
    last: of('last'),
    again,
    againOther: of('again: other'),
    againNone: of('again: none'),
    falsePositives,
    trueNegatives: of('no event: none', 'timer: none'),
    continued: of('continued'),
    unknownGiven: of('unknown: given'),
    unknownNone: of('unknown: none'),
    precision: share(right + again, given),
    recall: share(right, truth),
    precisionWithEcho: share(right + again + of('echo'), given),
    afterTurnBegan: of('came after the turn began'),
    older: of('older'),
    given,
  };
}

/** @returns precision and recall of calls to etcd or webhooks. */
export function figuresOfCalls({ counts }) {
  const of = (outcome) => counts[outcome] ?? 0;
  const given = of('right') + of('other request');
  return { precision: share(of('right'), given + of('own: given')), recall: share(of('right'), given + of('none')) };
}

function share(part, all) {
  return all === 0 ? undefined : part / all;
}
