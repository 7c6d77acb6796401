// `kubeseq export` writes decoded, redacted messages with bodies, to share instead of capture and keys. Every command
// reads such a file as a capture.

import { EXIT_DIFFERENT, EXIT_FINE, EXIT_INTERRUPTED } from '../cli-error.js';
import type { Command, CommandRun } from '../command.js';
import { FORMATS } from '../formats.js';
import { MessageChoice } from '../input/message-choice.js';
import { Session } from '../input/session.js';
import { checkSelection } from '../option-values.js';
import type { CommonOptions, FollowCliOptions } from '../options.js';
import type { CapturedItems } from '../output/results.js';
import { annotated } from './annotate.js';

export type ExportOptions = CommonOptions & FollowCliOptions;

export const exportMessages: Command<[files: readonly string[]], ExportOptions, CapturedItems> = {
  formats: FORMATS.export,
  async run([files], options, { name }) {
    checkSelection(options);
    return name === 'pcapng' ? annotated(files, options) : exportedItems(files, options, true);
  },
};

/** @param bodies with heads and bodies. */
export function exportedItems(
  files: readonly string[],
  options: ExportOptions,
  bodies: boolean,
): CommandRun<CapturedItems> {
  const session = new Session(files, { ...options, bodies, digests: true, limitNotices: true, lives: false });
  const chosen = new MessageChoice(options, session, { bodies });
  return {
    result: chosen.items(chosen.from(session.run()), bodies),
    captures: session,
    end() {
      const remarks = [...chosen.remarks, ...session.remarks((one) => chosen.touches(one))];
      // Notices and connections are useful even if nothing was decoded.
      if (session.interrupted) return { remarks, status: EXIT_INTERRUPTED };
      return { remarks, status: chosen.isAbsent ? EXIT_DIFFERENT : EXIT_FINE };
    },
  };
}
