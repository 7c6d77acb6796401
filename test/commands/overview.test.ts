// The first look at a capture: on every fixture, held against what the options it names draw, and against counts of its own.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { indexMessages } from '../../src/diagram/message-index.js';
import type { Note } from '../../src/diagram/model.js';
import { storiesOf } from '../../src/diagram/overview/stories.js';
import { DEFAULT_LAYERS, isInLayers } from '../../src/diagram/selection/visibility.js';
import {
  arrowsOf,
  buildSequence,
  firstLook,
  type Message,
  parseFollow,
  renderMermaid,
  renderText,
} from '../../src/index.js';
import { kubeseq } from '../kit/command.js';
import { capturedFixtures } from '../kit/fixture-observations.js';
import { parseMermaid } from '../kit/mermaid.js';
import { exchanged, KUBECTL, message } from '../kit/messages.js';
import { observeWhole } from '../kit/whole-fixtures.js';

/** Fixtures whose first look is an overview. */
const OVERVIEWS: string[] = [];

describe.each(capturedFixtures())('%s', (name) => {
  it('has a first look of few arrows, or of one story, in which nothing is lost', { timeout: 60_000 }, async () => {
    const observation = await observeWhole(name);
    const whole = buildSequence(observation);
    const look = firstLook(observation, {});
    if (look.remarks === undefined) {
      expect(renderMermaid(look)).toBe(renderMermaid(whole));
      if (whole.drawn > 60) expect(objectsWrittenByPeople(observation.messages).size).toBeLessThan(6);
      return;
    }
    OVERVIEWS.push(name);
    const arrows = arrowsOf(look.steps);
    expect(arrows.length).toBeLessThanOrEqual(40);
    await parseMermaid(renderMermaid(look, { seqs: true }));
    // Who spoke to whom: every request of the drawn layer, once.
    const requests = observation.messages.filter((one) => one.kind === 'request' && isInLayers(one, DEFAULT_LAYERS));
    const counted = arrows.map(({ summary }) => summary?.words ?? '').filter((words) => !words.includes(' → '));
    const spoken = counted.reduce((sum, words) => sum + numberIn(words, 'request') + numberIn(words, 'watch'), 0);
    const elsewhere = look.coverage.others.some((line) => line.includes('spoke, of'));
    if (elsewhere) expect(spoken).toBeLessThan(requests.length);
    else expect(spoken).toBe(requests.length);
    // The stories: each by the options that are named for it, with as many arrows as are said.
    const [, ...stories] = look.remarks;
    const found = storiesOf(indexMessages(observation.messages)).stories;
    for (const [i, line] of stories.entries()) {
      const [, kind, where, said] = /^--follow (\S+)(?: (-A|-n \S+))?: (\d+) arrows?/.exec(line) ?? [];
      const namespace = where === '-A' ? null : (where?.slice(3) ?? 'default');
      const follow = parseFollow(kind, namespace) ?? undefined;
      const followed = buildSequence(observation, { follow });
      expect(followed.drawn, line).toBe(Number(said));
      // Each is found among the messages that can be part of it, and drawn from all of them.
      expect(seqsOf(found[i].messages)).toEqual(seqsOf(arrowsOf(followed.steps).map((arrow) => arrow.message)));
    }
    const inStories = arrows.filter(({ summary }) => summary?.words.includes(' → '));
    expect(inStories.length).toBe(Math.min(stories.length, 16));
    expect(look.closing[0]).toContain(`${whole.drawn} arrows are behind`);
    // In pictures, the stories are a table: the same ones, in a row each.
    const drawn = firstLook(observation, {}, { form: 'table', built: whole });
    const table = drawn.steps.find((step) => step.kind === 'note' && step.isTable === true) as Note | undefined;
    const rows = (table?.lines ?? []).slice(1).map((line) => line.split(/\u00a0+/));
    expect(rows.map(([, , seq]) => seq)).toEqual(
      arrows.filter(({ summary }) => summary?.words.includes(' → ')).map(({ message }) => String(message.seq)),
    );
    for (const [story, begin, , count, takes, wrong = ''] of rows) {
      const line = stories.find((one) => one.startsWith(`--follow ${story}: `)) ?? '';
      expect(line).toMatch(new RegExp(`: ${count} arrows?, ${takes.replace('.', '\\.')}(?:, \\d+ problems?)?$`));
      expect(Number(/, (\d+) problem/.exec(line)?.[1] ?? 0)).toBe(
        wrong === '' ? 0 : 1 + Number(/ \+(\d+)$/.exec(wrong)?.[1] ?? 0),
      );
      expect(begin).toMatch(/^\S.*: [a-z]+ → /);
    }
    expect(arrowsOf(drawn.steps)).toEqual(arrows.filter(({ summary }) => !summary?.words.includes(' → ')));
    await parseMermaid(renderMermaid(drawn, { seqs: true }));
  });
});

