// `kubeseq diff`: what differs, and nothing else. What differs is looked up in the API server's own audit logs.

import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { alignInstances, compare, observedSide, weigh } from '../../src/index.js';
import { kubeseq } from '../kit/command.js';
import { fixture, fixtureLines, fixturePath } from '../kit/fixtures.js';
import { parseMermaid } from '../kit/mermaid.js';
import { observeWhole } from '../kit/whole-fixtures.js';

const FOLDER = mkdtempSync(join(tmpdir(), 'kubeseq-diff-'));
const keysOf = (name: string): string => {
  const path = join(FOLDER, `${name}.keys`);
  writeFileSync(path, fixture(`${name}/keys.log`), { mode: 0o600 });
  return path;
};
const PLAIN = 'fixtures/run-nginx-http1/capture.pcap.gz';
const TLS = 'fixtures/run-nginx-tls/capture.pcap.gz';
const KEYS = keysOf('run-nginx-tls');
const marked = (text: string): string[] => text.split('\n').filter((line) => /^[+-](?![+-]{2} )/.test(line));
/** Without what stands in parentheses behind an arrow. */
const arrows = (text: string): string[] => marked(text).map((line) => line.replace(/ \([^()]*\)$/, ''));
const LEFT_OUT = /^\d+ more differences? with --all, of kinds that any two runs have: \d+ .*\n$/;

describe('a capture and itself', () => {
  it('nothing, of which nothing is said', () => {
    expect(kubeseq(['diff', PLAIN, PLAIN, '-q'])).toEqual({ status: 0, stdout: '', stderr: '' });
  });

  it.each(['errors-http1', 'run-nginx-tls', 'throttle-tls', 'deployment-tls', 'late-start-tls'])(
    '%s: nothing, of any layer',
    async (name) => {
      const layers = new Set(['kubernetes', 'kubelet', 'etcd', 'cri', 'registry', 'docker', 'http', 'grpc'] as const);
      const observation = await observeWhole(name);
      for (const options of [{ by: 'controller' }, { by: 'controller', layers }] as const) {
        const side = observedSide(name, observation, options);
        expect(side.items.length).toBeGreaterThan(0);
        expect(weigh(compare(...alignInstances(side, side)), true).findings).toEqual([]);
      }
    },
  );

  it('saved messages of it, and its pcapng with the secrets inside', () => {
    const saved = join(FOLDER, 'plain.ndjson');
    kubeseq(['messages', '-o', 'ndjson', PLAIN, '-w', saved]);
    expect(kubeseq(['diff', PLAIN, saved])).toMatchObject({ status: 0, stdout: '' });
    const pcapng = 'fixtures/run-nginx-tls/capture-with-secrets.pcapng.gz';
    expect(kubeseq(['diff', TLS, pcapng, '--keylog', KEYS, '-q'])).toMatchObject({ status: 0, stdout: '' });
  });
});

describe('a capture and the diagram of it, saved as data', () => {
  it.each([
    ['run-nginx-http1', []],
    ['run-nginx-http1', ['--follow', 'pod/nginx']],
    ['throttle-tls', []],
    ['helm-tls', []],
  ])('%s %j: nothing', (name, how) => {
    const [file] = ['capture.pcap.gz', 'control-plane.pcap.gz'].filter((one) =>
      existsSync(fixturePath(`${name}/${one}`)),
    );
    const capture = [`fixtures/${name}/${file}`, ...(name.endsWith('-http1') ? [] : ['--keylog', keysOf(name)])];
    const json = join(FOLDER, `${name}.json`);
    kubeseq(['diagram', '-q', '-w', json, ...how, ...capture]);
    expect(kubeseq(['diff', '-q', json, ...how, ...capture])).toEqual({ status: 0, stdout: '', stderr: '' });
    if (name !== 'run-nginx-http1') return;
    expect(kubeseq(['diff', '-q', capture[0], json, ...how])).toEqual({ status: 0, stdout: '', stderr: '' });
    expect(kubeseq(['diff', '-q', json, json])).toEqual({ status: 0, stdout: '', stderr: '' });
  });

  it('that lacks a message differs in it, gzipped or not', () => {
    const json = join(FOLDER, 'lacking.json');
    kubeseq(['diagram', '-q', '-w', json, PLAIN]);
    const diagram = JSON.parse(readFileSync(json, 'utf8')) as { messages: { label: string }[] };
    diagram.messages = diagram.messages.filter(({ label }) => !label.endsWith('/binding'));
    writeFileSync(`${json}.gz`, gzipSync(JSON.stringify(diagram, null, 2)));
    const { status, stdout } = kubeseq(['diff', '-q', `${json}.gz`, PLAIN]);
    expect(status).toBe(1);
    expect(arrows(stdout)).toContain(
      '+kube-scheduler ->> kube-apiserver: [REQ] POST /api/v1/namespaces/default/pods/nginx/binding',
    );
  });
});

