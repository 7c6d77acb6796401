// What is in a page, without a browser: its messages are those of `messages`, its stories those of the overview, its problems and objects those
// of `summary`, its reasons those of `explain`, its critical path that of `path`. It is small enough to be mailed.

import { parse } from 'parse5';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Model } from '../../src/explorer/model.js';
import { BODIES_BLOCK, MESSAGES_BLOCK, type MessageLine } from '../../src/render/html/html-format.js';
import { rowParts } from '../../src/render/html/row-parts.js';
import { kubeseq } from '../kit/command.js';
import { packedLines, packedParts, unpackedPage } from '../kit/page-data.js';
import { drawnLines, type Line, linesOf, seqsOf, shownRows, writtenPage } from '../kit/shown-page.js';

interface Node {
  readonly nodeName: string;
  readonly value?: string;
  readonly attrs?: readonly { readonly name: string; readonly value: string }[];
  readonly childNodes?: readonly Node[];
}

const all = (node: Node): Node[] => [node, ...(node.childNodes ?? []).flatMap(all)];
const textOf = (node: Node): string =>
  all(node)
    .map(({ value }) => value ?? '')
    .join('');
const attribute = (node: Node, name: string): string | undefined => node.attrs?.find((one) => one.name === name)?.value;

describe('the page of deployment-tls', () => {
  const captures = ['control-plane', 'node-1'].map((name) => `fixtures/deployment-tls/${name}.pcap.gz`);
  const input = [...captures, '--keylog', 'fixtures/deployment-tls/keys.log.gz'];
  let html: string;
  let model: Model;
  let lines: Line[];
  beforeAll(() => {
    ({ html, model } = writtenPage(input));
    lines = linesOf(['--bodies', ...input]);
  });

  it('has at most 1.5 MB, a fifth of its text and less, in parts that a browser need not inflate at once', () => {
    expect(lines.length).toBeGreaterThan(4000);
    const size = Buffer.byteLength(html);
    expect(size).toBeLessThanOrEqual(1_500_000);
    expect(size / Buffer.byteLength(unpackedPage(html))).toBeLessThan(0.2);
    for (const id of [MESSAGES_BLOCK, BODIES_BLOCK]) {
      const parts = packedParts(html, id);
      expect(parts.length).toBeGreaterThan(4);
      for (const part of parts.slice(0, -1)) expect(part.length).toBeLessThan(2 * 1024 * 1024);
    }
  });

  it('has a row for every message: number, time, ends, label', () => {
    const names = model.view.participants.map(({ name }) => name);
    const rows = model.rows.map((row) => rowParts(row, model.view.labels[row.index], names));
    expect(rows.map(({ number }) => number)).toEqual(lines.map(({ seq }) => `#${seq}`));
    const zero = micros(lines[0].time) - BigInt(rows[0].time.replace('.', ''));
    for (const [i, line] of lines.entries()) {
      const { time, ends, tag, rest } = rows[i];
      expect(zero + BigInt(time.replace('.', ''))).toBe(micros(line.time));
      const { from, to } = model.rows[i];
      expect(ends.startsWith(`${names[from]} to ${names[to]}`)).toBe(true);
      // Longer ones are shortened in their middle, ids to twelve digits.
      if (`${tag}${rest}`.includes('…')) expect(line.label.startsWith(`${tag}${rest}`.split('…')[0])).toBe(true);
      else expect(`${tag}${rest}`).toBe(line.label);
    }
  });

  it('has all fields and bodies of every message, each body once', () => {
    const bodies = packedLines(html, BODIES_BLOCK);
    const details = packedLines(html, MESSAGES_BLOCK).map((line) => JSON.parse(line) as MessageLine);
    expect(details).toHaveLength(lines.length);
    for (const [i, { bodyAt, ...fields }] of details.entries()) {
      const body = bodyAt === undefined ? {} : { body: JSON.parse(bodies[bodyAt]) as unknown };
      expect({ ...fields, ...body }).toEqual(lines[i]);
    }
    expect(new Set(bodies).size).toBe(bodies.length);
    expect(bodies.length).toBeLessThan(details.filter(({ bodyAt }) => bodyAt !== undefined).length);
  });

  it('has as chapters the first write of each part of the story', () => {
    // Its truth file: kubectl created, scaled, changed and deleted the Deployment and its Service.
    expect(model.view.chapters.map(([, title]) => title)).toEqual([
      'create deployments/web',
      'create services/web',
      'patch deployments/web/scale',
      'patch deployments/web',
      'delete deployments/web',
      'delete services/web',
    ]);
    for (const [seq, title] of model.view.chapters) {
      const { kind, from, verb, resource } = lines[seq - 1];
      expect([kind, from, title.startsWith(`${verb} ${resource}`)]).toEqual(['request', 'kubectl', true]);
    }
  });
});

