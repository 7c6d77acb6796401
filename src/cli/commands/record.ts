// `kubeseq record -- COMMAND` runs tcpdump, and optionally probes for TLS secrets, around a command, then writes its
// capture, messages and diagram.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { escapeTerminal, type OpenConnectionCount } from '../../index.js';
import { CliError, describeError, printError } from '../cli-error.js';
import { runAndWrite } from '../command.js';
import { Ending, statusOf } from '../ending.js';
import { FORMATS, formatOf } from '../formats.js';
import { anonymizerOf, anonymously } from '../input/anonymize.js';
import { Tcpdump } from '../input/tcpdump.js';
import { checkSelection, followOf } from '../option-values.js';
import type { DiagramCliOptions } from '../options.js';
import { privateFolder } from '../output/output-folder.js';
import { abandonFile, type Unfinished } from '../output/unfinished-file.js';
import { begun, type RecordFolder, recordFolder, writePcapng } from '../record/record-files.js';
import { IdleDetector, pause } from '../record/record-idle.js';
import { filterFor } from '../record/record-ports.js';
import { RecordedSecrets } from '../record/record-secrets.js';
import { checkRing, recordRing } from '../record/ring-recording.js';
import { standardStreams } from '../standard-streams.js';
import { diagram } from './diagram.js';
import { messages } from './messages.js';
import { summary } from './summary.js';

export interface RecordOptions extends DiagramCliOptions {
  readonly ring?: string;
  readonly size?: number;
  readonly keys?: true;
  readonly keepKeys?: true;
  readonly for?: number;
  readonly openConnections?: number;
}

/** @returns the exit status of the command, as env(1) and strace(1) do, or 130 after SIGINT. */
export async function record(command: readonly string[], options: RecordOptions, definition: Command): Promise<number> {
  if (options.ring !== undefined) {
    const given = definition.options.filter((one) => definition.getOptionValueSource(one.attributeName()) === 'cli');
    checkRing(
      command,
      given.map(({ long }) => long ?? ''),
    );
    return recordRing({ ...options, ring: options.ring });
  }
  if (options.size !== undefined) throw new CliError('--size is that of a ring: give --ring DIR');
  if (command.length === 0) throw new CliError('name the command to run after --, or give --ring DIR');
  // Options are checked before the command runs.
  anonymizerOf(options);
  checkSelection(options);
  formatOf({ output: options.output }, FORMATS.record);
  const folder = recordFolder(options.write);
  try {
    return await recordInto(folder, command, options);
  } finally {
    folder.removeIfEmpty();
  }
}

async function recordInto(
  { path: folder }: RecordFolder,
  command: readonly string[],
  options: RecordOptions,
): Promise<number> {
  const diagram = { follow: followOf(options), all: options.all };
  const own = privateFolder();
  let raw: Unfinished | null = null;
  const ending = new Ending();
  const secrets = new RecordedSecrets(command, options, own);
  let tcpdump: Tcpdump | null = null;
  let status: number;
  let detector: IdleDetector | null = null;
  let started: Date;
  try {
    // Before any probe is set: where nothing can be written or captured, none is.
    raw = begun(join(folder, 'capture.pcap'));
    tcpdump = new Tcpdump({
      interface: options.interface,
      filter: options.filter ?? filterFor(command, process.env),
      immediate: false,
    });
    await tcpdump.ready();
    const writing = new Writing(tcpdump, raw, options);
    detector = new IdleDetector(raw.path, secrets.keyLogTail, diagram);
    // What is captured meanwhile has the causes of what comes later: who watches what, and what was written last.
    secrets.start();
    await secrets.waitForOpenConnections(() => ending.interrupted);
    if (ending.interrupted) {
      tcpdump.stop();
      await writing.end();
      abandonFile(raw);
      return ending.status;
    }
    detector.begin();
    started = new Date();
    status = await run(command, secrets.environment, ending);
    if (!writing.hasFailed) await wait(detector, options, ending);
    // Waits for packets that the kernel still buffers.
    await pause(HANDED_ON_MS);
    tcpdump.stop();
    await writing.end();
    secrets.stop();
    await detector.end();
  } catch (error) {
    if (raw !== null) abandonFile(raw);
    throw error;
  } finally {
    detector?.stop();
    tcpdump?.stop();
    secrets.stop();
    ending.dispose();
  }
  const capture = join(folder, 'capture.pcapng');
  try {
    const kept = options.keepKeys === true ? await secrets.usedBy(raw.path) : undefined;
    await writePcapng(raw.path, capture, tcpdump.dropped, kept);
  } finally {
    abandonFile(raw);
  }
  const keylog = [...(options.keylog ?? []), ...secrets.asFile()];
  const since = options.since ?? started.toISOString();
  // The results are read from the recorded file.
  const results: RecordOptions = { ...options, keylog, since, interface: undefined, live: undefined };
  await anonymously([capture], results, () => writeResults(folder, capture, detector, results)).catch(
    (error: unknown) => {
      throw error instanceof CliError ? new CliError(`${error.message}; the capture itself is in ${capture}`) : error;
    },
  );
  await standardStreams().output(openBefore(secrets.countsByName));
  return ending.interrupted ? ending.status : status;
}

