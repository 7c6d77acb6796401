// Builds what runs as `npm ci` ends. Without the packages of development (`--omit=dev`) there is nothing to build with.

import { existsSync } from 'node:fs';

if (existsSync(new URL('../node_modules/esbuild', import.meta.url))) await import('./build.js');
