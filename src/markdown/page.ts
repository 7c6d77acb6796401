// Finds the generated blocks of a Markdown page by CommonMark's fences and comments, and replaces their contents:
//
//   <!-- kubeseq capture=run.pcap follow=pod/nginx -->     the comment, which stays
//   ```mermaid                                             ┐
//   …                                                      │ generated: one mermaid fence right below, or everything down to
//   ```                                                    ┘ <!-- /kubeseq -->, if it exists
//
// Text outside of blocks never changes.

import { closingFence, type Fence, linesOf, openingFence, type PageLine } from './fences.js';
import { PageError, type Setting, settingsOf } from './settings.js';

export interface Block {
  /** Line of the comment, from 1. */
  readonly line: number;
  readonly settings: readonly Setting[];
  /** Characters of the page that are generated, from the line below the comment on. */
  readonly start: number;
  readonly end: number;
  /** Whether an end mark ends the block. */
  readonly marked: boolean;
}

/** The blocks of a page, in order. @throws PageError for a comment or fence that cannot be parsed. */
export function blocksOf(page: string): Block[] {
  const lines = linesOf(page);
  const blocks: Block[] = [];
  for (let at = 0; at < lines.length; at++) {
    const fence = openingFence(lines[at].text);
    if (fence !== null) at = closingLine(lines, at, fence);
    else if (BEGIN.test(lines[at].text)) {
      const last = lastCommentLine(lines, at);
      const comment = lines.slice(at, last + 1).map(({ text }) => text);
      const { lastLine, marked } = regionBelow(lines, last + 1);
      const [start, end] = [lines[last].end, lines[lastLine].end];
      blocks.push({ line: at + 1, settings: settingsOf(comment, at + 1), start, end, marked });
      at = lastLine;
    } else if (END.test(lines[at].text))
      throw new PageError(at + 1, `${END_MARK} without a comment that begins a block`);
  }
  return blocks;
}

/**
 * Replaces the contents of the page's blocks.
 * @param contents Markdown for each block, ending with a line break. Contents other than a single mermaid fence get an end mark, and a
 *   block that has one keeps it.
 */
export function withContents(page: string, blocks: readonly Block[], contents: readonly string[]): string {
  const lineBreak = /\r?\n/.exec(page)?.[0] ?? '\n';
  let out = '';
  let at = 0;
  blocks.forEach((block, i) => {
    const opened = page.slice(at, block.start);
    out += opened.endsWith('\n') ? opened : `${opened}${lineBreak}`;
    const needsNoMark = !block.marked && isOneFence(contents[i]);
    const content = needsNoMark ? contents[i] : `\n${contents[i]}\n${END_MARK}\n`;
    out += content.replaceAll('\n', lineBreak);
    at = block.end;
  });
  return out + page.slice(at);
}

/** The generated part ends at the end mark if one precedes the next block, else with the mermaid fence right below, else it is empty. */
function regionBelow(
  lines: readonly PageLine[],
  from: number,
): { readonly lastLine: number; readonly marked: boolean } {
  const nothing = from - 1;
  /** Last line of the mermaid fence right below, or `nothing` if something else stands there. */
  let fenceEnd: number | null = null;
  for (let at = from; at < lines.length; at++) {
    const { text } = lines[at];
    const fence = openingFence(text);
    if (fence !== null) {
      const last = closingLine(lines, at, fence);
      fenceEnd ??= fence.info === 'mermaid' ? last : nothing;
      at = last;
    } else if (END.test(text)) return { lastLine: at, marked: true };
    else if (BEGIN.test(text)) break;
    else if (text.trim() !== '') fenceEnd ??= nothing;
  }
  return { lastLine: fenceEnd ?? nothing, marked: false };
}

function closingLine(lines: readonly PageLine[], open: number, fence: Fence): number {
  const last = closingFence(lines, open, fence);
  if (last < 0) throw new PageError(open + 1, 'a fence that is not closed');
  return last;
}

function lastCommentLine(lines: readonly PageLine[], from: number): number {
  for (let at = from; at < lines.length; at++) {
    const close = lines[at].text.indexOf('-->');
    if (close < 0) continue;
    if (lines[at].text.slice(close + 3).trim() !== '') throw new PageError(at + 1, 'text behind the comment');
    return at;
  }
  throw new PageError(from + 1, 'a comment that is not closed');
}

function isOneFence(content: string): boolean {
  return content.startsWith('```mermaid\n') && content.indexOf('\n```\n') === content.length - 5;
}

export const END_MARK = '<!-- /kubeseq -->';
const BEGIN = /^<!-- kubeseq(?:\s|$)/;
const END = /^<!-- \/kubeseq -->\s*$/;
