// Captures of hosts whose clocks differ: what comes of them is what came of the unshifted ones.

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';
import { type Message, messageJson, type Notice } from '../../src/index.js';
import { kubeseq } from '../kit/command.js';
import { fixture, fixtureLines } from '../kit/fixtures.js';
import { lookedAt, observed, recordEnds, recordsOf, withRecords } from '../kit/observed.js';

const folder = mkdtempSync(join(tmpdir(), 'kubeseq-clocks-'));
afterAll(() => rmSync(folder, { recursive: true }));

const CONTROL_PLANE = fixture('deployment-tls/control-plane.pcap');
const NODE = fixture('deployment-tls/node-1.pcap');
const KEYS = Buffer.from(fixture('deployment-tls/keys.log')).toString();
const MICROSECOND = 1000n;
const PIECE = 100_000;

/** A copy of a µs pcap whose clock is ahead by `microseconds`. */
function ahead(capture: Uint8Array, microseconds: bigint): Uint8Array {
  const copy = new Uint8Array(capture);
  const view = new DataView(copy.buffer);
  for (const at of recordEnds(copy).slice(0, -1)) {
    const time = BigInt(view.getUint32(at, true)) * 1_000_000n + BigInt(view.getUint32(at + 4, true)) + microseconds;
    view.setUint32(at, Number(time / 1_000_000n), true);
    view.setUint32(at + 4, Number(time % 1_000_000n), true);
  }
  return copy;
}

/** The frames of a pcap before its middle, and those after. */
function halves(capture: Uint8Array): [Uint8Array, Uint8Array] {
  const at = recordEnds(capture).find((end) => end >= capture.length / 2);
  return [capture.slice(0, at), Buffer.concat([capture.subarray(0, 24), capture.subarray(at)])];
}

const compared = (captures: readonly Uint8Array[]) => lookedAt(captures, PIECE);

/** µs that each notice's correction may be off. */
function errors({ notices }: { readonly notices: readonly Notice[] }): number[] {
  return notices.map(({ detail }) => Math.round(Number(/±([\d.]+) s/.exec(detail ?? '')?.[1]) * 1e6));
}

async function read(captures: readonly Uint8Array[]) {
  const { shifts, notices } = await compared(captures);
  const { messages } = await observed(captures, { keyLogs: [KEYS], shifts }, PIECE);
  return { shifts, notices, messages };
}

/** A message but for what a clock that is right to the µs may change. */
function apart(message: Message): object {
  const {
    time: _time,
    started: _started,
    latencyMs: _latency,
    ...rest
  } = messageJson(message, {
    captures: ['control-plane', 'node-1'],
    digits: () => 6,
  });
  return rest;
}

const inStep = await read([CONTROL_PLANE, NODE]);

describe('clocks of several captures', () => {
  it('leaves captures alone that are in step', () => {
    expect(inStep.shifts).toEqual([0n, 0n]);
    expect(inStep.notices).toEqual([]);
  });

  it.each([
    ['1.5 s ahead', 1_500_000n],
    ['1.5 s behind', -1_500_000n],
    ['0.25 ms ahead', 250n],
    ['an hour behind', -3_600_123_457n],
  ])('gives the unshifted result for a clock %s', async (_name, microseconds) => {
    const { shifts, notices, messages } = await read([CONTROL_PLANE, ahead(NODE, microseconds)]);
    const off = shifts[1] + microseconds * MICROSECOND;
    expect(off >= -MICROSECOND && off <= MICROSECOND).toBe(true);
    expect(notices.map(({ code, origin }: Notice) => [code, origin?.capture])).toEqual([['capture.clock-skew', 1]]);
    expect(messages.map(apart)).toEqual(inStep.messages.map(apart));
    const farthest = messages.map(({ time }, i) => time - inStep.messages[i].time);
    expect(farthest.every((ns) => ns >= -MICROSECOND && ns <= MICROSECOND)).toBe(true);
  });

  it.each([
    ['in step', 0n],
    ['2 s ahead', 2_000_000n],
  ])('finds every audit id of both captures once, the node’s clock %s', async (_name, microseconds) => {
    const { messages } = await read([CONTROL_PLANE, ahead(NODE, microseconds)]);
    const ids = messages.flatMap(({ auditId }) => (auditId == null ? [] : [auditId]));
    expect(new Set(ids).size).toBe(ids.length);
    const told = fixtureLines<{ auditID: string; responseStatus?: { code: number } }>('deployment-tls/audit.jsonl')
      .filter(({ responseStatus }) => responseStatus !== undefined && responseStatus.code !== 101)
      .map(({ auditID }) => auditID);
    const found: ReadonlySet<string> = new Set(ids);
    expect(told.filter((id) => !found.has(id))).toEqual([]);
  });

  it('goes by the clock of the capture that is named first', async () => {
    const { shifts } = await compared([ahead(NODE, 1_500_000n), CONTROL_PLANE]);
    expect(shifts[0]).toBe(0n);
    expect(Number(shifts[1])).toBeCloseTo(1.5e9, -4);
  });

  it('compares a third place over a second', async () => {
    const { shifts } = await compared([NODE, ahead(CONTROL_PLANE, 700_000n), ahead(NODE, 40_000n)]);
    expect(shifts.map((shift) => Math.round(Number(shift) / 10_000) / 100)).toEqual([0, -700, -40]);
  });

  it('adds up what each comparison on the way leaves open', async () => {
    const [early, late] = halves(NODE);
    const shifted = ahead(CONTROL_PLANE, 700_000n);
    const far = ahead(late, 40_000n);
    const both = errors(await compared([early, shifted, far]));
    const [first] = errors(await compared([early, shifted]));
    const [second] = errors(await compared([shifted, far]));
    expect(both).toEqual([first, first + second]);
    expect(second).toBeGreaterThan(0);
  });

  it('compares more captures than are read side by side, whatever their order', async () => {
    const [first, ...others] = recordsOf(fixture('run-nginx-http1/capture.pcap'))
      .slice(0, 80)
      .map((record) => withRecords(fixture('run-nginx-http1/capture.pcap'), [record]));
    const { shifts } = await compared([CONTROL_PLANE, first, ...others, ahead(NODE, 1_500_000n)]);
    expect(Number(shifts[81])).toBeCloseTo(-1.5e9, -4);
    expect(shifts.slice(0, 81).every((shift) => shift === 0n)).toBe(true);
  });

  it('names the captures that have nothing in common', async () => {
    const { shifts, notices } = await compared([NODE, fixture('run-nginx-http1/capture.pcap')]);
    expect(shifts).toEqual([0n, 0n]);
    expect(notices.map(({ code, origin }) => [code, origin?.capture])).toEqual([['capture.clock-unknown', 1]]);
  });
});

