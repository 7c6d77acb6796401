// `kubeseq messages -o har`, held against HAR 1.2's JSON Schema, the truth files and what browser tools ask for.

import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { kubeseq, ROOT } from './command.js';
import { fixtureLines } from './fixtures.js';
import { type Schema, violations } from './json-schema.js';

interface Entry {
  readonly startedDateTime: string;
  readonly time: number;
  readonly request: {
    readonly method: string;
    readonly url: string;
    readonly headers: readonly { readonly name: string; readonly value: string }[];
    readonly queryString: readonly { readonly name: string; readonly value: string }[];
    readonly postData?: { readonly text: string };
  };
  readonly response: {
    readonly status: number;
    readonly statusText: string;
    readonly headers: readonly { readonly name: string; readonly value: string }[];
    readonly content: { readonly text?: string };
  };
  readonly timings: { readonly send: number; readonly wait: number; readonly receive: number };
  readonly serverIPAddress: string;
  readonly comment: string;
  readonly _messages: readonly {
    readonly seq: number;
    readonly kind: string;
    readonly inferred?: unknown;
    readonly body?: unknown;
  }[];
}

const SCHEMA = JSON.parse(readFileSync(join(ROOT, 'test/har-1.2.schema.json'), 'utf8')) as Schema;
const harOf = (...args: string[]): { log: { entries: readonly Entry[] } } =>
  JSON.parse(kubeseq(['messages', '-q', '-o', 'har', ...args]).stdout);

const CASES: readonly (readonly [string, string, ...string[]])[] = [
  ['run-nginx-http1', 'fixtures/run-nginx-http1/capture.pcap.gz'],
  ['errors-http1', 'fixtures/errors-http1/capture.pcap.gz', '--bodies'],
  ['clients-tls', 'fixtures/clients-tls/capture.pcap.gz', '--keylog', 'fixtures/clients-tls/keys.log.gz', '--bodies'],
  ['late-start-mixed', 'fixtures/late-start-mixed/capture.pcap.gz', '--bodies'],
];

describe.each(CASES)('of %s', (name, ...args) => {
  const har = harOf(...args);
  const { entries } = har.log;

  it('is valid', () => {
    expect(violations(SCHEMA, har).slice(0, 5)).toEqual([]);
    expect(entries.length).toBeGreaterThan(10);
  });

  it('has times, addresses and URLs that tools can read', () => {
    for (const entry of entries) {
      expect(Number.isNaN(Date.parse(entry.startedDateTime))).toBe(false);
      expect(isIP(entry.serverIPAddress)).toBeGreaterThan(0);
      expect(new URL(entry.request.url).host).not.toBe('');
      const { send, wait, receive } = entry.timings;
      expect(Math.min(send, wait, receive)).toBeGreaterThanOrEqual(0);
      expect(entry.time).toBeCloseTo(send + wait + receive, 6);
    }
  });

  it('has every message once', () => {
    const lines = kubeseq(['messages', '-q', '-o', 'ndjson', ...args.filter((arg) => arg !== '--bodies')]).stdout;
    const seqs = entries.flatMap(({ _messages }) => _messages.map(({ seq }) => seq)).sort((a, b) => a - b);
    expect(seqs).toEqual(
      lines
        .trimEnd()
        .split('\n')
        .map((_, i) => i + 1),
    );
  });

  it.skipIf(name === 'late-start-mixed')('has the requests of the truth', () => {
    interface Asked {
      readonly kind: string;
      readonly method: string;
      readonly target: string;
      readonly status: number | null;
    }
    const truth = fixtureLines<Asked>(`${name}/capture.truth.jsonl`).filter(({ kind }) => kind === 'request');
    const told = (one: { method: string; path: string; status: number }): string =>
      `${one.method} ${one.path} ${one.status}`;
    const mine = entries
      .filter(({ _messages: [first] }) => first.kind === 'request' && first.inferred === undefined)
      .map(({ request: { method, url }, response: { status } }) => {
        const { pathname, search, origin } = new URL(url);
        return told({ method, path: url.startsWith(origin) ? url.slice(origin.length) : pathname + search, status });
      });
    const theirs = truth.map(({ method, target, status }) => told({ method, path: target, status: status ?? 0 }));
    const redacted = theirs.map((line) => line.replace(/((?:access_)?token=)[^& ]+/, '$1REDACTED'));
    expect(mine.sort()).toEqual(redacted.sort());
  });
});

describe('an entry', () => {
  const { entries } = harOf('fixtures/run-nginx-http1/capture.pcap.gz', '--bodies').log;
  const entryOf = (method: string, path: RegExp): Entry =>
    entries.find(({ request }) => request.method === method && path.test(request.url)) as Entry;

  it('has heads, bodies and status of its exchange', () => {
    const { request, response } = entryOf('POST', /\/default\/pods\?/);
    expect(request.url).toBe('http://192.0.2.10:8080/api/v1/namespaces/default/pods?fieldManager=kubectl-run');
    expect(request.queryString).toEqual([{ name: 'fieldManager', value: 'kubectl-run' }]);
    expect(request.headers).toContainEqual({ name: 'Kubectl-Command', value: 'kubectl run' });
    expect(JSON.parse(request.postData?.text ?? '')).toMatchObject({ kind: 'Pod', metadata: { name: 'nginx' } });
    expect([response.status, response.statusText]).toEqual([201, 'Created']);
    expect(JSON.parse(response.content.text ?? '')).toMatchObject({ metadata: { resourceVersion: '284' } });
  });

  it('of a watch has its events, one a line', () => {
    const { response, _messages } = entryOf('GET', /\/pods\?.*spec\.nodeName.*watch=true/);
    const lines = (response.content.text ?? '')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as object);
    expect(lines).toEqual(_messages.filter(({ kind }) => kind === 'event').map(({ body }) => body));
    expect(lines[0]).toMatchObject({ type: 'ADDED', object: { kind: 'Pod' } });
  });

  it('has a comment about what is missing', () => {
    const { entries: late } = harOf('fixtures/late-start-mixed/capture.pcap.gz').log;
    expect(late.filter(({ comment }) => comment.includes('the request was before the capture')).length).toBeGreaterThan(
      0,
    );
    expect(entries.filter(({ response }) => response.status === 0).map(({ comment }) => comment)).toEqual(
      entries.filter(({ response }) => response.status === 0).map(() => expect.stringContaining('no answer')),
    );
  });

  it('never makes up a path', () => {
    const args = ['fixtures/clients-tls/capture.pcap.gz', '--keylog', 'fixtures/clients-tls/keys.log.gz'];
    const unknown = harOf(...args).log.entries.filter(({ comment }) =>
      comment.includes('the path is not in the capture'),
    );
    expect(unknown.length).toBeGreaterThan(0);
    for (const { request } of unknown) expect(new URL(request.url).pathname).toBe('/%E2%80%A6');
  });

  it('has no bodies without the option', () => {
    const { stdout } = kubeseq(['messages', '-q', '-o', 'har', 'fixtures/run-nginx-http1/capture.pcap.gz']);
    expect(stdout).not.toContain('"text"');
    expect(stdout).not.toContain('"body"');
  });
});

it('of nothing is an empty log', () => {
  const har = harOf('fixtures/run-nginx-http1/capture.pcap.gz', '--where', 'status == 599');
  expect(violations(SCHEMA, har)).toEqual([]);
  expect(har.log.entries).toEqual([]);
});
