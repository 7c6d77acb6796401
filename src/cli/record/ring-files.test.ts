import {
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openOutputFolder } from '../output/output-folder.js';
import { OVERLAP_MS, RingFiles } from './ring-files.js';

const MB = 1_000_000;

/** A ring of four files of 1 MB, and tcpdump's part of it. */
function ring(folder = mkdtempSync(join(tmpdir(), 'kubeseq-ring-'))) {
  const files = new RingFiles(openOutputFolder(folder), 6 * MB);
  expect(files.tcpdump).toMatchObject({ name: 'ring.pcap', megabytes: 1, files: 4 });
  const capture = (number: number, text = '', time?: number): void => {
    const path = join(folder, `ring.pcap${number}`);
    writeFileSync(path, `${number}${text}`);
    if (time !== undefined) utimesSync(path, time, time);
  };
  const secrets = (number: number): string => readFileSync(join(folder, `ring.keys${number}`), 'latin1');
  return { folder, files, capture, secrets, names: () => readdirSync(folder).sort() };
}

it('the secrets of each file lie beside it, for their owner alone, and go with it', () => {
  const { folder, files, capture, secrets, names } = ring();
  files.begin();
  expect(names()).toEqual([]);
  capture(0);
  files.write(['CLIENT_RANDOM 00 00']);
  expect(files.followTcpdump()).toBe(false);
  for (const next of [1, 2, 3]) {
    capture(next);
    expect(files.followTcpdump()).toBe(true);
    files.write([`CLIENT_RANDOM 0${next} 00`]);
  }
  expect(statSync(join(folder, 'ring.keys0'), { throwIfNoEntry: false })).toBeUndefined();
  expect(secrets(3)).toContain('CLIENT_RANDOM 03 00\n');
  expect(statSync(join(folder, 'ring.keys3')).mode & 0o777).toBe(0o600);
  // tcpdump would begin 0, whose file is gone already: who reads it has it open.
  expect(names()).toEqual(['ring.keys1', 'ring.keys2', 'ring.keys3', 'ring.pcap1', 'ring.pcap2', 'ring.pcap3']);
  files.close();
});

it('secrets of the last seconds are in the next file too, older ones are not', async () => {
  const { files, capture, secrets } = ring();
  files.begin();
  capture(0);
  const now = Date.now;
  const begun = now();
  try {
    Date.now = () => begun;
    files.write(['old']);
    Date.now = () => begun + OVERLAP_MS - 1000;
    files.write(['new']);
    Date.now = () => begun + OVERLAP_MS + 1;
    capture(1);
    expect(files.followTcpdump()).toBe(true);
  } finally {
    Date.now = now;
  }
  expect([secrets(0), secrets(1)]).toEqual(['old\nnew\n', 'new\n']);
});

it('what is known of before is in the next file, and leaves some of the room to new secrets, as tables do', () => {
  const { files, capture, secrets } = ring();
  files.begin();
  capture(0);
  for (let i = 0; i < 5; i += 1) files.write([`# kubeseq header-table ${'x'.repeat(99_976)}`]);
  expect([secrets(0).length, files.leftOut]).toEqual([300_000, 2]);
  const lines = Array.from({ length: 300 }, (_, i) => `SERVER_TRAFFIC_SECRET_0 ${String(i).padEnd(975)}`);
  files.write(lines.slice(0, 100));
  expect(files.leftOut).toBe(2);
  capture(1);
  const [begun, now] = [Date.now(), Date.now];
  try {
    Date.now = () => begun + OVERLAP_MS + 100;
    expect(files.followTcpdump(() => lines)).toBe(true);
    files.write(['new']);
  } finally {
    Date.now = now;
  }
  // A fourth of the ring, less a capture file: what a file of secrets has at most. What a killed run leaves has a 64th.
  const room = (6 * MB - (6 * MB) / 64) / 4 - MB - 65_700;
  const count = Math.floor((room * 0.6) / 1000);
  expect(secrets(1)).toBe(`${lines.slice(0, count).join('\n')}\nnew\n`);
  expect(files.leftOut).toBe(2 + 300 - count);
});

