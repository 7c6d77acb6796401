// `kubeseq view CAPTURE...` shows messages on the terminal, to search, filter and follow them to their causes.

import { getHeapStatistics } from 'node:v8';
import { CliError, EXIT_DIFFERENT, printError } from '../cli-error.js';
import { reportOutcome } from '../command.js';
import { optionsOf } from '../input/diagram.js';
import { MessageChoice } from '../input/message-choice.js';
import { Session } from '../input/session.js';
import { checkSelection, layersOf } from '../option-values.js';
import type { DiagramCliOptions } from '../options.js';
import { pageTitle } from '../output/page.js';
import { standardStreams } from '../standard-streams.js';
import { endOf } from '../unread.js';
import { filterOver } from '../view/list-filter.js';
import { runOnTerminal } from '../view/terminal.js';
import { ViewData } from '../view/view-data.js';
import { Viewer } from '../view/viewer.js';

export async function view(files: readonly string[], options: DiagramCliOptions): Promise<number> {
  checkSelection(options);
  if (standardStreams().terminal === null || process.env['TERM'] === 'dumb')
    throw new CliError('view needs a terminal; messages and diagram print what it shows');
  const session = new Session(files, { ...options, bodies: true });
  const drawn = { all: options.all, layers: layersOf(options) };
  const choice = new MessageChoice(options, session, { bodies: true, drawn });
  const most = getHeapStatistics().heap_size_limit * MAX_HEAP_SHARE;
  let count = 0;
  await session.eachMessage((message) => {
    count += 1;
    if (count > MAX_VIEWED || (count % CHECKED_EVERY === 0 && process.memoryUsage().heapUsed > most))
      throw new CliError(
        `${files.join(', ')}: too many messages to be viewed at once; first take a part: kubeseq export … --since, --until, --where or --follow -w part.ndjson`,
      );
    choice.add(message);
  });
  const { observation, selected } = choice.gathered();
  const { messages } = observation;
  const chosen = selected === undefined ? messages : messages.filter(selected);
  if (chosen.length === 0) {
    const isFollowed = messages.length > 0 && options.follow !== undefined;
    const elsewhere = isFollowed ? choice.elsewhere(messages) : [];
    const { reasons = [], status } = endOf(session, options);
    const ended = {
      remarks: [...choice.unknownNames(), ...elsewhere, ...session.remarks()],
      reasons: ['there is no message to view', ...reasons],
      status: status || EXIT_DIFFERENT,
    };
    return reportOutcome(ended, options);
  }
  if (options.quiet !== true) for (const line of choice.unknownNames()) printError(line);
  const data = new ViewData(observation, {
    drawing: { ...optionsOf(options), selected },
    first: session.firstTime ?? 0n,
    captures: session.captureNames,
    title: pageTitle(session.names),
    notices: session.remarks(),
  });
  await runOnTerminal(new Viewer(data, filterOver(chosen, session.captureNames)), options.color === true);
  return reportOutcome(endOf(session, options, session.remarks()), options);
}

/** Limit: messages that `view` holds, some 2 KB each beside their bodies. */
const MAX_VIEWED = 200_000;
/** Limit: share of the heap that Node.js has, beyond which `view` takes no more messages. */
const MAX_HEAP_SHARE = 0.7;
/** Messages between two looks at the heap. */
const CHECKED_EVERY = 1000;
