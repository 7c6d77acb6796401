// Go toolchains of this machine, and programs built with them, kept between runs: building one takes seconds.
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from './command.js';

export interface Go {
  /** E.g. `go1.26.8`. */
  readonly version: string;
  /** The command. */
  readonly path: string;
}

const ENVIRONMENT = { ...process.env, GOENV: 'off', GOFLAGS: '', GOTOOLCHAIN: 'local', GO111MODULE: 'off' };

/**
 * Every Go that is installed, and those that `GOTOOLCHAIN=go1.21.13 go version` brought into the module cache. Nothing is
 * downloaded by a test.
 */
export function goToolchains(): Go[] {
  const cache = process.env['GOMODCACHE'] ?? join(homedir(), 'go/pkg/mod');
  const modules = join(cache, 'golang.org');
  const cached = (existsSync(modules) ? readdirSync(modules) : [])
    .filter((name) => name.startsWith('toolchain@'))
    .map((name) => join(modules, name, 'bin/go'));
  const found: Go[] = [];
  for (const path of ['go', '/usr/local/go/bin/go', ...cached]) {
    const { stdout } = spawnSync(path, ['version'], { encoding: 'utf8', env: ENVIRONMENT });
    const version = /go version (go[\d.]+)/.exec(stdout ?? '')?.[1];
    if (version !== undefined && !found.some((one) => one.version === version)) found.push({ version, path });
  }
  return found.sort((a, b) => minor(a) - minor(b));
}

function minor({ version }: Go): number {
  return Number(version.split('.')[1]);
}

/** Builds a program of fixtures/go-programs/source; gives its path. */
export function built(
  go: Go,
  source: string,
  options: { readonly arch?: string; readonly mode?: string; readonly stripped?: boolean } = {},
): string {
  const { arch = 'amd64', mode = 'exe', stripped = false } = options;
  const folder = join(tmpdir(), `kubeseq-go-${process.getuid?.() ?? 0}`);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const text = readFileSync(join(ROOT, 'fixtures/go-programs/source', `${source}.go`));
  const digest = createHash('sha256').update(text).digest('hex').slice(0, 8);
  const path = join(folder, [source, go.version, arch, mode, stripped ? 'stripped' : 'whole', digest].join('-'));
  if (existsSync(path)) return path;
  const flags = stripped ? ['-ldflags', '-s -w'] : [];
  const temporary = `${path}.${process.pid}`;
  execFileSync(go.path, ['build', `-buildmode=${mode}`, ...flags, '-o', temporary, `${source}.go`], {
    cwd: join(ROOT, 'fixtures/go-programs/source'),
    env: { ...ENVIRONMENT, CGO_ENABLED: '0', GOARCH: arch },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  renameSync(temporary, path);
  return path;
}

const MODULE_ENVIRONMENT = {
  ...ENVIRONMENT,
  CGO_ENABLED: '0',
  GO111MODULE: 'on',
  GOFLAGS: '-mod=readonly',
  GOPROXY: 'off',
};
const INFORMER = join(ROOT, 'fixtures/go-programs/source/informer');

/** Why the module of fixtures/go-programs/source/informer cannot be built: a test downloads nothing. Empty: it can be. */
export function noInformer(go: Go | undefined): string {
  if (go === undefined) return 'no Go toolchain';
  const args = ['list', '-m', '-f', '{{.Dir}}', 'k8s.io/client-go', 'k8s.io/api', 'k8s.io/apimachinery'];
  const { stdout } = spawnSync(go.path, args, { cwd: INFORMER, encoding: 'utf8', env: MODULE_ENVIRONMENT });
  const folders = (stdout ?? '').split('\n').filter((line) => line !== '');
  return folders.length === 3 ? '' : 'no client-go: run `go mod download` in fixtures/go-programs/source/informer';
}

/** Builds that module, which takes minutes the first time; gives the program's path. */
export function builtInformer(go: Go): string {
  const folder = join(tmpdir(), `kubeseq-go-${process.getuid?.() ?? 0}`);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const source = readFileSync(join(INFORMER, 'main.go'));
  const path = join(folder, `informer-${go.version}-${createHash('sha256').update(source).digest('hex').slice(0, 12)}`);
  if (existsSync(path)) return path;
  const temporary = `${path}.${process.pid}`;
  execFileSync(go.path, ['build', '-ldflags', '-s -w', '-o', temporary, '.'], {
    cwd: INFORMER,
    env: MODULE_ENVIRONMENT,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  renameSync(temporary, path);
  return path;
}

/** Offsets of struct fields (`PACKAGE.TYPE.FIELD`) as the DWARF of an unstripped program has them; absent: it has no such field. */
export function fieldsOf(reader: Go, path: string, names: readonly string[]): Readonly<Record<string, number>> {
  const fields = built(reader, 'fields');
  const text = execFileSync(fields, [path, ...names], { encoding: 'utf8' });
  const rows = text
    .trimEnd()
    .split('\n')
    .map((line) => line.split(' '));
  return Object.fromEntries(
    rows.filter(([, offset]) => offset !== '-').map(([name, offset]) => [name, Number(offset)]),
  );
}

/** Address of a function as Go's own tool tells it; kept beside the program. */
export function addressOf(go: Go, path: string, name: string): string {
  const kept = `${path}.address`;
  if (!existsSync(kept)) {
    const options = { encoding: 'utf8', env: ENVIRONMENT, maxBuffer: 2 ** 28 } as const;
    const symbols = execFileSync(go.path, ['tool', 'nm', path], options);
    const line = symbols.split('\n').find((one) => one.endsWith(` ${name}`));
    writeFileSync(kept, `0x${/^\s*([0-9a-f]+)/.exec(line ?? '')?.[1]}`);
  }
  return readFileSync(kept, 'utf8');
}
