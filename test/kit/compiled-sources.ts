// The sources as Node.js runs them: compiled beside each other, not taken through vitest's module runner, in which each use of an import is
// a property of an object that is read. Whole captures are read twice as fast.

import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Plugin as BuildPlugin, build } from 'esbuild';
import type { Plugin } from 'vitest/config';

const SOURCES = fileURLToPath(new URL('../../src', import.meta.url));
const COMPILED = fileURLToPath(new URL('../../node_modules/.cache/sources', import.meta.url));

/** Sources that are imported by tests come from the compiled ones. */
export function compiledSources(): Plugin {
  return {
    name: 'compiled-sources',
    enforce: 'pre',
    buildStart: compile,
    async resolveId(name, importer, options) {
      if (!name.startsWith('.') || importer === undefined) return null;
      const resolved = await this.resolve(name, importer, { ...options, skipSelf: true });
      if (resolved === null || !resolved.id.startsWith(`${SOURCES}/`) || !isSource(resolved.id)) return resolved;
      return compiledPath(resolved.id);
    },
  };
}

const onlyTexts: BuildPlugin = {
  name: 'only-texts',
  setup(compiling) {
    compiling.onResolve({ filter: /.*/ }, ({ kind, path }) =>
      kind === 'entry-point' || path.endsWith('?raw') ? null : { path, external: true },
    );
  },
};

/** Writes what is not there or differs, so that other runs are not disturbed. */
async function compile(): Promise<void> {
  const files = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' }).filter(isSource);
  const { outputFiles } = await build({
    absWorkingDir: SOURCES,
    entryPoints: files,
    outdir: COMPILED,
    outbase: SOURCES,
    // Nothing but the tables, which are texts, comes into the file that imports it.
    bundle: true,
    plugins: [onlyTexts],
    write: false,
    format: 'esm',
    target: 'node20',
    charset: 'utf8',
    sourcemap: 'inline',
  });
  write(join(COMPILED, 'package.json'), '{ "type": "module" }');
  for (const { path, text } of outputFiles) write(path, text);
  const wanted = new Set(outputFiles.map(({ path }) => path));
  for (const name of readdirSync(COMPILED, { recursive: true, encoding: 'utf8' })) {
    const path = join(COMPILED, name);
    if (path.endsWith('.js') && !wanted.has(path)) rmSync(path);
  }
}

function write(path: string, text: string): void {
  if (existsSync(path) && readFileSync(path, 'utf8') === text) return;
  mkdirSync(dirname(path), { recursive: true });
  const whole = `${path}.${process.pid}`;
  writeFileSync(whole, text);
  renameSync(whole, path);
}

function compiledPath(source: string): string {
  return join(COMPILED, relative(SOURCES, source).replace(/\.ts$/, '.js'));
}

function isSource(path: string): boolean {
  return path.endsWith('.ts') && !path.endsWith('.test.ts') && !path.endsWith('.d.ts');
}
