// `kubeseq explain MESSAGE CAPTURE...` explains the participants, the object and the cause of one message.

import {
  arrowNumbered,
  escapeTerminal,
  explain as explained,
  framesText,
  type Message,
  messagesInFrame,
  nearestToFrame,
  renderCauseChain,
} from '../../index.js';
import { CliError, EXIT_FINE, EXIT_INTERRUPTED } from '../cli-error.js';
import { Session } from '../input/session.js';
import { checkSelection } from '../option-values.js';
import type { DiagramCliOptions } from '../options.js';
import { sequenceOf } from '../output/diagram.js';
import { openOutput, widestMode } from '../output/output.js';

export interface ExplainOptions extends DiagramCliOptions {
  readonly chain?: true;
}

export async function explain(which: string, files: readonly string[], options: ExplainOptions): Promise<number> {
  const [, kind = 'message', digits] = /^(?:(message|seq|frame|arrow)[: ]|#)?([1-9]\d{0,14})$/.exec(which) ?? [];
  if (digits === undefined)
    throw new CliError(`${which}: expected the number of a message, as 1354 or #1354; frame:NUMBER or arrow:NUMBER`);
  checkSelection(options);
  const session = new Session(files, options);
  const messages = await session.collect();
  const number = Number(digits);
  const orTrouble = (found: readonly Message[], why: () => string): readonly Message[] => {
    if (found.length > 0) return found;
    // The notices may explain why there are so few messages.
    session.printNotices();
    throw new CliError(why());
  };
  const meant =
    kind === 'frame'
      ? orTrouble(messagesInFrame(messages, number), () => noneInFrame(messages, number))
      : kind === 'arrow'
        ? orTrouble(...arrowOf(number, messages, options, session))
        : orTrouble(
            messages.filter(({ seq }) => seq === number),
            () => `no message ${number}: the capture has ${messages.length}, numbered from 1`,
          );
  const output = openOutput(options.write, widestMode(options));
  const parts = meant
    .slice(0, MAX_EXPLAINED)
    .map(({ seq }) =>
      options.chain === true
        ? [renderCauseChain(messages, seq, session.firstTime ?? 0n)]
        : (explained(messages, seq, session.captureNames) ?? []).map((line) => `${escapeTerminal(line)}\n`),
    );
  const more = meant.slice(MAX_EXPLAINED).map(({ seq }) => seq);
  if (more.length > 0) parts.push([`and ${more.length} more messages in this frame: ${more.join(', ')}\n`]);
  await output.write(parts.map((lines) => lines.join('')).join('\n'));
  await output.done();
  session.printNotices();
  return session.interrupted ? EXIT_INTERRUPTED : EXIT_FINE;
}

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
