// Colour, where a terminal shows it and nobody said no (NO_COLOR, --no-color). chalk does not look at NO_COLOR itself.

import { Chalk } from 'chalk';
import { type Paint, PLAIN } from '../index.js';

export function paintFor(wanted: boolean): Paint {
  if (!wanted || (process.env['NO_COLOR'] ?? '') !== '' || process.env['TERM'] === 'dumb') return PLAIN;
  const chalk = new Chalk({ level: 1 });
  return { dim: (text) => chalk.dim(text), strong: (text) => chalk.bold(text), bad: (text) => chalk.red(text) };
}
