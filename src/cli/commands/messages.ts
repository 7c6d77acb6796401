// `kubeseq messages` prints every decoded message in one line as soon as it is complete.

import { type Message, type PipelineItem, SummaryCollector, summaryText } from '../../index.js';
import { CliError } from '../cli-error.js';
import type { Command } from '../command.js';
import { FORMATS } from '../formats.js';
import { MessageChoice } from '../input/message-choice.js';
import { Session } from '../input/session.js';
import { capturesOf, checkSelection, isLive, storyOf } from '../option-values.js';
import type { MessagesOptions } from '../options.js';
import type { CapturedItems } from '../output/results.js';
import { endOf } from '../unread.js';
import { exportedItems } from './export.js';

export const messages: Command<[files: readonly string[]], MessagesOptions, CapturedItems> = {
  formats: FORMATS.messages,
  usual: ({ bodies }, isForTerminal) => (isForTerminal && bodies !== true ? 'table' : 'ndjson'),
  async run([files], options, { name, isForTerminal }) {
    checkSelection(options);
    const bodies = options.bodies === true;
    if (name === 'parquet' && options.live === true)
      throw new CliError(
        '-o parquet and --live exclude each other: a table has no end while its capture grows; use -o ndjson',
      );
    // Its file has what an export has.
    if (name === 'parquet') return exportedItems(files, options, bodies);
    if (bodies && name !== 'ndjson')
      throw new CliError(`-o ${name} has no room for bodies; leave --bodies out, or use -o ndjson`);
    const live = isLive(capturesOf(files, options), options);
    const session = new Session(files, {
      ...options,
      bodies,
      live,
      lives: live,
      keysGrow: live,
      growing: options.live,
      writesAsItReads: isForTerminal,
      limitNotices: true,
    });
    const collector = live ? new SummaryCollector(session.names, { streams: false }) : null;
    const chosen = new MessageChoice(options, session, { bodies });
    const named = options.finalNames === true ? withFinalNames(files, options, session.run()) : session.run();
    return {
      result: {
        ...chosen.items(chosen.from(collector === null ? named : counted(named, collector)), bodies),
        story: storyOf(options, name),
      },
      captures: session,
      end() {
        const remarks = [...chosen.remarks, ...session.remarks((one) => chosen.touches(one))];
        const isReported = session.interrupted && collector !== null;
        const report = isReported ? summaryText(collector.result()) : undefined;
        return { ...endOf(session, options, remarks, chosen.isAbsent), report };
      },
    };
  },
};

async function* counted(
  batches: AsyncIterable<readonly PipelineItem[]>,
  collector: SummaryCollector,
): AsyncGenerator<readonly PipelineItem[]> {
  for await (const batch of batches) {
    for (const item of batch) collector.add(item);
    yield batch;
  }
}

/** Reads the captures twice. */
async function* withFinalNames(
  files: readonly string[],
  options: MessagesOptions,
  batches: AsyncIterable<readonly PipelineItem[]>,
): AsyncGenerator<readonly PipelineItem[]> {
  const participants = await participantsOf(files, options);
  for await (const batch of batches) {
    for (const item of batch)
      if (item.kind === 'message') Object.assign(item.message, participants[item.message.seq - 1]);
    yield batch;
  }
}

/** Who is named in a message. */
type MessageNames = Pick<Message, 'from' | 'to' | 'via' | 'fromName' | 'toName' | 'viaNames'>;

/** The participants of all messages, in the order of `seq`: at the end of the captures they have their last names. */
async function participantsOf(files: readonly string[], options: MessagesOptions): Promise<readonly MessageNames[]> {
  const found: MessageNames[] = [];
  const late = { fromName: undefined, toName: undefined, viaNames: undefined };
  await new Session(files, { ...options, quiet: true, lives: false }).eachMessage(({ seq, from, to, via }) => {
    found[seq - 1] = { from, to, via, ...late };
  });
  return found;
}
