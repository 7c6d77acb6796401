// Colours output if a terminal shows it, unless NO_COLOR or --no-color is set. chalk itself ignores NO_COLOR.

import { Chalk } from 'chalk';
import { type DiffPaint, type Paint, PLAIN, PLAIN_DIFF } from '../../index.js';

export function paintFor(wanted: boolean | undefined): Paint {
  if (!isShown(wanted)) return PLAIN;
  const chalk = new Chalk({ level: 1 });
  return { dim: (text) => chalk.dim(text), strong: (text) => chalk.bold(text), bad: (text) => chalk.red(text) };
}

export function diffPaintFor(wanted: boolean | undefined): DiffPaint {
  if (!isShown(wanted)) return PLAIN_DIFF;
  const chalk = new Chalk({ level: 1 });
  return {
    added: (text) => chalk.green(text),
    removed: (text) => chalk.red(text),
    place: (text) => chalk.cyan(text),
  };
}

function isShown(wanted: boolean | undefined): boolean {
  return wanted === true && (process.env['NO_COLOR'] ?? '') === '' && process.env['TERM'] !== 'dumb';
}