it('is drawn for every fixture of several stories', () => {
  expect(OVERVIEWS).toEqual([
    ...['attach-aggregated-tls', 'autoscaled-tls', 'boot-etcd-tls', 'connections-tls', 'deployment-tls', 'gitops-tls'],
    ...['helm-tls', 'lacks-tls', 'not-starting-tls', 'one-process-tls', 'operator-tls', 'planted', 'pod-network-tls'],
    ...['trouble-tls', 'volumes-tls', 'workloads-tls'],
  ]);
});

it('tells of programs where no person wrote anything', async () => {
  const { messages, notices } = await observeWhole('workloads-tls');
  const people = new Set(messages.filter(({ from }) => from.tier === 'people').map(({ exchange }) => exchange));
  const look = firstLook({ messages: messages.filter(({ exchange }) => !people.has(exchange)), notices }, {});
  expect(look.remarks?.some((line) => /^--follow (jobs|cronjobs|pods)\//.test(line))).toBe(true);
});

it('quotes names for a shell, and cuts what went wrong to a line', () => {
  const names = ["a'; touch x; '", 'b\nc', 'd'];
  const why = `first\n${'long '.repeat(100)}`;
  const messages = names.flatMap((name) =>
    exchanged(
      {
        from: KUBECTL,
        verb: 'create',
        resource: 'pods',
        apiGroup: '',
        namespace: 'default',
        name,
        protocol: 'kubernetes',
      },
      { status: 500, reason: 'InternalError', statusMessage: why, protocol: 'kubernetes' },
    ),
  );
  const look = firstLook({ messages, notices: [] }, {}, { isWanted: true });
  const commands = (look.remarks ?? []).slice(1).map((line) => line.slice(0, line.lastIndexOf(': 2 arrows')));
  const words = commands.map((line) => spawnSync('sh', ['-c', `printf '%s\\0' ${line}`], { encoding: 'utf8' }).stdout);
  expect(words.map((one) => one.split('\0')[1])).toEqual(names.map((name) => `pods/${name}`));
  const notes = look.steps.flatMap((step) => (step.kind === 'note' ? step.lines : []));
  const problems = notes.filter((line) => line.includes('InternalError'));
  expect(problems.length).toBeGreaterThan(0);
  for (const line of problems) expect(line).toMatch(/^[^\n]{1,160}$/);
  expect(renderText(look, { first: 0n })).not.toContain('\nc');
});

it('draws the overview of a single story, or of nothing, only where it is asked for', async () => {
  const observation = await observeWhole('run-nginx-http1');
  expect(firstLook(observation, {}).remarks).toBeUndefined();
  expect(firstLook(observation, {}, { isWanted: true }).remarks).toHaveLength(2);
  expect(firstLook({ messages: [], notices: [] }, {}, { isWanted: true }).remarks).toBeUndefined();
  expect(firstLook({ messages: [message({})], notices: [] }, {}, { isWanted: true }).closing).not.toEqual([]);
});

describe('the command', () => {
  const capture = 'fixtures/trouble-tls/capture.pcap.gz';
  const keys = ['--keylog', 'fixtures/trouble-tls/keys.log.gz', '-q'];
  const arrows = ({ stdout }: { readonly stdout: string }): number => stdout.match(/-?->>/g)?.length ?? 0;

  it('draws everything where the user chooses, or asks for it', () => {
    const look = kubeseq([capture, ...keys]);
    const whole = kubeseq([capture, ...keys, '--no-overview']);
    expect(look.stdout).toContain('%% the options that draw each story:');
    expect(arrows(look)).toBeLessThan(arrows(whole));
    expect(arrows(whole)).toBeGreaterThan(60);
    const json = kubeseq([capture, ...keys, '-o', 'json']);
    expect(JSON.parse(json.stdout).messages.length).toBeGreaterThan(40);
    for (const chosen of [
      ['--follow', 'configmap/good'],
      ['--where', 'verb == "create"'],
      ['--layers', 'api,etcd'],
    ])
      expect(kubeseq([capture, ...keys, ...chosen]).stdout).not.toContain('the options that draw');
  });

  it('has the stories in a table in pictures, and as arrows in text', () => {
    const look = kubeseq([capture, ...keys]).stdout;
    expect(look).toMatch(/^%%\{init: \{"fontFamily": "monospace"/);
    expect(look).toMatch(/<br>configmaps\/orphan\u00a0+kubectl: create → 500, 6.3 ms\u00a0+2267\u00a0+11\u00a0+443 ms/);
    expect(look).not.toContain('create configmaps orphan');
    const plantuml = kubeseq([capture, ...keys, '-o', 'plantuml']).stdout;
    expect(plantuml).toContain('skinparam noteFontName Monospaced');
    const text = kubeseq([capture, ...keys, '-o', 'text', '--wide']).stdout;
    expect(text).toContain('create configmaps orphan → 500, 6.3 ms');
    expect(text).not.toContain('\u00a0');
  });

  it('is no expectation, and nothing to compare with', () => {
    const folder = mkdtempSync(join(tmpdir(), 'kubeseq-overview-'));
    const path = join(folder, 'look.mmd');
    kubeseq([capture, ...keys, '-w', path]);
    for (const command of ['check', 'diff']) {
      const { status, stderr } = kubeseq([command, path, capture, ...keys]);
      expect(status, command).toBe(2);
      expect(stderr).toMatch(/look\.mmd:\d+: this is an overview, .*--no-overview/);
    }
    rmSync(folder, { recursive: true });
  });

  it.each([
    [['--follow', 'pod/x'], '--overview shows all stories: not with --follow'],
    [['--from', 'kubectl'], '--overview shows all stories: not with a selection'],
    [['-o', 'json'], '--overview is a diagram: -o mermaid, markdown, plantuml, svg, png or text, not json'],
  ])('refuses --overview %j', (more, why) => {
    const { status, stderr } = kubeseq([capture, ...keys, '--overview', ...more]);
    expect([status, stderr]).toEqual([2, `kubeseq: ${why}\n`]);
  });
});

/** Of the requests themselves. */
function objectsWrittenByPeople(messages: readonly Message[]): ReadonlySet<string> {
  const writes = messages.filter(
    ({ kind, from, verb, resource, name }) =>
      kind === 'request' && from.tier === 'people' && WRITES.has(verb ?? '') && resource !== undefined && name != null,
  );
  return new Set(writes.map(({ resource, namespace, name }) => `${resource} ${namespace} ${name}`));
}

function numberIn(words: string, what: string): number {
  return Number(new RegExp(`(\\d+) ${what}(?:e?s)?(?:,|$)`).exec(words)?.[1] ?? 0);
}

const WRITES = new Set(['create', 'update', 'patch', 'delete', 'apply']);

function seqsOf(messages: readonly Message[]): readonly number[] {
  return messages.map(({ seq }) => seq);
}
