// The picture of an expectation that failed: its own text, with every arrow that failed on a red ground and a note that
// says what came nearest. Knows mermaid's statements; captured text passes through its escape.

import { framesText } from '../../core/origin.js';
import type { CheckFailure } from '../../expectation/check.js';
import type { CheckedExpectation } from '../../expectation/report.js';
import { escapeMermaid, shorten, wrap } from '../escape/mermaid-escape.js';

/** @returns mermaid text; null where it would be longer than GitHub draws. */
export function failedPicture({ source, firstLine, verdict }: CheckedExpectation): string | null {
  const lines = source.split('\n');
  const byLine = new Map(verdict.failures.map((failure) => [failure.line - firstLine, failure]));
  const out = lines.flatMap((line, i) => {
    const failure = byLine.get(i);
    return failure === undefined ? [line] : marked(line, failure);
  });
  const text = out.join('\n').trim();
  return text.length > PICTURE_CHARACTERS ? null : text;
}

function marked(line: string, failure: CheckFailure): string[] {
  const indent = /^\s*/.exec(line)?.[0] ?? '';
  const { from, to } = failure.text;
  const over = from === to ? from : `${from},${to}`;
  const note = `${indent}Note over ${over}: ${noteText(failure)}`;
  // A line with other statements beside the arrow stays as it is.
  if (failure.kind === 'never' || line.includes(';')) return [line, note];
  return [`${indent}rect rgb(255, 205, 205)`, line, note, `${indent}end`];
}

function noteText({ kind, nearest }: CheckFailure): string {
  if (nearest === null) return 'not matched; nothing comes near';
  const { message, differences } = nearest;
  const head = kind === 'never' ? 'must not occur, but did' : 'not matched; nearest';
  const texts = [
    `${head}: ${framesText(message.frames)} (message ${message.seq})`,
    `${message.from.name} to ${message.to.name}`,
    message.label,
    ...differences,
  ];
  return texts
    .flatMap((text) => wrap(shorten(text, NOTE_CHARACTERS)))
    .map(escapeMermaid)
    .join('<br>');
}

const NOTE_CHARACTERS = 200;
/** mermaid refuses more than 50,000 (maxTextSize), and GitHub cannot be told otherwise. */
const PICTURE_CHARACTERS = 45_000;
