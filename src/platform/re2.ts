// Loads the `re2js` library at its first use: few expressions have a pattern.

import { createRequire } from 'node:module';
import type * as Re2 from 're2js';

export function re2Library(): typeof Re2 {
  re2 ??= createRequire(import.meta.url)('re2js') as typeof Re2;
  return re2;
}

let re2: typeof Re2 | undefined;
