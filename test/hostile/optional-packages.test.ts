// Packages that users install: from where nobody else may write, whatever the working directory has. Needs root, to be two users.

import type { ChildProcess } from 'node:child_process';
import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { loadOptional, optionalPackage } from '../../src/cli/optional-package.js';
import { folderOfOther, NOT_ROOT, openFolder, swapping, TRIES } from '../kit/others.js';

const NAME = 'kubeseq-planted';

describe.skipIf(NOT_ROOT !== '')(`optional packages${NOT_ROOT === '' ? '' : ` (skipped: ${NOT_ROOT})`}`, () => {
  const folder = openFolder();
  const started: ChildProcess[] = [];
  afterEach(() => void vi.restoreAllMocks());
  afterAll(() => {
    for (const child of started) child.kill('SIGKILL');
    rmSync(folder, { recursive: true });
  });

  /** @returns the package's folder. */
  function planted(into: string): string {
    const path = join(into, 'node_modules', NAME);
    mkdirSync(path, { recursive: true });
    writeFileSync(join(path, 'package.json'), JSON.stringify({ name: NAME, main: 'main.js' }));
    writeFileSync(join(path, 'main.js'), 'globalThis.plantedRan = true;');
    return path;
  }

  /** What would be the file of kubeseq there. */
  function kubeseqIn(into: string): string {
    return join(into, 'node_modules/kubeseq/dist/cli/main.js');
  }

  it('the working directory is no place for them', () => {
    const project = join(folder, 'project');
    planted(project);
    vi.spyOn(process, 'cwd').mockReturnValue(project);
    expect(() => loadOptional('query', NAME, [NAME])).toThrow(`query needs ${NAME}; npm install -g ${NAME}`);
    expect(globalThis).not.toHaveProperty('plantedRan');
  });

  it('beside kubeseq they are found, in the project that it is installed in and around it', () => {
    const project = join(folder, 'installed');
    planted(project);
    expect(optionalPackage(NAME, kubeseqIn(project))).toBe(project);
    expect(optionalPackage(NAME, kubeseqIn(join(project, 'packages/one')))).toBe(project);
    expect(optionalPackage(NAME, kubeseqIn(join(folder, 'elsewhere')))).toBe(null);
  });

  const OTHERS = /others could change it: \S+ is another user's, or may be written by others/;

  it.each([
    ['of another user', (into: string) => folderOfOther(into)],
    [
      'that all may write',
      (into: string) => {
        mkdirSync(into);
        chmodSync(into, 0o777);
      },
    ],
  ])('around a folder %s they are refused', (name, make) => {
    const into = join(folder, name.replaceAll(' ', '-'));
    make(into);
    planted(into);
    expect(() => optionalPackage(NAME, kubeseqIn(join(into, 'deep')))).toThrow(OTHERS);
  });

  it('in a folder for all, such as /tmp, what another user put beside is refused, also as a place of missing parts', () => {
    const shared = join(folder, 'shared');
    mkdirSync(shared);
    chmodSync(shared, 0o1777);
    const project = join(shared, 'project');
    planted(project);
    expect(optionalPackage(NAME, kubeseqIn(project))).toBe(project);
    folderOfOther(join(shared, 'node_modules'));
    expect(() => optionalPackage(NAME, kubeseqIn(project))).toThrow(OTHERS);
  });

  it(`a link of theirs that is a package of root in between: loaded in 0 of ${TRIES} tries`, async () => {
    const theirs = folderOfOther(join(folder, 'swapped'));
    const own = join(folder, 'own');
    planted(own);
    folderOfOther(join(theirs, 'node_modules'));
    symlinkSync(planted(join(folder, 'other')), join(theirs, 'node_modules', NAME));
    started.push(await swapping(join(theirs, 'node_modules'), join(own, 'node_modules')));
    for (let tries = 0; tries < TRIES; tries += 1) {
      let found: string | null = null;
      try {
        found = optionalPackage(NAME, kubeseqIn(theirs));
      } catch {
        // Refused, or nothing was there for a moment.
      }
      expect(found).toBe(null);
    }
  });
});
