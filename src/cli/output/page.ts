// Loads the script and the style sheet of the HTML page, and names the page.

import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import type { PagePart } from '../../index.js';
import { pagePart } from '../program-parts.js';

export function loadPageParts(): { readonly script: PagePart; readonly style: PagePart } {
  return { script: loadPart('page.js'), style: loadPart('style.css') };
}

/** Names of the captures, without their folders, whose names may be private. */
export function pageTitle(captures: readonly string[]): string {
  return captures.map((name) => (name === '-' ? 'standard input' : basename(name))).join(', ');
}

/** The hash is for the page's Content-Security-Policy. */
function loadPart(name: string): PagePart {
  const text = pagePart(name);
  return { text, sha256: createHash('sha256').update(text).digest('base64') };
}
