// Has the `re2js` library, as `platform/re2.ts` does: the page is one file.

import * as Re2 from 're2js';

export function re2Library(): typeof Re2 {
  return Re2;
}