/** Writes packets to a file at once, because tcpdump drops what it cannot pass on. */
class Writing {
  hasFailed = false;
  readonly #done: Promise<void>;

  /** @param quiet do not print an error while the command runs. */
  constructor(tcpdump: Tcpdump, into: Unfinished, { quiet }: { readonly quiet?: boolean }) {
    this.#done = this.#write(tcpdump, into);
    this.#done.catch((error: unknown) => {
      this.hasFailed = true;
      // The command itself may need the space.
      abandonFile(into);
      if (quiet !== true) printError(`${describeError(error)}; the command goes on, and is not recorded`);
    });
  }

  /** Throws Trouble. */
  async end(): Promise<void> {
    await this.#done;
  }

  async #write(tcpdump: Tcpdump, { path, file }: Unfinished): Promise<void> {
    try {
      for await (const chunk of tcpdump.chunks())
        for (let at = 0; at < chunk.length; ) at += writeSync(file, chunk, at);
    } catch (error) {
      throw error instanceof CliError ? error : new CliError(`${path}: ${describeError(error)}`);
    } finally {
      closeSync(file);
    }
  }
}

/** Runs the command with this program's standard streams. @returns its exit status, as of a shell. */
async function run(command: readonly string[], environment: NodeJS.ProcessEnv, ending: Ending): Promise<number> {
  const child = spawn(command[0], command.slice(1), { stdio: 'inherit', env: environment });
  ending.passOn(child);
  const [code, signal] = (await once(child, 'exit').catch((error: NodeJS.ErrnoException) => {
    throw new CliError(`${command[0]}: ${error.code === 'ENOENT' ? 'no such command' : error.message}`);
  })) as [number | null, NodeJS.Signals | null];
  return code ?? statusOf(signal ?? '');
}

async function wait(detector: IdleDetector, options: RecordOptions, ending: Ending): Promise<void> {
  if (options.for !== undefined) {
    await Promise.race([pause(options.for), ending.interrupt]);
    return;
  }
  const quiet = await Promise.race([detector.quiet(() => ending.interrupted), ending.interrupt.then(() => true)]);
  if (!quiet && options.quiet !== true)
    printError('what the command touched is not quiet yet; --for TIME sets how long to record');
}

async function writeResults(
  folder: string,
  capture: string,
  detector: IdleDetector,
  options: RecordOptions,
): Promise<void> {
  const [ending] = FORMATS.record[options.output ?? 'mermaid'].endings ?? [];
  // Traces have two: `.otlp.json`.
  const drawing = join(folder, `diagram.${ending?.split('.')[1]}`);
  const { from, to, since, until, where, interface: _, filter: __, live: ___, ...common } = options;
  const all = { ...common, follow: undefined, finalNames: true } as const;
  await runAndWrite(messages, [[capture]], {
    ...all,
    output: 'ndjson',
    write: join(folder, 'messages.ndjson'),
    quiet: true,
  });
  const shown = { ...common, from, to, since, until, where, write: drawing, overview: false };
  // Commands that only read, or use other servers, are drawn too.
  const hasStory = detector.drawn > 0 || options.follow !== undefined || !detector.hasAny;
  await runAndWrite(diagram, [[capture]], hasStory ? shown : { ...shown, all: true, layers: ['all'] });
  await standardStreams().output(`${drawing}\n`);
  await runAndWrite(summary, [[capture]], { ...common, output: 'text', write: undefined, verbose: undefined });
}

/** How many of the connections that were open before can be decoded; empty: there were none, or no probes. */
function openBefore(countsByName: ReadonlyMap<string, OpenConnectionCount>): string {
  const rows = [...countsByName].filter(([, { total }]) => total > 0);
  if (rows.length === 0) return '';
  const each = rows.map(
    ([name, { observed, total }]) => `  ${escapeTerminal(name)}: ${observed} read, ${total - observed} not\n`,
  );
  return `\nconnections that were open before the recording\n${each.join('')}`;
}

/** tcpdump buffers packets for up to a second. */
const HANDED_ON_MS = 1200;
