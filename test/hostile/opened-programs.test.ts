// Programs of another user, who puts another one in their place while root reads them: the kernel gets what was read. Needs root.

import { type ChildProcess, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, copyFileSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { type KeyTarget, namedTargets, runningTargets } from '../../src/cli/keys/key-targets.js';
import { kubeseq } from '../kit/command.js';
import { built, goToolchains } from '../kit/go.js';
import { MISSING, TRACEFS } from '../kit/keys-kit.js';
import { asOther, folderOfOther, NOT_ROOT, OTHER, openFolder, swapping, TRIES } from '../kit/others.js';
import { kubeseqSpawned, type Spawned } from '../kit/spawned.js';

const GO = goToolchains().at(-1);
const LACKS = NOT_ROOT || (GO === undefined ? 'no Go toolchain' : '');

describe.skipIf(LACKS !== '')(`programs of another user${LACKS === '' ? '' : ` (skipped: ${LACKS})`}`, () => {
  const folder = openFolder();
  const theirs = folderOfOther(join(folder, 'theirs'));
  const started: ChildProcess[] = [];
  afterAll(() => {
    for (const child of started) child.kill('SIGKILL');
    rmSync(folder, { recursive: true });
  });

  /** Theirs and root's are different programs, whose function lies in different places. */
  function copy(source: 'talk' | 'held', path: string, uid: number): string {
    copyFileSync(built(GO!, source, { stripped: true }), path);
    chownSync(path, uid, uid);
    return path;
  }

  /** What the kernel would patch, and where: inode and offset. */
  function patched({ opened, found }: KeyTarget): string {
    return `${statSync(opened.kernelPath).ino} ${found.offset}`;
  }

  function onlyOf(path: string): string {
    const [target] = namedTargets({ binary: [path] });
    const only = patched(target);
    target.opened.close();
    return only;
  }

  async function running(path: string): Promise<ChildProcess> {
    const child = await asOther(path, ['1.3']);
    started.push(child);
    await once(child.stdout!, 'data');
    return child;
  }

  it(`--binary: of ${TRIES} programs that were swapped while they were read, none is patched where another was read`, async () => {
    const place = copy('talk', join(theirs, 'kubectl'), OTHER);
    const victim = copy('held', join(folder, 'of-root'), 0);
    const right = [onlyOf(place), onlyOf(victim)];
    expect(right[0].split(' ')[1]).not.toBe(right[1].split(' ')[1]);
    const attacker = await swapping(place, victim);
    started.push(attacker);
    const seen = new Map<string, number>();
    for (let tries = 0; tries < TRIES; ) {
      let target: KeyTarget;
      try {
        [target] = namedTargets({ binary: [place] });
      } catch {
        // Nothing was there for a moment.
        continue;
      }
      tries += 1;
      const found = patched(target);
      seen.set(found, (seen.get(found) ?? 0) + 1);
      target.opened.close();
    }
    attacker.kill('SIGKILL');
    expect([...seen.keys()].filter((one) => !right.includes(one))).toEqual([]);
    expect([...seen.values()].reduce((sum, count) => sum + count, 0)).toBe(TRIES);
  }, 120_000);

  it(`--pid: what runs is patched in ${TRIES} of ${TRIES} tries, whatever its path leads to`, async () => {
    const place = copy('talk', join(theirs, 'kubelet'), OTHER);
    const victim = copy('held', join(folder, 'of-root-too'), 0);
    const right = onlyOf(place);
    const { pid } = await running(place);
    const attacker = await swapping(place, victim);
    started.push(attacker);
    const seen = new Set<string>();
    for (let tries = 0; tries < TRIES; tries += 1) {
      const [target] = namedTargets({ pid: [pid!] });
      seen.add(patched(target));
      target.opened.close();
    }
    attacker.kill('SIGKILL');
    expect([...seen]).toEqual([right]);
  }, 120_000);

  it('unless they are named, they are left out, which is said once for each user', async () => {
    const path = copy('talk', join(theirs, 'kube-proxy'), OTHER);
    const { pid } = await running(path);
    await running(path);
    const { targets, refused } = runningTargets({ component: ['kube-proxy'] });
    const isOurs = ({ binary }: KeyTarget): boolean => binary === path;
    expect(targets.filter(isOurs)).toEqual([]);
    const why = `kube-proxy of another user (uid ${OTHER}) is left out`;
    expect(refused.filter((line) => line.startsWith(why))).toHaveLength(1);
    const [named] = namedTargets({ pid: [pid!] });
    expect(isOurs(named)).toBe(true);
    named.opened.close();
    const { components } = JSON.parse(kubeseq(['doctor', '-o', 'json']).stdout) as {
      components: { pid: number; goVersion: string | null; why: string[] }[];
    };
    expect(components.find((one) => one.pid === pid)).toMatchObject({
      goVersion: null,
      why: [`belongs to another user (uid ${OTHER}) and is left out; kubeseq keys --pid ${pid} reads it`],
    });
  });

  it('a process of theirs that may not be traced looks like one of root, and is left out all the same', async () => {
    const path = copy('talk', join(theirs, 'etcd'), 0);
    // Who may run a file but not read it may not be traced, and what is in /proc/PID is root’s.
    spawnSync('chmod', ['0711', path]);
    const { pid } = await running(path);
    expect(statSync(`/proc/${pid}/status`).uid).toBe(0);
    const { targets, refused } = runningTargets({ component: ['etcd'] });
    expect(targets.filter(({ binary }) => binary === path)).toEqual([]);
    expect(refused.join('\n')).toContain(`etcd of another user (uid ${OTHER}) is left out`);
  });

  it('a pipe as a program is refused, and not waited for', () => {
    const pipe = join(folder, 'pipe');
    spawnSync('mkfifo', [pipe]);
    expect(() => namedTargets({ binary: [pipe] })).toThrow(`${pipe}: is no regular file`);
  });

  it.skipIf(MISSING !== '')(
    `the kernel is given descriptors, no paths${MISSING === '' ? '' : ` (skipped: ${MISSING})`}`,
    async () => {
      const path = copy('talk', join(folder, 'plain'), 0);
      const link = join(folder, 'link');
      symlinkSync(path, link);
      const listening: Spawned = kubeseqSpawned(['keys', '--binary', link]);
      started.push(listening.child);
      await listening.until(({ stderr }) => stderr.includes('listening to'));
      const lines = readFileSync(`${TRACEFS}/uprobe_events`, 'utf8').split('\n');
      const own = lines.filter((line) => line.includes(`_${listening.child.pid}_`));
      expect(own).toHaveLength(1);
      expect(own[0]).toMatch(/^p:kubeseq\/keylog_\w+ \/proc\/self\/fd\/\d+:0x/);
      await listening.end('SIGINT');
    },
  );
});
