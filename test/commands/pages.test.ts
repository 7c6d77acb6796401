// `kubeseq docs` as its users call it: on copies of this project's own pages, beside the captures that they name.

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { kubeseq, ROOT } from '../kit/command.js';
import { fencesOf } from '../kit/examples.js';
import { fixtureLines } from '../kit/fixtures.js';
import { madeCorpus } from '../kit/planted/corpus.js';
import { leaksIn } from '../kit/planted/search.js';

const STORY = 'docs/stories/run-a-pod.md';
const COMMENT = '<!-- kubeseq capture=fixtures/run-nginx-http1/capture.pcap.gz follow=pod/nginx -->';
let folder = '';

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'kubeseq-pages-'));
  cpSync(join(ROOT, 'fixtures'), join(folder, 'fixtures'), { recursive: true });
  // The pages' repository.
  mkdirSync(join(folder, '.git'));
  mkdirSync(join(folder, 'docs'));
  cpSync(join(ROOT, 'docs/stories'), join(folder, 'docs/stories'), { recursive: true });
});
afterAll(() => rmSync(folder, { recursive: true }));

const page = (name: string, text?: string | Uint8Array): string => {
  const path = join(folder, name);
  if (text !== undefined) writeFileSync(path, text);
  return path;
};
const read = (name: string): string => readFileSync(page(name), 'utf8');
const copied = (name: string): string => page('copy.md', readFileSync(join(ROOT, name), 'utf8'));

describe('--check', () => {
  it('holds for a page that is current, and changes nothing', () => {
    const path = copied('README.md');
    const before = statSync(path);
    expect(kubeseq(['docs', '--check', path])).toMatchObject({ status: 0, stdout: '', stderr: '' });
    expect(statSync(path).mtimeMs).toBe(before.mtimeMs);
  });

  it('fails a diagram without arrows, however current it is, and a check of no diagram', () => {
    const capture = 'fixtures/run-nginx-http1/capture.pcap.gz';
    const path = page('nobody.md', `# Nobody\n\n<!-- kubeseq capture=${capture} follow=pod/nobody -->\n`);
    expect(kubeseq(['docs', path])).toMatchObject({
      status: 0,
      stderr: expect.stringContaining('nobody.md:3: a diagram without arrows'),
    });
    const { status, stdout, stderr } = kubeseq(['docs', '--check', '-q', path]);
    expect(stderr).toMatch(
      /nobody\.md:3: a diagram without arrows: follow=pod\/nobody: no message in the capture is about it\n$/,
    );
    expect([status, stdout]).toEqual([1, '']);
    expect(kubeseq(['docs', '--check', page('none.md', '# None\n')])).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/nothing was checked: \S+none\.md names no capture/),
    });
  });

  it.each([
    ['an arrow that is not there', '    AS -->>- C: [RESP] 201 Created\n', ''],
    ['another label', 'pods/nginx/binding', 'pods/nginx/bindings'],
    ['another receiver', 'AS ->> S: [RESP-CHUNK] Pod ADDED', 'AS ->> L: [RESP-CHUNK] Pod ADDED'],
  ])('fails a diagram changed by hand: %s', (_, from, to) => {
    const path = copied('README.md');
    const original = read('copy.md');
    expect(original).toContain(from);
    writeFileSync(path, original.replace(from, to));
    const { status, stdout, stderr } = kubeseq(['docs', '--check', path]);
    expect(status).toBe(1);
    expect(stderr).toMatch(/copy\.md is stale; kubeseq docs \S*copy\.md rewrites it\n$/);
    expect(stdout).toMatch(/^--- \S+copy\.md\tas it is\n\+\+\+ \S+copy\.md\tas it should be\n@@ /m);
    expect(stdout.split('\n').some((line) => line.startsWith('+') && line.includes(from.trim()))).toBe(true);
    expect(read('copy.md')).toBe(original.replace(from, to));
    expect(kubeseq(['docs', path]).status).toBe(0);
    expect(read('copy.md')).toBe(original);
  });

  it('fails an annotation changed by hand', () => {
    const original = readFileSync(join(ROOT, STORY), 'utf8');
    page(STORY, original.replace('image: nginx', 'image: apache'));
    expect(kubeseq(['docs', '--check', page(STORY)]).status).toBe(1);
    kubeseq(['docs', page(STORY)]);
    expect(read(STORY)).toBe(original);
  });

  it('takes a folder for the pages in it', () => {
    mkdirSync(join(folder, 'two/inner'), { recursive: true });
    const text = (): string => readFileSync(join(ROOT, 'README.md'), 'utf8').replace('capture=', 'capture=../');
    page('two/a.md', text());
    page('two/inner/b.md', text().replace('capture=', 'capture=../').replace('PATCH', 'POST'));
    page('two/inner/c.txt', COMMENT);
    const { status, stderr } = kubeseq(['docs', '--check', join(folder, 'two')]);
    expect(stderr).toMatch(/^kubeseq: \S*two\/inner\/b\.md is stale; [^\n]*\n$/);
    expect(status).toBe(1);
  });

  it('lets an older version stand where nothing else changed', () => {
    const original = readFileSync(join(ROOT, STORY), 'utf8');
    const older = original.replace(/Drawn by kubeseq \S+ from/, 'Drawn by kubeseq 0.0.1 from');
    expect(older).not.toBe(original);
    page(STORY, older);
    expect(kubeseq(['docs', '--check', page(STORY)]).status).toBe(0);
  });
});

