// `kubeseq mcp --below DIR`: captures of one folder, one after the other, and nothing else on the disk.

import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, realpathSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { kubeseq, ROOT } from '../kit/command.js';
import { ask, clientOf, expectTrue, FOLDER, linesOf } from '../kit/mcp-client.js';

const NOT_STARTING = [
  'fixtures/not-starting-tls/control-plane.pcap.gz',
  '--keylog',
  'fixtures/not-starting-tls/keys.log.gz',
];
const FIGHT = ['fixtures/fight-tls/capture.pcap.gz', '--keylog', 'fixtures/fight-tls/keys.log.gz'];

describe('a folder of captures', () => {
  const below = join(realpathSync(FOLDER), 'below');
  for (const [folder, [capture, , keys]] of [
    ['first', NOT_STARTING],
    ['second', FIGHT],
  ] as const) {
    mkdirSync(join(below, folder), { recursive: true });
    copyFileSync(join(ROOT, capture), join(below, folder, 'capture.pcap.gz'));
    copyFileSync(join(ROOT, keys), join(below, folder, 'keys.log.gz'));
  }
  mkdirSync(join(below, '.hidden'));
  copyFileSync(join(ROOT, FIGHT[0]), join(below, '.hidden/capture.pcap.gz'));
  const ODD = 'second/\u202e```\n##vso[x].pcap';
  copyFileSync(join(ROOT, FIGHT[0]), join(below, ODD));
  symlinkSync(join(ROOT, FIGHT[0]), join(below, 'out.pcap.gz'));
  execFileSync('mkfifo', [join(below, 'fifo')]);
  const client = clientOf('--below', below);

  it('is listed, and its captures are opened one after the other', async () => {
    const folder = await client;
    const [open, ...others] = (await folder.listTools()).tools;
    expect(others).toEqual((await (await clientOf(...FIGHT)).listTools()).tools);
    expect(open).toMatchObject({ name: 'open', annotations: { readOnlyHint: true, openWorldHint: false } });
    expect(Object.keys(open.inputSchema.properties ?? {})).toEqual(['capture', 'start']);
    expect(folder.getInstructions()).toContain('Start with open');
    for (const [name, args] of [
      ['summary', {}],
      ['object', { object: 'pod/x' }],
      ['query', { sql: 'SELECT 1' }],
    ] as const) {
      const { isError, all } = await ask(folder, name, args);
      expect([name, isError, all.includes('no capture is open: call open')]).toEqual([name, true, true]);
    }
    const listed = await ask(folder, 'open');
    const [odd, ...names] = listed.captured.split('\n').toReversed();
    expect(names.toReversed()).toEqual(['first/capture.pcap.gz', 'second/capture.pcap.gz']);
    expect(odd).toBe('second/\\u202e```\\u000a\\u0023#vso[x].pcap');
    for (const [folderName, sql] of [
      ['first', { n: linesOf(...NOT_STARTING).length }],
      ['second', { n: linesOf(...FIGHT).length }],
    ] as const) {
      const capture = `${folderName}/capture.pcap.gz`;
      const opened = await ask(folder, 'open', { capture });
      expect(opened.captured).toBe(`opened ${capture}\nread with the key log beside it: keys.log.gz`);
      const files = [join(below, capture), '--keylog', join(below, folderName, 'keys.log.gz')];
      expect(`${(await ask(folder, 'top')).captured}\n`).toBe(kubeseq(['top', '-q', ...files]).stdout);
      expectTrue(await ask(folder, 'summary'), linesOf(...files));
      expect((await ask(folder, 'query', { sql: 'SELECT count(*) AS n FROM messages' })).data?.rows).toEqual([sql]);
    }
    expect((await ask(folder, 'open', { capture: ODD })).captured).toContain('opened second/\\u202e```\\u000a');
  });

  it('ends at its edge, and what cannot be opened leaves the open capture as it is', async () => {
    const folder = await client;
    await ask(folder, 'open', { capture: 'first/capture.pcap.gz' });
    for (const [capture, words] of [
      ['../../etc/passwd', 'no such file in the folder'],
      [join(ROOT, FIGHT[0]), 'no such file in the folder'],
      [join(below, 'first/capture.pcap.gz'), 'no such file in the folder'],
      ['.hidden/capture.pcap.gz', 'no such file in the folder'],
      ['out.pcap.gz', 'no such file in the folder'],
      ['fifo', 'no such file in the folder'],
      ['first', 'no such file in the folder'],
      ['first/keys.log.gz', 'is not a packet capture'],
    ] as const) {
      const { isError, all } = await ask(folder, 'open', { capture });
      expect([capture, isError, all.includes(words)]).toEqual([capture, true, true]);
    }
    expect((await ask(folder, 'open', { keylog: '/etc/passwd' })).all).toContain('keylog: no such argument');
    expect((await ask(folder, 'path', { object: 'pod/noimage' })).captured).toContain('never Ready');
  });

  it.each([
    [[], 'name a capture, or with --below a folder of captures'],
    [['--below', 'package.json'], '--below package.json: '],
    [['--below', below, '--anonymize'], 'without --below'],
  ])('is needed, where no capture is named: %j', (args, words) =>
    expect(kubeseq(['mcp', ...args])).toMatchObject({ status: 2, stdout: '', stderr: expect.stringContaining(words) }),
  );

  it('no answer names where the folder is', async () => {
    const folder = await client;
    await ask(folder, 'open', { capture: 'first/capture.pcap.gz' });
    const sql = 'SELECT DISTINCT file FROM messages';
    const asked = [
      ...['open', 'summary', 'stories', 'top'].map((name) => [name, {}] as const),
      ...[['messages', { limit: 3 }] as const, ['explain', { message: 1 }] as const, ['query', { sql }] as const],
    ];
    for (const [name, args] of asked) {
      const answer = await folder.callTool({ name, arguments: args });
      expect([name, JSON.stringify(answer).includes(below)]).toEqual([name, false]);
    }
    expect((await ask(folder, 'summary')).captured).toContain('first/capture.pcap.gz');
    expect((await ask(folder, 'query', { sql })).data?.rows).toEqual([{ file: 'first/capture.pcap.gz' }]);
  });

  it('may be offered beside captures that are open at the start', async () => {
    const both = await clientOf(...FIGHT, '--below', below);
    expect((await ask(both, 'top')).captured).toContain('config-poller');
    expect((await ask(both, 'open')).captured).toContain('first/capture.pcap.gz');
  });
});
