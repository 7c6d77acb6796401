// A controller's tests in envtest, as its author's CI records them: what one run did must be told so that the next run, which has other
// names, ports and races, did the same, and a controller that lost a step did not. What was done is the API server's audit log's to say,
// which steps there are, the operator's (fixtures/envtest-tls/README.md).

import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { indexMessages, type Message, nondeterministicExchanges } from '../../src/index.js';
import { auditLog } from '../kit/audit.js';
import { tellsAllOf } from '../kit/captured-truth.js';
import { kubeseq } from '../kit/command.js';
import { observed } from '../kit/diagrams.js';
import { fixturePath } from '../kit/fixtures.js';
import { parseMermaid } from '../kit/mermaid.js';

const RUNS = ['first', 'second', 'without-finalizer'] as const;
const METHODS: Readonly<Record<string, string>> = { create: 'POST', update: 'PUT', delete: 'DELETE' };
const FOLLOW = ['--follow', 'memcached/sample', '-A', '-q'];
const folder = mkdtempSync(join(tmpdir(), 'kubeseq-'));
afterAll(() => rmSync(folder, { recursive: true }));

function capture(run: (typeof RUNS)[number]): string {
  return fixturePath(`envtest-tls/${run}/capture.pcapng.gz`);
}

async function messagesOf(run: (typeof RUNS)[number]): Promise<readonly Message[]> {
  return (await observed(`envtest-tls/${run}/capture.pcapng`)).messages;
}

for (const run of RUNS) {
  const messages = await messagesOf(run);
  describe(run, () =>
    tellsAllOf(`envtest-tls/${run}`, messages, { events: 10, requests: 50 }, ({ user }) => user.username),
  );
}

describe('an expectation that --update wrote of one run', () => {
  const written = (run: (typeof RUNS)[number]): { path: string; text: string } => {
    const path = join(folder, `${run}.mmd`);
    if (!existsSync(path)) expect(kubeseq(['check', '--update', path, capture(run), ...FOLLOW]).status).toBe(0);
    return { path, text: readFileSync(path, 'utf8') };
  };

  it.each([
    ['first', 'second'],
    ['second', 'first'],
  ] as const)('%s: the other one did the same', (one, other) => {
    const { path } = written(one);
    expect(kubeseq(['check', path, capture(other), '-q']).stdout).toMatch(/^pass {2}/);
  });

  it('fails where the operator lost its finalizer: the step that is not there is named', () => {
    const { path } = written('first');
    const { status, stdout } = kubeseq(['check', path, capture('without-finalizer'), '-q']);
    expect(status).toBe(1);
    expect(stdout).toMatch(/not matched: memcached-operator → kube-apiserver: \[REQ\] PUT \S+\/memcacheds\/sample\n/);
  });

  it('has every write of test and operator that the audit log has, and no looks of the test', async () => {
    const { actors, messages } = await parseMermaid(written('second').text);
    const told = messages.flatMap(({ from, text }) => {
      const [, method, path] = /^\[REQ\] ([A-Z]+) (\S+)/.exec(text) ?? [];
      const who = actors.get(from)!;
      // Whose kind of Event is told is another question.
      if (method === undefined || who === 'kube-apiserver' || path.endsWith('/events')) return [];
      return `${who} ${method} ${path.replace(/^.*\{suffix\}\//, '')}`;
    });
    const log = [...auditLog('envtest-tls/second/audit.jsonl').values()];
    const logged = log.flatMap(({ verb, user, objectRef, responseStatus }) => {
      if (objectRef?.name !== 'sample' || responseStatus.code >= 400 || verb === 'get') return [];
      const { resource, name, subresource } = objectRef;
      const place = verb === 'create' ? resource : [resource, name, subresource].filter(Boolean).join('/');
      return `${user.username} ${METHODS[verb]} ${place}`;
    });
    expect(logged.length).toBeGreaterThan(9);
    expect(told.filter((one) => !one.includes('?watch=true')).sort()).toEqual(logged.sort());
  });

  it('leaves names and ports open that are made anew', () => {
    for (const run of ['first', 'second'] as const) {
      const { text } = written(run);
      expect(text).toContain('participant W as webhook 127.0.0.1:*\n');
      expect(text).toContain('/namespaces/memcached-{suffix}');
      expect(text).not.toMatch(/memcached-[a-z0-9]{5}\b(?!-)(?<!-operator)/);
    }
  });
});

it('what is there by chance are the looks of the test and what the log has as 409', async () => {
  const messages = await messagesOf('second');
  const chance = nondeterministicExchanges(indexMessages(messages));
  const log = auditLog('envtest-tls/second/audit.jsonl');
  const left = messages.flatMap(({ kind, auditId, exchange }) =>
    kind === 'response' && log.has(auditId ?? '') && chance.has(exchange) ? [auditId!] : [],
  );
  const expected = [...log.values()].filter(({ verb, user, responseStatus }) => {
    const isLook = user.username === 'controller.test' && verb === 'get';
    return isLook || responseStatus.code === 409;
  });
  expect(expected.filter(({ responseStatus }) => responseStatus.code === 409).length).toBeGreaterThan(0);
  expect(left.sort()).toEqual(expected.map(({ auditID }) => auditID).sort());
});

describe('diff', () => {
  it('--ignore-nondeterminism: two runs of the same are the same', () => {
    const both = [capture('first'), capture('second')];
    expect(kubeseq(['diff', ...both, ...FOLLOW]).status).toBe(1);
    expect(kubeseq(['diff', ...both, ...FOLLOW, '--ignore-nondeterminism'])).toEqual({
      status: 0,
      stdout: '',
      stderr: '',
    });
  });

  it('--ignore-nondeterminism: of the other operator only what concerns the finalizer is listed', () => {
    const both = [capture('first'), capture('without-finalizer')];
    const { status, stdout } = kubeseq(['diff', ...both, ...FOLLOW, '--ignore-nondeterminism']);
    expect(status).toBe(1);
    const removed = stdout.split('\n').filter((line) => /^-(?!-- )/.test(line));
    const asked = removed.filter((line) => line.startsWith('-memcached-operator ->> kube-apiserver'));
    expect(asked).toHaveLength(1);
    expect(asked[0]).toMatch(/\[REQ\] PUT \S+\/memcacheds\/sample \(2 times, message \d+\)$/);
  });
});

describe('an object in a Namespace with a generated name', () => {
  it('is not found in `default`, and its namespace is named', () => {
    const { stderr } = kubeseq([capture('first'), '--follow', 'memcached/sample']);
    const name = /memcached-[a-z0-9]{5}/.exec(stderr)?.[0];
    expect(stderr).toContain(`--follow memcached/sample: it is in another namespace: -n ${name}`);
    const there = kubeseq([capture('first'), '--follow', 'memcached/sample', '-n', name!, '-q']).stdout;
    expect(kubeseq([capture('first'), ...FOLLOW]).stdout).toBe(there);
    expect(kubeseq(['object', 'memcached/sample', capture('first')]).stderr).toContain(`-n ${name}`);
    expect(kubeseq(['object', 'memcached/sample', '-n', name!, capture('first')]).stdout).toContain('deleted');
  });

  it('is nowhere', () => {
    const { stderr } = kubeseq([capture('first'), '--follow', 'memcached/none', '-A']);
    expect(stderr).toContain('--follow memcached/none: no message in the capture is about it');
  });
});

it('the flow of the recipe holds, until the finalizer is lost', () => {
  const recipe = 'docs/recipes/envtest.md';
  expect(RUNS.map((run) => kubeseq(['check', recipe, capture(run), '-q']).status)).toEqual([0, 0, 1]);
});
