// `kubeseq top CAPTURE...` counts who requests what of API servers, and finds clients that ask too much.

import {
  DEFAULT_GROUP_KEYS,
  DEFAULT_THRESHOLDS,
  type FindingThresholds,
  GROUP_KEY_NAMES,
  type GroupKeyName,
  renderTopJson,
  renderTopText,
  SORT_KEYS,
  type SortKey,
  TopCollector,
} from '../../index.js';
import { CliError } from '../cli-error.js';
import { Session } from '../input/session.js';
import { MessageSelection } from '../message-selection.js';
import { capturesOf, checkSelection, isLive } from '../option-values.js';
import type { TopCliOptions } from '../options.js';
import { formatOf } from '../output/format.js';
import { LiveScreen } from '../output/live-screen.js';
import { openOutput, widestMode } from '../output/output.js';
import { terminalWidth } from '../output/terminal-width.js';
import { exitStatusOf } from '../unread.js';

export async function top(files: readonly string[], options: TopCliOptions): Promise<number> {
  checkSelection(options);
  const format = formatOf(options, ['text', 'json'] as const, { '.json': 'json', '.txt': 'text' }, 'text');
  const counted = {
    by: keysOf(options.by),
    sort: sortOf(options.sort),
    limit: options.limit,
    thresholds: thresholdsOf(options),
  };
  const keysGrow = isLive(capturesOf(files, options), options);
  const session = new Session(files, {
    ...options,
    live: keysGrow,
    keysGrow,
    growing: options.live,
    bodies: true,
    numbersHidden: true,
    limitNotices: true,
  });
  const collector = session.keep(() => new TopCollector(counted));
  const screen =
    keysGrow && process.stdout.isTTY === true && options.write === undefined
      ? new LiveScreen(process.stdout, () =>
          firstLines(renderTopText(collector.result(), terminalWidth(options)), process.stdout.rows),
        )
      : null;
  const chosen = new MessageSelection(options, session, true);
  try {
    for await (const batch of session.run()) {
      for (const item of batch) {
        if (item.kind !== 'message') continue;
        if (chosen.isAll) collector.add(item.message);
        else for (const message of chosen.feed(item.message)) collector.add(message);
      }
      screen?.changed();
    }
    for (const message of chosen.end()) collector.add(message);
  } finally {
    screen?.close();
    chosen.close();
  }
  const report = collector.result();
  const output = openOutput(options.write, widestMode(options));
  await output.write(
    format === 'json' ? renderTopJson(report, session.digits(0)) : renderTopText(report, terminalWidth(options)),
  );
  await output.done();
  session.printNotices((one) => chosen.touches(one));
  return exitStatusOf(session, options);
}

function keysOf(list: string | undefined): readonly GroupKeyName[] {
  if (list === undefined) return DEFAULT_GROUP_KEYS;
  const names = [...new Set(list.split(',').map((name) => name.trim()))];
  for (const name of names)
    if (!GROUP_KEY_NAMES.includes(name as GroupKeyName))
      throw new CliError(`--by ${list}: expected some of ${GROUP_KEY_NAMES.join(', ')}`);
  return names as GroupKeyName[];
}

function sortOf(name = 'requests'): SortKey {
  if (Object.hasOwn(SORT_KEYS, name)) return name as SortKey;
  throw new CliError(`--sort ${name}: expected one of ${Object.keys(SORT_KEYS).join(', ')}`);
}

function thresholdsOf(options: TopCliOptions): FindingThresholds {
  const names = Object.keys(DEFAULT_THRESHOLDS) as (keyof FindingThresholds)[];
  return Object.fromEntries(
    names.map((name) => [name, options[name] ?? DEFAULT_THRESHOLDS[name]]),
  ) as unknown as FindingThresholds;
}

/** The lines that fit on the screen: those with most requests come first. */
function firstLines(text: string, rows = 24): string {
  return text
    .split('\n')
    .slice(0, rows - 2)
    .join('\n');
}
