// What tests of probes on running Go programs share: whether this machine can have them, and which are set.

import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { goToolchains } from './go.js';

export const TRACEFS = '/sys/kernel/tracing';
export const TOOLCHAINS = goToolchains();
export const MISSING = missing();
/** A loopback of its own, where that can be had: other tests speak on this one, and a diagram tells what they write. */
const UNSHARED = ['unshare', '--net', 'sh', '-c', 'ip link set lo up && exec "$@"', 'sh'];
export const OWN_LOOPBACK = spawnSync(UNSHARED[0], [...UNSHARED.slice(1), 'true']).status === 0 ? UNSHARED : [];

function missing(): string {
  if (process.getuid?.() !== 0) return 'not root';
  if (TOOLCHAINS.length === 0) return 'no Go toolchain';
  if (spawnSync('tcpdump', ['--version']).status !== 0) return 'no tcpdump';
  if (!existsSync(`${TRACEFS}/uprobe_events`)) spawnSync('mount', ['-t', 'tracefs', 'nodev', TRACEFS]);
  return existsSync(`${TRACEFS}/uprobe_events`) ? '' : 'no uprobes in tracefs';
}

/** Lines of our own in uprobe_events that are about this program, or of a run that has ended: other runs may have theirs. */
export function probesOf(path: string): string[] {
  // Whoever removes a probe while the kernel's list is read, page by page, makes it leave another one out.
  let text = '';
  for (let before = ' '; text !== before; ) {
    before = text;
    text = readFileSync(`${TRACEFS}/uprobe_events`, 'utf8');
  }
  return text.split('\n').filter((line) => {
    if (!line.startsWith('p:kubeseq/')) return false;
    // Each run names files by its own descriptors.
    const [, pid, file] = /_(\d+)_\w+ \/proc\/self\/fd\/(\d+):/.exec(line) ?? [];
    if (pid === undefined) return line.includes(` ${path}:`);
    try {
      return readlinkSync(`/proc/${pid}/fd/${file}`) === path;
    } catch {
      return !existsSync(`/proc/${pid}/fd`);
    }
  });
}

/** Those of them that are switched on: others cost the program nothing, and go with their run. */
export function probesOnOf(path: string): string[] {
  const instances = readdirSync(`${TRACEFS}/instances`).map((name) => `${TRACEFS}/instances/${name}`);
  return probesOf(path).filter((line) => {
    const [, event] = /^p:(\S+) /.exec(line) ?? [];
    const files = instances.map((instance) => `${instance}/events/${event}/enable`).filter(existsSync);
    return files.some((file) => readFileSync(file, 'utf8').trim() === '1');
  });
}
