// What runs for this project elsewhere: nothing that may change under it, and no more rights than the work takes.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { ROOT } from '../kit/command.js';

interface Step {
  readonly uses?: string;
  readonly run?: string;
  readonly with?: Readonly<Record<string, unknown>>;
}

interface Job {
  readonly needs?: string | readonly string[];
  readonly environment?: string;
  readonly permissions?: Readonly<Record<string, string>>;
  readonly steps: readonly Step[];
  readonly strategy?: { readonly matrix: Readonly<Record<string, readonly unknown[]>> };
}

interface Workflow {
  readonly permissions?: Readonly<Record<string, string>>;
  readonly jobs: Readonly<Record<string, Job>>;
}

const FOLDER = join(ROOT, '.github/workflows');
const WORKFLOWS = readdirSync(FOLDER).map((name): [string, Workflow, string] => {
  const text = readFileSync(join(FOLDER, name), 'utf8');
  return [name, parse(text) as Workflow, text];
});
const workflow = (name: string): Workflow => WORKFLOWS.find(([one]) => one === name)![1];
const ACTION = readFileSync(join(ROOT, 'action.yml'), 'utf8');
const action = parse(ACTION) as {
  readonly inputs: Readonly<Record<string, object>>;
  readonly runs: { readonly steps: readonly Step[] };
};
/** Supported on the day of this test (github.com/nodejs/release): 20 ended in April 2026. */
const SUPPORTED = [22, 24];

