// Arranges what --help prints: commands and options in groups, examples, environment variables and exit statuses.

import type { Command } from 'commander';

/** Puts the commands of a program, and the options of each, into groups, and adds what stands below them. */
export function arrangeHelp(program: Command): void {
  const rank = rankIn(COMMAND_GROUPS);
  (program.commands as Command[]).sort((a, b) => rank(a.name()) - rank(b.name()));
  for (const command of program.commands) {
    const name = command.name();
    command.helpGroup(groupIn(COMMAND_GROUPS, name) ?? OTHER);
    arrangeOptions(command);
    const examples = (EXAMPLES.get(name) ?? []).map((line) => `  $ kubeseq ${name} ${line}`.trimEnd());
    if (examples.length > 0) command.addHelpText('after', ['', 'Examples:', ...examples].join('\n'));
    command.addHelpText('after', `\nExit status: ${EXIT_STATUSES.get(name) ?? EXIT_STATUS}`);
  }
  program.commandsGroup(OTHER).helpCommand('help [command]', 'print the help of a command');
  program.addHelpText('after', PROGRAM);
}

function arrangeOptions(command: Command): void {
  const rank = rankIn(OPTION_GROUPS);
  const others = OTHER_OPTIONS.get(command.name()) ?? SHOWN;
  const groupOf = (long: string): string => groupIn(OPTION_GROUPS, long) ?? others;
  const order = Object.keys(OPTION_GROUPS);
  (command.options as Command['options'][number][]).sort(
    (a, b) =>
      order.indexOf(groupOf(a.long ?? '')) - order.indexOf(groupOf(b.long ?? '')) ||
      rank(a.long ?? '') - rank(b.long ?? ''),
  );
  for (const option of command.options) option.helpGroup(groupOf(option.long ?? ''));
  command.optionsGroup(OTHER).helpOption('-h, --help', 'print this help');
}

type Groups = Readonly<Record<string, readonly string[]>>;

function groupIn(groups: Groups, name: string): string | undefined {
  return Object.keys(groups).find((group) => groups[group].includes(name));
}

/** The place of a name in its groups; those that are in none come last. */
function rankIn(groups: Groups): (name: string) => number {
  const names = Object.values(groups).flat();
  return (name) => (names.includes(name) ? names.indexOf(name) : names.length);
}

const OTHER = 'More:';
const COMMAND_GROUPS: Groups = {
  'Look:': ['diagram', 'summary', 'top', 'view', 'messages'],
  'Ask:': ['object', 'path', 'explain', 'query', 'mcp'],
  'Verify:': ['check', 'diff', 'docs'],
  'Share:': ['export'],
  'Capture:': ['record', 'keys', 'doctor'],
  [OTHER]: ['completion', 'help'],
};

const SHOWN = 'What to show:';
const RECORDED = 'What to record:';
/** By their long flags. Options in no group are about what to show, but of the commands below. */
const OPTION_GROUPS: Groups = {
  'What to read:': '--keylog --participants --decode --interface --filter --live --watch --budget'.split(' '),
  [RECORDED]: [],
  [SHOWN]:
    '--follow --namespace --all-namespaces --from --to --since --until --where --all --layers --by --detail'.split(' '),
  'Where to write:': ['--output', '--write', '--report', '--update', '--corrected', '--no-sandbox'],
  [OTHER]: '--show --anonymize --anonymize-key --map --quiet --verbose --no-color --no-progress --no-pager'.split(' '),
};
const OTHER_OPTIONS: ReadonlyMap<string, string> = new Map(Object.entries({ record: RECORDED, keys: RECORDED }));

/** By command: what stands after `kubeseq COMMAND`. */
const EXAMPLES: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    diagram: [
      'capture.pcap --keylog keys.log                 the stories of a capture',
      'capture.pcap --follow pod/nginx                one object: who did what to it, and why',
      'capture.pcap --follow pod/nginx -w nginx.svg   as a picture; nginx.html is a page to explore',
    ],
    messages: ["capture.pcap --where 'status >= 400' -o table", 'capture.pcap -w messages.parquet'],
    summary: ['capture.pcap --keylog keys.log', 'capture.pcap --fail-on tls.no-secret'],
    top: ['capture.pcap --by client,resource --sort failed', 'capture.pcap --threshold loop-rate=2'],
    view: ['capture.pcap'],
    object: ['pod/nginx capture.pcap', 'deployment/web capture.pcap -n shop --all'],
    path: ['pod/nginx capture.pcap', 'deployment/web capture.pcap --pods', 'pods capture.pcap -A'],
    explain: ['"#12" capture.pcap', 'frame:1354 capture.pcap --chain'],
    query: ["capture.pcap 'SELECT verb, count(*) FROM messages GROUP BY verb'"],
    mcp: ['capture.pcap --keylog keys.log', '--below captures/   the model opens one after the other'],
    check: [
      'expected.mmd capture.pcap',
      'new.mmd capture.pcap --follow deploy/web --update',
      'docs/flow.md capture.pcap --report r.xml',
    ],
    diff: ['before.pcap after.pcap', 'before.pcap after.pcap --stat'],
    docs: ['docs/', 'docs/ --check', '--new page.md capture.pcap'],
    export: ['capture.pcap -w shared.ndjson', 'capture.pcap --follow pod/nginx -w shared.pcapng'],
    record: [
      '-- kubectl run nginx --image=nginx',
      '--keys -- kubectl apply -f app.yaml',
      '--keys --ring /var/lib/kubeseq   until Ctrl-C, the oldest is overwritten',
    ],
    keys: ['--print', '-w keys.log', '--component kube-apiserver,etcd -w keys.log'],
    doctor: [''],
    completion: ['bash > /etc/bash_completion.d/kubeseq'],
  }),
);

const EXIT_STATUS = '0 fine; 1 nothing of a capture could be read; 2 an error; 130 interrupted';
const EXIT_STATUSES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    check: '0 all expectations are met; 1 one is not; 2 an error, or nothing could be read',
    diff: '0 no difference; 1 differences; 2 an error',
    docs: '0 fine; 1 with --check: a page is stale; 2 an error',
    summary: '0 fine; 1 a notice of --fail-on, or nothing could be read; 2 an error',
    path: '0 fine; 1 the object has no start to measure; 2 an error',
    keys: '0 fine; 2 an error; 130 interrupted',
    doctor: '0 a recording with keys works; 1 it does not; 2 an error',
    record: 'that of the recorded command; 2 an error of the recording; 130 interrupted',
  }),
);

const PROGRAM = `
kubeseq CAPTURE draws the stories of a capture: on a terminal as text, else as mermaid.
  $ kubeseq capture.pcap --keylog keys.log --follow pod/nginx
  $ kubeseq capture.pcap -w page.html
kubeseq COMMAND --help has the options, the formats and examples of a command.

Environment:
  SSLKEYLOGFILE                TLS keys that are read beside --keylog
  NO_COLOR                     no colours, as --no-color
  KUBESEQ_PAGER, PAGER, LESS   the pager of long output, and its options
  COLUMNS                      width of text that is not written to a terminal

Exit status: ${EXIT_STATUS}`;
