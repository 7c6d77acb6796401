// Builds the page that opens captures in a browser: index.html in dist-page/ or the folder that is named, one file with everything in it,
// which any web server or file hosting serves. It needs dist/.

import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { BROWSERS, platformOfBrowsers } from './build-browser.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const EXAMPLE = { name: 'run-nginx.pcap.gz', path: 'fixtures/run-nginx-http1/capture.pcap.gz' };

const [script, style, worker] = await Promise.all(
  ['src/opener/dom/main.ts', 'src/opener/opener.css', 'src/opener/worker.ts'].map(bundled),
);
const explorer = { script: read('dist/page/page.js'), style: read('dist/page/style.css') };
// What the page shows of a capture is a page of its own, to which this policy applies as well.
const policy = [
  "default-src 'none'",
  `script-src ${[script, explorer.script].map(hashOf).join(' ')}`,
  `style-src ${[style, explorer.style].map(hashOf).join(' ')}`,
  'worker-src blob:',
  'frame-src blob:',
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "require-trusted-types-for 'script'",
  'trusted-types kubeseq',
].join('; ');
const data = [
  dataBlock('worker', worker),
  dataBlock('explorer-script', explorer.script, `data-sha256="${sha256(explorer.script)}"`),
  dataBlock('explorer-style', explorer.style, `data-sha256="${sha256(explorer.style)}"`),
  dataBlock(
    'example-capture',
    readFileSync(`${root}/${EXAMPLE.path}`).toString('base64'),
    `data-name="${EXAMPLE.name}"`,
  ),
];
const parts = { policy, style, script, data: data.join('') };
const page = read('src/opener/opener.template').replace(
  /\{\{(\w+)\}\}/g,
  (_, name) => parts[/** @type {'data'} */ (name)],
);
const folder = process.argv[2] ?? `${root}/dist-page`;
mkdirSync(folder, { recursive: true });
writeFileSync(join(folder, 'index.html'), page);
process.stdout.write(`${join(folder, 'index.html')}: ${(Buffer.byteLength(page) / 1e6).toFixed(1)} MB\n`);

/** @param {string} entry */
async function bundled(entry) {
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: [entry],
    write: false,
    bundle: true,
    minify: true,
    format: 'iife',
    platform: 'browser',
    charset: 'utf8',
    legalComments: 'none',
    target: BROWSERS,
    plugins: [platformOfBrowsers],
  });
  return outputFiles[0].text;
}

/** @param {string} path */
function read(path) {
  return readFileSync(`${root}/${path}`, 'utf8');
}

/** Text that no browser runs where it stands. @param {string} id @param {string} text @param {string} attributes */
function dataBlock(id, text, attributes = '') {
  if (/<\/script|<!--/i.test(text)) throw new Error(`${id} would end its block`);
  return `<script type="text/plain" id="${id}" ${attributes}>${text}</script>\n`;
}

/** @param {string} text */
function sha256(text) {
  return createHash('sha256').update(text).digest('base64');
}

/** @param {string} text */
function hashOf(text) {
  return `'sha256-${sha256(text)}'`;
}
