// Another user of this machine, who changes what a path leads to while root uses it. Needs root, who alone can become others.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** nobody. */
export const OTHER = 65_534;
export const NOT_ROOT = process.geteuid?.() === 0 ? '' : 'not root';
/** As often a race is tried. */
export const TRIES = 200;

/** A folder of root's that everybody may enter, as those are that `sudo` is used in. */
export function openFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'kubeseq-others-'));
  chmodSync(folder, 0o755);
  return folder;
}

export function folderOfOther(path: string): string {
  mkdirSync(path);
  chownSync(path, OTHER, OTHER);
  return path;
}

/** Starts a program as that user. */
export async function asOther(command: string, args: readonly string[]): Promise<ChildProcess> {
  const child = spawn(command, args, { uid: OTHER, gid: OTHER, cwd: '/', stdio: ['pipe', 'pipe', 'inherit'] });
  await once(child, 'spawn');
  return child;
}

/**
 * Puts what that user has in a place and a link to `target` there in turn, until it is killed; returns when it has begun.
 * What root's own file replaced while it was in the place is put back from a second name.
 */
export async function swapping(place: string, target: string): Promise<ChildProcess> {
  const script = `
    const { linkSync, renameSync, symlinkSync } = require('node:fs');
    const [place, target] = process.argv.slice(1);
    const tried = (call, from, to) => { try { call(from, to); } catch {} };
    const move = (from, to) => tried(renameSync, from, to);
    tried(linkSync, place, place + '.spare');
    for (let i = 0; ; i += 1) {
      if (i % 8 === 0) {
        tried(symlinkSync, target, place + '.link');
        tried(linkSync, place + '.spare', place + '.own');
      }
      move(place, place + '.own');
      move(place + '.link', place);
      move(place, place + '.link');
      move(place + '.own', place);
      if (i === 1) console.log('begun');
    }`;
  const child = await asOther(process.execPath, ['-e', script, place, target]);
  await once(child.stdout!, 'data');
  return child;
}
