// Renders the list at the side of a page: what went wrong, and the stories, each a button that the page's script makes lead to its messages.

import { counted } from '../../core/quantity.js';
import type { ListedProblem, ListedStory, PageOverview } from '../../diagram/overview/page-overview.js';
import { escapeHtml } from '../escape/html-escape.js';
import { shorten } from '../escape/mermaid-escape.js';
import type { View } from './html-format.js';

/** @param view the page's messages: what is not among them is no button. */
export function storyList({ wrong, stories, found }: PageOverview, { rows }: View): string {
  if (wrong.length + stories.length + found.unfollowed === 0) return '';
  const seqs = new Set(rows.map(([seq]) => seq));
  const lines = wrong.slice(0, MAX_PROBLEMS).map((problem) => problemItem(problem, seqs));
  const unlisted = wrong.length > MAX_PROBLEMS ? `<p>and ${wrong.length - MAX_PROBLEMS} more: kubeseq summary</p>` : '';
  const rest =
    lines.length <= FIRST
      ? ''
      : `<details><summary>${wrong.length - FIRST} more</summary>${listOf(lines.slice(FIRST))}${unlisted}</details>\n`;
  const unfollowed =
    found.unfollowed === 0
      ? ''
      : `<p>${counted(found.unfollowed, 'further object')} not followed: --follow KIND/NAME draws a story</p>\n`;
  return `<nav id="stories" aria-label="Stories" tabindex="0">
<h2>Went wrong <small>${wrong.length}</small></h2>
${listOf(lines.slice(0, FIRST))}
${rest}<h2>Stories <small>${stories.length}</small></h2>
${listOf(stories.map((story, i) => storyItem(story, i, seqs)))}
${unfollowed}</nav>
`;
}

function listOf(items: readonly string[]): string {
  return `<ol>${items.join('\n')}</ol>`;
}

function problemItem({ text, message, frame }: ListedProblem, seqs: ReadonlySet<number>): string {
  const words = escapeHtml(shorten(text.replace(/\s+/g, ' '), MAX_PROBLEM));
  if (message !== undefined && seqs.has(message))
    return `<li><button type="button" data-message="${message}">${words}</button></li>`;
  return `<li>${words}${frame === undefined ? '' : ` <small>frame ${frame}</small>`}</li>`;
}

function storyItem(story: ListedStory, i: number, seqs: ReadonlySet<number>): string {
  const { root, measures, problems } = story;
  const here = story.seqs.filter((seq) => seqs.has(seq)).length;
  const left = here === story.seqs.length ? '' : `, ${here} in this page`;
  const { resource, namespace, name } = root;
  const place = namespace === null ? '' : ` in ${namespace}`;
  const wrong = problems === 0 ? '' : `, <em>${counted(problems, 'problem')}</em>`;
  return `<li><button type="button" data-story="${i}"><b>${escapeHtml(shorten(name))}</b> ${escapeHtml(resource + place)} <small>${measures}${left}${wrong}</small></button></li>`;
}

/** Lines on what went wrong that are in view above the stories. */
const FIRST = 5;
/** Limit: lines on what went wrong that a page lists: a reader of more wants the table of `summary`. */
const MAX_PROBLEMS = 100;
/** Limit: characters of such a line: its message has the rest. */
const MAX_PROBLEM = 240;
