// Makes the single executables for Linux, kubeseq-linux-amd64 and kubeseq-linux-arm64: Node.js with the built program as assets
// (nodejs.org/api/single-executable-applications.html).
//
//   npm run executable -- [--arch amd64,arm64] [--into FOLDER]
//   npm run executable -- --fetch        only gets the programs of Node.js, by npm, with the hashes of the lock file

import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { build } from 'esbuild';
import { inject } from 'postject';
import { nodePrograms } from './executable/node-programs.js';
import { packagesLoadedLate } from './late-packages.js';

const root = fileURLToPath(new URL('..', import.meta.url));
/** Names of Kubernetes and of Node.js. */
const ARCHITECTURES = { amd64: 'x64', arm64: 'arm64' };
/** What Node.js looks for in itself (its manual). */
const FUSE = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2';

const { values } = parseArgs({
  options: {
    arch: { type: 'string', default: Object.keys(ARCHITECTURES).join() },
    into: { type: 'string', default: join(root, 'executables') },
    fetch: { type: 'boolean', default: false },
  },
});
const nodes = nodePrograms();
if (!values.fetch) {
  for (const arch of values.arch.split(',')) {
    if (!(arch in ARCHITECTURES)) throw new Error(`${arch}: none of ${Object.keys(ARCHITECTURES).join(', ')}`);
    const file = resolve(values.into, `kubeseq-linux-${arch}`);
    mkdirSync(resolve(values.into), { recursive: true });
    await make(/** @type {'amd64' | 'arm64'} */ (arch), file);
    console.log(file);
  }
}

/** @param {keyof typeof ARCHITECTURES} arch @param {string} file */
async function make(arch, file) {
  const folder = mkdtempSync(join(tmpdir(), 'kubeseq-executable-'));
  try {
    const node = nodeOf(ARCHITECTURES[arch]);
    const isOwn = ARCHITECTURES[arch] === process.arch;
    // Of another machine V8's code cannot be made here: that executable compiles the program at each start.
    const runs = isOwn ? node : nodeOf(process.arch);
    const at = (/** @type {string} */ name) => join(folder, name);
    const env = { ...process.env, NODE_OPTIONS: '' };
    const run = (/** @type {string[]} */ ...args) =>
      execFileSync(runs, args, { env, stdio: ['ignore', 'ignore', 'pipe'] });
    run(join(root, 'scripts/compile.js'), at('compiled.bin'), ...(isOwn ? [] : ['--without-code']));
    await bundle(folder);
    const assets = Object.fromEntries(
      readdirSync(folder)
        .filter((name) => name !== 'executable.js')
        .map((name) => [name, at(name)]),
    );
    for (const name of ['page.js', 'style.css']) assets[name] = join(root, 'dist/page', name);
    const config = { main: at('executable.js'), output: at('blob'), disableExperimentalSEAWarning: true, assets };
    writeFileSync(at('sea.json'), JSON.stringify(config));
    run('--experimental-sea-config', at('sea.json'));
    const made = `${file}.new`;
    copyFileSync(node, made);
    await inject(made, 'NODE_SEA_BLOB', readFileSync(at('blob')), { sentinelFuse: FUSE });
    execFileSync('mv', ['-f', made, file]);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** @param {string} arch as Node.js names it. */
function nodeOf(arch) {
  return join(nodes, `node-linux-${arch}/bin/node`);
}

/** The script that the executable starts with, in one file. @param {string} into */
async function bundle(into) {
  await build({
    absWorkingDir: root,
    entryPoints: ['src/cli/executable.ts'],
    entryNames: '[name]',
    outdir: into,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node24',
    charset: 'utf8',
    minifyWhitespace: true,
    minifySyntax: true,
    plugins: [packagesLoadedLate],
    // Stands in modules that neither of them calls.
    define: { 'import.meta.url': 'undefined' },
  });
}
