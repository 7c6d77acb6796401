// Renders what stands below the diagram of a Markdown page: its participants, and what it was made of.

import type { Lifeline, Sequence } from '../../diagram/model.js';
import { codeSpan, escapeMarkdown } from '../escape/markdown-escape.js';

interface Provenance {
  readonly version: string;
  /** The command that prints the diagram, as typed. */
  readonly command: string;
  readonly captures: readonly {
    readonly file: string;
    /** SHA-256 of the file, in hexadecimal digits. */
    readonly sha256: string;
  }[];
}

/**
 * The part with the version of an earlier one. A part that is otherwise unchanged keeps its version; else every release would change
 * every page.
 */
export function withVersionOf(part: string, earlier: string): string {
  const version = VERSION_LINE.exec(earlier)?.[0];
  return version === undefined ? part : part.replace(VERSION_LINE, () => version);
}

/** A line of Markdown. */
export function provenanceText({ version, command, captures }: Provenance): string {
  const files = captures.map(({ file, sha256 }) => `${codeSpan(file)}, SHA-256 ${codeSpan(sha256)}`);
  return `Drawn by kubeseq ${version} from ${files.join('; ')}: ${codeSpan(command)}\n`;
}

const VERSION_LINE = /^Drawn by kubeseq \S+ from /m;

/** A table of the participants with their evidence; empty if none is drawn. */
export function renderParticipants({ participants }: Sequence): string {
  if (participants.length === 0) return '';
  return ['| participant | recognised by |', '| --- | --- |', ...participants.map(row), ''].join('\n');
}

function row({ name, evidence }: Lifeline): string {
  const shown = evidence.slice(0, MAX_EVIDENCE).map(escapeMarkdown);
  if (evidence.length > MAX_EVIDENCE) shown.push(`${evidence.length - MAX_EVIDENCE} more`);
  return `| ${escapeMarkdown(name)} | ${shown.join('<br>')} |`;
}

/** Limit: pieces of evidence in the table of a page; `kubeseq explain` prints the rest. */
const MAX_EVIDENCE = 4;
