// Makes the HTML page, with its script, its style sheet and its name.

import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import { type ExplorerData, htmlPage, type PageOverview, type PagePart, VERSION } from '../../index.js';
import { pagePart } from '../program-parts.js';
import type { Presentation } from './results.js';

/** @param names of the captures. @param remark takes a note on messages beyond the page's limit. */
export function pageOf(
  data: ExplorerData,
  overview: PageOverview,
  names: readonly string[],
  { captures, digits, first }: Presentation,
  remark: (text: string) => void,
): string {
  const { html, cut } = htmlPage(data, {
    ...{ captures, digits, first, overview },
    title: pageTitle(names),
    version: VERSION,
    script: loadPart('page.js'),
    style: loadPart('style.css'),
  });
  cut.forEach(remark);
  return html;
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
