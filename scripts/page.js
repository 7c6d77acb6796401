// Prints a page of docs/ with the tables that the sources hold:
//
//   npm run -s page limits        or: shown-texts
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** Text of the page. @param name `limits`. */
export async function pageOf(name) {
  const { outputFiles } = await build({
    absWorkingDir: ROOT,
    entryPoints: ['test/kit/pages.ts'],
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    write: false,
    // Paths are those of the sources.
    define: { 'import.meta.url': JSON.stringify(new URL('../test/kit/pages.ts', import.meta.url).href) },
  });
  const module = await import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString('base64')}`);
  return module.pageOf(name);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.stdout.write(await pageOf(process.argv[2] ?? 'limits'));
