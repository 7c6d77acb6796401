// `kubeseq keys` writes TLS secrets of running, unmodified Go programs as an NSS key log.

import { resolve } from 'node:path';
import { type Command, InvalidArgumentError } from 'commander';
import { bpftraceProgram, escapeTerminal, KEY_LOG_FUNCTION, uprobeLine } from '../../index.js';
import { CliError, EXIT_FINE, EXIT_INTERRUPTED, printError } from '../cli-error.js';
import { openKeyLog } from '../keys/key-log-file.js';
import { describe, KeyProbes, nothingFound } from '../keys/key-probes.js';
import { type KeyTarget, namedTargets, runningTargets, type TargetOptions } from '../keys/key-targets.js';
import { durationOf } from '../options.js';
import { formatOf } from '../output/format.js';
import { openOutput } from '../output/output.js';

export interface KeysOptions extends TargetOptions {
  readonly print?: true;
  readonly wait?: true;
  readonly openConnections?: number;
  readonly output?: string;
  readonly write?: string;
  readonly quiet?: true;
}

export function addKeysOptions(command: Command): Command {
  return command
    .option('--pid <pid>', 'a process; repeatable', repeated(processNumber))
    .option('--binary <file>', 'every process of this executable; repeatable', repeated(String))
    .option('--component <list>', 'components by name, also in containers; default: all that run', listed)
    .option('--wait', 'where none of the components runs yet, wait for them')
    .option(
      '--open-connections <time>',
      'listen to connections that are open already, for so long at most; 0s: not at all; default: 90s',
      durationOf,
    )
    .option('--print', 'only show where the probe would go: text, json, bpftrace')
    .option('-o, --output <format>', 'of --print')
    .option('-w, --write <file>', 'add lines to this file, readable by its owner only; default: standard output')
    .option('-q, --quiet', 'nothing on standard error')
    .option('--no-color', 'no colours');
}

export async function keys(options: KeysOptions): Promise<number> {
  if (options.print === true) return print(options);
  if (options.output !== undefined) throw new CliError('-o is for --print; a key log has one format');
  const report = (text: string): void => {
    if (options.quiet !== true) printError(text);
  };
  const probes = new KeyProbes(options, report, {
    mayComeLater: options.wait === true,
    openBound: options.openConnections,
  });
  try {
    const log = openKeyLog(options.write);
    const signal = new Promise<number>((end) => {
      probes.start(
        (lines) => log.write(lines),
        () => end(EXIT_FINE),
      );
      for (const [name, status] of SIGNALS) process.once(name, () => end(status));
    });
    report(beginning(probes.targets));
    const status = await signal;
    log.write(probes.stop());
    log.close();
    return status;
  } finally {
    probes.stop();
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
  if (format === 'json') return `${JSON.stringify(rows, null, 2)}\n`;
  if (format === 'bpftrace')
    return bpftraceProgram(targets.map(({ binary, found }) => ({ found, file: resolve(binary) })));
  return rows
    .map(({ address, offset, probe }, i) =>
      [describe(targets[i]), `  ${KEY_LOG_FUNCTION} at ${address}, ${offset} in the file`, `  ${probe}`]
        .map((line) => `${escapeTerminal(line)}\n`)
        .join(''),
    )
    .join('');
}

/** An option that may be given several times. */
function repeated<T>(parse: (text: string) => T): (text: string, before?: readonly T[]) => readonly T[] {
  return (text, before = []) => [...before, parse(text)];
}

function listed(text: string, before: readonly string[] = []): readonly string[] {
  return [
    ...before,
    ...text
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== ''),
  ];
}

function processNumber(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError('expected the number of a process.');
  return Number(text);
}

/** Signal → exit status: 128 and the signal's number, as of shells. */
const SIGNALS: readonly (readonly [NodeJS.Signals, number])[] = [
  ['SIGINT', EXIT_INTERRUPTED],
  ['SIGTERM', 143],
  ['SIGHUP', 129],
];
