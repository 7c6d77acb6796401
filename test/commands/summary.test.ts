// The text of a summary: problems begin it, most severe first, on every fixture; start-up noise comes after it.

import { describe, expect, it } from 'vitest';
import { HistoryBuilder, type Summary, SummaryCollector, summaryText } from '../../src/index.js';
import { tenuresOf } from '../../src/object-history/tenures.js';
import { kubeseq } from '../kit/command.js';
import { observeWhole, WITH_CAPTURES } from '../kit/whole-fixtures.js';

/** From crashes to warnings, as docs/commands/summary.md has them. */
const WEIGHTS = [
  ...['crash', 'unreachable', 'cut', 'leader change', 'failed', 'refused'],
  ...['evicted', 'deadline', 'status', 'warning', 'start-up'],
];

async function summaryOf(name: string): Promise<Summary> {
  const { items, captures } = await observeWhole(name);
  const collector = new SummaryCollector(captures, { streams: false });
  for (const item of items) collector.add(item);
  return collector.result();
}

/** The lines below a title, without it. */
function rowsOf(text: string, title: RegExp): string[] {
  const lines = text.split('\n');
  const begin = lines.findIndex((line) => title.test(line));
  if (begin < 0) return [];
  const end = lines.indexOf('', begin);
  return lines.slice(begin + 1, end);
}

/** Rows of problems, without the headings of their kinds. */
const problemRows = (text: string): string[] => rowsOf(text, /^problems, /).filter((line) => !/^ {2}\S/.test(line));
const usualRows = (text: string): string[] => rowsOf(text, /^normal during/);

describe.each(WITH_CAPTURES)('%s', (name) => {
  it('begins with the problems, within five lines, most severe first', { timeout: 60_000 }, async () => {
    const summary = await summaryOf(name);
    const text = summaryText(summary, 1_000_000);
    const head = text.split('\n').slice(0, 5);
    const at = head.findIndex((line) => /^(problems, |No problems found)/.test(line));
    expect(at, text.slice(0, 400)).toBeGreaterThan(0);
    const { problems } = summary;
    const weights = problems.map(({ kind }) => WEIGHTS.indexOf(kind));
    expect(weights).not.toContain(-1);
    expect(weights).toEqual(weights.toSorted((a, b) => a - b));
    // Each with its time and place, in both lists.
    const wrong = problemRows(text);
    const usual = usualRows(text);
    const kinds = new Set(problems.map(({ kind }) => kind));
    kinds.delete('start-up');
    // A heading for each kind.
    expect(rowsOf(text, /^problems, /).length - wrong.length).toBe(kinds.size);
    expect(wrong.length).toBe(problems.filter(({ kind }) => kind !== 'start-up').length);
    expect(usual.length).toBe(problems.filter(({ kind }) => kind === 'start-up').length);
    for (const line of [...wrong, ...usual]) {
      expect(line).toMatch(/^ +\d+\.\d{6} {2}(message|frame) \d+ +\S/);
      // What does not fit is left out at the end.
      if (/[^ ]…/.test(line.replace(/…$/, ''))) expect(problems.some(({ what }) => what.includes('…'))).toBe(true);
      expect(line.length).toBeLessThan(300);
    }
    for (const { message, at: seconds, object, kind, usual: why } of problems) {
      expect(seconds).toBeGreaterThanOrEqual(0);
      if (message === undefined) expect(object).toBeUndefined();
      expect(why !== undefined).toBe(kind === 'start-up');
    }
    const participants = text.indexOf('\nparticipants');
    expect(participants < 0).toBe(summary.participants.length === 0);
    if (participants >= 0) expect(participants).toBeGreaterThan(text.indexOf(head[at]));
  });
});

it('says that it found no problems, with what is normal at a start below, which counts as none', async () => {
  const text = summaryText(await summaryOf('run-nginx-http1'));
  expect(text.split('\n')[3]).toBe('No problems found.');
  expect(usualRows(text)).toEqual([expect.stringContaining('Event on Node node-1: CgroupV1: ')]);
  const summary = await summaryOf('run-nginx-http1');
  expect(summary.objects.filter(({ problems }) => problems > 0)).toEqual([]);
  expect(text).toContain(', 0 with problems\n');
  const silent = { ...summary, exchanges: { ...summary.exchanges, withoutResponse: 4 } };
  expect(summaryText(silent).split('\n')[3]).toBe('No problems found in what was read; 4 requests have no response.');
});

it('does not say so of what could not be read', () => {
  const { stdout } = kubeseq(['summary', '-q', 'fixtures/run-nginx-tls/capture.pcap.gz']);
  expect(stdout.split('\n')[3]).toMatch(/^No problems found in the \d+ of \d+ connections that were read\.$/);
});

