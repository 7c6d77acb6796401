// A program of some kilobytes that says it has gigabytes, run under a component's name: reading it ends soon and takes little memory.

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { ROOT } from '../kit/command.js';
import { PEAK_KIB } from '../kit/peak-memory.js';

const isLinux = process.platform === 'linux' && process.arch === 'x64';

describe.skipIf(!isLinux)(`a sparse program${isLinux ? '' : ' (skipped: not Linux on amd64)'}`, () => {
  const folder = mkdtempSync(join(tmpdir(), 'kubeseq-'));
  const path = join(folder, 'kube-apiserver');
  let running: ChildProcess | null = null;
  afterAll(() => {
    running?.kill('SIGKILL');
    rmSync(folder, { recursive: true });
  });

  /** /bin/sleep whose PT_GNU_STACK is one more loaded segment of `size` bytes, which the file has as a hole. */
  function sparse(size: number): void {
    const bytes = readFileSync('/bin/sleep');
    const [at, count] = [Number(bytes.readBigUInt64LE(32)), bytes.readUInt16LE(56)];
    const entry = Array.from({ length: count }, (_, i) => at + i * 56).find(
      (one) => bytes.readUInt32LE(one) === 0x6474e551,
    );
    expect(entry).toBeDefined();
    const offset = 0x200000;
    bytes.writeUInt32LE(1, entry!);
    bytes.writeUInt32LE(4, entry! + 4);
    for (const [field, value] of [
      [8, offset],
      [16, 0x1_0000_0000],
      [24, 0x1_0000_0000],
      [32, size],
      [40, size],
      [48, 0x1000],
    ])
      bytes.writeBigUInt64LE(BigInt(value), entry! + field);
    writeFileSync(path, bytes, { mode: 0o755 });
    truncateSync(path, offset + size);
  }

  it('doctor takes at most 5 s and 200 MB beside it', async () => {
    sparse(64 * 1024 ** 3);
    running = spawn(path, ['600']);
    await once(running, 'spawn');
    const script = `
      process.argv.splice(1, 1);
      const fs = require('node:fs');
      process.on('exit', () => console.error('kB ' + ${PEAK_KIB}));
      import(${JSON.stringify(`${ROOT}/bin/kubeseq.js`)});`;
    const begun = Date.now();
    const { stdout, stderr } = spawnSync(process.execPath, ['-e', script, 'x', 'kubeseq', 'doctor', '-o', 'json'], {
      encoding: 'utf8',
      timeout: 60_000,
    });
    const seconds = (Date.now() - begun) / 1000;
    const { components } = JSON.parse(stdout) as { components: { pid: number; why: string[] }[] };
    const [why] = components.find(({ pid }) => pid === running!.pid)?.why ?? [];
    expect(why).toMatch(/is not a Go program|takes more than/);
    expect(seconds).toBeLessThan(5);
    expect(Number(/kB (\d+)/.exec(stderr)?.[1]) / 1000).toBeLessThan(200);
  }, 70_000);
});
