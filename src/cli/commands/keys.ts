// `kubeseq keys` writes TLS secrets of running, unmodified Go programs as an NSS key log.

import { CliError, EXIT_FINE, printError } from '../cli-error.js';
import { type Command, runAndWrite } from '../command.js';
import { Ending } from '../ending.js';
import { FORMATS } from '../formats.js';
import { openKeyLog } from '../keys/key-log-file.js';
import { describe, KeyProbes, nothingFound } from '../keys/key-probes.js';
import { type KeyTarget, namedTargets, runningTargets, type TargetOptions } from '../keys/key-targets.js';
import { Reports } from '../output/reports.js';

export interface KeysOptions extends TargetOptions {
  readonly print?: true;
  readonly wait?: true;
  readonly openConnections?: number;
  readonly output?: string;
  readonly write?: string;
  readonly quiet?: true;
}

export async function keys(options: KeysOptions): Promise<number> {
  if (options.print === true) return runAndWrite(printedKeys, [], options);
  if (options.output !== undefined) throw new CliError('-o is for --print; a key log has one format');
  const reports = new Reports(options.quiet === true);
  // Before any probe is set: where nothing can be written, none is.
  const log = openKeyLog(options.write);
  const ending = new Ending();
  let probes: KeyProbes | null = null;
  try {
    const set = new KeyProbes(options, reports, {
      mayComeLater: options.wait === true,
      openBound: options.openConnections,
    });
    probes = set;
    const over = new Promise<void>((end) => set.start((lines) => log.write(lines), end));
    reports.say(beginning(set.targets));
    await Promise.race([over, ending.interrupt]);
    log.write(set.stop());
    log.close();
    return ending.interrupted ? ending.status : EXIT_FINE;
  } catch (error) {
    log.abandon();
    throw error;
  } finally {
    probes?.stop();
    // Not before: a signal while the probes are removed would end that.
    ending.dispose();
  }
}

function beginning(targets: readonly KeyTarget[]): string {
  if (targets.length === 0) return 'waiting for components to start';
  return `listening to ${targets.map(describe).join(', ')}`;
}

/** `keys --print`: where the probes would be. */
export const printedKeys: Command<[], KeysOptions, readonly KeyTarget[]> = {
  formats: FORMATS.keys,
  async run(_, options) {
    return { result: targetsNow(options), end: () => ({ status: EXIT_FINE }) };
  },
};

function targetsNow(options: KeysOptions): KeyTarget[] {
  const named = namedTargets(options);
  if (options.component === undefined && named.length > 0) return named;
  const { targets, refused } = runningTargets(options);
  if (options.quiet !== true) for (const why of refused) printError(why);
  const all = [...named, ...targets];
  if (all.length === 0) throw new CliError(nothingFound(options));
  return all;
}
