// `kubeseq export` writes decoded, redacted messages with bodies, to share instead of capture and keys. Every command
// reads such a file as a capture.

import { type PipelineItem, SavedWriter, tableWriter } from '../../index.js';
import { CliError, EXIT_DIFFERENT, EXIT_FINE, EXIT_INTERRUPTED } from '../cli-error.js';
import { Session } from '../input/session.js';
import { MessageSelection } from '../message-selection.js';
import { checkSelection } from '../option-values.js';
import type { CommonOptions, FollowCliOptions } from '../options.js';
import { formatOf } from '../output/format.js';
import { openOutput, widestMode } from '../output/output.js';
import { annotate } from './annotate.js';

export const EXPORT_FORMATS = ['ndjson', 'parquet', 'pcapng'] as const;
const ENDINGS = { '.ndjson': 'ndjson', '.jsonl': 'ndjson', '.parquet': 'parquet', '.pcapng': 'pcapng' } as const;

export type ExportOptions = CommonOptions & FollowCliOptions;

/** @param bodies with heads and bodies. */
export async function exportMessages(files: readonly string[], options: ExportOptions, bodies = true): Promise<number> {
  checkSelection(options);
  const format = formatOf(options, EXPORT_FORMATS, ENDINGS, 'ndjson');
  if (format === 'pcapng') return annotate(files, options);
  if (format === 'parquet' && options.write === undefined && process.stdout.isTTY === true)
    throw new CliError('a table is nothing for a terminal; write it to a file: -w FILE.parquet');
  const session = new Session(files, { ...options, bodies, digests: true, limitNotices: true });
  const output = openOutput(options.write, widestMode(options));
  const about = {
    captures: session.names,
    redacted: options.showSecrets !== true,
    digits: (capture: number) => session.digits(capture),
  };
  const writer = format === 'ndjson' ? new SavedWriter(about) : await tableWriter({ ...about, bodies });
  const chosen = new MessageSelection(options, session, bodies);
  const ofChosen = (item: PipelineItem): PipelineItem[] =>
    item.kind !== 'message' ? [item] : chosen.feed(item.message).map((message) => ({ kind: 'message', message }));
  try {
    for await (const batch of session.run())
      for (const text of writer.feed(chosen.isAll ? batch : batch.flatMap(ofChosen), session.firstTime))
        await output.write(text);
    for (const message of chosen.end())
      for (const text of writer.feed([{ kind: 'message', message }], session.firstTime)) await output.write(text);
    for (const text of writer.end(session.firstTime)) await output.write(text);
    await output.done();
  } catch (error) {
    await output.abandon();
    throw error;
  } finally {
    chosen.close();
  }
  session.printNotices((one) => chosen.touches(one));
  // Notices and connections are useful even if nothing was decoded.
  if (session.interrupted) return EXIT_INTERRUPTED;
  return chosen.isAbsent ? EXIT_DIFFERENT : EXIT_FINE;
}
