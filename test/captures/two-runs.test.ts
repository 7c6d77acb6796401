// Two runs of one script are no difference; what a client did otherwise is one, at the top. The audit logs of both runs decide.

import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ORDINARY } from '../../src/diff/ordinary.js';
import { compare, type DiffSide, observedSide, weigh } from '../../src/index.js';
import { kubeseq, ROOT } from '../kit/command.js';
import { fixtureLines, fixturePath } from '../kit/fixtures.js';
import { observeWhole } from '../kit/whole-fixtures.js';

const FOLDER = mkdtempSync(join(tmpdir(), 'kubeseq-two-runs-'));
const KEYS = ['--keylog', fixturePath('two-runs/keys.log.gz'), '-q'];
const first = (what: string): string => fixturePath(`two-runs/${what}/first/capture.pcapng.gz`);
const second = (what: string): string => fixturePath(`two-runs/${what}/second/capture.pcap.gz`);
const marked = (text: string): string[] => text.split('\n').filter((line) => /^[+-](?![+-]{2} )/.test(line));

interface Audit {
  readonly verb: string;
  readonly requestURI: string;
  readonly userAgent: string;
  readonly responseStatus?: { readonly code: number };
  readonly objectRef?: { readonly resource: string; readonly subresource?: string; readonly namespace?: string };
}

const auditOf = (what: string, run: string): Audit[] => fixtureLines<Audit>(`two-runs/${what}/${run}/audit.jsonl`);
const kubectlIn = (what: string, run: string): string[] =>
  auditOf(what, run)
    .filter(({ userAgent }) => userAgent.startsWith('kubectl/'))
    .map(({ verb, requestURI, responseStatus }) => `${verb} ${requestURI} ${responseStatus?.code}`);

/** Objects that programs made and deleted, without Events and tokens, with the letters that are other ones in each run left out. */
const madeAndDeleted = (what: string, run: string): string[] =>
  auditOf(what, run)
    .filter(({ userAgent }) => !userAgent.startsWith('kubectl/'))
    .filter(({ verb, objectRef }) => ['create', 'delete'].includes(verb) && objectRef?.resource !== 'events')
    .filter(({ objectRef }) => objectRef?.subresource !== 'token')
    .map(({ verb, requestURI, userAgent, responseStatus }) =>
      [
        userAgent.split('/')[0],
        verb,
        requestURI.replace(/-[a-z0-9]{8,10}(-[a-z0-9]{5})?\b/, '-…'),
        responseStatus?.code,
      ].join(' '),
    )
    .sort();

