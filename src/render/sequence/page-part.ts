// What kubeseq writes into a page for one comment: the picture, and where they are asked for who is in it, its arrows one by
// one, and what it was made of. Knows the order of these, not how each is written.

import type { Sequence } from '../../diagram/model.js';
import { codeSpan } from '../escape/markdown-escape.js';
import { renderParticipants } from '../participants.js';
import { renderMarkdown } from './markdown.js';
import { renderSteps, type StepOptions } from './steps.js';

export interface PagePartOptions {
  readonly frames?: boolean;
  readonly participants?: boolean;
  readonly steps?: StepOptions;
  readonly provenance?: Provenance;
}

export interface Provenance {
  readonly version: string;
  /** What prints the picture, as it is typed. */
  readonly command: string;
  readonly captures: readonly {
    readonly file: string;
    /** SHA-256 of the file as it lies there, in hexadecimal digits. */
    readonly sha256: string;
  }[];
}

/** Markdown that ends with a line break. */
export function renderPagePart(sequence: Sequence, options: PagePartOptions): string {
  const parts = [renderMarkdown(sequence, { frames: options.frames })];
  if (options.participants === true) parts.push(renderParticipants(sequence));
  if (options.steps !== undefined) parts.push(renderSteps(sequence, options.steps));
  if (options.provenance !== undefined) parts.push(provenanceLines(options.provenance));
  return parts.filter((part) => part !== '').join('\n');
}

/**
 * The part as it would be if an earlier version had made it: what did not change otherwise was made by that version, and
 * saying another one would change every page with every release.
 */
export function withVersionOf(part: string, earlier: string): string {
  const version = VERSION_LINE.exec(earlier)?.[0];
  return version === undefined ? part : part.replace(VERSION_LINE, () => version);
}

function provenanceLines({ version, command, captures }: Provenance): string {
  const files = captures.map(({ file, sha256 }) => `${codeSpan(file)}, SHA-256 ${codeSpan(sha256)}`);
  return `Drawn by kubeseq ${version} from ${files.join('; ')}: ${codeSpan(command)}\n`;
}

const VERSION_LINE = /^Drawn by kubeseq \S+ from /m;
