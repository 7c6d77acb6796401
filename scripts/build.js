// Compiles src/ to dist/, bundles what the command and its threads run (one file starts in half the time of four hundred,
// and a thread loads no more than it needs), and the code and the look of explorable pages, which run in a browser.
import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
rmSync(`${root}/dist`, { recursive: true, force: true });
execFileSync(process.execPath, [`${root}/node_modules/typescript/bin/tsc`, '-p', `${root}/tsconfig.build.json`], {
  stdio: 'inherit',
});
rmSync(`${root}/dist/cli`, { recursive: true });
await build({
  absWorkingDir: root,
  entryPoints: ['src/cli/main.ts', 'src/cli/reader-thread.ts', 'src/cli/share-thread.ts'],
  outdir: 'dist/cli',
  bundle: true,
  platform: 'node',
  target: 'node20',
  format: 'esm',
  charset: 'utf8',
  packages: 'external',
  legalComments: 'none',
  logLevel: 'warning',
});
await build({
  absWorkingDir: root,
  entryPoints: { page: 'src/page/dom/main.ts', style: 'src/page/page.css' },
  outdir: 'dist/page',
  bundle: true,
  minify: true,
  format: 'iife',
  charset: 'utf8',
  legalComments: 'none',
  // Browsers of 2023: content-visibility, constructed style sheets.
  target: ['es2022', 'chrome115', 'firefox125', 'safari18'],
});
