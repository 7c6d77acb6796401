// Starts a shell that does something once this process is gone, however it went.

import { type ChildProcess, spawn } from 'node:child_process';
import { SYSTEM_FOLDERS } from './system-program.js';

/**
 * It waits for the end of a pipe that only this process holds, in a session of its own, so that signals to this one's group do not
 * reach it.
 * @param script runs then, with `args` as `$1` and so on. @returns it; destroying its standard input starts the script.
 */
export function guardian(script: string, args: readonly string[]): ChildProcess {
  const shell = spawn('/bin/sh', ['-c', `trap '' INT TERM HUP\nread -r _\n${script}`, 'kubeseq-guardian', ...args], {
    cwd: '/',
    detached: true,
    env: { PATH: SYSTEM_FOLDERS.join(':') },
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  // Where there is no shell, what a killed run leaves stays until the next run.
  shell.on('error', () => {});
  shell.stdin?.on('error', () => {});
  (shell.stdin as { unref?: () => void } | null)?.unref?.();
  shell.unref();
  return shell;
}
