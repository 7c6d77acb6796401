// Puts packages that the program loads at their first use into what is bundled: esbuild keeps `require` lazy, and does not see
// through `createRequire`.

import { readFileSync } from 'node:fs';

/** For builds that bundle packages. @type {import('esbuild').Plugin} */
export const packagesLoadedLate = {
  name: 'packages loaded late',
  setup(build) {
    build.onLoad({ filter: /\/src\/.*\.ts$/ }, ({ path }) => {
      const source = readFileSync(path, 'utf8');
      const contents = source.replaceAll(LATE, 'require($1)');
      return contents === source ? null : { loader: 'ts', contents };
    });
  },
};

const LATE = /\bcreateRequire\(import\.meta\.url\)\(('[^']+')\)/g;
