// `kubeseq completion SHELL` prints a completion script.

import type { Command } from 'commander';
import { NOTICE_CODES } from '../../index.js';
import { EXIT_FINE } from '../cli-error.js';
import { SHELLS } from '../completion/completed.js';
import { completion } from '../completion/completion.js';
import { FORMATS } from '../formats.js';
import { THRESHOLD_NAMES } from '../input/top-options.js';
import { LAYER_NAMES, SHOWN_NAMES } from '../options.js';
import { writeOutput } from '../output/output.js';

/** @param definition of the command, whose program has all others. */
export async function complete(shell: string, _: object, { parent }: Command): Promise<number> {
  await writeOutput(undefined, completion(shell, parent as Command, COMPLETED_VALUES));
  return EXIT_FINE;
}

/** What completion offers, where an option does not say it itself. */
const COMPLETED_VALUES = {
  ...Object.fromEntries(Object.entries(FORMATS).map(([name, formats]) => [`${name} --output`, Object.keys(formats)])),
  '--layers,': LAYER_NAMES,
  '--show,': SHOWN_NAMES,
  '--threshold': THRESHOLD_NAMES,
  '--fail-on,': Object.keys(NOTICE_CODES),
  completion: SHELLS,
};
