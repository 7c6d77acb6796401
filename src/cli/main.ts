// Defines the command line: commands, options and exit statuses. Every error is one line on standard error.

import { existsSync } from 'node:fs';
import { Command, CommanderError, type CommandOptions, Option } from 'commander';
import { nearestName } from '../core/nearest-name.js';
import { VERSION } from '../version.js';
import { CliError, describeError, EXIT_FINE, EXIT_INTERRUPTED, EXIT_TROUBLE, printError } from './cli-error.js';
import { SHELLS } from './completion/completed.js';
import { FORMATS, type Formats, namesOf } from './formats.js';
import { arrangeHelp } from './help.js';
import { addPageOptions } from './input/page-options.js';
import { addTopOptions } from './input/top-options.js';
import {
  addAnonymousOptions,
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
  addViewOptions,
  collected,
  traceOption,
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
  // '--help' and '--version' need no command, and so nothing that a command needs.
  const program = defineCommands(async (definition, given) => {
    const { anonymously, isLive, runNamed, withPager } = await import('./commands.js');
    onLoaded();
    const [args, options] = [given.slice(0, -2), definition.opts()];
    const name = definition.name();
    const run = (asked: readonly unknown[]) => runNamed(name, asked, options, definition);
    // What is recorded is not there yet.
    const runs = () => (name === 'record' ? run(args) : anonymously(args, options, run));
    const isPaged = options['pager'] === true && options['write'] === undefined;
    status = await withPager(isPaged && !isLive(definition.args, options), runs);
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

/** Defines the commands with their arguments and options. @param run is called with the command that was named, and what it was given. */
export function defineCommands(run: (definition: Command, given: unknown[]) => Promise<void>): Command {
  const program = new Command('kubeseq')
    .description('Shows, as sequence diagrams, what really happened in captures of a Kubernetes control plane.')
    .version(VERSION, '-V, --version')
    .showHelpAfterError(false)
    .showSuggestionAfterError(true)
    .exitOverride()
    .configureOutput({ outputError: () => {} });

  /** @param words what it does; the formats of its answer are added. */
  const command = (name: string, words: string, options: CommandOptions = {}): Command => {
    const definition = program.command(name, options).exitOverride();
    const formats = (FORMATS as Readonly<Record<string, Formats<never>>>)[name] ?? {};
    const isToChoose = Object.keys(formats).length > 1 && !OTHERS_FORMATS.includes(name);
    return definition
      .description(isToChoose ? `${words} (${namesOf(formats)})` : words)
      .action((...given: unknown[]) => run(definition, given));
  };
  const reading = (of: Command, without?: readonly string[]): Command =>
    addCaptureOptions(of.argument('<capture...>', CAPTURES), without);
  /** Commands that can capture by themselves, too. */
  const live = (of: Command, without?: readonly string[]): Command =>
    addLiveOptions(addCaptureOptions(of.argument('[capture...]', CAPTURES), without));

  addDrawingOptions(live(command('diagram', 'draw a sequence diagram, as kubeseq CAPTURE does', { isDefault: true })))
    .option(
      '--overview',
      'draw a line for each object that people wrote; default for several stories with more than 60 arrows together',
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
      new Option(
        '--detail <level>',
        'low: --labels short --answers folded; talk: the same in narrow lines, for a slide; full: --frames --users',
      )
        .choices(['low', 'normal', 'full', 'talk'])
        .default('normal'),
    )
    .option('--path', 'with --follow: mark the steps that took the time until the object was ready, or deleted')
    .option('--users', 'add a note with the user of each participant; for an audit log always')
    .addOption(traceOption())
    .option('--wide', 'text: do not shorten names and labels to the width of the terminal')
    .option(...NO_SANDBOX);
  addSelectionOptions(live(command('messages', 'print every message, one per line')))
    .option('--bodies', 'ndjson: add header fields and decoded bodies, redacted')
    .addOption(traceOption());
  addSelectionOptions(
    reading(command('export', 'save redacted messages, to share instead of a capture and its keys'), ['--no-color']),
  );
  addCaptureOptions(
    command('query', 'run SQL over messages, by DuckDB').argument(
      '<file...>',
      'tables, captures or saved messages; then the query, in quotes',
    ),
    ['--no-color'],
  );
  addViewOptions(
    command('view', 'browse messages in the terminal, search and filter them').argument('<capture...>', CAPTURES),
  );
  addAnonymousOptions(
    addReadingOptions(
      command('mcp', 'answer the questions of a model, by the Model Context Protocol').argument(
        '[capture...]',
        'pcap or pcapng files, audit logs, gzipped or not',
      ),
    ),
  ).option('--below <dir>', 'let the model list the captures in DIR and its folders, and open one after the other');
  reading(command('summary', 'list problems, what the captures hold, and what could not be read'), [
    '--show-field',
    '--no-color',
  ])
    .option('--streams', 'list every connection with the bytes and the MD5 of each direction')
    .option(
      '--fail-on <codes>',
      'exit with status 1 if one of these notices occurred: codes of docs/notices.md, separated by commas',
    )
    .option(
      '--limit <n>',
      'print at most this many rows of each list; default: 40 problems, 12 latencies, 10 of each other table',
      wholeNumber,
    );
  addTopOptions(
    addSelectionOptions(
      live(command('top', 'count requests by client, verb and resource; find clients that ask too much'), [
        '--no-color',
      ]),
    ),
  );
  addDiagramOptions(
    addCaptureOptions(
      command('check', 'check whether a capture contains the sequence of a diagram')
        .argument(
          '<expected>',
          'one or more .mmd or .md files with mermaid diagrams, whose arrows are compared, not their notes; the captures follow',
        )
        .argument('[capture...]', CAPTURES),
      ['--show-field'],
    ),
  )
    .option('--all-failures', 'print every arrow that cannot be matched, not only the first')
    .option(
      '--update',
      'rewrite EXPECTED so that it passes on CAPTURE; a new file gets what is drawn, with placeholders for generated names',
    )
    .option('--corrected <folder>', 'write a corrected copy of each file that fails to FOLDER; EXPECTED stays as it is')
    .option('--report <file>', 'also write a report: .xml (JUnit), .json, .txt or .md; repeatable', collected)
    .option('--budget <file>', 'YAML with the most requests and failures that clients may have');
  addDiagramOptions(
    addCaptureOptions(
      command('diff', 'show what differs between two captures, without races and retries')
        .argument('<before>', DIFF_INPUT)
        .argument('<after>', DIFF_INPUT),
    ),
  )
    .option('--stat', 'print only the counts of each participant')
    .option(...NO_SANDBOX)
    .option(
      '--ignore-nondeterminism',
      'leave out reads of users who also write, repeated reads of programs, and writes that lost a race (409)',
    );
  reading(
    command('object', 'print the history of one object, and who changed which fields').argument(
      '<kind/name>',
      'the object, e.g. pod/nginx',
    ),
  )
    .option('-n, --namespace <namespace>', 'namespace of the object', 'default')
    .option('--all', 'print every field of every version')
    .option(...NO_SANDBOX);
  reading(
    command('path', 'show where the time went until an object was ready or deleted').argument(
      '<kind/name>',
      'the object, e.g. pod/nginx; several, e.g. pod/a pod/b; or pods: all of them',
    ),
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
    );
  addArrowOptions(
    reading(
      command('explain', 'explain one message: its sender, receiver, object and cause, with evidence')
        .argument(
          '<message>',
          'message number: 1354 or #1354; or frame:NUMBER; or arrow:NUMBER in the diagram with the same options',
        )
        .option('--chain', 'print the chain from the first cause to the message, one per line'),
      ['--output', '--no-color'],
    ),
  );
  addKeysOptions(command('keys', 'read TLS keys from running Go programs into a key log'));
  addRecordOptions(
    addDrawingOptions(
      addAnonymousOptions(
        addCommonOptions(
          command('record', 'run a command, capture its traffic and TLS keys, and draw the diagram').argument(
            '[command...]',
            'the command to run, after --',
          ),
          ['--no-color', '--write'],
        ),
      ),
    ),
  );
  command('doctor', 'check whether kubeseq can capture and decrypt traffic on this host').option(
    '-o, --output <format>',
    namesOf(FORMATS.doctor, ' or '),
  );
  addPageOptions(
    command('docs', 'keep the diagrams in Markdown pages up to date')
      .argument('<page...>', 'Markdown files, or folders of them')
      .option('--check', 'change nothing; exit 1 if a page is stale')
      .option('--new', 'create a page: kubeseq docs --new PAGE CAPTURE...')
      .option('-q, --quiet', 'no remarks on standard error')
      .option('-v, --verbose', 'every notice on standard error')
      .option('--no-progress', 'no progress on standard error')
      .addOption(new Option('--anonymize').hideHelp())
      .addOption(new Option('--anonymize-key <file>').hideHelp()),
  );
  command('completion', 'print a completion script for bash, zsh or fish').argument('<shell>', SHELLS.join(', '));
  arrangeHelp(program);
  return program;
}

const NO_SANDBOX = ['--no-sandbox', 'svg, png: run the browser without its sandbox, which root needs'] as const;
const CAPTURES = 'pcap or pcapng files, audit logs, gzipped or not; - for standard input';
/** What they answer is not printed, or in the formats of another command. */
const OTHERS_FORMATS: readonly string[] = ['keys', 'record'];
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
