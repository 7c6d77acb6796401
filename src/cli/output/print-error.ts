// One line to the user on standard error. Knows that what captures say must not steer a terminal.

import { escapeTerminal } from '../../index.js';

export function printError(text: string): void {
  process.stderr.write(`kubeseq: ${escapeTerminal(text)}\n`);
}
