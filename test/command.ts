// Runs the built command as a user does.

import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('..', import.meta.url));

export interface Ran {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export function kubeseq(
  args: readonly string[],
  options: { readonly input?: Uint8Array; readonly env?: Record<string, string> } = {},
): Ran {
  const { status, stdout, stderr } = spawnSync(process.execPath, [`${ROOT}/bin/kubeseq.js`, ...args], {
    cwd: ROOT,
    input: options.input,
    env: { ...process.env, ...options.env },
    // A table is bytes: one character each.
    encoding: args.includes('parquet') && !args.includes('-w') ? 'latin1' : 'utf8',
    maxBuffer: 256 * 1024 * 1024,
  });
  return { status, stdout, stderr };
}