describe('the same flow in plaintext and over TLS', () => {
  const ran = kubeseq(['diff', PLAIN, TLS, '--keylog', KEYS, '-q']);

  it('differs in nothing but how often kubectl looked, and says what else it leaves out', () => {
    expect(ran.status).toBe(1);
    const [before, after, heading, nodes, pod, legend, left] = ran.stdout.trimEnd().split('\n');
    expect([before, after]).toEqual([`--- ${PLAIN}`, `+++ ${TLS}`]);
    expect(heading).toBe(
      "@@ users' requests and their answers (kubectl, other clients that are no component of the cluster) @@",
    );
    expect(nodes).toMatch(/^\+kubectl ->> kube-apiserver: \[REQ\] GET \/api\/v1\/nodes \(3 times, message \d+\)$/);
    expect(pod).toMatch(
      /^\+kubectl ->> kube-apiserver: \[REQ\] GET \/api\/v1\/namespaces\/default\/pods\/nginx \(2 times before, 4 times after, message \d+\)$/,
    );
    expect(legend).toBe('message numbers: on lines with - of the first file, on lines with + of the second');
    expect(`${left}\n`).toMatch(LEFT_OUT);
    expect(ran.stdout.trimEnd().split('\n')).toHaveLength(7);
  });

  it('and the audit logs differ in the same', () => {
    const looks = (name: string, resource: string): number =>
      fixtureLines<Audit>(`${name}/audit.jsonl`).filter(
        ({ stage, verb, userAgent, objectRef }) =>
          stage === 'ResponseComplete' &&
          ['get', 'list'].includes(verb) &&
          userAgent.startsWith('kubectl/') &&
          objectRef?.resource === resource &&
          // `kubectl delete` lists with a field selector, which names its object, too.
          (resource === 'nodes' || (verb === 'get' && objectRef.name === 'nginx')),
      ).length;
    expect(looks('run-nginx-tls', 'pods') - looks('run-nginx-http1', 'pods')).toBe(2);
    expect([looks('run-nginx-http1', 'nodes'), looks('run-nginx-tls', 'nodes')]).toEqual([0, 3]);
    // Written to a file, whose ending chooses the format.
    const path = join(FOLDER, 'difference.json');
    expect(kubeseq(['diff', PLAIN, TLS, '--keylog', KEYS, '-q', '-w', path])).toMatchObject({ status: 1, stdout: '' });
    const { repeated, added, ...rest } = JSON.parse(readFileSync(path, 'utf8')) as {
      repeated: { label: string; before: number; after: number }[];
      added: { label: string }[];
    };
    expect(repeated).toMatchObject([
      {
        label: '[REQ] GET /api/v1/namespaces/default/pods/nginx',
        before: looks('run-nginx-http1', 'pods'),
        after: looks('run-nginx-tls', 'pods'),
      },
      { label: '[RESP] 200 OK' },
    ]);
    expect(added.filter(({ label }) => label.startsWith('[REQ]'))).toHaveLength(3);
    expect(rest).toMatchObject({ removed: [], changed: [] });
  });

  it('is one diagram, which mermaid reads', async () => {
    const text = kubeseq(['diff', '-o', 'mermaid', PLAIN, TLS, '--keylog', KEYS, '-q']).stdout;
    const labels = (await parseMermaid(text)).messages.map((one) => one.text).filter((label) => label.startsWith('+ '));
    expect(labels).toHaveLength(10);
    expect(text.match(/^ {4}rect rgba\(46, 160, 67, 0\.25\)$/gm)).toHaveLength(5);
  });

  it('counts by participant', () => {
    const { status, stdout } = kubeseq(['diff', '--stat', PLAIN, TLS, '--keylog', KEYS, '-q']);
    expect(status).toBe(1);
    expect(stdout).toMatch(/^ kubectl {10}\| +6 -> +8 \+5$/m);
    expect(stdout).toMatch(/^ kubelet \(node-1\) \| 11 -> 11$/m);
  });
});

