// Defines the command line: commands, options and exit statuses. Every error is one line on standard error.

import { Command, CommanderError } from 'commander';
import { NOTICE_CODES, VERSION } from '../index.js';
import { CliError, describeError, EXIT_FINE, EXIT_INTERRUPTED, EXIT_TROUBLE, printError } from './cli-error.js';
import { type CheckCliOptions, check } from './commands/check.js';
import { DIAGRAM_FORMATS, type DiagramCommandOptions, diagram } from './commands/diagram.js';
import { type DiffCliOptions, diff } from './commands/diff.js';
import { type DocsOptions, docs } from './commands/docs.js';
import { type DoctorOptions, doctor } from './commands/doctor.js';
import { explain } from './commands/explain.js';
import { type ExportOptions, exportMessages } from './commands/export.js';
import { addKeysOptions, type KeysOptions, keys } from './commands/keys.js';
import { MESSAGE_FORMATS, messages } from './commands/messages.js';
import { type ObjectOptions, object } from './commands/object.js';
import { addRecordOptions, type RecordOptions, record } from './commands/record.js';
import { type SummaryOptions, summary } from './commands/summary.js';
import { completion, SHELLS } from './completion/completion.js';
import {
  addCommonOptions,
  addDiagramOptions,
  addLiveOptions,
  addSelectionOptions,
  collected,
  type DiagramCliOptions,
  LAYER_NAMES,
  type MessagesOptions,
} from './options.js';
import { endQuietlyOnClosedPipe, openOutput } from './output/output.js';

/** @param argv as node has it: program, script, arguments. Sets the exit status. */
export async function main(argv: readonly string[]): Promise<void> {
  endQuietlyOnClosedPipe();
  let status = EXIT_FINE;
  const program = build((code) => {
    status = code;
  });
  try {
    await program.parseAsync([...argv]);
  } catch (error) {
    status = statusOf(error, program.commands.find((one) => one.name() === argv[2])?.name());
  }
  process.exitCode = status;
  // A read from a pipe that waits for more would keep the program alive.
  if (status === EXIT_INTERRUPTED) process.stdout.write('', () => process.exit());
}

