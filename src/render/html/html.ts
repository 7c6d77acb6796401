// Renders an observation as an explorable page in one file: the diagram as a readable list, the data behind it, code and styles. A strict
// Content-Security-Policy lets only the page's own script run.

import { counted } from '../../core/quantity.js';
import type { ExplorerData } from '../../diagram/explorer-data.js';
import { coverageLines, missingLine } from '../../diagram/notes/closing-note.js';
import type { PageOverview } from '../../diagram/overview/page-overview.js';
import { escapeHtml } from '../escape/html-escape.js';
import { shorten } from '../escape/mermaid-escape.js';
import type { MessageJsonOptions } from '../messages/message-json.js';
import { formatTime } from '../time.js';
import { detailBlocks, lanesBlock, MAX_NOTE, viewBlocks, viewOf } from './html-data.js';
import { plainRows } from './plain-rows.js';
import { storyList } from './story-list.js';

export interface HtmlOptions extends MessageJsonOptions {
  /** ns since the epoch: the first frame; zero of the page's times. */
  readonly first: bigint;
  /** Heading and title: what was read. */
  readonly title: string;
  readonly version: string;
  /** What the page lists at its side; absent: nothing. */
  readonly overview?: PageOverview;
  readonly script: PagePart;
  readonly style: PagePart;
  /** Characters of all bodies; default 32 Mi. */
  readonly bodiesLimit?: number;
}

/** The page's code (src/explorer) or style, as built. */
export interface PagePart {
  readonly text: string;
  /** SHA-256 of the text in UTF-8, in base64, which the policy allows. */
  readonly sha256: string;
}

export interface HtmlPage {
  /** A document in UTF-8. */
  readonly html: string;
  /** What the page leaves out, in sentences. */
  readonly cut: readonly string[];
}

/** @returns a document in UTF-8. */
export function renderHtml(shown: ExplorerData, options: HtmlOptions): string {
  return htmlPage(shown, options).html;
}

/** The page, with what it leaves out. */
export function htmlPage(shown: ExplorerData, options: HtmlOptions): HtmlPage {
  const details = detailBlocks(shown, options, options.bodiesLimit);
  const cut = cutLines(shown, details.bodiesLeftOut);
  return { html: documentOf(shown, options, details.html, cut), cut };
}

function documentOf(shown: ExplorerData, options: HtmlOptions, details: string, cut: readonly string[]): string {
  const title = escapeHtml(options.title);
  const view = viewOf(shown, options.first, options.overview?.stories);
  const rows = plainRows(shown, view);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy(options)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="color-scheme" content="light dark">
<meta name="generator" content="kubeseq ${escapeHtml(options.version)}">
<title>${title}</title>
<style>${options.style.text}</style>
${lanesBlock(shown)}<script>${options.script.text}</script>
</head>
<body>
<header id="bar"><div id="headline" tabindex="0"><h1>${title}</h1><p id="status" role="status">${shown.sequence.drawn} of ${counted(shown.sequence.total, 'message')}</p>${missing(shown, cut)}</div>
<div id="tools" role="toolbar" aria-label="What is shown"></div></header>
<main id="main">
${options.overview === undefined ? '' : storyList(options.overview, view)}<section id="chart" tabindex="0" aria-label="Sequence of messages">
<ul id="heads" aria-label="Participants">
${shown.participants.map(({ name }, i) => `<li class="p${i}" data-p="${i}"><button type="button">${headText(name)}</button></li>`).join('\n')}
</ul>
<div id="stage">
<div id="lanes" aria-hidden="true"></div>
<div id="rows" role="list">
${rows.html}</div>
${nothing(shown)}
<p id="needs">${needs(rows.leftOut)}</p>
</div>
<footer id="end">
${closing(shown, cut)
  .map((line) => `<p>${escapeHtml(line)}</p>`)
  .join('\n')}
<p>Made by kubeseq ${escapeHtml(options.version)}.${since(shown, options)}</p>
</footer>
</section>
<aside id="panel" aria-label="Details" hidden></aside>
</main>
${viewBlocks(view)}${details}</body>
</html>
`;
}

/** What a reader sees where the script does not run: without scripts, or in an older browser. */
function needs(leftOut: number): string {
  const more = leftOut === 0 ? '' : ` ${leftOut} more arrows of the diagram are not in the list either.`;
  return `Filters and details need the script of this file, which browsers run since 2024 (Chrome 115, Firefox 125, Safari 18; DecompressionStream); the list above is all there is without it.${more}`;
}

/** The page loads and sends nothing and runs only its two parts; no text ever becomes markup (Trusted Types). */
function policy({ script, style }: HtmlOptions): string {
  return [
    "default-src 'none'",
    `script-src 'sha256-${script.sha256}'`,
    `style-src 'sha256-${style.sha256}'`,
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ');
}

/** The text in place of rows if none is shown; the script shows it again when filters hide all rows. */
function nothing({ sequence, entries, layers }: ExplorerData): string {
  const others = new Set(entries.map(({ layer }) => layer).filter((layer) => !layers.has(layer)));
  const hint = others.size === 0 ? '' : ' There are messages of other layers: choose them above.';
  const text = entries.length === 0 ? 'No messages in the capture.' : `Nothing to show here.${hint}`;
  return `<p id="nothing"${sequence.drawn > 0 ? ' hidden' : ''}>${text}</p>`;
}

function since({ entries }: ExplorerData, { first }: HtmlOptions): string {
  return entries.length === 0 ? '' : ` Times are seconds since ${formatTime(first, 6)}.`;
}

/** Keeps text in brackets (a node, an instance) together. */
function headText(name: string): string {
  const [, stem, instance] = /^(.*?)( \(.*\))?$/s.exec(name) as RegExpExecArray;
  return `${escapeHtml(stem)}${instance === undefined ? '' : ` <span>${escapeHtml(instance.trim())}</span>`}`;
}

/** Shown first, and again at the end: what the page leaves out, and what could not be read. */
function missing({ sequence: { coverage }, missing: lacks }: ExplorerData, cut: readonly string[]): string {
  const last = cut.length === 0 ? missingLine(coverage) : lacks;
  const paragraph = (id: string, sentences: readonly string[]): string =>
    `<p id="${id}">${sentences.map((line) => escapeHtml(shorten(line, MAX_NOTE))).join('<br>')}</p>`;
  return (cut.length === 0 ? '' : paragraph('cut', cut)) + (last === null ? '' : paragraph('missing', [last]));
}

/** What the diagram covers and what the page leaves out. A page that leaves something out never claims to be complete. */
function closing({ sequence, missing: lacks, unselected }: ExplorerData, cut: readonly string[]): string[] {
  const all = coverageLines(sequence.coverage);
  const lines = cut.length > 0 && lacks === null ? all.slice(0, -1) : all;
  const more = unselected === 0 ? [] : [`not in this page: ${unselected} messages that were not selected`];
  return [...lines, ...more, ...cut];
}

function cutLines({ entries, leftOut, leftOutOfStory }: ExplorerData, bodies: number): string[] {
  const lines: string[] = [];
  if (leftOut > 0) {
    const holds = `it holds ${entries.length} of ${entries.length + leftOut}`;
    const story = leftOutOfStory === 0 ? 'none' : leftOutOfStory;
    lines.push(
      `not in this page: ${leftOut} messages over its limit (${holds}), ${story} of them a problem or drawn in the diagram; narrow it with --follow, --where or --since`,
    );
  }
  if (bodies > 0)
    lines.push(`not in this page: ${counted(bodies, 'body', 'bodies')} over its limit; messages --bodies prints all`);
  return lines;
}