describe('on the command line', () => {
  const [control, node, keys] = ['control-plane.pcap', 'node-1.pcap.gz', 'keys.log'].map((name) => join(folder, name));
  writeFileSync(control, CONTROL_PLANE);
  writeFileSync(node, gzipSync(ahead(NODE, 1_500_000n)));
  writeFileSync(keys, KEYS);

  it('corrects, and reports it', () => {
    const { status, stdout, stderr } = kubeseq(['summary', '-v', '-o', 'json', '--keylog', keys, control, node]);
    expect(status).toBe(0);
    expect(stderr).toMatch(
      /capture\.clock-skew: .*: 1\.50000[01] s ahead, ±0\.00000\d s, by \d+ packets, .*node-1\.pcap\.gz frame \d+\n/,
    );
    const { captures, notices } = JSON.parse(stdout);
    expect(notices['capture.clock-skew']).toBe(1);
    expect(captures[0].shift).toBeUndefined();
    expect(captures[1].shift).toMatch(/^-1\.50000[01]000$/);
    // The file's own: 04:35:13.186533 and the 1.5 s.
    expect(captures[1].first).toBe('2026-11-21T04:35:14.686533Z');
  });

  it('corrects saved messages by the exchanges that two files share', () => {
    const saved = (name: string, capture: string): string => {
      const file = join(folder, name);
      expect(kubeseq(['export', '-q', '--keylog', keys, capture, '-w', file]).status).toBe(0);
      return file;
    };
    const plain = join(folder, 'node-1.pcap');
    writeFileSync(plain, NODE);
    const files = [saved('control.ndjson', control), saved('node.ndjson', plain), saved('late.ndjson', node)];
    const read = (late: string) => kubeseq(['messages', '-v', files[0], late]);
    const [inStepRun, lateRun] = [read(files[1]), read(files[2])];
    expect(inStepRun.stderr).not.toContain('capture.clock');
    expect(lateRun.stderr).toMatch(/capture\.clock-skew: .*: 1\.50000[01] s ahead, .* by \d+ saved messages/);
    const untimed = (line: string): object => {
      const { time: _time, started: _started, latencyMs: _latency, capture: _capture, ...rest } = JSON.parse(line);
      return rest;
    };
    const lines = (text: string): object[] => text.trim().split('\n').map(untimed);
    expect(lines(lateRun.stdout)).toEqual(lines(inStepRun.stdout));
  }, 30_000);

  it('reports that a live stream was not compared', () => {
    const { status, stderr } = kubeseq(['summary', '-v', '--keylog', keys, control, '-'], {
      input: readFileSync(node),
    });
    expect(status).toBe(0);
    expect(stderr).toContain('capture.clock-live');
  });

  it('corrects what editcap shifted', ({ skip }) => {
    const plain = join(folder, 'plain.pcap');
    const shifted = join(folder, 'shifted.pcap');
    writeFileSync(plain, NODE);
    try {
      execFileSync('editcap', ['-F', 'pcap', '-t', '-0.75', plain, shifted]);
    } catch {
      skip('editcap is not installed');
    }
    const { status, stderr } = kubeseq(['summary', '-v', '--keylog', keys, control, shifted]);
    expect(status).toBe(0);
    expect(stderr).toMatch(/capture\.clock-skew: .*: 0\.7(?:50000|49999|50001)? s behind/);
  });
});
