// Builds dist/: what runs, in few files, as a program of 400 modules takes twice as long to start; and the code and the look
// of explorable pages, which run in a browser. `build-types.js` makes the types.
import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { BROWSERS, buildPlatform, platformByName } from './build-browser.js';

const root = fileURLToPath(new URL('..', import.meta.url));
rmSync(`${root}/dist`, { recursive: true, force: true });
const forNode = {
  absWorkingDir: root,
  outdir: 'dist',
  bundle: true,
  packages: 'external',
  platform: 'node',
  format: 'esm',
  target: 'node20',
  charset: 'utf8',
  // A fifth of what has to be compiled at each start was white space; names stay, for whoever reports a stack.
  minifyWhitespace: true,
  minifySyntax: true,
  // Node.js prints the line that an error was thrown from.
  lineLimit: 160,
  plugins: [platformByName],
};
await build({
  ...forNode,
  // parts.js is for benches and is not packed.
  entryPoints: {
    index: 'src/library/index.ts',
    browser: 'src/browser/index.ts',
    parts: 'src/index.ts',
    'cli/start': 'src/cli/start.ts',
    'cli/main': 'src/cli/main.ts',
  },
  splitting: true,
  // Bundled below with all its packages.
  external: ['*/mcp/sdk.js'],
  // Beside cli/main.js, so that paths relative to a source of cli/ stay what they are.
  chunkNames: 'cli/[name]-[hash]',
});
const { dependencies } = JSON.parse(readFileSync(`${root}/package.json`, 'utf8'));
await buildPlatform(root, forNode, Object.keys(dependencies));
await build({
  ...forNode,
  entryPoints: { sdk: 'src/cli/mcp/sdk.ts' },
  outdir: 'dist/mcp',
  packages: 'bundle',
  minify: true,
  legalComments: 'none',
  // Packages in it are CommonJS, and ask for modules of Node.js by `require`.
  banner: { js: "import { createRequire } from 'node:module';const require = createRequire(import.meta.url);" },
});
await build({
  absWorkingDir: root,
  entryPoints: { page: 'src/explorer/dom/main.ts', style: 'src/explorer/page.css' },
  outdir: 'dist/page',
  bundle: true,
  minify: true,
  format: 'iife',
  charset: 'utf8',
  legalComments: 'none',
  target: BROWSERS,
});
// Behind all that it needs, without options of V8 that users do not have: V8 would reject what it compiles.
execFileSync(process.execPath, [`${root}/scripts/compile.js`], {
  stdio: ['ignore', 'ignore', 'pipe'],
  env: { ...process.env, NODE_OPTIONS: '' },
});
