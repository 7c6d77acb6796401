import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { fixturePath } from '../../../test/kit/fixtures.js';
import { withStreams } from '../standard-streams.js';
import { CallStreams } from './answer.js';
import { CaptureFolder } from './capture-folder.js';

const BASE = realpathSync(mkdtempSync(join(tmpdir(), 'kubeseq-below-')));
afterAll(() => rmSync(BASE, { recursive: true }));
const at = (...parts: readonly string[]): string => join(BASE, ...parts);
const CAPTURE = fixturePath('run-nginx-http1/capture.pcap.gz');
mkdirSync(at('in/deep/.hidden'), { recursive: true });
mkdirSync(at('in-other/deep'), { recursive: true });
mkdirSync(at('none'));
for (const name of ['in/b.pcap.gz', 'in/deep/a.anything', 'in/deep/.hidden/c.pcap.gz', 'in/.d.pcap.gz', 'out.pcap.gz'])
  copyFileSync(CAPTURE, at(name));
linkSync(at('out.pcap.gz'), at('in-other/e.pcap.gz'));
symlinkSync('../out.pcap.gz', at('in/out'));
symlinkSync('../in-other', at('in/folder-out'));
symlinkSync('/', at('in/root'));
symlinkSync('deep/a.anything', at('in/inside'));
symlinkSync('../in/b.pcap.gz', at('in/out-and-in'));
symlinkSync('deep/.hidden/c.pcap.gz', at('in/to-hidden'));
symlinkSync('loop', at('in/loop'));
symlinkSync('in', at('link-to-in'));
execFileSync('mkfifo', [at('in/fifo')]);
writeFileSync(at('in/text.pcap'), 'no capture');
writeFileSync(at('in/empty.pcap'), '');
const KEY_LOG = `CLIENT_RANDOM ${'0a'.repeat(32)} ${'0b'.repeat(48)}\n`;
for (const name of ['in/deep/keys', 'in/deep/.keys', 'in/keys.log', 'keys.log']) writeFileSync(at(name), KEY_LOG);
symlinkSync('../../keys.log', at('in/deep/keys-out'));
const folder = new CaptureFolder(at('in'));

describe('a folder of captures', () => {
  it('lists plain files that are captures by their first bytes', () => {
    const found = ['b.pcap.gz', 'deep/a.anything'];
    expect(folder.captures()).toEqual(found);
    expect(new CaptureFolder(at('link-to-in')).captures()).toEqual(found);
  });

  it.each([
    ['b.pcap.gz', 'in/b.pcap.gz'],
    ['./deep/a.anything', 'in/deep/a.anything'],
    ['b.pcap.gz/', 'in/b.pcap.gz'],
    ['inside', 'in/deep/a.anything'],
    ['out-and-in', 'in/b.pcap.gz'],
  ])('finds %s by the path that no link is part of', (name, path) =>
    expect(at('in', folder.find(name).path)).toBe(at(path)),
  );

  it.each([
    '../out.pcap.gz',
    'deep/../b.pcap.gz',
    'deep\\..\\b.pcap.gz',
    '..',
    '.',
    '',
    '/',
    at('out.pcap.gz'),
    at('in/b.pcap.gz'),
    '.d.pcap.gz',
    './.d.pcap.gz',
    'deep/.hidden/c.pcap.gz',
    'deep\\.hidden\\c.pcap.gz',
    'to-hidden',
    at('in-other/e.pcap.gz'),
    'out',
    'folder-out/e.pcap.gz',
    `root${at('out.pcap.gz')}`,
    'loop',
    'fifo',
    'deep',
    'nothere',
    'b.pcap.gz\0',
    '-',
    'b.pcap.g?',
  ])('has no file %j', (name) => expect(() => folder.find(name)).toThrow(`${name}: no such file in the folder`));

  it.each(['text.pcap', 'empty.pcap', 'keys.log', 'deep/keys'])('opens no %s', (name) =>
    expect(() => folder.find(name)).toThrow(`${name} is not a packet capture`),
  );

  it('finds the key logs beside a capture, no others', () => {
    expect(folder.find('inside').keyLogs).toEqual(['deep/keys']);
    expect(folder.find('b.pcap.gz').keyLogs).toEqual(['keys.log']);
  });

  it('looks at a bounded number of files for a bounded time, and says so', async () => {
    mkdirSync(at('many'));
    copyFileSync(CAPTURE, at('many/capture'));
    for (let i = 0; i < 10_000; i++) linkSync(at('in/empty.pcap'), at(`many/${i}`));
    const many = new CaptureFolder(at('many'));
    for (const look of [(): unknown => many.captures(), (): unknown => many.find('capture')]) {
      const streams = new CallStreams(Date.now() + 60_000);
      await withStreams(streams, async () => look());
      expect(streams.remarks).toContain('only the first 10000 files and folders there were looked at\n');
    }
    const none = new CallStreams(Date.now() + 60_000);
    await withStreams(none, async () => expect(new CaptureFolder(at('none')).captures()).toEqual([]));
    expect(none.remarks).toBe('kubeseq: no packet capture was found\n');
    await expect(withStreams(new CallStreams(0), async () => many.captures())).rejects.toThrow('no answer within');
  });

  it.each(['nothere', 'in/b.pcap.gz', 'in/fifo'])('is not made of %s', (name) =>
    expect(() => new CaptureFolder(at(name))).toThrow(`--below ${at(name)}: `),
  );
});
