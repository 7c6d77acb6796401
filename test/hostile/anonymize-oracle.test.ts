// `--anonymize` against whoever guesses: no answer of `mcp` says whether a name, an address or an id is in the captures; and against whoever
// looks at what a command says of files, of keys, and of what a capture has not.

import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Message, MessageStage } from '../../src/index.js';
import { kubeseq } from '../kit/command.js';
import { fixture, fixturePath } from '../kit/fixtures.js';
import { ask, clientOf } from '../kit/mcp-client.js';
import { namesIn, piecesIn } from '../kit/names.js';
import { newFolder, outputs, said } from '../kit/outputs.js';
import { itemsOf } from '../kit/random/changer.js';
import { TRIES_ALL } from '../kit/runs.js';

const FOLDER = newFolder('anonymize-oracle');
const KEY = join(FOLDER, 'key');
writeFileSync(
  KEY,
  Uint8Array.from({ length: 32 }, (_, i) => (i * 37 + 11) % 256),
  { mode: 0o600 },
);
const DEPLOYMENT = fixturePath('deployment-tls/control-plane.pcap.gz');
const KEYLOG = fixturePath('deployment-tls/keys.log.gz');
/** Names that are guessed. */
const GUESSES = TRIES_ALL ? Number.POSITIVE_INFINITY : 3;

async function messagesOf(capture: string, keys?: string): Promise<Message[]> {
  const keyLogs = keys === undefined ? [] : [Buffer.from(fixture(keys)).toString()];
  const items = await itemsOf(new MessageStage({ keyLogs, bodies: true }), fixture(capture), 10_000);
  return items.flatMap((item) => (item.kind === 'message' ? [item.message] : []));
}

/** Searches for a part of a text: short ones may be a part of what stands for another name. */
function searches(guess: string): [string, Record<string, unknown>][] {
  return [
    ['query', { sql: `SELECT count(*) AS n FROM messages WHERE label LIKE '%${guess}%'` }],
    ['messages', { where: `label.contains("${guess}")` }],
  ];
}

const LONG = 8;

function whole(name: string): RegExp {
  return new RegExp(`(?<![\\w-])${name.replace(/\W/g, '\\$&')}(?![\\w-])`, 'g');
}

/** A text of the same look that no capture has. */
function other(name: string): string {
  let state = 7;
  const turned = (from: string, at: number): string => {
    state = (state * 31 + at + 5) % 1_000_003;
    return from[(from.indexOf(name[at]) + 1 + (state % (from.length - 1))) % from.length];
  };
  return [...name]
    .map((letter, at) =>
      '0123456789'.includes(letter)
        ? turned(/^[\da-f-]{20,}$/.test(name) ? '0123456789' : '123456', at)
        : /[a-f]/.test(letter)
          ? turned('abcdef', at)
          : /[g-z]/.test(letter)
            ? turned('ghijklmnopqrstuvwxyz', at)
            : letter,
    )
    .join('');
}

describe('whoever guesses', () => {
  it('gets the same answer for a name of the captures as for any other', async () => {
    const all = namesIn(await messagesOf('deployment-tls/control-plane.pcap', 'deployment-tls/keys.log'));
    const ids = all.filter((name) => /^[\d.]+$|:|^[0-9a-f-]{36}$/.test(name));
    const names = [...ids.slice(0, GUESSES / 3), ...all.filter((name) => !ids.includes(name)).slice(0, GUESSES)];
    expect(names.length).toBeGreaterThan(3);
    const client = await clientOf(DEPLOYMENT, '--keylog', KEYLOG, '--anonymize-key', KEY);
    const answers = async (guess: string): Promise<string[]> => {
      const asked: [string, Record<string, unknown>][] = [
        ['query', { sql: `SELECT '${guess}' AS guess` }],
        ['query', { sql: `SELECT count(*) AS n FROM messages WHERE namespace = '${guess}' OR name = '${guess}'` }],
        ['object', { object: `pod/${guess}`, namespace: 'default' }],
        ['object', { object: 'pod/x', namespace: guess }],
        ['path', { object: `deployment/${guess}` }],
        ['diagram', { follow: `pods/${guess}` }],
        ['diagram', { from: guess }],
        ['top', { from: guess, by: 'namespace' }],
        ['explain', { frame: 1, where: `name == "${guess}"` }],
        ['messages', { where: `namespace == "${guess}"` }],
        ['messages', { to: guess }],
        ['summary', { start: 1 }],
        ['stories', { start: 1 }],
        ...(guess.length < LONG ? [] : searches(guess)),
      ];
      const texts: string[] = [];
      for (const [tool, args] of asked) {
        const { all: text, data } = await ask(client, tool, args);
        texts.push(
          `${tool} ${JSON.stringify(args)}: ${text} ${JSON.stringify(data)}`.replaceAll(whole(guess), 'GUESS'),
        );
      }
      return texts;
    };
    // The first one has the remarks of what is read for it.
    await answers('nobody');
    for (const name of names) expect(await answers(name)).toEqual(await answers(other(name)));
  }, 600_000);

  it('is not answered in SQL and filters of the command line either; objects are found by both names', () => {
    const asked = (...args: string[]) =>
      kubeseq([args[0], DEPLOYMENT, '--keylog', KEYLOG, '--anonymize-key', KEY, '-q', ...args.slice(1)]);
    const { stdout } = asked('messages', '-o', 'ndjson');
    const [, replaced] = /pods\/(deploy-[0-9a-f]+-\w+-\w+)\/binding/.exec(stdout) ?? [];
    expect(asked('messages', '--where', `name == "${replaced}"`).stdout).not.toBe('');
    const original = kubeseq(['messages', DEPLOYMENT, '--keylog', KEYLOG, '-q', '-o', 'ndjson']).stdout;
    const [, real] = /pods\/(\w+-\w+-\w+)\/binding/.exec(original) ?? [];
    expect(asked('messages', '--where', `name == "${real}"`).stdout).toBe('');
    const [first, second] = [real, replaced].map((one) => asked('diagram', '--follow', `pod/${one}`).stdout);
    expect(first).toBe(second);
  });
});

