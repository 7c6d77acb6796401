// `kubeseq export -w FILE.pcapng` copies a capture with a comment at each frame in which a message ends, for Wireshark.

import { statSync } from 'node:fs';
import { Annotator, escapeTerminal, type Message, NotAnnotatable, plainBytes } from '../../index.js';
import { CliError, EXIT_DIFFERENT } from '../cli-error.js';
import type { CommandRun } from '../command.js';
import { readCapture } from '../input/input.js';
import { MessageChoice } from '../input/message-choice.js';
import { Session } from '../input/session.js';
import type { CommonOptions, FollowCliOptions } from '../options.js';
import type { CapturedItems } from '../output/results.js';
import { endOf } from '../unread.js';

/** @param files one capture, which is read twice. */
export async function annotated(
  files: readonly string[],
  options: CommonOptions & FollowCliOptions,
): Promise<CommandRun<CapturedItems>> {
  const [file, ...others] = files;
  if (others.length > 0 || file === undefined || file === '-')
    throw new CliError('a capture with comments is a copy of one capture file; name one');
  if (options.anonymizer !== undefined)
    throw new CliError('the packets of a capture hold all names: --anonymize is for ndjson');
  const session = new Session(files, { ...options, limitNotices: true, lives: false });
  const chosen = new MessageChoice(options, session);
  const comments = new FrameComments();
  for await (const batch of chosen.from(session.run()))
    for (const item of batch) if (item.kind === 'message') comments.add(item.message);
  const [report, ...more] = session.reports;
  if (more.length > 0 || (report?.format !== 'pcap' && report?.format !== 'pcapng'))
    throw new CliError(`${file}: only the packets of one capture file can have comments`);
  const annotator = new Annotator((frame) => comments.of(frame));
  return {
    result: { ...chosen.items(NOTHING, false), copy: copyOf(file, annotator) },
    captures: session,
    // A copy of the packets, and of keys among them, is for nobody who may not read the capture.
    mode: (statSync(file).mode & (options.showSecrets === true ? 0o600 : 0o666)) | 0o600,
    end() {
      const counts = [
        ...(comments.left > 0
          ? [`${comments.left} messages have no comment: there are more than ${MAX_MESSAGES}`]
          : []),
        ...(annotator.unplaced > 0
          ? [`${annotator.unplaced} frames have no comment: simple packet blocks cannot hold one`]
          : []),
      ];
      const remarks = [...chosen.remarks, ...counts, ...session.remarks((one) => chosen.touches(one))];
      return chosen.isAbsent ? { remarks, status: EXIT_DIFFERENT } : endOf(session, options, remarks);
    },
  };
}

/** Throws CliError for a file that cannot have comments. */
async function* copyOf(file: string, annotator: Annotator): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of await plainBytes(readCapture(file))) yield* annotator.feed(chunk);
    yield* annotator.end();
  } catch (error) {
    if (error instanceof NotAnnotatable) throw new CliError(`${file}: ${error.message}; such a file cannot be copied`);
    throw error;
  }
}

/** Everything is in the copy. */
const NOTHING: AsyncIterable<never> = { async *[Symbol.asyncIterator]() {} };

/** Comments by frame: a message's is at its last frame, where Wireshark shows what it put together. */
class FrameComments {
  readonly #byFrame = new Map<number, string[]>();
  #count = 0;
  /** Messages beyond the limit. */
  left = 0;

  add(message: Message): void {
    if (this.#count >= MAX_MESSAGES) {
      this.left += 1;
      return;
    }
    this.#count += 1;
    const frame = message.frames[1];
    const known = this.#byFrame.get(frame);
    if (known === undefined) this.#byFrame.set(frame, [commentOn(message)]);
    else known.push(commentOn(message));
  }

  of(frame: number): readonly string[] | undefined {
    return this.#byFrame.get(frame);
  }
}

/** `kubeseq: message 12, kubectl → kube-apiserver: [REQ] POST /api/v1/namespaces/default/pods - nginx; because of 9 (notification)`. */
function commentOn({ seq, from, to, label, cause }: Message): string {
  const why = cause === undefined ? '' : `; because of ${cause.seq} (${cause.how}${cause.certain ? '' : ', likely'})`;
  return escapeTerminal(`kubeseq: message ${seq}, ${from.name} → ${to.name}: ${label}${why}`);
}

/** Limit: messages that get comments, 0.3 KiB each. */
const MAX_MESSAGES = 2_000_000;
