// What users install: which files, which packages, from where. No test here touches a network.

import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { ROOT } from './command.js';
import { fixturePath } from './fixtures.js';

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
  version: string;
  scripts: Record<string, string>;
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
const FOLDER = mkdtempSync(join(tmpdir(), 'kubeseq-package-'));
afterAll(() => rmSync(FOLDER, { recursive: true }));

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

  it.each(['scripts/site', 'scripts/executable'])('of %s is of its manifest, with hashes and no registry', (folder) => {
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
  });

  it('names no registry: it works with every mirror', () => {
    expect(PACKAGES.filter(([, { resolved }]) => resolved !== undefined).map(([path]) => path)).toEqual([]);
  });
});

describe('packages at run time', () => {
  it('are few, those of docs/dependencies.md, and named in the README', () => {
    expect(RUNTIME.map(([path]) => path.replace('node_modules/', '')).sort()).toEqual(
      Object.keys(MANIFEST.dependencies).sort(),
    );
    const [readme, page] = ['README.md', 'docs/dependencies.md'].map((name) => readFileSync(join(ROOT, name), 'utf8'));
    const sources = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
      .map((name) => readFileSync(join(ROOT, 'src', name), 'utf8'))
      .join();
    const used = Object.keys(MANIFEST.dependencies).filter((name) => sources.includes(`from '${name}'`));
    expect(used.length).toBeGreaterThan(3);
    expect(used.filter((name) => !page.includes(`| ${name} |`) || !readme.includes(name))).toEqual([]);
  });

  it('run no script when they are installed, and neither does kubeseq, nor what it is developed with', () => {
    // npm reads it in `npm ci` of the repository: esbuild and protobufjs come with such scripts.
    expect(readFileSync(join(ROOT, '.npmrc'), 'utf8')).toMatch(/^ignore-scripts=true$/m);
    expect(
      execFileSync('npm', ['config', 'get', 'ignore-scripts', '--offline'], { cwd: ROOT, encoding: 'utf8' }).trim(),
    ).toBe('true');
    expect(RUNTIME.filter(([, { hasInstallScript }]) => hasInstallScript === true).map(([path]) => path)).toEqual([]);
    expect(Object.keys(MANIFEST.scripts).filter((name) => /^(?:pre|post)?install$|^prepare$/.test(name))).toEqual([]);
  });

  it('may be given away: MIT, BSD, ISC or Apache', () => {
    const licences = RUNTIME.map(([path]) => [
      path,
      (JSON.parse(readFileSync(join(ROOT, path, 'package.json'), 'utf8')) as { license: string }).license,
    ]);
    expect(licences.filter(([, licence]) => !/^(?:MIT|BSD-\d-Clause|ISC|Apache-2\.0)$/.test(licence))).toEqual([]);
  });
});

describe('the package', () => {
  const HOME = join(FOLDER, 'installed');
  const npm = (cwd: string, ...args: string[]): string =>
    execFileSync('npm', [...args, '--offline', '--loglevel=error'], { cwd, encoding: 'utf8', maxBuffer: 1 << 26 });
  const [packed] = JSON.parse(npm(ROOT, 'pack', '--json', '--pack-destination', FOLDER)) as {
    filename: string;
    files: { path: string; size: number }[];
    unpackedSize: number;
  }[];
  const paths = packed.files.map(({ path }) => path);

  it('has what runs and what must be there, nothing else', () => {
    const allowed =
      /^(?:bin\/kubeseq\.js|dist\/.*\.(?:js|d\.ts|css|json|bt|c)|LICENSE|NOTICE|README\.md|CHANGELOG\.md|SECURITY\.md|package\.json)$/;
    expect(paths.filter((path) => !allowed.test(path))).toEqual([]);
    for (const needed of [
      'bin/kubeseq.js',
      'dist/index.js',
      'dist/index.d.ts',
      'dist/browser.js',
      'dist/browser.d.ts',
      'dist/platform/browser/ciphers.js',
      'LICENSE',
      'NOTICE',
    ])
      expect(paths).toContain(needed);
    expect(paths.filter((path) => /test|fixture|\.map$|\.pcap|keys\.log/.test(path))).toEqual([]);
    expect(packed.unpackedSize).toBeLessThan(5_000_000);
  });

  it('installed into an empty folder it runs, with its own packages and no network', () => {
    const modules = join(HOME, 'node_modules');
    mkdirSync(join(modules, 'kubeseq'), { recursive: true });
    execFileSync('tar', ['xzf', join(FOLDER, packed.filename), '-C', join(modules, 'kubeseq'), '--strip-components=1']);
    const manifest = { name: 'user', version: '1.0.0', dependencies: { kubeseq: MANIFEST.version } };
    writeFileSync(join(HOME, 'package.json'), JSON.stringify(manifest));
    // As npm lays them out; what it would fetch is here already.
    for (const [path] of RUNTIME) {
      const name = path.replace('node_modules/', '');
      if (name.includes('/')) mkdirSync(join(modules, name.split('/')[0]), { recursive: true });
      cpSync(join(ROOT, path), join(modules, name), { recursive: true });
    }
    const run = (...args: string[]): { status: number | null; stdout: string } =>
      spawnSync(process.execPath, [join(modules, 'kubeseq/bin/kubeseq.js'), ...args], {
        cwd: HOME,
        encoding: 'utf8',
        maxBuffer: 1 << 26,
      });
    expect(run('--version').stdout.trim()).toBe(MANIFEST.version);
    const drawn = run(fixturePath('run-nginx-http1/capture.pcap.gz'), '--follow', 'pod/nginx');
    expect(drawn.status).toBe(0);
    expect(drawn.stdout).toMatch(/^sequenceDiagram\n[\s\S]*\[RESP\] 201 Created/);
    expect(readdirSync(HOME)).toEqual(['node_modules', 'package.json']);
  });

  it('has a bill of materials: npm lists what was installed', () => {
    // Of the repository itself npm leaves out packages that tools for development need too.
    const bill = JSON.parse(npm(HOME, 'sbom', '--sbom-format', 'cyclonedx')) as {
      bomFormat: string;
      components: { name: string; version: string }[];
    };
    expect(bill.bomFormat).toBe('CycloneDX');
    const listed = bill.components.map(({ name, version }) => `${name}@${version}`).sort();
    const expected = { ...MANIFEST.dependencies, kubeseq: MANIFEST.version };
    expect(listed).toEqual(
      Object.entries(expected)
        .map(([name, version]) => `${name}@${version}`)
        .sort(),
    );
  });
});
