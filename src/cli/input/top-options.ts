// Defines the options of `kubeseq top`.

import { type Command, Option } from 'commander';
import type { FindingThresholds } from '../../index.js';
import { CliError } from '../cli-error.js';
import {
  type CommonOptions,
  type FollowCliOptions,
  type LiveOptions,
  setInstead,
  WHOLE_NUMBER,
  wholeNumber,
} from '../options.js';

export interface TopCliOptions extends CommonOptions, LiveOptions, FollowCliOptions, Partial<FindingThresholds> {
  readonly by?: string;
  readonly sort?: string;
  readonly limit: number;
}

export function addTopOptions(command: Command): Command {
  for (const [name, words] of Object.entries(THRESHOLDS))
    command.addOption(new Option(`--${name} <n>`, words).argParser(wholeNumber).hideHelp());
  const names = Object.entries(THRESHOLDS).map(([name, words]) => `  ${name.padEnd(17)}  ${words}`);
  return command
    .option('--threshold <name=n>', 'from when on a finding is one, see below; repeatable')
    .on('option:threshold', (text: string) => {
      const [name, n = ''] = text.split('=');
      if (!Object.hasOwn(THRESHOLDS, name))
        throw new CliError(`--threshold ${text}: expected one of ${Object.keys(THRESHOLDS).join(', ')}, and =N`);
      if (!WHOLE_NUMBER.test(n)) throw new CliError(`--threshold ${text}: expected a number from 1`);
      setInstead(command, `--${name}`, () => Number(n));
    })
    .option(
      '--by <keys>',
      'group requests by these keys, separated by commas: client, agent, user, verb, resource, namespace, name, flowschema; default: client,verb,resource',
    )
    .option(
      '--sort <column>',
      'put the rows with the largest value first: requests, failed, 429, in, out, p50, p99, lost, items, restarted, events',
    )
    .option('--limit <n>', 'print at most this many rows', wholeNumber, 30)
    .addHelpText('after', `\nThresholds:\n${names.join('\n')}`)
    .addHelpText('after', TOP_COLUMNS);
}

/** By name, as in `FindingThresholds`. */
const THRESHOLDS: Readonly<Record<string, string>> = {
  'loop-rate': 'hot loop: unchanged answers to one client about one object, a second; default: 5',
  'fight-turns': "fight: how often in turn two clients undo each other's change; default: 3",
  retries: 'retries: failed requests in a row, at a short and constant interval; default: 10',
  relists: 'relists: lists of the same objects by one client within a minute; default: 10',
  'large-list': 'unpaged list: objects in a list without a limit; default: 500',
  'whole-watches': 'whole watch: instances that each watch a whole resource; default: 4',
  nameless: 'nameless client: requests without a name of the program; default: 20',
};

export const THRESHOLD_NAMES = Object.keys(THRESHOLDS).map((name) => `${name}=`);

const TOP_COLUMNS = `
Columns:
  REQUESTS, PER-S    requests to API servers, and how many per second
  FAILED, 429        responses with a status from 400 on; with 429, told to wait
  IN, OUT            bytes of bodies on the wire: requests; responses, events and streams
  P50, P99           time from the end of the request to the first byte of the response
  LOST               time until servers had the requests that were lost on the way, and to connect
  ITEMS              objects in the largest list
  RESTARTED, EVENTS  watches that the client opened again; events of its watches`;