/** What no output of a capture in `planted/names` may have. */
const MARKERS: Readonly<Record<string, RegExp>> = {
  'aws-account': /123456789012/,
  'aws-node': /172[-.]16[-.]57|eu-central/,
  'header-names': /lomavetu/i,
  'kin-alone': /zulo/,
  'kin-with-base': /zulo/,
  more: /172[-.]16[-.]57|eu-central|203[-.]0[-.]113[-.]\d|80211734|5551234|4471902|lockbank|gozibaras|dolavemu|größenwahn|支付/i,
  'numeric-namespace': /80211734/,
  shapes: /zulo|korb|venli|10[-.]20[-.]30[-.]40|\b4711\b|\b00815|20261128|1234567|deadbeef|cafe:babe|b00c|westeurope/i,
  'static-pod': /172[-.]16[-.]57/,
};

describe('names of shapes that no list has', () => {
  const captures = Object.keys(MARKERS).map((name) => fixturePath(`planted/names/${name}.pcap.gz`));
  const subject = {
    objects: [['pod/p0', 'default']],
    seq: 3,
    expected: [
      '[REQ] DELETE /api/v1/namespaces/vorplamedi/pods/lomavetu-7',
      '[REQ] GET /api/v1/nodes/ip-172-16-57-143.eu-central-1.compute.internal',
    ],
    other: captures[0],
  } as const;
  const marker = new RegExp([...Object.values(MARKERS).map(({ source }) => source), 'vorplamedi'].join('|'), 'i');

  it.each(
    outputs(captures[0], subject)
      .filter(({ needs, command }) => needs === undefined && command !== 'docs')
      .map((one) => [one.name.replaceAll(FOLDER, ''), one] as const),
  )('are not in %s', (_name, output) => {
    const more = ['--anonymize-key', KEY, ...(output.command === 'diff' ? captures.slice(-1) : captures)];
    for (const [where, text] of said(output, more, FOLDER).texts) {
      const own = [output.files?.[where] ?? '', ...captures];
      const shown = own.reduce((left, one) => (one === '' ? left : left.replaceAll(one, '')), text);
      const at = marker.exec(shown)?.index;
      expect([where, at === undefined ? '' : shown.slice(Math.max(0, at - 60), at + 60)]).toEqual([where, '']);
    }
  });

  it.each([
    ['summary', '--streams', '-v'],
    ['diagram', '-o', 'text', '--all', '--layers', 'all'],
    ['diagram', '-o', 'html', '--all'],
    ['diagram', '-o', 'json', '--all'],
    ['export', '-o', 'ndjson'],
  ])('are not those of servers that TLS asks for, in %s %s %s', (...command) => {
    const capture = join(FOLDER, 'asked-for.pcap');
    const bytes = Buffer.from(fixture('broken-off/hello-unanswered/capture.pcap')).toString('latin1');
    // A word of the dictionary.
    writeFileSync(capture, bytes.replaceAll('kubernetes', 'monitoring'), 'latin1');
    const said = [[], ['--anonymize']].map((more) => kubeseq([...command, capture, ...more]));
    expect(said.map(({ stdout, stderr }) => (stdout + stderr).includes('asked for monitoring'))).toEqual([true, false]);
    expect(said[1].stdout + said[1].stderr).not.toContain('monitoring');
  });

  it('leave no piece of a user, a name or a namespace', async () => {
    const messages = await messagesOf('planted/names/shapes.pcap');
    const pieces = messages
      .flatMap(({ user, name, namespace, object }) => [user, name, namespace, object?.name])
      .flatMap((name) => name?.split(/[^A-Za-z0-9]+/) ?? [])
      .filter((piece) => /^[A-Za-z]{6,}$|^\d{4,}$/.test(piece) && !PUBLIC.test(piece));
    expect(pieces.length).toBeGreaterThan(40);
    const capture = fixturePath('planted/names/shapes.pcap.gz');
    const { stdout } = kubeseq(['messages', capture, '-o', 'ndjson', '--bodies', '--anonymize-key', KEY]);
    expect(piecesIn(stdout.replace(/"(?:time|exchange|frames|seq|connection)":[^,]*,/g, ''), pieces)).toEqual([]);
  });

  it('are the same with the same key, whatever else a capture has', () => {
    const namespaces = ['kin-alone', 'kin-with-base'].map((name) => {
      const capture = fixturePath(`planted/names/${name}.pcap.gz`);
      const { stdout } = kubeseq(['messages', capture, '-q', '-o', 'ndjson', '--anonymize-key', KEY]);
      return /pods.*"namespace":"(ns-[0-9a-f]+)"/.exec(stdout)?.[1];
    });
    expect(namespaces[0]).toBeDefined();
    expect(namespaces[1]).toBe(namespaces[0]);
  });
});

