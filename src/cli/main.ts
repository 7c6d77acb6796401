// Defines the command line: commands, options and exit statuses. Every error is one line on standard error.

import { existsSync } from 'node:fs';
import { Command, CommanderError, Option } from 'commander';
import { nearestName } from '../core/nearest-name.js';
import { VERSION } from '../version.js';
import { CliError, describeError, EXIT_FINE, EXIT_INTERRUPTED, EXIT_TROUBLE, printError } from './cli-error.js';
import type { Command as CommandThatAnswers, PrintOptions } from './command.js';
import type { CheckCliOptions } from './commands/check.js';
import type { DiagramCommandOptions } from './commands/diagram.js';
import type { DiffCliOptions } from './commands/diff.js';
import type { DocsOptions } from './commands/docs.js';
import type { DoctorOptions } from './commands/doctor.js';
import type { ExplainOptions } from './commands/explain.js';
import type { ExportOptions } from './commands/export.js';
import type { KeysOptions } from './commands/keys.js';
import type { McpOptions } from './commands/mcp.js';
import type { ObjectOptions } from './commands/object.js';
import type { PathOptions } from './commands/path.js';
import type { QueryOptions } from './commands/query.js';
import type { RecordOptions } from './commands/record.js';
import type { SummaryOptions } from './commands/summary.js';
import { SHELLS } from './completion/completed.js';
import { FORMATS, namesOf } from './formats.js';
import { arrangeHelp } from './help.js';
import { addPageOptions } from './input/page-options.js';
import {
  addArrowOptions,
  addCaptureOptions,
  addCommonOptions,
  addDiagramOptions,
  addDrawingOptions,
  addKeysOptions,
  addLiveOptions,
  addReadingOptions,
  addRecordOptions,
  addSelectionOptions,
  addTopOptions,
  addViewOptions,
  collected,
  type DiagramCliOptions,
  type MessagesOptions,
  type TopCliOptions,
  wholeNumber,
} from './options.js';
import { endQuietlyOnClosedPipe } from './output/closed-pipe.js';

/**
 * Sets the exit status.
 *
 * @param argv as node has it: program, script, arguments.
 * @param onLoaded is called when the code of the command is loaded, before it runs.
 */
export async function main(argv: readonly string[], onLoaded: () => void): Promise<void> {
  endQuietlyOnClosedPipe();
  let status = EXIT_FINE;
  const program = build(onLoaded, (code) => {
    status = code;
  });
  try {
    refuseMistyped(argv[2], program);
    await program.parseAsync([...argv]);
  } catch (error) {
    status = statusOf(error, program.commands.find((one) => one.name() === argv[2])?.name());
  }
  process.exitCode = status;
  // A read from a pipe that waits for more would keep the program alive.
  if (status === EXIT_INTERRUPTED) process.stdout.write('', () => process.exit());
}

/** What is neither a command nor a file would be taken for a capture. Throws CliError. */
function refuseMistyped(word: string | undefined, program: Command): void {
  if (word === undefined || !/^[a-z]+$/i.test(word) || existsSync(word)) return;
  const names = program.commands.map((command) => command.name());
  if (names.includes(word) || word === 'help') return;
  const near = nearestName(word, names);
  if (near !== null) throw new CliError(`${word}: no such command, nor file; did you mean ${near}?`);
}

type Commands = typeof import('./commands/commands.js');

