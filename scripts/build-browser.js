// Builds what runs in browsers: the functions of platform/ for both sides, and esbuild's plugins that choose between them.

import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';

const PLATFORM = /^\.\.?\/(?:.*\/)?platform\/([\w-]+)\.js$/;

/**
 * Leaves platform/ out of a bundle: its modules are found by their names, which package.json has once for Node.js and once for browsers.
 * @type {import('esbuild').Plugin}
 */
export const platformByName = {
  name: 'platform by name',
  setup({ onResolve }) {
    onResolve({ filter: PLATFORM }, ({ path }) => ({
      path: `#platform/${PLATFORM.exec(path)?.[1]}`,
      external: true,
    }));
  },
};

/**
 * Takes the functions for browsers in place of those for Node.js.
 * @type {import('esbuild').Plugin}
 */
export const platformOfBrowsers = {
  name: 'platform of browsers',
  setup({ onResolve }) {
    onResolve({ filter: PLATFORM }, ({ path, resolveDir }) => {
      const file = join(resolveDir, path)
        .replace(/platform[/\\](?=[\w-]+\.js$)/, 'platform/browser/')
        .replace(/\.js$/, '.ts');
      return existsSync(file) ? { path: file } : { errors: [{ text: `${file} is missing` }] };
    });
  },
};

/** What is bundled, because no program has to install it: packages for development alone. */
const BUNDLED = ['pako', '@noble/*'];

/**
 * Writes dist/platform and dist/platform/browser, a file for each of src/platform.
 * @param {string} root of the repository. @param {import('esbuild').BuildOptions} forNode @param {readonly string[]} packages of the
 * package's own dependencies.
 */
export async function buildPlatform(root, forNode, packages) {
  const names = readdirSync(join(root, 'src/platform')).filter((name) => name.endsWith('.ts'));
  await build({
    ...forNode,
    outdir: 'dist/platform',
    bundle: false,
    packages: undefined,
    entryPoints: names.map((name) => `src/platform/${name}`),
  });
  await build({
    absWorkingDir: root,
    outdir: 'dist/platform/browser',
    entryPoints: names.map((name) => `src/platform/browser/${name}`),
    bundle: true,
    external: packages.filter((name) => !BUNDLED.includes(name)),
    splitting: true,
    chunkNames: 'part-[hash]',
    platform: 'browser',
    format: 'esm',
    target: BROWSERS,
    charset: 'utf8',
    minify: true,
    legalComments: 'inline',
  });
}

/** Browsers of 2023: content-visibility, constructed style sheets. */
export const BROWSERS = ['es2022', 'chrome115', 'firefox125', 'safari18'];
