// `--anonymize` over every fixture and every output: no name of a cluster is in any, and diagrams stay the same but for the names.

import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { describe, expect, it } from 'vitest';
import { isProse } from '../../src/anonymize/kept-words.js';
import { Anonymizer, buildSequence, type Message, MessageStage, messageJson, renderMermaid } from '../../src/index.js';
import { kubeseq, ROOT } from '../kit/command.js';
import { exists, fixture, fixturePath } from '../kit/fixtures.js';
import { foundIn, namesIn, piecesIn, piecesOf, wordsOf } from '../kit/names.js';
import { newFolder, outputs, said } from '../kit/outputs.js';
import { itemsOf } from '../kit/random/changer.js';
import { bigints, CAPTURES, printed } from '../kit/random/printed.js';
import { TRIES_ALL } from '../kit/runs.js';
import { NO_TERMINAL, TerminalSession } from '../kit/terminal.js';

const FOLDER = newFolder('anonymize');
const KEYS = join(FOLDER, 'keys.log');
writeFileSync(KEYS, fixture('planted/keys.log'));
const KEY = Uint8Array.from({ length: 32 }, (_, i) => i * 7);
const JSON_OPTIONS = { first: 0n, digits: () => 6, captures: undefined } as never;
/** Of each capture so many frames are read; with RUNS=full all. */
const FRAMES = TRIES_ALL ? Number.POSITIVE_INFINITY : 800;

/** A capture before and after its names were replaced. */
async function readWith(anonymizer: Anonymizer, capture: Uint8Array, keys: string, frames: number) {
  const keyLogs = exists(keys) ? [Buffer.from(fixture(keys)).toString()] : [];
  const pipeline = new MessageStage({ keyLogs, bodies: true });
  const items = await itemsOf(pipeline, capture, frames);
  const messages = items.flatMap((item) => (item.kind === 'message' ? [item.message] : []));
  for (const message of messages) anonymizer.learn(message);
  const replaced = items.map((item) => anonymizer.item(item));
  const others = replaced.flatMap((item) => (item.kind === 'message' ? [item.message] : []));
  return { messages, replaced, others, names: namesIn(messages), first: pipeline.firstTime };
}

describe('a capture without its names', () => {
  it.each(CAPTURES.map((one) => [one.name, one] as const))('%s', async (_name, { name, keys }) => {
    const { messages, replaced, others, names, first } = await readWith(
      new Anonymizer(KEY),
      fixture(name),
      keys,
      FRAMES,
    );
    const text = JSON.stringify(
      [
        others.map((one) => [messageJson(one, JSON_OPTIONS), one.details?.body(), one.details?.fields()]),
        others.flatMap(({ from, to }) => [from.name, to.name, from.evidence, to.evidence]),
      ],
      bigints,
    );
    // Keys of schemas are words.
    const words = (some: string): string => some.replace(/"[\w:$.-]+":|'s\b/g, '');
    expect(foundIn(words(text), names)).toEqual([]);
    const pieces = piecesOf(names, messages);
    for (const [output, said] of printed(replaced, first)) {
      expect([
        output,
        foundIn(
          words(said),
          names.filter((one) => !OWN.has(one)),
        ),
      ]).toEqual([output, []]);
      expect([output, piecesIn(words(said), pieces).filter((one) => !OWN.has(one))]).toEqual([output, []]);
    }
    const [before, after] = [messages, others].map(skeletonOf);
    expect(after).toEqual(before);
  });
});

/** Who sends to whom, by the order in which they stand, and where notes are. */
function skeletonOf(messages: readonly Message[]): string[] {
  const mermaid = renderMermaid(buildSequence({ messages, notices: [] }));
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
  const capture = join(FOLDER, 'acme-secret-site.pcap');
  writeFileSync(capture, beginningOf(fixture('planted/capture.pcap'), TRIES_ALL ? Number.POSITIVE_INFINITY : 2000));
  const keyFile = join(FOLDER, 'key');
  writeFileSync(keyFile, KEY, { mode: 0o600 });
  const options = ['--keylog', KEYS, '--anonymize-key', keyFile];
  const subject = {
    objects: [['pod/web-0', 'shop']],
    seq: 200,
    expected: ['[REQ] POST /api/v1/namespaces/shop/secrets - db'],
    other: capture,
  } as const;

  const originals = readWith(
    new Anonymizer(KEY),
    readFileSync(capture),
    'planted/keys.log',
    Number.POSITIVE_INFINITY,
  ).then(({ names }) => names.filter((one) => !OWN.has(one) && !isProse(one)));

  it.each(
    outputs(capture, subject)
      .filter(({ needs }) => needs === undefined)
      .map((one) => [one.name.replaceAll(FOLDER, ''), one] as const),
  )('shows no name in %s', async (_name, output) => {
    const all = [...(await originals), 'acme-secret-site.pcap', 'acme-secret-site', 'shop', 'jane'];
    for (const [where, text] of said(output, [...options, capture], FOLDER).texts) {
      // What its author wrote into an expectation, and where the user has files.
      const words = wordsOf(
        text
          .replaceAll(capture, '')
          .replaceAll(FOLDER, '')
          .replace(output.files?.[where] ?? '', ''),
      );
      expect([where, all.filter((one) => words.has(one))]).toEqual([where, []]);
    }
  });

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
    const args = [fixturePath('planted/capture.pcap.gz'), ...options, '-o', 'text', '--follow'];
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
  const options = ['--keylog', KEYS, '--anonymize'];

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

/** The first packets of a classic capture file. */
function beginningOf(capture: Uint8Array, packets: number): Uint8Array {
  const view = new DataView(capture.buffer, capture.byteOffset, capture.length);
  let at = 24;
  for (let i = 0; i < packets && at < capture.length; i++) at += 16 + view.getUint32(at + 8, true);
  return capture.subarray(0, at);
}

/** Words of the outputs themselves, and of API groups that are not of one cluster alone. */
const OWN: ReadonlySet<string> = new Set(
  [
    'A B C X s c q w x b r p g h j m lb two nothing once plain files note tools REDACTED PASS img ss pt',
    'crash proxied fluxcd toolkit',
  ]
    .join(' ')
    .split(' '),
);
