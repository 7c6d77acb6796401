// `kubeseq completion SHELL` prints a completion script.

import type { Command } from 'commander';
import { NOTICE_CODES } from '../../index.js';
import { EXIT_FINE } from '../cli-error.js';
import { SHELLS } from '../completion/completed.js';
import { completion } from '../completion/completion.js';
import { LAYER_NAMES } from '../options.js';
import { openOutput } from '../output/output.js';
import { DIAGRAM_FORMATS } from './diagram.js';
import { EXPORT_FORMATS } from './export.js';
import { MESSAGE_FORMATS } from './messages.js';
import { QUERY_FORMATS } from './query.js';

/** @param program with all of its commands. */
export async function complete(shell: string, program: Command): Promise<number> {
  await openOutput(undefined).write(completion(shell, program, COMPLETED_VALUES));
  return EXIT_FINE;
}

/** What completion offers, where an option does not say it itself. */
const COMPLETED_VALUES = {
  'diagram --output': DIAGRAM_FORMATS,
  'messages --output': MESSAGE_FORMATS,
  'summary --output': ['text', 'json'],
  'top --output': ['text', 'json'],
  'check --output': ['text', 'json', 'junit', 'github'],
  'object --output': ['text', 'markdown', 'mermaid', 'json'],
  'path --output': ['text', 'markdown', 'json'],
  'keys --output': ['text', 'json', 'bpftrace'],
  'record --output': DIAGRAM_FORMATS,
  'doctor --output': ['text', 'json'],
  'diff --output': ['text', 'mermaid', 'json'],
  'explain --output': ['text'],
  'export --output': EXPORT_FORMATS,
  'query --output': QUERY_FORMATS,
  '--layers,': LAYER_NAMES,
  '--fail-on,': Object.keys(NOTICE_CODES),
  completion: SHELLS,
};
