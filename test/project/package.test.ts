// Which packages users install, and from where; `installed.test.ts` packs and installs them. No test here touches a network.

import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT } from '../kit/command.js';

interface Locked {
  readonly version?: string;
  readonly resolved?: string;
  readonly integrity?: string;
  readonly dev?: boolean;
  readonly optional?: boolean;
  readonly peer?: boolean;
  readonly devOptional?: boolean;
  readonly hasInstallScript?: boolean;
  readonly license?: string;
  readonly link?: boolean;
}

const MANIFEST = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  scripts: Record<string, string>;
  allowScripts: Record<string, boolean>;
  dependencies: Record<string, string>;
  devDependencies: Record<string, string>;
};
const LOCK = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
  lockfileVersion: number;
  packages: Record<string, Locked>;
};
const PACKAGES = Object.entries(LOCK.packages).filter(([path]) => path !== '');
/** What is installed with kubeseq. */
const RUNTIME = PACKAGES.filter(
  ([, one]) => one.dev !== true && one.peer !== true && one.devOptional !== true && one.optional !== true,
);

describe('the lock file', () => {
  it('is of the manifest, with exact versions and a hash for every package', () => {
    const root = LOCK.packages[''] as unknown as { dependencies: object; devDependencies: object };
    expect(LOCK.lockfileVersion).toBe(3);
    expect(root.dependencies).toEqual(MANIFEST.dependencies);
    expect(root.devDependencies).toEqual(MANIFEST.devDependencies);
    for (const version of Object.values({ ...MANIFEST.dependencies, ...MANIFEST.devDependencies }))
      expect(version).toMatch(/^\d+\.\d+\.\d+/);
    expect(
      PACKAGES.filter(([, one]) => one.link !== true && !/^sha512-/.test(one.integrity ?? '')).map(([path]) => path),
    ).toEqual([]);
  });

  it('brings at most 250 MB, as what only tests need is fetched later (test/package.json)', () => {
    const sizes = Object.keys(LOCK.packages)
      .filter((path) => path !== '')
      .map((path) => sizeOf(join(ROOT, path)));
    expect(sizes.filter((size) => size > 0).length).toBeGreaterThan(150);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(250_000_000);
  });

  it.each(['test', 'scripts/site', 'scripts/executable'])(
    'of %s is of its manifest, with hashes and no registry',
    (folder) => {
      const [manifest, lock] = ['package.json', 'package-lock.json'].map((name) =>
        JSON.parse(readFileSync(join(ROOT, folder, name), 'utf8')),
      ) as [Record<string, object>, { packages: Record<string, Locked> }];
      const { '': own, ...others } = lock.packages;
      for (const kind of ['dependencies', 'devDependencies'])
        expect((own as unknown as Record<string, object>)[kind]).toEqual(manifest[kind]);
      expect(Object.keys(others).length).toBeGreaterThan(1);
      for (const { integrity, resolved } of Object.values(others)) {
        expect(integrity).toMatch(/^sha512-/);
        expect(resolved).toBeUndefined();
      }
    },
  );

  it('names no registry: it works with every mirror', () => {
    expect(PACKAGES.filter(([, { resolved }]) => resolved !== undefined).map(([path]) => path)).toEqual([]);
  });
});

describe('packages at run time', () => {
  it('are as many as docs/security.md says', () => {
    const [, said] =
      /no install scripts, (\w+) runtime packages/.exec(readFileSync(join(ROOT, 'docs/security.md'), 'utf8')) ?? [];
    const words = ['seven', 'eight', 'nine', 'ten', 'eleven', 'twelve'];
    expect(words.indexOf(said) + 7).toBe(Object.keys(MANIFEST.dependencies).length);
  });

  it('have their licences in the image', () => {
    const image = readFileSync(join(ROOT, 'Dockerfile'), 'utf8');
    expect(image).toContain('node scripts/licenses.js /out/licenses');
    expect(image).toContain('COPY --from=build /out/licenses/ /usr/share/doc/kubeseq/');
  });

  it('are few, and those of docs/dependencies.md', () => {
    expect(RUNTIME.map(([path]) => path.replace('node_modules/', '')).sort()).toEqual(
      Object.keys(MANIFEST.dependencies).sort(),
    );
    const page = readFileSync(join(ROOT, 'docs/dependencies.md'), 'utf8');
    const sources = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
      .map((name) => readFileSync(join(ROOT, 'src', name), 'utf8'))
      .join();
    const used = Object.keys(MANIFEST.dependencies).filter((name) => sources.includes(`from '${name}'`));
    expect(used.length).toBeGreaterThan(3);
    expect(used.filter((name) => !page.includes(`| ${name} |`))).toEqual([]);
  });

  it('run no script when they are installed; of what kubeseq is developed with those that have one are refused theirs', () => {
    expect(RUNTIME.filter(([, { hasInstallScript }]) => hasInstallScript === true).map(([path]) => path)).toEqual([]);
    const withScript = PACKAGES.filter(([, { hasInstallScript }]) => hasInstallScript === true);
    // What npm reads since 11.16; before that it runs them, from packages that the lock file names by their hash.
    expect(MANIFEST.allowScripts).toEqual(
      Object.fromEntries(withScript.map(([path]) => [path.replace(/^.*node_modules\//, ''), false])),
    );
    expect(Object.keys(MANIFEST.scripts).filter((name) => /^(?:pre|post)?install$/.test(name))).toEqual([]);
  });

  it('may be given away: MIT, BSD, ISC or Apache', () => {
    const licences = RUNTIME.map(([path]) => [
      path,
      (JSON.parse(readFileSync(join(ROOT, path, 'package.json'), 'utf8')) as { license: string }).license,
    ]);
    expect(licences.filter(([, licence]) => !/^(?:MIT|BSD-\d-Clause|ISC|Apache-2\.0)$/.test(licence))).toEqual([]);
  });
});

/** @returns bytes of a package's own files, without packages inside it. */
function sizeOf(folder: string): number {
  if (!existsSync(folder)) return 0;
  return readdirSync(folder, { withFileTypes: true })
    .filter(({ name, parentPath }) => name !== 'node_modules' || parentPath !== folder)
    .reduce((sum, file) => {
      const path = join(folder, file.name);
      return sum + (file.isDirectory() ? sizeOf(path) : file.isFile() ? statSync(path).size : 0);
    }, 0);
}
