// The independent reader that tests compare with, where this machine has it.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** False where tshark is not installed: then the test is skipped and says so. */
export const HAS_TSHARK = hasTshark();

/** The fields of every frame of a capture file, one list a frame; `more` are further arguments. */
export function tshark(file: Uint8Array, fields: readonly string[], more: readonly string[] = []): string[][] {
  const folder = mkdtempSync(join(tmpdir(), 'tshark-'));
  try {
    const path = join(folder, 'capture');
    writeFileSync(path, file);
    const args = ['-n', '-r', path, ...more, '-T', 'fields', ...fields.flatMap((field) => ['-e', field])];
    const text = execFileSync('tshark', args, { stdio: ['ignore', 'pipe', 'ignore'], maxBuffer: 1 << 28 }).toString();
    return text === ''
      ? []
      : text
          .trimEnd()
          .split('\n')
          .map((line) => line.split('\t'));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Both directions of one TCP stream, as text. */
export function tsharkFollow(file: Uint8Array, stream: number): string {
  const folder = mkdtempSync(join(tmpdir(), 'tshark-'));
  try {
    const path = join(folder, 'capture');
    writeFileSync(path, file);
    const args = ['-n', '-r', path, '-q', '-z', `follow,tcp,ascii,${stream}`];
    return execFileSync('tshark', args, { stdio: ['ignore', 'pipe', 'ignore'], maxBuffer: 1 << 28 }).toString();
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function hasTshark(): boolean {
  try {
    execFileSync('tshark', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
