// Loads the script and the style sheet of the HTML page, which the build writes to `dist/page/`, and names the page.

import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import type { PagePart } from '../../index.js';

export async function loadPageParts(): Promise<{ readonly script: PagePart; readonly style: PagePart }> {
  return { script: await loadPart('page.js'), style: await loadPart('style.css') };
}

/** Names of the captures, without their folders, whose names may be private. */
export function pageTitle(captures: readonly string[]): string {
  return captures.map((name) => (name === '-' ? 'standard input' : basename(name))).join(', ');
}

/** The hash is for the page's Content-Security-Policy. */
async function loadPart(name: string): Promise<PagePart> {
  const text = await readFile(new URL(`../page/${name}`, import.meta.url), 'utf8');
  return { text, sha256: createHash('sha256').update(text).digest('base64') };
}
