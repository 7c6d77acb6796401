// One number, one clock: the number of a message is its `seq` in every output, `explain` takes it, and a printed time can be
// copied into --since and --until.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { legsOf } from '../../src/diagram/model.js';
import {
  arrowsOf,
  buildSequence,
  explain,
  explorerData,
  HistoryBuilder,
  type Message,
  parseFollow,
  renderHtml,
  renderMermaid,
  renderObjectJson,
  renderObjectMarkdown,
  renderObjectText,
  renderPlantuml,
  renderText,
  SummaryCollector,
} from '../../src/index.js';
import { kubeseq } from '../kit/command.js';
import { random } from '../kit/fuzz/random.js';
import { rowsIn, viewIn } from '../kit/page-data.js';
import { observeWhole } from '../kit/whole-fixtures.js';

const FIXTURES = ['run-nginx-http1', 'trouble-tls', 'deployment-tls', 'exec-logs-portforward-tls', 'pod-network-tls'];
const CHOSEN = 50;
const LAYERS = new Set(['kubernetes', 'kubelet', 'etcd', 'cri', 'registry', 'docker', 'http', 'grpc'] as const);
const CAPTURE = 'fixtures/run-nginx-http1/capture.pcap.gz';

describe.each(FIXTURES)('%s', async (name) => {
  const collector = new SummaryCollector([name], { streams: false });
  const seen = await observeWhole(name);
  for (const item of seen.items) collector.add(item);
  const { messages, first } = seen;
  const numbers = random(33);
  const chosen = Array.from({ length: CHOSEN }, () => messages[numbers.below(messages.length)]);
  /** Everything, in the order of the capture, each leg an arrow. */
  const everything = buildSequence(seen, { all: true, layers: LAYERS });
  const legs = arrowsOf(everything.steps).flatMap(legsOf);
  const legOf = (message: Message): number => legs.findIndex((leg) => leg.message === message);

  const explained = new Map<number, readonly string[]>();
  /** Does the number lead to this message, by what is said of it and where it is? */
  const leadsTo = (seq: number, { from, to, label, frames, connection }: Message): void => {
    const lines = explained.get(seq) ?? explain(messages, seq) ?? [];
    explained.set(seq, lines);
    expect(lines[0]).toBe(`message ${seq}: ${from.name} → ${to.name}: ${label}`);
    expect(lines[1].replaceAll(' of one capture to', ' to').replaceAll(' of another', '')).toMatch(
      frames[0] === frames[1]
        ? `frame ${frames[0]}, `
        : new RegExp(`frames? ${frames[0]} to (?:frame )?${frames[1]}, `),
    );
    expect(lines[1]).toContain(connection);
  };

  it('text: second column, with seconds from the first frame and the last frame beside it', () => {
    const rows = renderText(everything, { first })
      .split('\n')
      .filter((line) => /^ *\d+\.\d{6} /.test(line));
    expect(rows).toHaveLength(legs.length);
    for (const message of chosen) {
      const [seconds, seq, frame] = rows[legOf(message)].trim().split(/ +/);
      leadsTo(Number(seq), message);
      expect(BigInt(seconds.replace('.', '')), seq).toBe((message.time - first) / 1000n);
      if (message.via === undefined) expect(Number(frame)).toBe(message.frames[1]);
    }
  });

  it.each([
    ['mermaid', () => renderMermaid(everything, { seqs: true }), /^ *%% (\d+)$/, /-?->>|--x/],
    ['mermaid with frames', () => renderMermaid(everything, { frames: true }), /^ *%% (\d+), frames? \d+/, /-?->>|--x/],
    ['plantuml', () => renderPlantuml(everything), /^' (\d+)$/, /^\w+ -(?:\[#\w+\])?-?>x? \w+/],
  ] as const)('%s: a comment above each arrow', (_, render, comment, arrow) => {
    const lines = render().split('\n');
    const above = lines.flatMap((line, i) => (arrow.test(line) ? [comment.exec(lines[i - 1])?.[1]] : []));
    expect(above).toHaveLength(legs.length);
    for (const message of chosen) leadsTo(Number(above[legOf(message)]), message);
  });

  it('page: in each row and in its data', () => {
    const html = renderHtml(explorerData(seen), {
      first,
      digits: () => 6,
      title: name,
      version: '0',
      script: { text: '', sha256: '' },
      style: { text: '', sha256: '' },
    });
    const plain = [...html.matchAll(/ data-seq="(\d+)".*?<time><small>#(\d+)<\/small> ([\d.]+)<\/time>/g)];
    const view = viewIn(html);
    const rows = rowsIn(view);
    const { rows: data } = view;
    expect([rows.length, data.length]).toEqual([messages.length, messages.length]);
    expect(plain.length).toBeGreaterThan(0);
    for (const [, own, printed, seconds] of plain) {
      const i = data.findIndex(([seq]) => String(seq) === own);
      expect([`#${printed}`, seconds]).toEqual([rows[i].number, rows[i].time]);
    }
    for (const message of chosen) {
      const { number, time: seconds } = rows[messages.indexOf(message)];
      const printed = number.slice(1);
      expect(String(data[messages.indexOf(message)][0])).toBe(printed);
      leadsTo(Number(printed), message);
      expect(BigInt(seconds.replace('.', ''))).toBe((message.time - first) / 1000n);
    }
  });

  it('object: text, Markdown and JSON name the write', () => {
    const subjects = chosen.flatMap(({ object }) =>
      object?.kind == null || object.name == null || object.uid == null ? [] : [object],
    );
    const names = [...new Set(subjects.map(({ kind, name: own, namespace }) => `${kind}/${own} ${namespace ?? ''}`))];
    let found = 0;
    for (const subject of names.slice(0, MOST_OBJECTS)) {
      const [object, namespace] = subject.split(' ');
      const wanted = parseFollow(object.toLowerCase(), namespace);
      if (wanted === null) continue;
      const history = new HistoryBuilder(wanted);
      for (const message of messages) history.feed(message);
      const life = history.result();
      const options = { first, digits: () => 6, captures: seen.captures };
      const lines = renderObjectText(life, options).split('\n');
      const written = lines.flatMap((line) => /^ +([A-Z]+ \/.*), message (\d+), frames? (\d+)/.exec(line) ?? []);
      for (let i = 0; i < written.length; i += 4) {
        const [, request, seq, frame] = written.slice(i, i + 4);
        const [head, place] = explain(messages, Number(seq)) ?? [];
        const asked = head.slice(head.indexOf('[REQ] ') + 6);
        expect(request.startsWith(asked), `${request}: ${head}`).toBe(true);
        expect(place).toMatch(new RegExp(`frames? ${frame}\\b`));
        found += 1;
      }
      const told = JSON.stringify(JSON.parse(renderObjectJson(life, options))).match(/"(?:seq|message)":\d+/g) ?? [];
      const markdown = renderObjectMarkdown(life, options).match(/message (\d+)/g) ?? [];
      const inText = lines.join('\n').match(/message (\d+)/g) ?? [];
      const known = new Set(told.map((one) => one.slice(one.indexOf(':') + 1)));
      for (const one of [...markdown, ...inText]) expect(known).toContain(one.slice(8));
    }
    if (names.length > 0) expect(found).toBeGreaterThan(0);
  });

  it('summary: problems and the slowest answers', () => {
    const { problems, latencies } = collector.result();
    for (const { message, what } of problems.filter((one) => one.message !== undefined)) {
      const told = messages.find(({ seq }) => seq === message) as Message;
      leadsTo(message as number, told);
      const status = /: (\d{3})\b/.exec(what)?.[1];
      if (told.kind === 'response' && told.status !== undefined && told.status >= 400)
        expect(String(told.status)).toBe(status);
    }
    for (const { message, max, protocol } of latencies) {
      const slowest = messages.find(({ seq }) => seq === message) as Message;
      leadsTo(message, slowest);
      expect(slowest.protocol).toBe(protocol);
      expect(Math.max(slowest.latencyMs ?? Number.NaN, 0.001)).toBeCloseTo(max, max < 1 ? 3 : 0);
    }
    expect(latencies.length).toBeGreaterThan(0);
  });
});

describe('explain', () => {
  const shown = (...args: string[]): string => kubeseq(['explain', ...args, CAPTURE]).stdout.split('\n')[0];
  const binding = 'kube-scheduler → kube-apiserver: [REQ] POST /api/v1/namespaces/default/pods/nginx/binding';

  it('takes a seq, a frame, and an arrow of the diagram', () => {
    expect(shown('980')).toBe(`message 980: ${binding}`);
    for (const form of ['seq:980', '#980', 'message 980', 'message:980'])
      expect(shown(form)).toBe(`message 980: ${binding}`);
    // tshark -r capture.pcap -Y 'frame.number == 1791': POST /api/v1/namespaces/default/pods/nginx/binding
    expect(shown('frame:1791')).toBe(`message 980: ${binding}`);
    const picked = ['--follow', 'pod/nginx', '--until', '7.4'];
    const lines = kubeseq([...picked, CAPTURE]).stdout.split('\n');
    const arrows = lines.filter((line) => line.includes('->>'));
    const number = arrows.findIndex((line) => line.includes('binding')) + 1;
    expect(number).toBeGreaterThan(1);
    expect(shown(`arrow:${number}`, ...picked)).toBe(`message 980: ${binding}`);
    expect(lines[lines.indexOf(arrows[number - 1]) - 1].trim()).toBe('%% 980');
  });

  it('lists every message of a frame', () => {
    const { stdout } = kubeseq(['messages', '-o', 'ndjson', CAPTURE]);
    const frames = new Map<number, number[]>();
    for (const line of stdout.split('\n').filter((one) => one !== '')) {
      const { seq, frames: range } = JSON.parse(line) as { seq: number; frames: [number, number] };
      for (const frame of new Set(range)) frames.set(frame, [...(frames.get(frame) ?? []), seq]);
    }
    const [frame, seqs] = [...frames].find(([, several]) => several.length === 3) ?? [0, []];
    const told = kubeseq(['explain', `frame:${frame}`, CAPTURE]).stdout.match(/^message \d+/gm);
    expect(told).toEqual(seqs.map((seq) => `message ${seq}`));
  });

  it.each([
    ['0', 'expected the number of a message'],
    ['frame:', 'expected the number of a message'],
    ['arrow:x', 'expected the number of a message'],
    ['arrow:99999', 'no arrow 99999'],
    ['frame:99999', 'no message in frame 99999; the nearest is message 1087, frame 2121'],
    ['99999', 'no message 99999: the capture has 1087, numbered from 1'],
  ])('%s: one sentence', (which, why) => {
    const { status, stderr } = kubeseq(['explain', which, CAPTURE]);
    expect(status).toBe(2);
    expect(stderr).toMatch(why);
  });
});

describe('times', async () => {
  it.each([
    ['text', ['-o', 'text', '--all'], /^ *(\d+\.\d{6}) +980 /m],
    ['table', ['messages', '-o', 'table'], /^ *980 +(\d+\.\d{6}) /m],
  ])('of -o %s can be copied into --since and --until', (_, args, row) => {
    const time = row.exec(kubeseq([...args, CAPTURE]).stdout)?.[1] as string;
    const { stdout } = kubeseq(['messages', '-o', 'csv', '--since', time, '--until', time, CAPTURE]);
    expect(
      stdout
        .split('\n')
        .slice(1, -1)
        .map((line) => line.split(',')[0]),
    ).toEqual(['980']);
  });

  it('count from the first frame, whatever is selected', () => {
    const times = (...args: string[]): string[] =>
      kubeseq(['-o', 'text', ...args, CAPTURE]).stdout.match(/^ *\d+\.\d{6} +\d+/gm) ?? [];
    const whole = times('--follow', 'pod/nginx');
    const part = times('--follow', 'pod/nginx', '--since', '7.2');
    expect(part.length).toBeGreaterThan(10);
    expect(part.length).toBeLessThan(whole.length);
    expect(whole).toEqual(expect.arrayContaining(part));
  });
});

describe('check', () => {
  const folder = mkdtempSync(join(tmpdir(), 'kubeseq-numbers-'));
  const file = join(folder, 'expected.mmd');
  afterAll(() => rmSync(folder, { recursive: true }));

  it('gives the number of the nearest message', () => {
    const { stdout } = kubeseq(['check', '--all-failures', 'fixtures/check/article-flow.mmd', CAPTURE]);
    expect(stdout).toMatch(/nearest: {2}frame 745 \(message 333\), 1\.473436 s after the first frame: kubelet/);
  });

  it('reads a diagram with numbers; --update writes none', () => {
    expect(kubeseq(['diagram', '--follow', 'pod/nginx', CAPTURE, '-w', file]).status).toBe(0);
    const drawn = readFileSync(file, 'utf8');
    expect(drawn).toMatch(/^ *%% 980$/m);
    expect(kubeseq(['check', file, CAPTURE]).status).toBe(0);
    writeFileSync(file, drawn.replace('/pods/nginx/binding', '/pods/nginx/bindings'));
    expect(kubeseq(['check', '--update', '-q', file, CAPTURE]).status).toBe(0);
    expect(readFileSync(file, 'utf8')).toBe(drawn.replace(/^ *%% \d+\n/gm, ''));
    rmSync(file);
    expect(kubeseq(['check', '--update', '-q', '--follow', 'pod/nginx', file, CAPTURE]).status).toBe(0);
    expect(readFileSync(file, 'utf8')).not.toContain('%%');
  });
});

/** Objects of a fixture whose lives are told. */
const MOST_OBJECTS = 4;