describe('two runs of one script', () => {
  it.each([
    [
      'create',
      ['create /apis/apps/v1/namespaces/default/deployments?fieldManager=kubectl-create&fieldValidation=Strict 201'],
    ],
    [
      'delete',
      [
        'delete /apis/apps/v1/namespaces/default/deployments/web 200',
        'get /apis/apps/v1/namespaces/default/deployments/web 404',
      ],
    ],
  ])('%s: no difference, in one line; as the audit logs have it', (what, requests) => {
    expect(kubectlIn(what, 'first')).toEqual(requests);
    expect(kubectlIn(what, 'second')).toEqual(requests);
    expect(madeAndDeleted(what, 'first').length).toBeGreaterThan(6);
    expect(madeAndDeleted(what, 'second')).toEqual(madeAndDeleted(what, 'first'));
    const { status, stdout } = kubeseq(['diff', first(what), second(what), ...KEYS]);
    expect(stdout).toMatch(/^\d+ more differences with --all, of kinds that any two runs have: \d+ [^\n]*\n$/);
    expect(status).toBe(0);
    const all = kubeseq(['diff', '--all', first(what), second(what), ...KEYS]);
    expect(all.status).toBe(1);
    expect(marked(all.stdout).length).toBeGreaterThan(10);
    // What people did is no difference with --all either.
    expect(marked(all.stdout).filter((line) => /^.(?:kubectl|kube-apiserver -*>> kubectl)/.test(line))).toEqual([]);
  });

  it('but not of two scripts: each request of kubectl is at the top, what follows from it is counted', () => {
    const { status, stdout } = kubeseq(['diff', first('create'), second('delete'), ...KEYS]);
    expect(status).toBe(1);
    const [, , heading, ...lines] = stdout.split('\n');
    expect(heading).toBe(
      "@@ users' requests and their answers (kubectl, other clients that are no component of the cluster) @@",
    );
    const own = lines.filter((line) => line.includes('kubectl'));
    expect(lines.slice(0, own.length)).toEqual(own);
    const asked = own.map((line) => /^([+-])kubectl ->> kube-apiserver: \[REQ\] (\S+) (\S+)/.exec(line)?.slice(1, 4));
    const path = '/apis/apps/v1/namespaces/default/deployments';
    expect(asked.map((one) => one?.join(' ')).sort()).toEqual(
      [`- POST ${path}`, `+ DELETE ${path}/web`, `+ GET ${path}/web`].sort(),
    );
    expect(lines.length).toBeLessThan(30);
    // What only one run has stands apart from what both have, and its placeholders are explained.
    const sections = stdout.split(/^@@ (.*) @@\n/m);
    const section = (heading: string): string[] => marked(sections[sections.indexOf(heading) + 1] ?? '');
    const isOnBoth = (line: string): boolean => / \(\d+ times? before, \d+ times? after, /.test(line);
    expect(section('in one file only').length).toBeGreaterThan(0);
    expect(section('in one file only').filter(isOnBoth)).toEqual([]);
    expect(section('in both files, in one of them more often').every(isOnBoth)).toBe(true);
    expect(stdout).toContain('web-{suffix}-{suffix}');
    expect(stdout).toMatch(/^message numbers: .*; \{…\}: a generated part of a name/m);
  });

  it('names the capture of a notice, though each side has one only', () => {
    const files = [first('create'), second('delete')];
    const { stderr } = kubeseq(['diff', '-v', ...files, ...KEYS.slice(0, 2)]);
    const placed = stderr.split('\n').filter((line) => / frame \d+/.test(line));
    for (const file of files) expect(placed.some((line) => line.includes(`, ${file} frame `))).toBe(true);
  });
});

describe('a real change among all that is ordinary', () => {
  const saved = kubeseq(['messages', '-o', 'ndjson', '--bodies', second('create'), ...KEYS])
    .stdout.trim()
    .split('\n');
  const parsed = saved.map((line) => JSON.parse(line) as Saved);
  const changedBy = (name: string, change: (message: Saved) => Saved | null): string => {
    const path = join(FOLDER, `${name}.ndjson`);
    const lines = parsed.flatMap((message) => change(structuredClone(message)) ?? []);
    writeFileSync(path, `${lines.map((line) => JSON.stringify(line)).join('\n')}\n`);
    return path;
  };
  const differing = (path: string): { status: number | null; lines: string[] } => {
    const { status, stdout } = kubeseq(['diff', first('create'), path, ...KEYS]);
    return { status, lines: marked(stdout) };
  };
  const post = parsed.find(({ from, verb }) => from === 'kubectl' && verb === 'create') as Saved;
  const replicaSet = parsed.find(({ resource, verb }) => resource === 'replicasets' && verb === 'create') as Saved;

  it('none: saved messages differ as little as the capture', () => {
    expect(differing(changedBy('same', (one) => one))).toEqual({ status: 0, lines: [] });
  });

  it('kubectl asks another way', () => {
    const path = changedBy('verb', (one) =>
      one.seq === post.seq ? { ...one, method: 'PUT', verb: 'update', label: one.label.replace('POST', 'PUT') } : one,
    );
    const { status, lines } = differing(path);
    expect(status).toBe(1);
    expect(lines.slice(0, 2)).toEqual([
      expect.stringMatching(/^-kubectl ->> kube-apiserver: \[REQ\] POST .*\/deployments - web/),
      expect.stringMatching(/^\+kubectl ->> kube-apiserver: \[REQ\] PUT .*\/deployments - web/),
    ]);
  });

  it('kubectl sends another number of replicas', () => {
    const path = changedBy('fields', (one) => {
      if (one.seq === post.seq) (one.body as { spec: { replicas: number } }).spec.replicas = 4;
      return one;
    });
    expect(differing(path)).toEqual({
      status: 1,
      lines: [
        expect.stringMatching(/^-kubectl ->> kube-apiserver: \[REQ\] POST .* - web, spec\.replicas 3 \(message \d+\)$/),
        expect.stringMatching(
          /^\+kubectl ->> kube-apiserver: \[REQ\] POST .* - web, spec\.replicas 4 \(message \d+\)$/,
        ),
      ],
    });
  });

  it('kubectl lets the API server validate otherwise', () => {
    const path = changedBy('parameter', (one) =>
      one.seq === post.seq
        ? { ...one, target: one.target?.replace('fieldValidation=Strict', 'fieldValidation=Ignore') }
        : one,
    );
    expect(differing(path)).toEqual({
      status: 1,
      lines: [
        expect.stringMatching(
          /^-kubectl ->> kube-apiserver: \[REQ\] POST .* - web, \?fieldValidation Strict \(message \d+\)$/,
        ),
        expect.stringMatching(
          /^\+kubectl ->> kube-apiserver: \[REQ\] POST .* - web, \?fieldValidation Ignore \(message \d+\)$/,
        ),
      ],
    });
  });

  it('kubectl is refused', () => {
    const path = changedBy('refused', (one) =>
      one.exchange === post.exchange && one.kind === 'response'
        ? { ...one, status: 409, label: '[RESP] 409 Conflict' }
        : one,
    );
    expect(differing(path)).toEqual({
      status: 1,
      lines: [
        expect.stringMatching(/^-kube-apiserver -->> kubectl: \[RESP\] 201 Created \(to POST /),
        expect.stringMatching(/^\+kube-apiserver -->> kubectl: \[RESP\] 409 Conflict \(to POST /),
      ],
    });
  });

  it.each([
    ['the ReplicaSet is not created', (one: Saved) => (one.exchange === replicaSet.exchange ? null : one)],
    ['one Pod is not bound', withoutFirst((one) => one.subresource === 'binding')],
    [
      'a Pod is not created',
      withoutFirst((one) => one.resource === 'pods' && one.verb === 'create' && !one.subresource),
    ],
    [
      'a kubelet is refused',
      (one: Saved) =>
        one.kind === 'response' && one.to.startsWith('kubelet')
          ? { ...one, status: 500, label: '[RESP] 500 Internal Server Error' }
          : one,
    ],
  ])('%s', (name, change) => {
    const { status, lines } = differing(changedBy(name, change));
    expect(status).toBe(1);
    expect(lines.length).toBeGreaterThan(0);
    expect(lines.length).toBeLessThan(30);
  });

  /** Leaves out the first such exchange. */
  function withoutFirst(isWanted: (one: Saved) => boolean): (one: Saved) => Saved | null {
    const exchange = parsed.find((one) => one.kind === 'request' && isWanted(one))?.exchange;
    return (one) => (one.exchange === exchange ? null : one);
  }
});

it('an event that never came is a difference, where it is known who gets it', () => {
  const capture = fixturePath('run-nginx-http1/capture.pcap.gz');
  const path = join(FOLDER, 'untold.ndjson');
  const lines = kubeseq(['messages', '-o', 'ndjson', capture]).stdout.trim().split('\n');
  const isTold = (line: string): boolean =>
    line.includes('"to":"kube-scheduler"') && line.includes('[RESP-CHUNK] Pod ADDED - nginx"');
  expect(lines.filter(isTold)).toHaveLength(1);
  writeFileSync(path, `${lines.filter((line) => !isTold(line)).join('\n')}\n`);
  const { status, stdout } = kubeseq(['diff', capture, path, '-q']);
  expect(marked(stdout)).toEqual([
    expect.stringMatching(/^-kube-apiserver ->> kube-scheduler: \[RESP-CHUNK\] Pod ADDED - nginx \(message \d+\)$/),
  ]);
  expect(status).toBe(1);
});

interface Saved {
  readonly seq: number;
  readonly kind: string;
  readonly from: string;
  readonly to: string;
  readonly label: string;
  readonly exchange: number;
  readonly verb?: string;
  readonly method?: string;
  readonly target?: string;
  readonly resource?: string;
  readonly subresource?: string;
  readonly status?: number;
  readonly body?: unknown;
}

describe('what is left out', () => {
  it.each([
    ['run-nginx-http1', 'late-start-mixed'],
    ['run-nginx-http1', 'run-nginx-tls'],
    ['deployment-tls', 'run-nginx-tls'],
  ])('of %s and %s is what --all has more', { timeout: 60_000 }, async (one, other) => {
    const sideOf = async (name: string): Promise<DiffSide> =>
      observedSide(name, await observeWhole(name), { by: 'controller' });
    const difference = compare(await sideOf(one), await sideOf(other));
    const sum = (numbers: readonly number[]): number => numbers.reduce((a, b) => a + b, 0);
    const { findings, leftOut } = weigh(difference);
    const all = weigh(difference, true);
    const shown = sum(findings.map(({ alike, followers }) => alike + followers));
    expect(leftOut.length).toBeGreaterThan(0);
    expect(shown + sum(leftOut.map(({ count }) => count))).toBe(sum(all.findings.map(({ alike }) => alike)));
    expect(all.leftOut).toEqual([]);
  });

  it.each([
    ['run-nginx-http1', 'run-nginx-tls'],
    ['run-nginx-tls', 'deployment-tls'],
    ['deployment-tls', 'helm-tls'],
    ['two-runs/create/first', 'two-runs/delete/first'],
  ])('of %s and %s has no request of people', { timeout: 60_000 }, async (one, other) => {
    const counts = new Map<string, number>();
    const sideOf = async (name: string, sign: number): Promise<DiffSide> => {
      const side = observedSide(name, await observeWhole(name), { by: 'controller' });
      for (const { kind, label, source } of side.items) {
        const { from, target = '' } = source?.message ?? {};
        // Discovery is cached on disk.
        if (
          kind === 'request' &&
          from?.tier === 'people' &&
          !/^\/(?:api|apis|openapi)(?:\/[^/?]+){0,2}\/?(?:\?|$)/.test(target)
        )
          counts.set(`${from.component} ${label}`, (counts.get(`${from.component} ${label}`) ?? 0) + sign);
      }
      return side;
    };
    const { findings } = weigh(compare(await sideOf(one, 1), await sideOf(other, -1)));
    const shown = new Set(
      findings.flatMap(({ before, after }) =>
        [before, after].flatMap((item) =>
          item === undefined ? [] : `${item.source?.message.from.component} ${item.label}`,
        ),
      ),
    );
    const differing = [...counts].filter(([, count]) => count !== 0).map(([key]) => key);
    expect(differing.length).toBeGreaterThan(0);
    expect(differing.filter((key) => !shown.has(key))).toEqual([]);
  });

  it('is a table in the docs', () => {
    const rows = pageText()
      .split('\n')
      .filter((line) => line.startsWith('| ') && !/^\| (?:---|left out)/.test(line))
      .map((line) => line.slice(2, -2).split(' | '));
    expect(rows).toEqual(ORDINARY.map(({ words, why, source }) => [words[1], why, source]));
    expect(new Set(ORDINARY.map(({ words }) => words[1])).size).toBe(ORDINARY.length);
  });
});

function pageText(): string {
  const page = readFileSync(join(ROOT, 'docs/diff.md'), 'utf8');
  const start = page.indexOf('## What is no difference');
  expect(start).toBeGreaterThan(0);
  return page.slice(start);
}
