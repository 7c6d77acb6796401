// Loads the script and the style of an explorer page, which the build puts beside this program.

import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import type { PagePart } from '../../index.js';

export async function pageParts(): Promise<{ readonly script: PagePart; readonly style: PagePart }> {
  return { script: await part('page.js'), style: await part('style.css') };
}

/** Names of the captures without folders, which may be private. */
export function pageTitle(captures: readonly string[]): string {
  return captures.map((name) => (name === '-' ? 'standard input' : basename(name))).join(', ');
}

async function part(name: string): Promise<PagePart> {
  const text = await readFile(new URL(`../page/${name}`, import.meta.url), 'utf8');
  return { text, sha256: createHash('sha256').update(text).digest('base64') };
}