describe('actions of others', () => {
  const steps = [
    ...WORKFLOWS.flatMap(([, { jobs }]) => Object.values(jobs).flatMap((job) => job.steps)),
    ...action.runs.steps,
  ];

  it('are pinned by commit, with the version beside it', () => {
    const foreign = steps.map(({ uses }) => uses).filter((uses) => uses !== undefined && uses !== './');
    expect(foreign.length).toBeGreaterThan(8);
    expect(foreign.filter((uses) => !/^[\w-]+\/[\w-]+@[0-9a-f]{40}$/.test(uses as string))).toEqual([]);
    for (const text of [...WORKFLOWS.map(([, , one]) => one), ACTION])
      for (const [line] of text.matchAll(/^.*uses: [^.].*$/gm)) expect(line).toMatch(/@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
  });

  it('one version of each everywhere', () => {
    const commits = new Map<string, Set<string>>();
    for (const { uses = './' } of steps) {
      const [name, commit = ''] = uses.split('@');
      commits.set(name, (commits.get(name) ?? new Set()).add(commit));
    }
    expect([...commits].filter(([, found]) => found.size > 1)).toEqual([]);
  });

  it('checkout leaves no token behind for what runs after it', () => {
    const checkouts = steps.filter(({ uses }) => uses?.startsWith('actions/checkout@'));
    expect(checkouts.filter((step) => step.with?.['persist-credentials'] !== false)).toEqual([]);
  });
});

describe('rights', () => {
  const PUBLISHING: Readonly<Record<string, object>> = {
    publish: { 'id-token': 'write' },
    release: { contents: 'write', 'id-token': 'write', attestations: 'write' },
  };

  it.each(WORKFLOWS)('%s: to read, and no others but those of the jobs that publish', (name, { permissions, jobs }) => {
    expect(permissions).toBeDefined();
    for (const [job, { permissions: own = permissions }] of Object.entries(jobs)) {
      const more = name === 'publish.yml' ? PUBLISHING[job] : undefined;
      expect(own).toEqual(more ?? { contents: 'read' });
    }
  });
});

describe('publish.yml', () => {
  const { build, executable, archives, release, publish } = workflow('publish.yml').jobs;

  it('builds and tests in a job that cannot publish', () => {
    const commands = build.steps.flatMap(({ run }) => run ?? []).join('\n');
    for (const part of ['npm ci', 'npm audit', 'npm test', 'npm pack', 'npm sbom']) expect(commands).toContain(part);
    expect(commands.indexOf('npm run build:types')).toBeGreaterThan(commands.indexOf('npm test'));
    expect(commands.indexOf('npm pack')).toBeGreaterThan(commands.indexOf('npm run build:types'));
    expect(commands).not.toContain('npm publish');
    expect(build.environment).toBeUndefined();
  });

  it('publishes what was tested, and runs nothing of the project where it may', () => {
    expect(publish.needs).toBe('build');
    expect(publish.environment).toBe('npm');
    expect(publish.steps.flatMap(({ run }) => run ?? [])).toEqual([
      'npm publish --ignore-scripts --provenance --access public ./kubeseq-*.tgz',
    ]);
    const uses = publish.steps.flatMap(({ uses: one }) => one?.replace(/@.*/, '') ?? []);
    expect(uses).toEqual(['actions/download-artifact', 'actions/setup-node']);
  });

  it('releases executables that ran where they were built, and runs nothing of the project where it may', () => {
    const runs = executable.steps.flatMap(({ run }) => run ?? []);
    for (const part of ['npm run executable', 'env -i executables/kubeseq-linux-'])
      expect(runs.some((one) => one.includes(part))).toBe(true);
    expect([executable.strategy?.matrix['include'], archives.needs, release.needs]).toEqual([
      [
        { arch: 'amd64', machine: 'ubuntu-24.04' },
        { arch: 'arm64', machine: 'ubuntu-24.04-arm' },
      ],
      ['build', 'executable'],
      'archives',
    ]);
    expect(release.environment).toBe('npm');
    const [attested, created] = release.steps.slice(1);
    expect(attested.uses).toMatch(/^actions\/attest-build-provenance@/);
    expect(attested.with?.['subject-path']).toBe('release/*');
    expect(release.steps.flatMap(({ run }) => run ?? [])).toEqual([created.run]);
    expect(created.run).toMatch(/^gh release create "\$GITHUB_REF_NAME" .*--verify-tag .*release\/\*$/);
  });

  it('has the section of its version in the changelog for notes, and no release without one', () => {
    const notes = (
      version: string,
      changelog: string,
    ): { readonly status: number | null; readonly stdout: string; readonly stderr: string } => {
      const file = join(mkdtempSync(join(tmpdir(), 'kubeseq-changelog-')), 'CHANGELOG.md');
      writeFileSync(file, changelog);
      return spawnSync(process.execPath, [join(ROOT, 'scripts/release-notes.js'), version, file], { encoding: 'utf8' });
    };
    const changelog =
      '# Changelog\n\n## [Unreleased]\n\n## [1.2.0] - 2026-12-01\n\n### Added\n\n- a\n\n## [1.1.0] - 2026-11-01\n\n- b\n';
    expect(notes('1.2.0', changelog)).toMatchObject({ status: 0, stdout: '### Added\n\n- a\n' });
    expect(notes('1.1.0', changelog).stdout).toBe('- b\n');
    expect(notes('1.3.0', changelog)).toMatchObject({ status: 1, stdout: '' });
    const steps = build.steps.flatMap(({ run }) => run ?? []);
    expect(steps.indexOf('node scripts/release-notes.js')).toBeLessThan(steps.indexOf('npm test'));
    expect(steps).toContain('node scripts/release-notes.js');
  });

  it('takes nothing from a cache that other workflows fill', () => {
    for (const { steps } of [build, executable, archives, release, publish])
      expect(steps.filter((step) => step.with?.['cache'] !== undefined)).toEqual([]);
  });
});

describe('Node.js', () => {
  it('is a supported one where none was chosen: in the image', () => {
    // The action brings an executable.
    expect(action.inputs['node-version']).toBeUndefined();
    const images = [
      ...readFileSync(join(ROOT, 'Dockerfile'), 'utf8').matchAll(/^FROM (?:--platform=\S+ )?node:(\d+)-/gm),
    ].map(([, one]) => +one);
    expect(images.length).toBeGreaterThan(0);
    for (const version of images) expect(SUPPORTED).toContain(version);
  });

  it('20, which the package allows, is still tested, and the whole on one version', () => {
    const { engines } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { engines: { node: string } };
    expect(engines.node).toBe('>=20');
    const { quick, all } = workflow('ci.yml').jobs;
    const whole = all.steps.flatMap((step) => step.with?.['node-version'] ?? []);
    expect([...((quick.strategy?.matrix['node'] ?? []) as number[]), ...whole]).toEqual([20, ...SUPPORTED]);
  });
});
