// Renders a sequence as JSON (`diagram -o json`): participants, messages, notes and folds.

import { arrowsOf, loopTitle, type Sequence, type Step } from '../../diagram/model.js';
import { coverageLines } from '../../diagram/notes/closing-note.js';
import { jsonText } from '../escape/json-text.js';
import { type MessageJsonOptions, messageJson } from '../messages/message-json.js';

export function renderSequenceJson(sequence: Sequence, options: MessageJsonOptions): string {
  const names = new Map(sequence.participants.map((one) => [one.id, one.name]));
  const messages = arrowsOf(sequence.steps).map(({ message, from, to }) => ({
    ...messageJson(message, options),
    from: names.get(from),
    to: names.get(to),
  }));
  const { participants, folded, drawn, total, closing } = sequence;
  const coverage = coverageLines(sequence.coverage);
  return `${jsonText({ participants, messages, notes: notes(sequence.steps), folded, drawn, total, closing, coverage }, 2)}\n`;
}

/** Notes and loops with the number of the message before them. */
function notes(steps: readonly Step[]): unknown[] {
  const out: unknown[] = [];
  let after: number | null = null;
  for (const step of steps) {
    if (step.kind === 'arrow') after = step.message.seq;
    else if (step.kind === 'note') out.push({ after, over: step.over, text: step.lines.join('\n') });
    else {
      const repeated = arrowsOf([step]).map((arrow) => arrow.message.seq);
      out.push({ after, over: [], text: loopTitle(step), messages: repeated });
      after = repeated[repeated.length - 1] ?? after;
    }
  }
  return out;
}