/** Words of Kubernetes, and of clouds. */
const PUBLIC =
  /^(?:compute|internal|cluster|default|system|serviceaccount|prometheus|example|coredns|apiserver|REDACTED|6443)$/;

describe('what is said of files', () => {
  const folder = join(FOLDER, 'acme-customer');
  mkdirSync(folder);
  const empty = join(folder, 'acme-secret-host.pcap');
  writeFileSync(empty, readFileSync(fixturePath('planted/names/kin-alone.pcap.gz')).subarray(0, 0));
  writeFileSync(empty, fixture('planted/names/kin-alone.pcap').subarray(0, 200));

  it.each([
    ['messages'],
    ['summary'],
    ['top'],
    ['diagram'],
    ['explain', '1'],
    ['object', 'pod/x'],
    ['diff', DEPLOYMENT],
  ])('names no capture: %s', (...command) => {
    for (const of of [empty, folder]) {
      const { stdout, stderr } = kubeseq([...command, of, '--anonymize', '-v']);
      expect(stdout + stderr).not.toMatch(/acme/);
    }
  });

  it.each([
    ['has 16 equal bytes', new Uint8Array(16), 0o600, 'expected 16 random bytes at least: head -c 32 /dev/urandom'],
    ['is a word', Buffer.from('aaaabbbbccccdddd'), 0o600, 'expected 16 random bytes at least: head -c 32 /dev/urandom'],
    ['all may read', readFileSync(KEY), 0o644, 'others may read it: chmod 600 FILE'],
    ['a group may read', readFileSync(KEY), 0o640, 'others may read it: chmod 600 FILE'],
  ])('refuses a key that %s', (_what, bytes, mode, why) => {
    const file = join(FOLDER, 'other-key');
    writeFileSync(file, bytes);
    chmodSync(file, mode);
    const { status, stderr } = kubeseq(['summary', DEPLOYMENT, '--anonymize-key', file]);
    expect([status, stderr.replaceAll(file, 'FILE')]).toEqual([2, `kubeseq: --anonymize-key FILE: ${why}\n`]);
  });

  it.each([
    ['messages'],
    ['summary'],
    ['diagram'],
    ['object', 'pod/x'],
    ['check', '--budget', fixturePath('check/budget.yaml')],
  ])('names no capture that is missing: %s', (...command) => {
    const { status, stderr } = kubeseq([...command, join(folder, 'acme-missing.pcapng'), '--anonymize']);
    expect([status, stderr]).toEqual([2, 'kubeseq: capture-1: no such file; check the path\n']);
  });

  it('understands names of a budget, and does not say them', () => {
    const file = join(FOLDER, 'budget.yaml');
    const capture = fixturePath('planted/names/kin-alone.pcap.gz');
    const { stdout: said } = kubeseq(['messages', capture, '-q', '-o', 'ndjson']);
    const namespace = /pods.*"namespace":"([^"]+)"/.exec(said)?.[1] as string;
    expect(namespace).toBeDefined();
    writeFileSync(file, `budget:\n  - name: all of ${namespace}\n    namespace: ${namespace}\n    max: 0\n`);
    const { status, stdout, stderr } = kubeseq(['check', '--budget', file, capture, '--anonymize-key', KEY]);
    expect(status).toBe(1);
    expect((stdout + stderr).split(whole(namespace))).toHaveLength(1);
  });

  it('refuses a page, which would have its names again', () => {
    const { status, stderr } = kubeseq(['docs', '--new', join(FOLDER, 'page.md'), DEPLOYMENT, '--anonymize']);
    expect([status, stderr]).toEqual([
      2,
      'kubeseq: a page names its captures, and has their names again whenever it is refreshed: kubeseq export --anonymize -w FILE.ndjson, and name that file in it\n',
    ]);
  });

  it('keeps a page without names that is made of what was exported without them', () => {
    const exported = join(FOLDER, 'messages.ndjson');
    const page = join(FOLDER, 'page.md');
    const capture = fixturePath('planted/names/shapes.pcap.gz');
    expect(kubeseq(['export', capture, '--anonymize', '-w', exported]).status).toBe(0);
    expect(kubeseq(['docs', '--new', page, exported, '--all', '--steps', '--evidence', '--provenance']).status).toBe(0);
    const text = readFileSync(page, 'utf8');
    expect(text).toContain('<!-- kubeseq capture=messages.ndjson');
    expect(MARKERS['shapes'].exec(text)).toBeNull();
    expect(kubeseq(['docs', '--check', page]).status).toBe(0);
  });
});