it('a file that tcpdump has begun, or is about to, is not removed, however late it is looked at', () => {
  const { folder, files, capture, names } = ring();
  files.begin();
  capture(0);
  expect(files.followTcpdump()).toBe(false);
  capture(1);
  writeFileSync(join(folder, 'ring.pcap2'), Buffer.alloc(900_000));
  expect(files.followTcpdump()).toBe(true);
  files.write(['late']);
  expect(names()).toEqual(['ring.keys2', 'ring.pcap0', 'ring.pcap1', 'ring.pcap2']);
  capture(3);
  expect(files.followTcpdump()).toBe(true);
  capture(0, ' again');
  expect(files.followTcpdump()).toBe(true);
  expect(names()).toEqual(
    ['ring.keys2', 'ring.keys3', 'ring.pcap0', 'ring.pcap2', 'ring.pcap3'].concat(['ring.keys0']).sort(),
  );
});

it('handshakes that a killed run had not read are secrets of the next one', () => {
  const { folder, files, secrets, names } = ring();
  const bytes = (digits: string): string => `{${Array(32).fill(`0x${digits}`).join(',')}}`;
  const label = [...'CLIENT_TRAFFIC_SECRET_0'.padEnd(32, '\0')].map((one) => `0x${one.charCodeAt(0).toString(16)}`);
  const report = `kubelet-7 [001] ..... 5.000001: keylog_7_x_1: (0x4711) label={${label}} ln=23 rnd=${bytes('ab')} n=32 sec=${bytes('cd')}`;
  writeFileSync(join(folder, 'ring.reports'), `${report}\n${report.slice(0, 90)}`);
  files.begin();
  expect(names()).toEqual(['ring.keys0']);
  expect(secrets(0)).toBe(`CLIENT_TRAFFIC_SECRET_0 ${'ab'.repeat(32)} ${'cd'.repeat(32)}\n`);
});

it('another run goes on behind the newest file, and keeps no more than the ring has', () => {
  const { folder, files, capture, names } = ring();
  // 2 is the oldest, 1 the newest; of a larger ring there were more files.
  capture(0, '', 3000);
  capture(1, '', 4000);
  capture(2, '', 1000);
  capture(3, '', 2000);
  writeFileSync(join(folder, 'ring.pcap17'), 'of a larger ring');
  utimesSync(join(folder, 'ring.pcap17'), 500, 500);
  writeFileSync(join(folder, 'ring.keys1'), 'newest');
  writeFileSync(join(folder, 'ring.keys2'), 'oldest');
  writeFileSync(join(folder, 'other.pcap1'), 'not ours');
  files.begin();
  // 1 would be overwritten next, and is gone, with 2 and 17, which were older.
  expect(names()).toEqual(['other.pcap1', 'ring.keys3', 'ring.pcap2', 'ring.pcap3']);
  expect(['2', '3'].map((number) => readFileSync(join(folder, `ring.pcap${number}`), 'latin1'))).toEqual(['0', '1']);
  expect(readFileSync(join(folder, 'ring.keys3'), 'latin1')).toBe('newest');
});

it('a link with a name of the ring is removed, and so is a file that has another name, too', () => {
  const { folder, files, names } = ring();
  const [victim, twice] = [join(folder, 'victim'), join(folder, 'twice')];
  for (const path of [victim, twice]) writeFileSync(path, 'kept');
  symlinkSync(victim, join(folder, 'ring.pcap0'));
  symlinkSync(victim, join(folder, 'ring.reports'));
  linkSync(twice, join(folder, 'ring.pcap2'));
  mkdirSync(join(folder, 'ring.keys1'));
  writeFileSync(join(folder, 'ring.pcap-1'), 'of a run that was killed');
  files.begin();
  expect(names()).toEqual(['twice', 'victim']);
  expect([victim, twice].map((path) => readFileSync(path, 'utf8'))).toEqual(['kept', 'kept']);
});

it('secrets have no more room than is theirs', () => {
  const { files, capture, secrets } = ring();
  files.begin();
  capture(0);
  const line = 'x'.repeat(99_999);
  for (let i = 0; i < 10; i += 1) files.write([line]);
  expect(files.leftOut).toBe(10 - secrets(0).length / 100_000);
  // Four files with a packet more than their size, and their secrets, are the ring.
  expect(4 * (MB + 65_700 + secrets(0).length)).toBeLessThanOrEqual(6 * MB);
  expect(secrets(0).length).toBeGreaterThanOrEqual(400_000);
});
