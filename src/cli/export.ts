// `kubeseq export`: decoded, redacted messages with bodies, to share instead of capture and keys. Every command reads such
// a file as a capture.

import { SavedWriter } from '../index.js';
import type { CommonOptions } from './options.js';
import { openOutput } from './output.js';
import { Session } from './session.js';
import { EXIT_FINE, EXIT_INTERRUPTED, Trouble } from './trouble.js';

export async function exportMessages(files: readonly string[], options: CommonOptions): Promise<number> {
  if (options.output !== undefined && options.output !== 'ndjson')
    throw new Trouble(`-o ${options.output}: an export is ndjson; leave -o out`);
  const session = new Session(files, { ...options, bodies: true, digests: true, flat: true });
  const output = openOutput(options.write);
  const writer = new SavedWriter({
    captures: session.names,
    redacted: options.showSecrets !== true,
    digits: (capture) => session.digits(capture),
  });
  try {
    for await (const batch of session.run())
      for (const text of writer.feed(batch, session.firstTime)) await output.write(text);
    for (const text of writer.end(session.firstTime)) await output.write(text);
    await output.done();
  } catch (error) {
    await output.abandon();
    throw error;
  }
  session.sayNotices();
  return session.interrupted ? EXIT_INTERRUPTED : EXIT_FINE;
}
