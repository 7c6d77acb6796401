// Compiles the command for the Node.js that builds it, as the last step of the build and in a process of its own: one file,
// dist/cli/compiled.bin (src/cli/compiled.ts), with the units of the program and V8's code cache of each.
//
//   compile.js [FILE [--without-code]]

import { existsSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { build, transform } from 'esbuild';
import { packagesLoadedLate } from './late-packages.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const { checksum, HEADER_BYTES, openCompiled, runtime, setLoadingFlags } = await import('../dist/cli/start.js');
const [FILE = join(root, 'dist/cli/compiled.bin'), ...flags] = process.argv.slice(2);
// What the cache has is what this runs; without fixtures it has what is loaded.
const CAPTURE = join(root, 'fixtures/run-nginx-http1/capture.pcap.gz');
const WARM_UP = existsSync(CAPTURE) ? [CAPTURE, '--follow', 'pod/nginx', '--where', 'verb != "get"'] : ['doctor'];

const sources = await unitSources();
write(() => undefined);
if (!flags.includes('--without-code')) {
  setLoadingFlags();
  // Else V8 drops the code of functions that were not called for a while.
  setFlagsFromString('--no-flush-bytecode');
  const program = openCompiled(pathToFileURL(FILE), import.meta);
  if (program === null) throw new Error(`${FILE} was not written`);
  await program.load('main.js').main([process.execPath, 'kubeseq', ...WARM_UP], () => {});
  setFlagsFromString('--flush-bytecode');
  write((name) => program.scripts.get(name)?.createCachedData());
}
process.exitCode = 0;

/** Name → source, a function that is given what a module has. Packages are part of it: most are modules that only `import` loads. */
async function unitSources() {
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: { main: 'src/cli/main.ts' },
    outdir: 'dist/cli',
    write: false,
    bundle: true,
    splitting: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    chunkNames: '[name]-[hash]',
    minifyWhitespace: true,
    minifySyntax: true,
    plugins: [packagesLoadedLate],
  });
  const units = await Promise.all(
    outputFiles.map(async ({ path, text }) => {
      const { code } = await transform(text, {
        format: 'cjs',
        platform: 'node',
        target: 'node20',
        minifyWhitespace: true,
        supported: { 'dynamic-import': false },
        define: Object.fromEntries(
          ['asset', 'resolve', 'url'].map((name) => [`import.meta.${name}`, `$importMeta.${name}`]),
        ),
        banner: '(function(module,exports,require,$importMeta){"use strict";',
        footer: '})',
      });
      // One byte a character is half of the memory. esbuild leaves others in regular expressions only, where an escape is the same.
      const ascii = code.replace(/[^\0-\x7f]/g, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`);
      return /** @type {const} */ ([path.slice(join(root, 'dist/cli/').length), Buffer.from(ascii, 'latin1')]);
    }),
  );
  return new Map(units);
}

/** Writes the file, whole or not at all. @param {(name: string) => Buffer | undefined} codeOf */
function write(codeOf) {
  let at = HEADER_BYTES;
  const parts = /** @type {Buffer[]} */ ([]);
  const place = (/** @type {Buffer} */ bytes) => {
    const start = at;
    parts.push(bytes);
    at += bytes.length;
    return [start, bytes.length];
  };
  const units = Object.fromEntries(
    [...sources].map(([name, source]) => {
      const code = codeOf(name) ?? Buffer.alloc(0);
      return [name, { source: place(source), code: place(code), sum: checksum(code) }];
    }),
  );
  const header = JSON.stringify({ runtime: runtime(), size: at, units });
  writeFileSync(`${FILE}.new`, Buffer.concat([Buffer.from(header.padEnd(HEADER_BYTES), 'latin1'), ...parts]));
  renameSync(`${FILE}.new`, FILE);
}
