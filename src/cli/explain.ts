// `kubeseq explain SEQ CAPTURE...`: why one message has its component, its object and its cause.

import { escapeTerminal, explain as explained } from '../index.js';
import { formatOf } from './format.js';
import type { CommonOptions } from './options.js';
import { openOutput } from './output.js';
import { Session } from './session.js';
import { EXIT_FINE, EXIT_INTERRUPTED, Trouble } from './trouble.js';

export async function explain(seq: string, files: readonly string[], options: CommonOptions): Promise<number> {
  formatOf(options, ['text'] as const, { '.txt': 'text' }, 'text');
  if (!/^[1-9]\d{0,14}$/.test(seq)) throw new Trouble(`${seq}: expected the number of a message, as its seq says`);
  const session = new Session(files, options);
  const messages = await session.collect();
  const lines = explained(messages, Number(seq));
  if (lines === null) {
    // Why there are so few may be among them.
    session.sayNotices();
    throw new Trouble(`no message ${seq}: the capture has ${messages.length}, numbered from 1`);
  }
  const output = openOutput(options.write);
  await output.write(lines.map((line) => `${escapeTerminal(line)}\n`).join(''));
  await output.done();
  session.sayNotices();
  return session.interrupted ? EXIT_INTERRUPTED : EXIT_FINE;
}