describe('the page of trouble-tls', () => {
  const input = ['fixtures/trouble-tls/capture.pcap.gz', '--keylog', 'fixtures/trouble-tls/keys.log.gz'];
  interface Summary {
    readonly problems: readonly { kind: string; what: string; count: number; message?: number; frame?: number }[];
    readonly objects: readonly { resource: string; namespace: string | null; name: string }[];
  }
  let model: Model;
  let summary: Summary;
  let lines: Line[];
  /** Elements of the list at its side. */
  let listed: Node[];
  beforeAll(() => {
    const page = writtenPage(input);
    model = page.model;
    listed = all(all(parse(page.html) as Node).find((node) => attribute(node, 'id') === 'stories') as Node);
    summary = JSON.parse(kubeseq(['summary', '-q', '-o', 'json', ...input]).stdout) as Summary;
    lines = linesOf(input);
  });

  it('lists every story with its object, kind, measures and problems, heaviest first; each has the arrows of `--follow`', () => {
    // `%% --follow configmaps/orphan: 11 arrows, 443 ms, 1 problem`.
    const found = kubeseq(['diagram', '-q', '--overview', ...input]).stdout.matchAll(
      /^ *%% --follow (\S+): ((\d+) arrows?, [\d.]+ \S+?)(?:, (\d+) problems?)?$/gm,
    );
    const stories = [...found]
      .map(([, followed, measures, arrows, problems = '0']) => ({
        followed,
        measures,
        arrows: +arrows,
        wrong: +problems,
      }))
      .sort((a, b) => b.wrong - a.wrong || b.arrows - a.arrows);
    expect(stories.length).toBeGreaterThan(2);
    const buttons = listed.filter((node) => attribute(node, 'data-story') !== undefined);
    expect(buttons.map(textOf)).toEqual(
      stories.map(({ followed, measures, wrong }) => {
        const [kind, name] = followed.split('/');
        const place = summary.objects.find((one) => one.resource === kind && one.name === name)?.namespace ?? null;
        const problems = wrong === 0 ? '' : `, ${wrong} problem${wrong === 1 ? '' : 's'}`;
        return `${name} ${kind}${place === null ? '' : ` in ${place}`} ${measures}${problems}`;
      }),
    );
    expect(model.view.stories.map(([followed]) => followed)).toEqual(stories.map(({ followed }) => followed));
    for (const [i, { followed, arrows }] of stories.entries()) {
      const shown = seqsOf(shownRows(model, (choice) => choice.stories.add(i)));
      expect(shown).toHaveLength(arrows);
      expect(shown).toEqual(seqsOf(drawnLines(['--follow', followed, ...input])).sort((a, b) => a - b));
    }
  });

  it('lists the problems that `summary` counts, in its order, each with the first message that shows it', () => {
    // What is usual at a start is no problem.
    const wrong = summary.problems.filter(({ kind }) => kind !== 'start-up');
    expect(wrong.length).toBeGreaterThan(5);
    const items = listed.filter(({ nodeName }) => nodeName === 'li').slice(0, wrong.length);
    for (const [i, { what, count, message, frame }] of wrong.entries()) {
      const said = (count === 1 ? what : `${what} (${count} times)`).replace(/\s+/g, ' ');
      const [head, tail = ''] = textOf(items[i])
        .replace(/ frame \d+$/, '')
        .split('…');
      expect(said.startsWith(head) && said.endsWith(tail)).toBe(true);
      const button = all(items[i]).find(({ nodeName }) => nodeName === 'button');
      if (message === undefined)
        expect([button, textOf(items[i])]).toEqual([undefined, expect.stringMatching(`frame ${frame}$`)]);
      else expect(attribute(button as Node, 'data-message')).toBe(String(message));
    }
    expect(listed.filter(({ nodeName }) => nodeName === 'h2').map(textOf)).toEqual([
      `Went wrong ${wrong.length}`,
      `Stories ${model.view.stories.length}`,
    ]);
  });

  it('has the messages of `messages`, and the objects of `summary`', () => {
    expect(seqsOf(model.rows)).toEqual(seqsOf(lines));
    const named = model.view.objects.filter(([, , name]) => name !== null).map((one) => one.slice(0, 3).join());
    const counted = new Set(summary.objects.map(({ resource, namespace, name }) => [resource, namespace, name].join()));
    expect(counted.size).toBeGreaterThan(100);
    expect(new Set(named)).toEqual(counted);
  });

  it('says why a message has no cause, in the words of `explain`', () => {
    const { uncaused } = model.view;
    expect(uncaused.length).toBeGreaterThan(3);
    for (const [why, ...seqs] of uncaused)
      for (const seq of [seqs[0], seqs[seqs.length - 1]]) {
        expect(kubeseq(['explain', '-q', String(seq), ...input]).stdout).toContain(`\ncause: none found: ${why}\n`);
        const row = model.rowOf(seq);
        expect(row && model.whyUncaused(row)).toBe(why);
      }
    const [, ...byPeople] = uncaused.find(([why]) => why === 'a person sent it') ?? [''];
    const sent = lines.filter(({ kind, from }) => kind === 'request' && ['kubectl', 'curl'].includes(from));
    expect(byPeople).toEqual(seqsOf(sent.filter(({ causedBy }) => causedBy === undefined)));
  });
});