it('has a dead member on one line: how often, and from when until when', async () => {
  const summary = await summaryOf('connections-tls');
  // tshark: 324 streams from 73.541420 (frame 13837) to 83.079946 in which port 2379 answers a SYN with RST.
  const etcd = summary.problems.filter(({ what }) => what.includes('2379') && what.endsWith(': refused'));
  expect(etcd).toMatchObject([{ kind: 'unreachable', count: 324, frame: 13837 }]);
  expect(etcd[0].at).toBeCloseTo(73.54142, 5);
  expect(etcd[0].until).toBeCloseTo(83.079946, 5);
  // The kubelet had shown its certificate when it was killed, and its connections were refused: it was not starting.
  const kubelet = summary.problems.filter(({ what }) => what.includes(':10250') && what.endsWith(': refused'));
  expect(kubelet).toMatchObject([{ kind: 'unreachable', count: 4 }]);
});

it('has a server that stands still, as a whole', async () => {
  const { problems } = await summaryOf('connections-tls');
  // README: etcd is stopped for six seconds from second 86 on. tshark: no byte of port 2379 from 86.174 to 92.239, answers from 92.300 on.
  const what =
    'etcd (192.0.2.11:2379): silent: no answer for 6.1 s while 5 requests of kube-apiserver on 2 connections waited';
  const silent = problems.filter((one) => one.what.includes(': silent: ') && one.what.startsWith('etcd'));
  expect(silent).toMatchObject([{ kind: 'unreachable', what, count: 1 }]);
  expect(silent[0].at).toBeCloseTo(86.231, 2);
});

it('has who gave up its lease', async () => {
  const { items } = await observeWhole('connections-tls');
  const messages = items.flatMap((item) => (item.kind === 'message' ? [item.message] : []));
  const builder = new HistoryBuilder({
    resource: 'leases',
    group: null,
    namespace: 'kube-system',
    name: 'kube-scheduler',
  });
  for (const message of messages) builder.feed(message);
  // As the history of the object has it, which is read from the bodies: 16.6 s after the last renewal, of 15.
  const [tenure] = builder.result().incarnations.flatMap(({ steps }) => tenuresOf(steps));
  expect([tenure.ended, tenure.leaseSeconds]).toEqual(['released', 15]);
  const late = (Number((tenure.end?.time ?? 0n) - tenure.lastRenewal.time) / 1e9 - 15).toFixed(1);
  const summary = await summaryOf('connections-tls');
  expect(summary.problems.filter(({ kind }) => kind === 'leader change')).toMatchObject([
    {
      what: `leader of kube-scheduler: vm gave up its lease, ${late} s after it had ended, nobody has it since`,
      object: 'leases kube-system/kube-scheduler',
      message: tenure.end?.seq,
    },
  ]);
});

it('cuts its lists to --limit rows, and says how many more there are', () => {
  const args = ['summary', '-q', 'fixtures/lacks-tls/control-plane.pcap.gz'];
  const keys = ['--keylog', 'fixtures/lacks-tls/keys.log.gz'];
  const { stdout } = kubeseq([...args, ...keys, '--limit', '3']);
  const summary = JSON.parse(kubeseq([...args, ...keys, '-o', 'json']).stdout) as Summary;
  const wrong = summary.problems.filter(({ kind }) => kind !== 'start-up').length;
  expect(problemRows(stdout)).toHaveLength(3);
  expect(stdout).toContain(`\n  ${wrong - 3} more (--limit)\n`);
  expect(rowsOf(stdout, /^participants/)).toHaveLength(4);
  expect(stdout).toContain(`\n  ${summary.objects.length - 3} more objects (--limit)\n`);
  expect(rowsOf(stdout, /^latencies/)).toHaveLength(5);
});

it('says of repeated failures within one microsecond that they are', async () => {
  const [problem] = (await summaryOf('connections-tls')).problems.filter(({ count }) => count > 1);
  const summary = {
    ...(await summaryOf('connections-tls')),
    problems: [{ ...problem, at: 9.167314, until: 9.1673142 }],
  };
  expect(problemRows(summaryText(summary))).toEqual([
    expect.stringContaining(` ${problem.count} times, within 1 µs: `),
  ]);
});

it('counts requests apart from responses whose requests are not in the capture', async () => {
  const summary = await summaryOf('run-nginx-http1');
  const exchanges = { total: 11, complete: 5, withoutResponse: 2, withoutRequest: 1, brokenOff: 1 };
  expect(summaryText({ ...summary, exchanges, rpcs: 3 })).toContain(
    '\nrequests      10: 7 with a response, 2 of them incomplete, 2 without a response, 1 broken off before a response; besides 1 without their request; 3 of all are gRPC\n',
  );
});
