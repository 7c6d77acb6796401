// `--anonymize` over every fixture and every output: no name of a cluster is in any, and diagrams stay the same but for the names.

import { copyFileSync, mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { describe, expect, it } from 'vitest';
import { isBetweenNames, isKept, isKeptKey, isMeasure, isProse, isSystemName } from '../../src/anonymize/kept-words.js';
import { Anonymizer, buildSequence, type Message, messageJson, renderMermaid } from '../../src/index.js';
import { kubeseq, ROOT } from '../kit/command.js';
import { fixturePath } from '../kit/fixtures.js';
import { outputs } from '../kit/outputs.js';
import { searchable } from '../kit/page-data.js';
import { NO_TERMINAL, TerminalSession } from '../kit/terminal.js';
import { observeWhole, WITH_CAPTURES } from '../kit/whole-fixtures.js';

const FOLDER = mkdtempSync(join(tmpdir(), 'kubeseq-anonymize-'));
const KEY = new Uint8Array(32).fill(7);
const JSON_OPTIONS = { first: 0n, digits: () => 6, captures: undefined } as never;

describe.each(WITH_CAPTURES)('%s', (name) => {
  it('has no name of the cluster in any field, head or body, and the same diagram', async () => {
    const { messages, items } = await observeWhole(name);
    const anonymizer = new Anonymizer(KEY);
    for (const message of messages) anonymizer.learn(message);
    const replaced = items.map((item) => anonymizer.item(item));
    const others = replaced.flatMap((item) => (item.kind === 'message' ? [item.message] : []));
    const originals = namesIn(messages);
    const text = JSON.stringify(
      [
        others.map((one) => [messageJson(one, JSON_OPTIONS), one.details?.body(), one.details?.fields()]),
        replaced.filter(({ kind }) => kind === 'notice'),
        others.flatMap(({ from, to }) => [from.name, to.name, from.evidence, to.evidence]),
      ],
      (_, value) => (typeof value === 'bigint' ? String(value) : value),
    );
    // Keys of schemas are words.
    expect(foundIn(text.replace(/"[\w:$.-]+":|'s\b/g, ''), originals)).toEqual([]);
    const [before, after] = [messages, others].map((all) =>
      skeletonOf(renderMermaid(buildSequence({ messages: all, notices: [] }))),
    );
    expect(after).toEqual(before);
  });
});

/** What identifies something of this cluster: names, users, hosts, images, addresses, ids; none that every cluster has. */
function namesIn(messages: readonly Message[]): string[] {
  const names = new Set<string>();
  const add = (text: unknown): void => {
    for (const word of typeof text === 'string' ? text.split(BETWEEN_WORDS) : [])
      if (word !== '' && !stays(word)) names.add(word);
  };
  const walk = (value: unknown, key: string): void => {
    if (Array.isArray(value)) for (const one of value) walk(one, key);
    else if (typeof value === 'object' && value !== null)
      for (const [inner, one] of Object.entries(value)) walk(one, inner);
    else if (NAMED.test(key)) add(value);
  };
  for (const message of messages) {
    const { namespace, name, object, user, image, connection, from, to, lease, details } = message;
    for (const one of [namespace, name, user, image, lease?.holder]) if (one?.startsWith('system:') !== true) add(one);
    walk([object, details?.body()], '');
    for (const end of connection.split('-')) add(end.slice(0, end.lastIndexOf(':')));
    for (const one of [from, to]) add(/\((.*)\)$/.exec(one.name)?.[1]);
  }
  return [...names];
}

/** Words of Kubernetes, and what one may have that is written beside names. */
function stays(word: string): boolean {
  const isOfKubernetes = isKept(word) || isKeptKey(word) || isSystemName(word) || isBetweenNames(word);
  // Names of variables and headings of tables are words.
  return (
    isOfKubernetes ||
    isMeasure(word) ||
    /^[v\d.]+$/.test(word) ||
    word.split('.').every(isKept) ||
    (/[A-Z]/.test(word) && isProse(word))
  );
}

const NAMED =
  /^(?:name|namespace|nodeName|uid|user|image|podIP|hostIP|ip|clusterIP|podSandboxId|containerId|hostname|serviceAccountName|claimName|secretName)$/;
const BETWEEN_WORDS = /[^\p{L}\p{N}.-]+/u;

/** Names that stand in a text as words, each with what is around it. */
function foundIn(text: string, names: readonly string[]): string[] {
  const words = wordsOf(text);
  return names.flatMap((name) => {
    if (!words.has(name)) return [];
    const quoted = name.replace(/[.]/g, '\\.');
    const around = new RegExp(`.{0,50}(?<![\\p{L}\\p{N}-])${quoted}(?![\\p{L}\\p{N}-]).{0,30}`, 'u').exec(text);
    return [`${name}: ${around?.[0] ?? ''}`];
  });
}

function wordsOf(text: string): Set<string> {
  return new Set(text.split(BETWEEN_WORDS).map((word) => word.replace(/^[.-]+|[.-]+$/g, '')));
}

/** Who sends to whom, by the order in which they stand, and where notes are. */
function skeletonOf(mermaid: string): string[] {
  const ids: string[] = [];
  return mermaid.split('\n').flatMap((line) => {
    const [, id] = /^ *(?:participant|actor) (\S+)/.exec(line) ?? [];
    if (id !== undefined) ids.push(id);
    const [, from, arrow, to] = /^ *(\w+) ?(--?>>|--?\)|--?x|--?>)[+-]?(\w+)/.exec(line) ?? [];
    if (arrow !== undefined) return [`${ids.indexOf(from)} ${arrow} ${ids.indexOf(to)}`];
    return /^ *(?:Note|rect|box|end)\b/i.test(line) ? [line.trim().split(' ')[0]] : [];
  });
}

describe('the command', () => {
  const capture = join(FOLDER, 'acme-secret-site.pcap.gz');
  copyFileSync(fixturePath('planted/capture.pcap.gz'), capture);
  const keyFile = join(FOLDER, 'key');
  writeFileSync(keyFile, KEY);
  const expectation = join(FOLDER, 'expected.mmd');
  writeFileSync(
    expectation,
    'sequenceDiagram\n  participant A as kubectl\n  participant B as kube-apiserver\n  A->>B: [REQ] POST /api/v1/namespaces/shop/secrets - db\n',
  );
  const options = ['--keylog', fixturePath('planted/keys.log.gz'), '--anonymize-key', keyFile];
  const subject = { object: 'pod/web-0', namespace: 'shop', seq: 200, expectation, other: capture };

  it.each(outputs(capture, subject).map(({ args, behind }) => ({ args, behind })))(
    'shows no name in $args',
    async ({ args, behind }) => {
      const { stdout, stderr } = kubeseq([...args, capture, ...behind, ...options]);
      const originals = namesIn((await observeWhole('planted')).messages).filter(
        (one) => !OWN.has(one) && !isProse(one),
      );
      const words = wordsOf(searchable(args, stdout) + stderr.replaceAll(capture, ''));
      expect(
        [...originals, 'acme-secret-site.pcap.gz', 'acme-secret-site', 'shop', 'jane'].filter((one) => words.has(one)),
      ).toEqual([]);
    },
  );

  it('gives kin the same beginning, and with the same key the same names', () => {
    const args = ['messages', '-o', 'ndjson', fixturePath('deployment-tls/control-plane.pcap.gz')];
    const keyed = [...args, '--keylog', fixturePath('deployment-tls/keys.log.gz'), '--anonymize-key', keyFile];
    const { stdout } = kubeseq(keyed);
    expect(kubeseq(keyed).stdout).toBe(stdout);
    const [, deployment] = /(deploy-[0-9a-f]{5})-[a-z0-9]{8,10}-[a-z0-9]{5}"/.exec(stdout) ?? [];
    expect(stdout).toContain(`deployments - ${deployment}"`);
    const random = kubeseq(keyed.slice(0, -2).concat('--anonymize')).stdout;
    expect(random).not.toContain(deployment);
  });

  it('is asked in the names of the cluster, or in those that replace them', () => {
    const args = [capture, ...options, '-o', 'text', '--follow'];
    const { stdout, status } = kubeseq(['diagram', ...args, 'pod/web-0', '-n', 'shop']);
    expect(status).toBe(0);
    const [, namespace, pod] =
      /pods in (ns-\w+)|(ns-\w+)\/(\w+-\w+-0)/.exec(stdout)?.filter((one) => one !== undefined) ?? [];
    expect(namespace).toBeDefined();
    expect(kubeseq(['diagram', ...args, `pod/${pod}`, '-n', namespace]).stdout).toBe(stdout);
  });

  it('writes the map into a new file of its owner alone', () => {
    const map = join(FOLDER, 'map.json');
    expect(kubeseq(['summary', capture, ...options, '--map', map]).status).toBe(0);
    expect(statSync(map).mode & 0o777).toBe(0o600);
    expect(Object.values(JSON.parse(readFileSync(map, 'utf8')) as object)).toContain('shop');
    const { status, stderr } = kubeseq(['summary', capture, ...options, '--map', map]);
    expect([status, stderr]).toEqual([2, `kubeseq: --map ${map}: is there already; it is not overwritten\n`]);
  });

  it.each([
    [['--map', join(FOLDER, 'other.json')], '--map writes what --anonymize replaced: give both'],
    [['--anonymize', '--show', 'secrets'], '--anonymize hides names, --show secrets shows everything: leave one out'],
    [['--anonymize', '--live'], '--anonymize reads captures twice, first for their names: write them to a file before'],
    [
      ['--anonymize', '-w', join(FOLDER, 'out.pcapng')],
      'the packets of a capture hold all names: --anonymize is for ndjson',
    ],
  ])('refuses %j', (given, why) => {
    const command = given.includes('-w') ? 'export' : 'messages';
    const { status, stderr } = kubeseq([command, capture, ...given]);
    expect([status, stderr]).toEqual([2, `kubeseq: ${why}\n`]);
  });
});

describe('what is asked in turn', () => {
  const capture = fixturePath('planted/capture.pcap.gz');
  const options = ['--keylog', fixturePath('planted/keys.log.gz'), '--anonymize'];

  it('answers a model without names, which asks in those that it was told', async () => {
    const client = new Client({ name: 'test', version: '1' });
    const args = [join(ROOT, 'bin/kubeseq.js'), 'mcp', capture, ...options];
    await client.connect(new StdioClientTransport({ command: process.execPath, args, stderr: 'ignore' }));
    const ask = async (name: string, given = {}): Promise<string> =>
      JSON.stringify(await client.callTool({ name, arguments: given }));
    try {
      const listed = await ask('messages', { where: 'resource == "pods" && verb == "create"' });
      const [, namespace, pod] = /namespaces\/(ns-[0-9a-f]+)\/pods - ([\w-]+)/.exec(listed) ?? [];
      const history = await ask('object', { object: `pod/${pod}`, namespace });
      expect(history).toContain(pod);
      for (const one of [listed, history]) expect(wordsOf(one).has('shop')).toBe(false);
    } finally {
      await client.close();
    }
  });

  it.skipIf(NO_TERMINAL !== '')('is viewed without names', async () => {
    const session = new TerminalSession(['view', capture, ...options], { rows: 40, columns: 160 });
    await session.shows(/Enter details/);
    expect(session.screen[0]).toMatch(/^kubeseq {2}capture-1 /);
    expect(wordsOf(session.screen.join('\n')).has('shop')).toBe(false);
    session.press('q');
    await session.ended;
  });
});

/** Words of the outputs themselves. */
const OWN: ReadonlySet<string> = new Set(
  'A B C X s c q w x b r p g h j m lb two nothing once plain files note tools REDACTED PASS img ss pt'.split(' '),
);
