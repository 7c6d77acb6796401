// `kubeseq export` writes decoded, redacted messages with bodies, to share instead of capture and keys. Every command
// reads such a file as a capture.

import { type PipelineItem, SavedWriter } from '../../index.js';
import { CliError, EXIT_FINE, EXIT_INTERRUPTED } from '../cli-error.js';
import { Session } from '../input/session.js';
import { MessageSelection } from '../message-selection.js';
import { checkSelection } from '../option-values.js';
import type { CommonOptions, FollowCliOptions } from '../options.js';
import { openOutput } from '../output/output.js';

export type ExportOptions = CommonOptions & FollowCliOptions;

export async function exportMessages(files: readonly string[], options: ExportOptions): Promise<number> {
  checkSelection(options);
  if (options.output !== undefined && options.output !== 'ndjson')
    throw new CliError(`-o ${options.output}: an export is ndjson; leave -o out`);
  const session = new Session(files, { ...options, bodies: true, digests: true, limitNotices: true });
  const output = openOutput(options.write);
  const writer = new SavedWriter({
    captures: session.names,
    redacted: options.showSecrets !== true,
    digits: (capture) => session.digits(capture),
  });
  const chosen = new MessageSelection(options, session);
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
  }
  session.printNotices((one) => chosen.touches(one));
  // Notices and connections are useful even if nothing was decoded.
  return session.interrupted ? EXIT_INTERRUPTED : EXIT_FINE;
}