function build(finish: (status: number) => void): Command {
  const program = new Command('kubeseq')
    .description('Shows, as sequence diagrams, what really happened in captures of a Kubernetes control plane.')
    .version(VERSION, '-V, --version')
    .showHelpAfterError(false)
    .showSuggestionAfterError(true)
    .exitOverride()
    .configureOutput({ outputError: () => {} });

  /** Commands that can capture by themselves, too. */
  const live = (command: Command): Command =>
    addLiveOptions(
      addCommonOptions(
        command.argument('[capture...]', 'pcap or pcapng files, gzipped or not; - for standard input'),
      ).exitOverride(),
    );
  const captures = (command: Command): Command =>
    addCommonOptions(
      command.argument('<capture...>', 'pcap or pcapng files, gzipped or not; - for standard input'),
    ).exitOverride();

  addDiagramOptions(
    live(
      program
        .command('diagram', { isDefault: true })
        .description('a sequence diagram (mermaid, markdown, plantuml, svg, png, text, html, json)'),
    ),
  )
    .option('--no-sandbox', 'svg, png: the browser runs without its sandbox, as root has to')
    .action(async (files: string[], options: DiagramCommandOptions) => finish(await diagram(files, options)));
  addSelectionOptions(
    live(program.command('messages').description('every decoded message, one a line (ndjson, table, csv, har)')),
  )
    .option('--bodies', 'ndjson: with head fields and decoded bodies, redacted')
    .action(async (files: string[], options: MessagesOptions) => finish(await messages(files, options)));
  addSelectionOptions(
    captures(
      program
        .command('export')
        .description('decoded, redacted messages with bodies, to share instead of capture and keys'),
    ),
  ).action(async (files: string[], options: ExportOptions) => finish(await exportMessages(files, options)));
  captures(
    program.command('summary').description('what was in the captures and how much of it was understood (text, json)'),
  )
    .option('--streams', 'every connection with bytes and MD5 of each direction')
    .option('--fail-on <codes>', 'exit 1 if one of these notices occurred, separated by commas')
    .action(async (files: string[], options: SummaryOptions) => finish(await summary(files, options)));
  addDiagramOptions(
    addCommonOptions(
      program
        .command('check')
        .description('does the capture contain the expected sequence? (text, json, junit, github)')
        .argument('<expected>', 'a mermaid sequence diagram (.mmd), or a Markdown page with some')
        .argument('[capture...]', 'pcap or pcapng files, gzipped or not; - for standard input'),
    ).exitOverride(),
  )
    .option('--all-failures', 'every arrow that cannot be matched, not only the first')
    .option('--update', 'rewrite EXPECTED so that it passes on the capture')
    .option('--budget <file>', 'YAML: how often something may be requested or refused at most')
    .action(async (expected: string, files: string[], options: CheckCliOptions) =>
      finish(await check(expected, files, options)),
    );
  addDiagramOptions(
    addCommonOptions(
      program
        .command('diff')
        .description('what differs between two observations (text, mermaid, json); races are no differences')
        .argument('<before>', 'capture, saved messages, or a diagram (.mmd, .md#heading)')
        .argument('<after>', 'capture, saved messages, or a diagram (.mmd, .md#heading)'),
    ).exitOverride(),
  )
    .option('--stat', 'counts by participant')
    .option('--ignore-nondeterminism', 'without reads that only look, repeated reads and writes that came too late')
    .action(async (before: string, after: string, options: DiffCliOptions) =>
      finish(await diff(before, after, options)),
    );
  captures(
    program
      .command('object')
      .description("one object's history: its versions in order, who changed which fields (text, markdown, json)")
      .argument('<kind/name>', 'the object, e.g. pod/nginx'),
  )
    .option('-n, --namespace <namespace>', 'its namespace', 'default')
    .option('--all', 'every field of every version')
    .action(async (name: string, files: string[], options: ObjectOptions) =>
      finish(await object(name, files, options)),
    );
  addDiagramOptions(
    captures(
      program
        .command('explain')
        .description('why one message has its component, its object and its cause')
        .argument('<seq>', 'seq of the message, frame:NUMBER, or arrow:NUMBER of the diagram that the options draw'),
    ),
  ).action(async (which: string, files: string[], options: DiagramCliOptions) =>
    finish(await explain(which, files, options)),
  );
  addKeysOptions(
    program
      .command('keys')
      .description('TLS secrets of running Go programs as an NSS key log, for --keylog')
      .exitOverride(),
  ).action(async (options: KeysOptions) => finish(await keys(options)));
  addRecordOptions(
    addDiagramOptions(
      addCommonOptions(
        program
          .command('record')
          .description('tcpdump and keys around a command, then its diagram: record [options] -- COMMAND...')
          .argument('<command...>', 'what to run, behind --')
          .exitOverride(),
      ),
    ),
  ).action(async (command: string[], options: RecordOptions) => finish(await record(command, options)));
  program
    .command('doctor')
    .description('what would be readable on this host, and what is missing (text, json)')
    .option('-o, --output <format>', 'text or json')
    .option('--no-color', 'no colours')
    .exitOverride()
    .action(async (options: DoctorOptions) => finish(await doctor(options)));
  addDiagramOptions(
    program
      .command('docs')
      .description('keeps the diagrams inside Markdown pages current')
      .argument('<page...>', 'Markdown files, or folders of them')
      .option('--check', 'change nothing; exit 1 if a page is stale')
      .option('--new', 'make a first page: kubeseq docs --new PAGE CAPTURE...')
      .option('--keylog <file>', '--new: NSS key log; repeatable', collected)
      .option('--participants <file>', '--new: YAML with names, order, groups, address and user-agent rules')
      .option('-q, --quiet', 'no remarks on standard error')
      .option('-v, --verbose', 'every notice on standard error')
      .option('--no-progress', 'no progress on standard error')
      .exitOverride(),
  ).action(async (pages: string[], options: DocsOptions) => finish(await docs(pages, options)));
  program
    .command('completion')
    .description('a completion script: source <(kubeseq completion bash)')
    .argument('<shell>', SHELLS.join(', '))
    .exitOverride()
    .action(async (shell: string) => {
      const output = openOutput(undefined);
      await output.write(completion(shell, program, COMPLETED_VALUES));
    });
  return program;
}

/** What completion offers, where an option does not say it itself. */
const COMPLETED_VALUES = {
  'diagram --output': DIAGRAM_FORMATS,
  'messages --output': MESSAGE_FORMATS,
  'summary --output': ['text', 'json'],
  'check --output': ['text', 'json', 'junit', 'github'],
  'object --output': ['text', 'markdown', 'json'],
  'keys --output': ['text', 'json', 'bpftrace'],
  'record --output': DIAGRAM_FORMATS,
  'doctor --output': ['text', 'json'],
  'diff --output': ['text', 'mermaid', 'json'],
  'explain --output': ['text'],
  'export --output': ['ndjson'],
  '--layers,': LAYER_NAMES,
  '--fail-on,': Object.keys(NOTICE_CODES),
  completion: SHELLS,
};

/** @param command as the user named it; undefined: the one that needs no name. */
function statusOf(error: unknown, command = 'diagram'): number {
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return EXIT_FINE;
    const message = error.message.replace(/^error: /, '').replaceAll('\n', ' ');
    const isHelp = error.code === 'commander.help';
    printError(isHelp ? "name a capture, or see 'kubeseq --help'" : `${message}; see 'kubeseq ${command} --help'`);
    return EXIT_TROUBLE;
  }
  if (error instanceof CliError) printError(error.message);
  else printError(describeError(error));
  return EXIT_TROUBLE;
}