describe('another flow', () => {
  // What is taken out of saved messages, or changed in them, is what a difference has to name.
  const saved = kubeseq(['messages', '-o', 'ndjson', PLAIN]).stdout;
  const lines = saved.trim().split('\n');
  const write = (name: string, changed: readonly string[]): string => {
    const path = join(FOLDER, `${name}.ndjson`);
    writeFileSync(path, `${changed.join('\n')}\n`);
    return path;
  };
  const original = write('original', lines);
  const isBinding = (line: string): boolean => line.includes('"subresource":"binding"');
  const exchange = (JSON.parse(lines.find(isBinding) as string) as { exchange: number }).exchange;
  const ofBinding = (line: string): boolean => (JSON.parse(line) as { exchange: number }).exchange === exchange;

  it('without the binding', () => {
    const { status, stdout } = kubeseq([
      'diff',
      original,
      write(
        'unbound',
        lines.filter((line) => !ofBinding(line)),
      ),
    ]);
    expect(status).toBe(1);
    expect(arrows(stdout)).toEqual([
      '-kube-scheduler ->> kube-apiserver: [REQ] POST /api/v1/namespaces/default/pods/nginx/binding',
    ]);
  });

  it('with the binding refused', () => {
    const refused = lines.map((line) =>
      ofBinding(line) && line.includes('"status":201')
        ? line.replace('"status":201', '"status":409').replace('[RESP] 201 Created', '[RESP] 409 Conflict')
        : line,
    );
    const path = write('refused', refused);
    expect(arrows(kubeseq(['diff', original, path]).stdout)).toEqual([
      '-kube-apiserver -->> kube-scheduler: [RESP] 201 Created',
      '+kube-apiserver -->> kube-scheduler: [RESP] 409 Conflict',
    ]);
    const { changed } = JSON.parse(kubeseq(['diff', '-o', 'json', original, path]).stdout) as { changed: unknown[] };
    expect(changed).toMatchObject([
      { what: 'status', before: { label: '[RESP] 201 Created' }, after: { label: '[RESP] 409 Conflict' } },
    ]);
  });
});

describe('a written diagram', () => {
  const drawn = join(FOLDER, 'drawn.mmd');
  kubeseq(['diagram', PLAIN, '-w', drawn]);
  const text = readFileSync(drawn, 'utf8');

  it('that was drawn from a capture does not differ from it', () => {
    expect(kubeseq(['diff', drawn, PLAIN])).toMatchObject({ status: 0, stdout: '' });
    expect(kubeseq(['diff', drawn, drawn])).toMatchObject({ status: 0, stdout: '' });
  });

  it.each([
    ['autoscaled-tls', 'control-plane'],
    ['trouble-tls', 'capture'],
  ])('that shortened labels of %s does not differ from it', (name, file) => {
    const capture = [`fixtures/${name}/${file}.pcap.gz`, '--keylog', keysOf(name), '-q'];
    const path = join(FOLDER, `${name}.mmd`);
    kubeseq(['diagram', '--no-overview', ...capture, '-w', path]);
    expect(readFileSync(path, 'utf8')).toMatch(/>>.*\[REQ\].*…/);
    expect(kubeseq(['diff', path, ...capture])).toEqual({ status: 0, stdout: '', stderr: '' });
  });

  it('that lacks an arrow, or has another status, does', () => {
    const binding = text.split('\n').find((line) => line.includes('/binding')) as string;
    const without = join(FOLDER, 'without.mmd');
    writeFileSync(without, text.replace(`${binding}\n`, ''));
    expect(arrows(kubeseq(['diff', without, PLAIN]).stdout)).toContain(
      '+kube-scheduler ->> kube-apiserver: [REQ] POST /api/v1/namespaces/default/pods/nginx/binding',
    );
    const refused = join(FOLDER, 'refused.mmd');
    writeFileSync(refused, text.replace('[RESP] 201 Created', '[RESP] 409 Conflict'));
    expect(arrows(kubeseq(['diff', refused, PLAIN]).stdout)).toEqual([
      '-kube-apiserver -->> kubectl: [RESP] 409 Conflict',
      '+kube-apiserver -->> kubectl: [RESP] 201 Created',
    ]);
  });

  it('of a page is named by its heading', () => {
    const page = join(FOLDER, 'page.md');
    const fence = (title: string): string => `## ${title}\n\n\`\`\`mermaid\n${text}\`\`\`\n`;
    writeFileSync(page, fence('Run a Pod') + fence('Again'));
    expect(kubeseq(['diff', `${page}#run-a-pod`, PLAIN])).toMatchObject({ status: 0, stdout: '' });
    const { status, stderr } = kubeseq(['diff', page, PLAIN]);
    expect([status, stderr]).toEqual([
      2,
      expect.stringMatching(/page\.md: name one of its diagrams.*run-a-pod, again\n$/s),
    ]);
  });

  it('that mermaid would not read is trouble, with its line', () => {
    const broken = join(FOLDER, 'broken.mmd');
    writeFileSync(broken, 'sequenceDiagram\n    A -> \n');
    const { status, stderr } = kubeseq(['diff', broken, PLAIN]);
    expect([status, stderr]).toEqual([2, expect.stringMatching(/broken\.mmd:2: /)]);
  });
});

it('reports what it cannot read', () => {
  const missing = kubeseq(['diff', PLAIN, 'no-such-file.pcap']);
  expect(missing.status).toBe(2);
  expect(missing.stderr).toMatch(/^kubeseq: no-such-file\.pcap: no such file/);
  expect(kubeseq(['diff', '-', '-']).status).toBe(2);
  expect(kubeseq(['diff', PLAIN]).status).toBe(2);
});

interface Audit {
  readonly stage: string;
  readonly verb: string;
  readonly userAgent: string;
  readonly objectRef?: { readonly resource: string; readonly name?: string };
}