describe('the page with the critical path of pod/nginx', () => {
  interface Path {
    readonly durationMs: number;
    readonly legs: readonly { from: number; to: number; durationMs: number; who: string; what: string }[];
  }
  const input = ['fixtures/run-nginx-tls/capture.pcap.gz', '--keylog', 'fixtures/run-nginx-tls/keys.log.gz'];
  let marked: ReturnType<typeof writtenPage>;
  let path: Path;
  beforeAll(() => {
    marked = writtenPage([...input, '--follow', 'pod/nginx', '--path']);
    [path] = JSON.parse(kubeseq(['path', '-q', 'pod/nginx', ...input, '-o', 'json']).stdout) as Path[];
  });

  it('has the steps that `path` prints, whose shares are the whole', () => {
    const { path: steps } = marked.model.view;
    expect(seqsOf(steps)).toEqual([path.legs[0].from, ...path.legs.map(({ to }) => to)]);
    expect(steps[0].head).toMatch(/^pods default\/nginx: Ready after 1\.4 s$/);
    steps.slice(1).forEach(({ share, took, what }, i) => {
      const { durationMs, who, what: did } = path.legs[i];
      expect(Math.abs((share ?? 0) - (100 * durationMs) / path.durationMs)).toBeLessThanOrEqual(0.05);
      expect(Math.abs(Number.parseFloat(took ?? '') - durationMs)).toBeLessThanOrEqual(0.5);
      expect(what).toBe(`${who} ${did}`);
    });
    expect(steps.reduce((sum, { share = 0 }) => sum + share, 0)).toBeCloseTo(100, 0);
  });

  it('marks its messages, each with a note, and has the bodies of a page', () => {
    const { html, model } = marked;
    const emphasised = (page: string): number[] =>
      [...page.matchAll(/data-seq="(\d+)" class="[^"]* onpath"/g)].map(([, seq]) => Number(seq));
    expect(emphasised(html)).toEqual(seqsOf(model.view.path));
    expect(seqsOf(model.rows.filter(({ isOnPath }) => isOnPath))).toEqual(seqsOf(model.view.path));
    for (const { seq, what = '' } of model.view.path.slice(1)) {
      const row = model.rowOf(seq);
      const notes = row === undefined ? [] : model.notesOf(row).map(([, , , , ...words]) => words.join(' '));
      expect(notes).toContainEqual(expect.stringMatching(/^[\d.]+ m?s, <?\d+ %: /));
      expect(notes.join(' ')).toContain(what.slice(0, 40));
    }
    const plain = writtenPage([...input, '--follow', 'pod/nginx']);
    // The order is another: those of what is drawn come first.
    const bodies = (page: string): readonly string[] => packedLines(page, BODIES_BLOCK).sort();
    expect(bodies(html).length).toBeGreaterThan(100);
    expect(bodies(html)).toEqual(bodies(plain.html));
    expect([plain.model.view.path, emphasised(plain.html)]).toEqual([[], []]);
  });

  it('has the notes also in a layer that it does not open with', () => {
    const hidden = kubeseq([
      'diagram',
      '-q',
      '-o',
      'html',
      ...input,
      '--follow',
      'pod/nginx',
      '--path',
      '--layers',
      'cri',
    ]);
    // Nothing is drawn at first.
    expect([hidden.status, hidden.stderr]).toEqual([1, '']);
    expect(unpackedPage(hidden.stdout)).toMatch(/\d ms, \d+ %: kube-apiserver handles create pods, /);
  });
});

/** µs since the epoch of a time in RFC 3339. */
function micros(time: string): bigint {
  const [second, fraction] = time.slice(0, -1).split('.');
  return BigInt(Date.parse(`${second}Z`)) * 1000n + BigInt(fraction.slice(0, 6).padEnd(6, '0'));
}