function build(onLoaded: () => void, finish: (status: number) => void): Command {
  const program = new Command('kubeseq')
    .description('Shows, as sequence diagrams, what really happened in captures of a Kubernetes control plane.')
    .version(VERSION, '-V, --version')
    .showHelpAfterError(false)
    .showSuggestionAfterError(true)
    .exitOverride()
    .configureOutput({ outputError: () => {} });

  let called = program;
  program.hook('preAction', (_, command) => {
    called = command;
  });
  // `--help` and `--version` need no command, and so nothing that a command needs.
  const run = async (command: (all: Commands) => Promise<number>): Promise<void> => {
    const all = await import('./commands/commands.js');
    onLoaded();
    finish(await all.withPager(called.args, called.opts(), () => command(all)));
  };
  /** The same for a command that answers. */
  const answer = <Args extends readonly unknown[], Options extends PrintOptions, Result>(
    pick: (all: Commands) => CommandThatAnswers<Args, Options, Result>,
    args: Args,
    options: Options,
  ): Promise<void> => run((all) => all.carryOut(pick(all), args, options));
  /** Commands that can capture by themselves, too. */
  const live = (command: Command, without?: readonly string[]): Command =>
    addLiveOptions(
      addCaptureOptions(
        command.argument('[capture...]', 'pcap or pcapng files, audit logs, gzipped or not; - for standard input'),
        without,
      ).exitOverride(),
    );
  const captures = (command: Command, without?: readonly string[]): Command =>
    addCaptureOptions(
      command.argument('<capture...>', 'pcap or pcapng files, audit logs, gzipped or not; - for standard input'),
      without,
    ).exitOverride();

  addDrawingOptions(
    live(
      program
        .command('diagram', { isDefault: true })
        .description(`draw a sequence diagram (${namesOf(FORMATS.diagram)}); kubeseq CAPTURE does the same`),
    ),
  )
    .option(
      '--overview',
      'draw one arrow for each object that people wrote; default for several stories with more than 60 arrows together',
    )
    .option('--no-overview', 'draw every arrow of every story')
    .addOption(
      new Option(
        '--answers <how>',
        'drawn: an arrow for each response (default); folded: a successful response stands in the label of its request',
      ).choices(['drawn', 'folded']),
    )
    .addOption(
      new Option(
        '--labels <how>',
        'full: method and path (default); short: create pod nginx; changes: short, and the fields that a write changed',
      ).choices(['full', 'short', 'changes']),
    )
    .addOption(
      new Option('--detail <level>', 'low: --labels short --answers folded; full: --frames --users')
        .choices(['low', 'normal', 'full'])
        .default('normal'),
    )
    .option('--path', 'with --follow: mark the steps that took the time until the object was ready, or deleted')
    .option('--users', 'add a note with the user of each participant; for an audit log always')
    .option('--wide', 'text: do not shorten names and labels to the width of the terminal')
    .option(...NO_SANDBOX)
    .action((files: string[], options: DiagramCommandOptions) => answer((all) => all.diagram, [files], options));
  addSelectionOptions(
    live(
      program
        .command('messages')
        .description(`print every decoded message, one per line (${namesOf(FORMATS.messages)})`),
    ),
  )
    .option('--bodies', 'ndjson: add header fields and decoded bodies, redacted')
    .action((files: string[], options: MessagesOptions) => answer((all) => all.messages, [files], options));
  addSelectionOptions(
    captures(
      program
        .command('export')
        .description(
          `save redacted messages with bodies, to share instead of the capture and its keys (${namesOf(FORMATS.export)})`,
        ),
      ['--no-color'],
    ),
  ).action((files: string[], options: ExportOptions) => answer((all) => all.exportMessages, [files], options));
  addCaptureOptions(
    program
      .command('query')
      .description(`run SQL over messages, by DuckDB: SELECT … FROM messages (${namesOf(FORMATS.query)})`)
      .argument('<file...>', 'tables, captures or saved messages; then the query, in quotes')
      .exitOverride(),
    ['--no-color'],
  ).action((args: string[], options: QueryOptions) => answer((all) => all.query, [args], options));
  addViewOptions(
    program
      .command('view')
      .description('browse messages in the terminal: search, filter, details, causes, diagram of a selection')
      .argument('<capture...>', 'pcap or pcapng files, audit logs, gzipped or not; - for standard input')
      .exitOverride(),
  ).action((files: string[], options: DiagramCliOptions) => run(({ view }) => view(files, options)));
  addReadingOptions(
    program
      .command('mcp')
      .description('serve the Model Context Protocol on standard input and output: answers for an AI model, redacted')
      .argument('<capture...>', 'pcap or pcapng files, audit logs, gzipped or not')
      .exitOverride(),
  ).action((files: string[], options: McpOptions) => run(({ mcp }) => mcp(files, options)));
  captures(
    program
      .command('summary')
      .description(
        `list problems, what the captures hold, and how much of them could be read (${namesOf(FORMATS.summary)})`,
      ),
    ['--show-field', '--no-color'],
  )
    .option('--streams', 'list every connection with the bytes and the MD5 of each direction')
    .option(
      '--fail-on <codes>',
      'exit with status 1 if one of these notices occurred: codes of docs/notices.md, separated by commas',
    )
    .option(
      '--limit <n>',
      'print at most this many rows of each list; default: 40 problems, 12 latencies, 10 of each other table',
      wholeNumber,
    )
    .action((files: string[], options: SummaryOptions) => answer((all) => all.summary, [files], options));
  addTopOptions(
    addSelectionOptions(
      live(
        program
          .command('top')
          .description(
            `count requests to API servers by client, verb and resource; find clients that ask too much (${namesOf(FORMATS.top)})`,
          ),
        ['--no-color'],
      ),
    ),
  ).action((files: string[], options: TopCliOptions) => answer((all) => all.top, [files], options));
  addDiagramOptions(
    addCaptureOptions(
      program
        .command('check')
        .description(`check whether a capture contains the expected sequence (${namesOf(FORMATS.check)})`)
        .argument('<expected>', 'one or more .mmd or .md files with mermaid diagrams; the captures follow')
        .argument('[capture...]', 'pcap or pcapng files, audit logs, gzipped or not; - for standard input'),
      ['--show-field'],
    ).exitOverride(),
  )
    .option('--all-failures', 'print every arrow that cannot be matched, not only the first')
    .option('--update', 'rewrite EXPECTED so that it passes on CAPTURE')
    .option('--corrected <folder>', 'write a corrected copy of each file that fails to FOLDER; EXPECTED stays as it is')
    .option('--report <file>', 'also write a report: .xml (JUnit), .json, .txt or .md; repeatable', collected)
    .option('--budget <file>', 'YAML with the most requests and failures that clients may have')
    .action((expected: string, files: string[], options: CheckCliOptions) =>
      answer((all) => all.check, [expected, files], options),
    );
  addDiagramOptions(
    addCaptureOptions(
      program
        .command('diff')
        .description(
          `compare two captures, users' requests first; what differs between any two runs, as races and retries, is left out (${namesOf(FORMATS.diff)})`,
        )
        .argument('<before>', DIFF_INPUT)
        .argument('<after>', DIFF_INPUT),
    ).exitOverride(),
  )
    .option('--stat', 'print only the counts of each participant')
    .option(...NO_SANDBOX)
    .option(
      '--ignore-nondeterminism',
      'leave out reads of users who also write, repeated reads of programs, and writes that lost a race (409)',
    )
    .action((before: string, after: string, options: DiffCliOptions) =>
      answer((all) => all.diff, [before, after], options),
    );
  captures(
    program
      .command('object')
      .description(
        `print the history of one object: its versions, and who changed which fields (${namesOf(FORMATS.object)})`,
      )
      .argument('<kind/name>', 'the object, e.g. pod/nginx'),
  )
    .option('-n, --namespace <namespace>', 'namespace of the object', 'default')
    .option('--all', 'print every field of every version')
    .option(...NO_SANDBOX)
    .action((name: string, files: string[], options: ObjectOptions) =>
      answer((all) => all.object, [name, files], options),
    );
  captures(
    program
      .command('path')
      .description(
        `show where the time went until an object was ready or deleted; of several objects p50 and p99 (${namesOf(FORMATS.path)})`,
      )
      .argument('<kind/name>', 'the object, e.g. pod/nginx; several, e.g. pod/a pod/b; or pods: all of them'),
    ['--show-commands', '--show-field', '--no-color'],
  )
    .option('-n, --namespace <namespace>', 'namespace of the object', 'default')
    .option('-A, --all-namespaces', 'objects in all namespaces')
    .option('-l, --selector <selector>', 'only objects with these labels, as in kubectl: app=web,tier!=front')
    .option('--pods', 'the Pods that the object owns, instead of the object')
    .addOption(
      new Option(
        '--goal <goal>',
        'end of the path: ready, or gone (deleted); default: ready; of one object that existed before the capture and was deleted in it: gone',
      ).choices(['ready', 'gone']),
    )
    .action((name: string, files: string[], options: PathOptions) => answer((all) => all.path, [name, files], options));
  addArrowOptions(
    captures(
      program
        .command('explain')
        .description('explain one message: its sender, receiver, object and cause, with the evidence for each')
        .argument(
          '<message>',
          'message number: 1354 or #1354; or frame:NUMBER; or arrow:NUMBER in the diagram with the same options',
        )
        .option('--chain', 'print the chain from the first cause to the message, one per line'),
      ['--output', '--no-color'],
    ),
  ).action((which: string, files: string[], options: ExplainOptions) =>
    answer((all) => all.explain, [which, files], options),
  );
  addKeysOptions(
    program
      .command('keys')
      .description('read TLS keys from running Go programs, as an NSS key log for --keylog')
      .exitOverride(),
  ).action((options: KeysOptions) => run(({ keys }) => keys(options)));
  addRecordOptions(
    addDrawingOptions(
      addCommonOptions(
        program
          .command('record')
          .description(
            'run a command, capture its traffic and TLS keys, and draw the diagram: record [options] -- COMMAND...; or record all into a ring of files',
          )
          .argument('[command...]', 'the command to run, after --')
          .exitOverride(),
        ['--no-color', '--write'],
      ),
    ),
  ).action((command: string[], options: RecordOptions, self: Command) => {
    const given = self.options.filter((one) => self.getOptionValueSource(one.attributeName()) === 'cli');
    return run(({ record }) =>
      record(
        command,
        options,
        given.map(({ long }) => long ?? ''),
      ),
    );
  });
  program
    .command('doctor')
    .description(`check whether kubeseq can capture and decrypt traffic on this host (${namesOf(FORMATS.doctor)})`)
    .option('-o, --output <format>', namesOf(FORMATS.doctor, ' or '))
    .exitOverride()
    .action((options: DoctorOptions) => answer((all) => all.doctor, [], options));
  addPageOptions(
    program
      .command('docs')
      .description('keep the diagrams in Markdown pages up to date')
      .argument('<page...>', 'Markdown files, or folders of them')
      .option('--check', 'change nothing; exit 1 if a page is stale')
      .option('--new', 'create a page: kubeseq docs --new PAGE CAPTURE...')
      .option('-q, --quiet', 'no remarks on standard error')
      .option('-v, --verbose', 'every notice on standard error')
      .option('--no-progress', 'no progress on standard error')
      .exitOverride(),
  ).action((pages: string[], options: DocsOptions) => run(({ docs }) => docs(pages, options)));
  program
    .command('completion')
    .description('print a completion script: source <(kubeseq completion bash)')
    .argument('<shell>', SHELLS.join(', '))
    .exitOverride()
    .action((shell: string) => run(({ complete }) => complete(shell, program)));
  arrangeHelp(program);
  return program;
}

const NO_SANDBOX = ['--no-sandbox', 'svg, png: run the browser without its sandbox, which root needs'] as const;
const DIFF_INPUT = 'capture, messages saved by kubeseq export or messages, or a diagram (.mmd, .md#heading)';

/** @param command as the user named it; undefined: the one that needs no name. */
function statusOf(error: unknown, command = 'diagram'): number {
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return EXIT_FINE;
    const message = error.message
      .replace(/^error: |\.$/g, '')
      .replaceAll('\n', ' ')
      .replace('is invalid. expected', 'is invalid: expected');
    const isHelp = error.code === 'commander.help';
    printError(isHelp ? "name a capture, or see 'kubeseq --help'" : `${message}; see 'kubeseq ${command} --help'`);
    return EXIT_TROUBLE;
  }
  if (error instanceof CliError) printError(error.message);
  else printError(describeError(error));
  return EXIT_TROUBLE;
}
