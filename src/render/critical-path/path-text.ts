// Renders critical paths as text for a terminal: a row a leg, with a bar for its share.

import { elapsedText } from '../../core/duration.js';
import type { CriticalPath, PathLeg } from '../../critical-path/model.js';
import { escapeTerminal } from '../escape/terminal-escape.js';
import { formatOffset } from '../time.js';
import { besideWords, pathHead, pathSpan, percentOf, shareText } from './path-words.js';

/** @param first ns since the epoch: the first frame of the captures, zero of the printed times. */
export function renderPathText(paths: readonly CriticalPath[], first: bigint): string {
  return paths.map((path) => `${lines(path, first).join('\n')}\n`).join('\n');
}

function lines(path: CriticalPath, first: bigint): string[] {
  const { legs, warnings, beside } = path;
  const span = pathSpan(path);
  const names = legs.map(({ who }) => escapeTerminal(who));
  const width = Math.max(3, ...names.map((name) => name.length));
  const rows = legs.map((leg, i) => row(leg, names[i].padEnd(width), path.duration, first));
  return [
    escapeTerminal(pathHead(path, first)),
    ...(span === undefined
      ? []
      : [escapeTerminal(`  ${span}; seconds since the first frame; share of ${elapsedText(path.duration)}`)]),
    '',
    `${'seconds'.padStart(11)} ${'took'.padStart(9)}  share ${' '.repeat(BAR)}  ${'who'.padEnd(width)}  what`,
    ...rows,
    '',
    ...warnings.map((line) => escapeTerminal(`Warning Event ${line}`)),
    ...(beside === null ? [] : [besideWords(beside)]),
  ];
}

function row({ from, to, what, duration }: PathLeg, who: string, whole: bigint, first: bigint): string {
  const share = percentOf(duration, whole);
  const bar = '█'.repeat(Math.round((share / 100) * BAR)).padEnd(BAR);
  const where = `messages ${from.seq} to ${to.seq}`;
  const took = elapsedText(duration).padStart(9);
  return `${formatOffset(from.time - first).padStart(11)} ${took} ${shareText(duration, whole).padStart(4)} % ${bar}  ${who}  ${escapeTerminal(what)}, ${where}`;
}

/** Characters of a bar that is the whole. */
const BAR = 20;
