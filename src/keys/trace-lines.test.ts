import { describe, expect, it } from 'vitest';
import { TraceLines } from './trace-lines.js';

const RANDOM = 'ba43'.padEnd(64, '5');
const SECRET = '0d'.padEnd(96, '7');

/** As the kernel writes it: bytes without leading zeros. */
function array(hex: string): string {
  return `{${(hex.match(/../g) ?? []).map((byte) => `0x${Number.parseInt(byte, 16).toString(16)}`).join(',')}}`;
}

function report(label: string, n: number, changes: { label?: string; secret?: string; program?: string } = {}): string {
  // What stands behind the label is the neighbouring text of the program.
  const text = Buffer.from(`${label}${'SERVER_HANDSHAKE_TRAFFIC'.repeat(2)}`.slice(0, 32)).toString('hex');
  const args = `label=${changes.label ?? array(text)} ln=${label.length} rnd=${array(RANDOM)} n=${n} sec=${changes.secret ?? array(SECRET)}`;
  return `${(changes.program ?? 'kubectl').padStart(16)}-16292   [000] DBZff  4365.250000: keylog_1_0: (0x6ddb20) ${args}\n`;
}

describe('TraceLines', () => {
  it.each([
    ['TLS 1.3 with SHA-256', 'CLIENT_HANDSHAKE_TRAFFIC_SECRET', 32, 64],
    ['TLS 1.3 with SHA-384', 'SERVER_TRAFFIC_SECRET_0', 48, 96],
    ['TLS 1.2', 'CLIENT_RANDOM', 48, 96],
  ])('%s', (_, label, bytes, digits) => {
    expect(new TraceLines().feed(report(label, bytes))).toEqual([`${label} ${RANDOM} ${SECRET.slice(0, digits)}`]);
  });

  it('the same in pieces of any size', () => {
    const text = report('CLIENT_RANDOM', 48) + report('SERVER_TRAFFIC_SECRET_0', 32);
    const whole = new TraceLines().feed(text);
    expect(whole).toHaveLength(2);
    for (const size of [1, 7, 300]) {
      const lines = new TraceLines();
      const pieces = text.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? [];
      expect(pieces.flatMap((piece) => lines.feed(piece))).toEqual(whole);
    }
  });

  it('counts programs that started, whatever their files are called', () => {
    const lines = new TraceLines();
    const start = (file: string) =>
      `  kube-apiserver-4242    [001] .....   812.250000: sched_process_exec: filename=${file} pid=4242 old_pid=4242\n`;
    expect(lines.feed(start('/usr/bin/kube-apiserver') + report('CLIENT_RANDOM', 48))).toHaveLength(1);
    expect(lines.started).toBe(1);
    expect(lines.feed(start('/opt/ label={0x43} ln=1 rnd={0x1} n=32 sec={0x1} pid=1/etcd'))).toEqual([]);
    expect([lines.started, lines.unreadable]).toEqual([2, 0]);
  });

  it('emits a secret once: client and server on one host report the same', () => {
    const lines = new TraceLines();
    expect(lines.feed(report('CLIENT_RANDOM', 48))).toHaveLength(1);
    expect(lines.feed(report('CLIENT_RANDOM', 48))).toEqual([]);
  });

  it('says who used a secret: each end once, by the number of the program and the thread', () => {
    const lines = new TraceLines((thread, program) => (program === 0 ? `kubectl[${thread}]` : null));
    const [first, second] = ['CLIENT_HANDSHAKE_TRAFFIC_SECRET', 'SERVER_TRAFFIC_SECRET_0'].map((label) =>
      report(label, 32),
    );
    expect(lines.feed(first)).toEqual([
      `CLIENT_HANDSHAKE_TRAFFIC_SECRET ${RANDOM} ${SECRET.slice(0, 64)}`,
      `# kubeseq handshake random=${RANDOM} process=kubectl[16292]`,
    ]);
    expect(lines.feed(second)).toEqual([`SERVER_TRAFFIC_SECRET_0 ${RANDOM} ${SECRET.slice(0, 64)}`]);
    const server = first.replace('kubectl-16292', 'kube-apiserver-812');
    // The label is of TLS 1.3, in which the server has the first secret.
    expect(lines.feed(server)).toEqual([
      `# kubeseq handshake random=${RANDOM} process=kubectl[812] side=client peer=kubectl[16292]`,
    ]);
    expect(lines.feed(first.replace('keylog_1_0', 'keylog_1_7'))).toEqual([]);
  });

  it('says which end is which only of two processes with their numbers', () => {
    const label = 'CLIENT_RANDOM';
    const second = report(label, 48).replace('kubectl-16292', 'kube-apiserver-812');
    const secondUser = (nameProcess: (thread: number) => string): string | undefined => {
      const lines = new TraceLines(nameProcess);
      lines.feed(report(label, 48));
      return lines.feed(second)[0];
    };
    // In TLS 1.2 the client has the master secret first.
    expect(secondUser((thread) => `held[${thread}]`)).toBe(
      `# kubeseq handshake random=${RANDOM} process=held[812] side=server peer=held[16292]`,
    );
    expect(secondUser((thread) => (thread === 812 ? 'kubectl[5]' : 'kubectl'))).toBe(
      `# kubeseq handshake random=${RANDOM} process=kubectl[5]`,
    );
  });

  it('counts absent memory and invalid lengths and labels, and emits nothing', () => {
    const lines = new TraceLines();
    const bad = [
      report('CLIENT_RANDOM', 48, { secret: '(fault)' }),
      report('CLIENT_RANDOM', 47),
      report('CLIENT_RANDOM', 4_294_967_296),
      report('CLIENT_RANDOM', 48, { label: array('00'.repeat(32)) }),
      report('CLIENT_RANDOM', 48, { secret: array(SECRET.slice(0, 64)) }),
      report('evil\nRANDOM', 48),
    ];
    expect(lines.feed(bad.join(''))).toEqual([]);
    expect(lines.unreadable).toBe(bad.length);
  });

  it('ignores a program whose name looks like a report', () => {
    const program = ' label={0x43} ln=1 rnd={0x1} n=32 sec={0x1}';
    expect(new TraceLines().feed(report('CLIENT_RANDOM', 48, { program }))).toEqual([
      `CLIENT_RANDOM ${RANDOM} ${SECRET}`,
    ]);
    expect(new TraceLines().feed(`${program} more\n`)).toEqual([]);
  });

  it('counts what the kernel dropped', () => {
    const lines = new TraceLines();
    lines.feed('CPU:0 [LOST 12 EVENTS]\nCPU:1 [LOST 3 EVENTS]\n');
    expect(lines.lost).toBe(15);
  });

  it('a line without end takes no memory', () => {
    const lines = new TraceLines();
    for (let i = 0; i < 100; i += 1) expect(lines.feed('x'.repeat(10_000))).toEqual([]);
    expect(lines.feed(`\n${report('CLIENT_RANDOM', 48)}`)).toHaveLength(1);
    expect(lines.unreadable).toBe(1);
  });
});
