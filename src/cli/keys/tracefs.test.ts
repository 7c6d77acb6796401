import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Probes, removeLeftovers } from './tracefs.js';

// A folder instead of the kernel's: what is appended to uprobe_events stays there to be looked at, and an instance that
// is not empty cannot be removed, as one that somebody reads cannot.
describe('removeLeftovers', () => {
  const folder = mkdtempSync(join(tmpdir(), 'kubeseq-'));
  for (const name of ['kubeseq-7_dead', 'kubeseq-8_read', 'kubeseq-8_read/trace_pipe', 'other'])
    mkdirSync(join(folder, 'instances', name), { recursive: true });
  const before = [
    'p:kubeseq/keylog_7_dead_0 /x:0x1',
    'p:kubeseq/keylog_8_read_0 /x:0x1',
    'p:somebody/keylog_7_dead_0 /x:0x1',
    '',
  ].join('\n');
  writeFileSync(join(folder, 'uprobe_events'), before);

  it('removes instances that no process reads and probes without one, and nothing of others', () => {
    removeLeftovers(folder);
    expect(readdirSync(join(folder, 'instances')).sort()).toEqual(['kubeseq-8_read', 'other']);
    const after = readFileSync(join(folder, 'uprobe_events'), 'utf8');
    expect(after).toBe(`${before}-:kubeseq/keylog_7_dead_0\n`);
  });
});

/** Where the kernel's own can be used. */
const TRACEFS = '/sys/kernel/tracing';
const MAY_PROBE = process.getuid?.() === 0 && existsSync(`${TRACEFS}/uprobe_events`) && existsSync('/bin/true');

it.skipIf(!MAY_PROBE)('what was reported and not read yet outlives a probe that goes, which can come back', () => {
  const probes = new Probes(TRACEFS);
  try {
    probes.reportStarts(['true']);
    const program = probes.nextProgram();
    const line = (event: string): string => `p:${event} /bin/true:0x1000`;
    const event = probes.add(program, line);
    expect(spawnSync('/bin/true').status).toBe(0);
    probes.disable([event]);
    expect(probes.read()).toContain('sched_process_exec: filename=/bin/true');
    expect(probes.add(program, line)).toBe(event);
    expect(readFileSync(`${TRACEFS}/uprobe_events`, 'utf8')).toContain(`p:${event} `);
  } finally {
    probes.stop();
  }
  expect(readFileSync(`${TRACEFS}/uprobe_events`, 'utf8')).not.toContain(`_${process.pid}_`);
});