describe('a page', () => {
  it('keeps everything outside the blocks, line breaks too', () => {
    const text = `# Über\r\n\r\n${COMMENT}\r\n\r\n*text*\t \r\n${COMMENT}\r\n\`\`\`mermaid\r\nold\r\n\`\`\`\r\n| a |`;
    page('outside.md', text);
    expect(kubeseq(['docs', page('outside.md')]).status).toBe(0);
    const fresh = read('outside.md');
    expect(fresh.replace(/```mermaid\r\n[\s\S]*?```\r\n/g, '')).toBe(
      text.replace(/```mermaid\r\n[\s\S]*?```\r\n/g, ''),
    );
    expect(fresh.match(/^```mermaid\r$/gm)).toHaveLength(2);
    expect(fresh.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/);
    kubeseq(['docs', page('outside.md')]);
    expect(read('outside.md')).toBe(fresh);
  });

  it('gives SHA-256 and command of what it was made of', () => {
    const line = /^Drawn by kubeseq .*$/m.exec(read(STORY))?.[0] ?? '';
    const capture = readFileSync(join(ROOT, 'fixtures/run-nginx-http1/capture.pcap.gz'));
    expect(line).toContain(createHash('sha256').update(capture).digest('hex'));
    expect(line).toContain('--follow pod/nginx --until 7.4s --where \'verb != "get"\'`');
  });

  it.each([
    ['an unknown key', 'text\n\n<!-- kubeseq capture=x colour=red -->', 3, /unknown key colour/],
    ['a capture that is not there', '<!-- kubeseq capture=none.pcap -->', 1, /none\.pcap: no such file/],
    ['what is no object', '<!-- kubeseq capture=x follow=nginx -->', 1, /expected KIND\/NAME/],
    ['an unknown layer', '<!-- kubeseq capture=x layers=tcp -->', 1, /expected layers, separated by commas: api, etcd/],
    ['a wrong expression', '<!-- kubeseq capture=x where="verb ==" -->', 1, /--where/],
    ['a wrong time', '<!-- kubeseq capture=x since=noon -->', 1, /--since noon/],
    ['a wrong range', '\n<!-- kubeseq capture=x steps=all -->', 2, /steps=all: expected numbers of arrows, as 1-12,20/],
    ['other bodies', '<!-- kubeseq capture=x\nsteps\nbodies=xml -->', 3, /bodies=xml: allowed choices are yaml, json/],
    ['a fence without an end', `${COMMENT}\n\`\`\`mermaid\n`, 2, /not closed/],
  ])('that has %s is trouble with its line', (_, text, line, message) => {
    const path = page('wrong.md', text);
    const { status, stderr } = kubeseq(['docs', path]);
    expect(stderr).toMatch(message);
    expect(stderr.startsWith(`kubeseq: ${path}:${line}: `)).toBe(true);
    expect(status).toBe(2);
    expect(read('wrong.md')).toBe(text);
  });

  it.each([
    [
      'arrows that go by way of a Service',
      'capture=fixtures/pod-network-tls/node-1.pcap.gz keylog=fixtures/pod-network-tls/keys.log.gz layers=net',
    ],
    ['arrows in loops', 'capture=fixtures/run-nginx-http1/capture.pcap.gz follow=pod/nginx'],
  ])('numbers its steps as mermaid numbers %s', (_, settings) => {
    page('numbers.md', `<!-- kubeseq ${settings} steps -->\n`);
    kubeseq(['docs', page('numbers.md')]);
    const text = read('numbers.md');
    const numbers = [...text.matchAll(/^\*\*([\d and]+)\.\*\* /gm)].flatMap(([, list]) =>
      list.split(' and ').map(Number),
    );
    const [diagram] = fencesOf(text);
    expect(numbers.length).toBeGreaterThan(10);
    expect(numbers).toEqual(diagram.lines.filter((line) => line.includes('>>')).map((_line, i) => i + 1));
  });

  it('has the table of path for the object that it follows, or why there is none', () => {
    const capture = 'fixtures/run-nginx-http1/capture.pcap.gz';
    page('path.md', `<!-- kubeseq capture=${capture} follow=pod/nginx path -->\n`);
    expect(kubeseq(['docs', page('path.md')])).toMatchObject({ status: 0, stderr: '' });
    const table = kubeseq(['path', 'pod/nginx', page(capture), '-o', 'markdown']).stdout;
    expect(table).toContain('| seconds | took | share | who | what |');
    expect(read('path.md')).toContain(table);
    page('path.md', `<!-- kubeseq capture=${capture} follow=pod/nobody path -->\n`);
    expect(kubeseq(['docs', page('path.md')]).status).toBe(0);
    expect(read('path.md')).toMatch(/^\* pod\/nobody: it was neither created/m);
    page('path.md', `<!-- kubeseq capture=${capture} path -->\n`);
    expect(kubeseq(['docs', page('path.md')]).stderr).toMatch(/path\.md:1: path is that of one object: follow=KIND/);
  });

  it('depends on the keys that it names alone', () => {
    const [tls, keys] = ['fixtures/run-nginx-tls/capture.pcap.gz', 'fixtures/run-nginx-tls/keys.log.gz'];
    page('tls.md', `<!-- kubeseq capture=${tls} follow=pod/nginx -->\n`);
    kubeseq(['docs', page('tls.md')], { env: { SSLKEYLOGFILE: join(ROOT, keys) } });
    expect(read('tls.md')).toContain('no messages in the capture');
    page('tls.md', `<!-- kubeseq capture=${tls} keylog=${keys} follow=pod/nginx -->\n`);
    kubeseq(['docs', page('tls.md')]);
    expect(read('tls.md')).toContain('POST /api/v1/namespaces/default/pods - nginx');
  });
});

describe('what a page may name', () => {
  const outside = mkdtempSync(join(tmpdir(), 'kubeseq-outside-'));
  const capture = 'fixtures/run-nginx-http1/capture.pcap.gz';
  const secret = 'root:$6$verysecret:19000';
  beforeAll(() => {
    writeFileSync(join(outside, 'shadow'), `${secret}\n`);
    cpSync(join(ROOT, capture), join(outside, 'c.pcap.gz'));
    symlinkSync(join(outside, 'c.pcap.gz'), join(folder, 'link.pcap.gz'));
    symlinkSync(outside, join(folder, 'away'));
    symlinkSync(join(folder, capture), join(folder, 'within.pcap.gz'));
    execFileSync('mkfifo', [join(folder, 'fifo')]);
    writeFileSync(join(folder, 'shadow'), `${secret}: x\n`);
    writeFileSync(join(folder, 'alias.yaml'), 'participants: *verysecret\n');
  });
  afterAll(() => rmSync(outside, { recursive: true }));

  it.each([
    ['a device', 'capture=/dev/zero', /outside of the page's repository/],
    ['a FIFO', 'capture=fifo', /fifo: is no regular file/],
    ['a folder', 'capture=docs', /docs: is no regular file/],
    ['a link out of it', 'capture=link.pcap.gz', /link\.pcap\.gz: is outside/],
    ['a linked folder out of it', 'capture=away/c.pcap.gz', /is outside/],
    ['a path out of it', `capture=../${basename(outside)}/c.pcap.gz`, /is outside/],
    ['a key log elsewhere', `capture=${capture} keylog=${join(outside, 'shadow')}`, /is outside/],
    ['a FIFO as key log', `capture=${capture} keylog=fifo`, /is no regular file/],
    ['participants elsewhere', `capture=${capture} participants=/etc/passwd`, /is outside/],
    [
      'participants that are another file',
      `capture=${capture} participants=shadow`,
      /expected a mapping with participants/,
    ],
    ['participants that are no YAML', `capture=${capture} participants=alias.yaml`, /is no YAML that can be read/],
  ])('is not %s, of which no word is shown', (_, settings, words) => {
    const { status, stdout, stderr } = kubeseq(['docs', '--check', page('named.md', `<!-- kubeseq ${settings} -->\n`)]);
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(words);
    expect(stderr).not.toMatch(/verysecret|root:/);
  });

  it('is a regular file, also by a link within', () => {
    const path = page('within.md', '<!-- kubeseq capture=within.pcap.gz follow=pod/nginx -->\n');
    expect(kubeseq(['docs', path])).toMatchObject({ status: 0, stderr: '' });
    expect(read('within.md')).toContain('POST /api/v1/namespaces/default/pods - nginx');
  });

  it('is in its own folder where there is no repository', () => {
    const path = join(outside, 'alone.md');
    writeFileSync(path, '<!-- kubeseq capture=c.pcap.gz follow=pod/nginx -->\n');
    expect(kubeseq(['docs', path]).status).toBe(0);
    writeFileSync(path, `<!-- kubeseq capture=${join(folder, capture)} follow=pod/nginx -->\n`);
    expect(kubeseq(['docs', path])).toMatchObject({ status: 2, stderr: expect.stringContaining('is outside') });
  });
});

it('a budget and participants that are another file are not quoted', () => {
  const other = page('other.yaml', 'a: *verysecret\n');
  for (const args of [
    ['check', '--budget', other, 'fixtures/run-nginx-http1/capture.pcap.gz'],
    ['diagram', '--participants', other, 'fixtures/run-nginx-http1/capture.pcap.gz'],
  ]) {
    const { status, stderr } = kubeseq(args);
    expect([status, stderr.includes('verysecret')]).toEqual([2, false]);
  }
});

describe('--new', () => {
  it('makes a page with everything in it, which is current', () => {
    const path = page('docs/new.md');
    const args = ['--follow', 'pod/nginx', '--where', 'verb != "get"', '--until', '7.4s'];
    expect(kubeseq(['docs', '--new', path, page('fixtures/run-nginx-http1/capture.pcap.gz'), ...args]).status).toBe(0);
    const text = read('docs/new.md');
    expect(text).toMatch(/^# pod\/nginx\n/);
    expect(text).toMatch(/^\| participant \| recognised by \|$/m);
    expect(text.match(/^\*\*\d+\.\*\* /gm)).toHaveLength(12);
    expect(text).toMatch(/^Drawn by kubeseq /m);
    expect(kubeseq(['docs', '--check', path]).status).toBe(0);
    expect(kubeseq(['docs', '--new', path, 'x.pcap'])).toMatchObject({ status: 2 });
    expect(read('docs/new.md')).toBe(text);
  });

  it.each([
    [['--new', 'only.md']],
    [['--new', '--check', 'a.md', 'x.pcap']],
    [['--new', 'a.md', '-']],
    [['--follow', 'pod/nginx', 'README.md']],
    [['none.md']],
    [[]],
  ])('%j is wrong usage', (args) => {
    const { status, stderr } = kubeseq(['docs', ...args]);
    expect(status).toBe(2);
    expect(stderr).toMatch(/^kubeseq: [^\n]+\n$/);
  });
});

describe('the story of a Pod', () => {
  const text = readFileSync(join(ROOT, STORY), 'utf8');
  const block = text.slice(text.indexOf('<!-- kubeseq'), text.indexOf('<!-- /kubeseq -->'));
  const steps = block.split(/^\*\*\d+\.\*\* /m).slice(1);
  interface Asked {
    readonly auditID: string;
    readonly verb: string;
    readonly requestURI: string;
    readonly userAgent: string;
    /** None yet of a watch that goes on. */
    readonly responseStatus?: { readonly code: number };
  }
  const audit = fixtureLines<Asked>('run-nginx-http1/audit.jsonl');

  it('has the twelve steps of the article, in its order', () => {
    const article = [
      /^kube-scheduler opens a watch of `pods`/,
      /^kube-apiserver answers arrow 1 .*200 OK/,
      /^kubelet \(node-1\) opens a watch of `pods` with `spec.nodeName=node-1`/,
      /^kube-apiserver answers arrow 3 .*200 OK/,
      /^kubectl creates Pod `nginx`/,
      /^kube-apiserver answers arrow 5 .*201 Created/,
      /^kube-apiserver notifies kube-scheduler on the watch of arrow 1: Pod `nginx` .*ADDED, made by arrow 5/,
      /^kube-scheduler binds Pod `nginx` .*to node `node-1`, because of arrow 7/,
      /^kube-apiserver notifies kubelet \(node-1\) on the watch of arrow 3: Pod `nginx` .*ADDED, made by arrow 8/,
      /^kube-apiserver answers arrow 8 .*201 Created/,
      /^kubelet \(node-1\) patches the status of Pod `nginx` .*, because of arrow 9/,
      /^kube-apiserver answers arrow 11 .*200 OK/,
    ];
    expect(steps).toHaveLength(12);
    steps.forEach((step, i) => {
      expect(step).toMatch(article[i]);
    });
  });

  it("has the heads that the API server's audit log has", () => {
    const asked = steps.filter((step) => /^(?:GET|POST|PATCH) \//m.test(step));
    const answers = steps.filter((step) => /^Audit-Id: /m.test(step));
    expect([asked.length, answers.length]).toEqual([5, 5]);
    for (const answer of answers) {
      const id = /^Audit-Id: (\S+)$/m.exec(answer)?.[1];
      const known = audit.find((one) => one.auditID === id && one.responseStatus !== undefined);
      const number = /^kube-apiserver answers arrow (\d+)/.exec(answer)?.[1];
      const [, target] = /^(?:GET|POST|PATCH) (\S+)$/m.exec(steps[Number(number) - 1]) ?? [];
      expect(known?.requestURI).toBe(target);
      expect(/^\d{3}/m.exec(answer)?.[0]).toBe(String(known?.responseStatus?.code));
      expect(steps[Number(number) - 1]).toContain(`\nUser-Agent: ${known?.userAgent}\n`);
    }
  });

  it('has bodies that are YAML, from the wish to the report', () => {
    const bodies = steps.map((step) => {
      const fence = fencesOf(step).find(({ language }) => language === 'yaml');
      return fence === undefined ? null : (parse(fence.lines.join('\n')) as Record<string, Record<string, unknown>>);
    });
    expect(bodies[4]).toMatchObject({ kind: 'Pod', metadata: { name: 'nginx' }, spec: { restartPolicy: 'Never' } });
    expect(bodies[4]?.['spec']).not.toHaveProperty('nodeName');
    expect(bodies[7]).toMatchObject({ kind: 'Binding', target: { kind: 'Node', name: 'node-1' } });
    expect(bodies[8]).toMatchObject({ type: 'ADDED', object: { spec: { nodeName: 'node-1' } } });
    expect(bodies[10]).toMatchObject({
      status: { containerStatuses: [{ state: { waiting: { reason: 'ContainerCreating' } } }] },
    });
  });
});

describe('planted secrets', () => {
  it('are in no page, whatever it shows', () => {
    const { planted, capture } = madeCorpus(['letters']);
    const find = leaksIn(planted);
    page('planted.pcap', Buffer.from(capture));
    for (const bodies of ['yaml', 'json']) {
      const settings = `capture=planted.pcap all layers=all steps bodies=${bodies} participants provenance frames`;
      page('planted.md', `<!-- kubeseq ${settings} -->\n`);
      expect(kubeseq(['docs', page('planted.md')])).toMatchObject({ status: 0, stdout: '', stderr: '' });
      const text = read('planted.md');
      expect(text).toMatch(/REDACTED/);
      expect(text.length).toBeGreaterThan(20_000);
      expect(find(text)).toEqual([]);
    }
  });
});
