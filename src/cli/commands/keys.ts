// `kubeseq keys` writes TLS secrets of running, unmodified Go programs as an NSS key log.

import { resolve } from 'node:path';
import { bpftraceProgram, escapeTerminal, jsonText, KEY_LOG_FUNCTION, uprobeLine } from '../../index.js';
import { CliError, EXIT_FINE, printError } from '../cli-error.js';
import { Ending } from '../ending.js';
import { openKeyLog } from '../keys/key-log-file.js';
import { describe, KeyProbes, nothingFound } from '../keys/key-probes.js';
import { type KeyTarget, namedTargets, runningTargets, type TargetOptions } from '../keys/key-targets.js';
import { formatOf } from '../output/format.js';
import { openOutput } from '../output/output.js';
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
  if (options.print === true) return print(options);
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
    ending.over();
  }
}

function beginning(targets: readonly KeyTarget[]): string {
  if (targets.length === 0) return 'waiting for components to start';
  return `listening to ${targets.map(describe).join(', ')}`;
}

async function print(options: KeysOptions): Promise<number> {
  const format = formatOf(
    options,
    ['text', 'json', 'bpftrace'] as const,
    { '.json': 'json', '.bt': 'bpftrace', '.txt': 'text' },
    'text',
  );
  const targets = targetsNow(options);
  const output = openOutput(options.write);
  await output.write(printed(targets, format));
  await output.done();
  return EXIT_FINE;
}

function targetsNow(options: KeysOptions): KeyTarget[] {
  const named = namedTargets(options);
  if (options.component === undefined && named.length > 0) return named;
  const { targets, refused } = runningTargets(options);
  if (options.quiet !== true) for (const why of refused) printError(why);
  const all = [...named, ...targets];
  if (all.length === 0) throw new CliError(nothingFound(options));
  return all;
}

function printed(targets: readonly KeyTarget[], format: 'text' | 'json' | 'bpftrace'): string {
  const hex = (value: number): string => `0x${value.toString(16)}`;
  const rows = targets.map(({ binary, found }) => ({
    binary,
    goVersion: found.goVersion,
    arch: found.arch,
    address: hex(found.address),
    offset: hex(found.offset),
    probe: uprobeLine(found, resolve(binary)),
  }));
  if (format === 'json') return `${jsonText(rows, 2)}\n`;
  // bpftrace has no escape for what is escaped here: it says that there is no such file.
  if (format === 'bpftrace')
    return bpftraceProgram(targets.map(({ binary, found }) => ({ found, file: escapeTerminal(resolve(binary)) })));
  return rows
    .map(({ address, offset, probe }, i) =>
      [describe(targets[i]), `  ${KEY_LOG_FUNCTION} at ${address}, ${offset} in the file`, `  ${probe}`]
        .map((line) => `${escapeTerminal(line)}\n`)
        .join(''),
    )
    .join('');
}
