// Builds the types of dist/, for what npm packs: one file for each export, with those alone that a program can name. Both come
// from one run of the compiler, which takes four times as long as the rest of the build.
import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { generateDtsBundle } from 'dts-bundle-generator';

const root = fileURLToPath(new URL('..', import.meta.url));
const exported = Object.entries({ index: 'library', browser: 'browser' });
const bundles = generateDtsBundle(
  exported.map(([, folder]) => ({
    filePath: `${root}/src/${folder}/index.ts`,
    output: { noBanner: true, exportReferencedTypes: false },
  })),
  { preferredConfigPath: `${root}/tsconfig.build.json` },
);
mkdirSync(`${root}/dist`, { recursive: true });
for (const [at, [name]] of exported.entries()) writeFileSync(`${root}/dist/${name}.d.ts`, bundles[at]);
