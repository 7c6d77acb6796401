// `kubeseq explain MESSAGE CAPTURE...` explains the participants, the object and the cause of one message.

import { arrowNumbered, framesText, type Message, messagesInFrame, nearestToFrame } from '../../index.js';
import { CliError, EXIT_FINE, EXIT_INTERRUPTED, EXIT_TROUBLE } from '../cli-error.js';
import type { Command } from '../command.js';
import { FORMATS } from '../formats.js';
import { sequenceOf } from '../input/diagram.js';
import { Session } from '../input/session.js';
import { checkSelection } from '../option-values.js';
import type { DiagramCliOptions } from '../options.js';
import type { ExplainedMessages } from '../output/results.js';

export interface ExplainOptions extends DiagramCliOptions {
  readonly chain?: true;
}

export const explain: Command<[which: string, files: readonly string[]], ExplainOptions, ExplainedMessages> = {
  formats: FORMATS.explain,
  async run([which, files], options) {
    const [, kind = 'message', digits] = /^(?:(message|seq|frame|arrow)[: ]|#)?([1-9]\d{0,14})$/.exec(which) ?? [];
    if (digits === undefined)
      throw new CliError(`${which}: expected the number of a message, as 1354 or #1354; frame:NUMBER or arrow:NUMBER`);
    checkSelection(options);
    const session = new Session(files, options);
    const messages = await session.collect();
    const number = Number(digits);
    const [meant, why] =
      kind === 'frame'
        ? [messagesInFrame(messages, number), () => noneInFrame(messages, number)]
        : kind === 'arrow'
          ? arrowOf(number, messages, options, session)
          : [
              messages.filter(({ seq }) => seq === number),
              () => `no message ${number}: the capture has ${messages.length}, numbered from 1`,
            ];
    // The notices may explain why there are so few messages.
    if (meant.length === 0) return { remarks: session.remarks(), reasons: [why()], status: EXIT_TROUBLE };
    const seqs = meant.map(({ seq }) => seq);
    return {
      result: {
        messages,
        seqs: seqs.slice(0, MAX_EXPLAINED),
        more: seqs.slice(MAX_EXPLAINED),
        isChain: options.chain === true,
      },
      captures: session,
      end: () => ({ remarks: session.remarks(), status: session.interrupted ? EXIT_INTERRUPTED : EXIT_FINE }),
    };
  },
};

/** The message of an arrow, or an error if the diagram has no such number. */
function arrowOf(
  number: number,
  messages: readonly Message[],
  options: DiagramCliOptions,
  session: Session,
): [readonly Message[], () => string] {
  const sequence = sequenceOf(messages, options, session);
  const arrow = arrowNumbered(sequence.steps, number);
  return [
    arrow === undefined ? [] : [arrow.message],
    () =>
      `no arrow ${number}: the diagram has fewer. It is the one that diagram draws with the same options (--follow, --layers, --all …)`,
  ];
}

function noneInFrame(messages: readonly Message[], frame: number): string {
  const nearest = nearestToFrame(messages, frame);
  const hint = nearest === undefined ? '' : `; the nearest is message ${nearest.seq}, ${framesText(nearest.frames)}`;
  return `no message in frame ${frame}${hint}`;
}

/** Limit: messages of one frame that `explain` explains, the numbers of the others are named; HTTP/2 may pack many small ones into one. */
const MAX_EXPLAINED = 20;
