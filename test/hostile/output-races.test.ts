// Outputs of root where another user changes what their path leads to: nothing of root's is overwritten. Needs root.

import { type ChildProcess, spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { openKeyLog } from '../../src/cli/keys/key-log-file.js';
import { writeOutput } from '../../src/cli/output/output.js';
import { kubeseq } from '../kit/command.js';
import { fixturePath } from '../kit/fixtures.js';
import { folderOfOther, NOT_ROOT, OTHER, openFolder, swapping, TRIES } from '../kit/others.js';

const CAPTURE = fixturePath('run-nginx-http1/capture.pcap.gz');

describe.skipIf(NOT_ROOT !== '')(`-w of root${NOT_ROOT === '' ? '' : ` (skipped: ${NOT_ROOT})`}`, () => {
  const folder = openFolder();
  const victims = join(folder, 'of-root');
  const victim = join(victims, 'out');
  mkdirSync(victims);
  writeFileSync(victim, 'of root');
  const started: ChildProcess[] = [];
  afterAll(() => {
    for (const child of started) child.kill('SIGKILL');
    rmSync(folder, { recursive: true });
  });

  /** Writes as often as a race is tried. @returns why it was refused, each reason once. */
  async function raced(path: string, write: () => unknown): Promise<string[]> {
    const refused = new Set<string>();
    // Nothing is there for a moment, which is no try.
    for (let [tries, gaps] = [0, 0]; tries < TRIES && gaps < 100 * TRIES; ) {
      await new Promise(setImmediate);
      try {
        await write();
        tries += 1;
        // What root wrote where nothing was is in the way of the next try.
        if (lstatSync(path, { throwIfNoEntry: false })?.uid === 0) rmSync(path);
      } catch (error) {
        const why = (error as Error).message.replace(`${path}: `, '');
        if (why.startsWith('no such file')) gaps += 1;
        else tries += 1;
        refused.add(why);
      }
      expect([readFileSync(victim, 'utf8'), readdirSync(victims)]).toEqual(['of root', ['out']]);
    }
    return [...refused];
  }

  async function swapped(place: string, target: string): Promise<ChildProcess> {
    const attacker = await swapping(place, target);
    started.push(attacker);
    return attacker;
  }

  it.each([
    ['an output', (path: string) => writeOutput(path, 'new')],
    ['a key log', (path: string) => openKeyLog(path).close()],
  ])(`%s in a folder of theirs that is a link in between: 0 of ${TRIES} hit`, async (name, write) => {
    const parent = folderOfOther(join(folder, `parent-of ${name}`));
    const place = folderOfOther(join(parent, 'swapped'));
    await swapped(place, victims);
    const path = join(place, 'out');
    const refused = await raced(path, () => write(path));
    expect(refused.every((why) => /is a (?:folder|link) of another user|no such file/.test(why))).toBe(true);
    expect(refused.join('\n')).toContain(`another user (uid ${OTHER})`);
  });

  it.each([
    ['an output', (path: string) => writeOutput(path, 'new')],
    ['a key log', (path: string) => openKeyLog(path).close()],
  ])(`%s in a folder for all (as /tmp) whose file is a link in between: 0 of ${TRIES} hit`, async (name, write) => {
    const parent = join(folder, `shared-for ${name}`);
    mkdirSync(parent);
    chmodSync(parent, 0o1777);
    const path = join(parent, 'out');
    writeFileSync(path, 'theirs');
    chownSync(path, OTHER, OTHER);
    await swapped(path, victim);
    await raced(path, () => write(path));
  });

  it(`a pipe that is a link in between: 0 of ${TRIES} hit, and none waits`, async () => {
    const parent = join(folder, 'shared-pipe');
    mkdirSync(parent);
    chmodSync(parent, 0o1777);
    const path = join(parent, 'out');
    spawnSync('mkfifo', [path]);
    chownSync(path, OTHER, OTHER);
    await swapped(path, victim);
    const refused = await raced(path, () => writeOutput(path, 'new'));
    expect(refused.join('\n')).toMatch(/is a pipe|is a link of another user/);
  });

  it.each([
    ['any parent of theirs', (path: string) => mkdirSync(join(path, 'a/b'), { recursive: true }), 'a/b'],
    [
      'a parent for all without the sticky bit',
      (path: string) => {
        mkdirSync(join(path, 'a'));
        chownSync(path, 0, 0);
        chmodSync(path, 0o777);
      },
      'a',
    ],
    [
      'a parent for a group',
      (path: string) => {
        mkdirSync(join(path, 'a'));
        chownSync(path, 0, OTHER);
        chmodSync(path, 0o775);
      },
      'a',
    ],
  ])('%s is refused by every command, and nothing is written', (name, prepare, below) => {
    const place = folderOfOther(join(folder, name.replaceAll(' ', '-')));
    prepare(place);
    const path = join(place, below, 'out');
    const why =
      /out: \S+ is a folder (?:of another user \(uid 65534\)|that others may write into \(mode 77[75]\)), .*name one of your own\n$/;
    for (const command of ['messages', 'diagram', 'summary', 'export', 'top']) {
      const { status, stderr } = kubeseq([command, CAPTURE, '-q', '-w', path], { env: { SUDO_UID: '', SUDO_GID: '' } });
      expect(stderr).toMatch(why);
      expect(status).toBe(2);
    }
    expect(existsSync(path)).toBe(false);
  });

  it('a file of theirs in a folder for all is refused; a new one and one of root are written', async () => {
    const parent = join(folder, 'shared');
    mkdirSync(parent);
    chmodSync(parent, 0o1777);
    const theirs = join(parent, 'theirs');
    writeFileSync(theirs, 'theirs', { mode: 0o666 });
    chownSync(theirs, OTHER, OTHER);
    await expect(writeOutput(theirs, 'new')).rejects.toThrow(`${theirs}: belongs to another user (uid ${OTHER})`);
    expect(readFileSync(theirs, 'utf8')).toBe('theirs');
    for (const text of ['first', 'second']) {
      await writeOutput(join(parent, 'own'), text);
      expect(readFileSync(join(parent, 'own'), 'utf8')).toBe(text);
    }
    expect(readdirSync(parent).sort()).toEqual(['own', 'theirs']);
  });

  it('a link of root’s own is followed, also through folders, and its target replaced', async () => {
    const target = join(folder, 'real');
    mkdirSync(join(target, 'deep'), { recursive: true });
    symlinkSync('real/../real/deep', join(folder, 'way'));
    symlinkSync('../deep/file', join(target, 'deep/name'));
    writeFileSync(join(target, 'deep/file'), 'old', { mode: 0o640 });
    await writeOutput(join(folder, 'way/name'), 'new');
    expect([readFileSync(join(target, 'deep/file'), 'utf8'), statSync(join(target, 'deep/file')).mode & 0o777]).toEqual(
      ['new', 0o640],
    );
  });

  it('pipes are refused by their name, and not waited for', async () => {
    const pipe = join(folder, 'pipe');
    spawnSync('mkfifo', [pipe]);
    await expect(writeOutput(pipe, 'new')).rejects.toThrow('is a pipe, which root does not write to by its name');
    expect(() => openKeyLog(pipe)).toThrow('is a pipe or no file');
  });

  it('the output of keys is opened before a program is looked at', () => {
    const log = join(folder, 'nowhere', 'log');
    const { status, stderr } = kubeseq(['keys', '--pid', '999999999', '-w', log]);
    expect([status, stderr]).toEqual([2, expect.stringContaining(`${log}: no such file`)]);
    expect(kubeseq(['keys', '--pid', '999999999', '-w', join(folder, 'log')]).stderr).toContain('999999999');
    expect(existsSync(join(folder, 'log'))).toBe(false);
  });
});
