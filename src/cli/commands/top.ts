// `kubeseq top CAPTURE...` counts who requests what of API servers, and finds clients that ask too much.

import {
  DEFAULT_GROUP_KEYS,
  DEFAULT_THRESHOLDS,
  type FindingThresholds,
  GROUP_KEY_NAMES,
  type GroupKeyName,
  renderTopText,
  SORT_KEYS,
  type SortKey,
  TopCollector,
  type TopReport,
} from '../../index.js';
import { CliError } from '../cli-error.js';
import type { Command } from '../command.js';
import { FORMATS } from '../formats.js';
import { MessageChoice } from '../input/message-choice.js';
import { Session } from '../input/session.js';
import type { TopCliOptions } from '../input/top-options.js';
import { capturesOf, checkSelection, isLive } from '../option-values.js';
import { LiveScreen } from '../output/live-screen.js';
import { endOf } from '../unread.js';

export const top: Command<[files: readonly string[]], TopCliOptions, TopReport> = {
  formats: FORMATS.top,
  async run([files], options, { isForTerminal, streams: { terminal, width } }) {
    checkSelection(options);
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
      numbersPlaceholders: true,
      limitNotices: true,
    });
    const collector = session.withDropNotices(() => new TopCollector(counted));
    const screen =
      keysGrow && isForTerminal && terminal !== null
        ? new LiveScreen(terminal, () => firstLines(renderTopText(collector.result(), width), terminal.rows))
        : null;
    const chosen = new MessageChoice(options, session, { bodies: true });
    try {
      for await (const batch of chosen.from(session.run())) {
        for (const item of batch) if (item.kind === 'message') collector.add(item.message);
        screen?.changed();
      }
    } finally {
      screen?.close();
    }
    return {
      result: collector.result(),
      captures: session,
      end: () => endOf(session, options, [...chosen.remarks, ...session.remarks((one) => chosen.touches(one))]),
    };
  },
};

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
