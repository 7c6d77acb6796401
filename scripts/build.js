// Compiles src/ to dist/ and bundles the code and the look of explorable pages (src/page), which run in a browser.
import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
rmSync(`${root}/dist`, { recursive: true, force: true });
execFileSync(process.execPath, [`${root}/node_modules/typescript/bin/tsc`, '-p', `${root}/tsconfig.build.json`], {
  stdio: 'inherit',
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
