// Folds answers into the labels of their requests, where they tell nothing that a reader looks for.

import { elapsedText } from '../../core/duration.js';
import { counted } from '../../core/quantity.js';
import type { Message } from '../../kubernetes/messages/message.js';
import { type Arrow, isFailure, labelOf, type Sequence, type Step } from '../model.js';
import { closingLines } from '../notes/closing-note.js';

/**
 * An answer keeps its arrow where it tells of a failure or of a redirect, was late, or was overtaken by what its request caused; and where
 * a note is about it.
 *
 * @returns the same sequence with `POST /api/v1/namespaces/default/pods - nginx → 201, 12 ms` on the arrows of such requests.
 */
export function foldAnswers(sequence: Sequence): Sequence {
  let folded = 0;
  const fold = (steps: readonly Step[], isRepeated: boolean): Step[] => {
    const answers = foldable(steps);
    folded += answers.size;
    const gone = new Set(answers.values());
    return steps.flatMap((step): Step[] => {
      if (step.kind === 'loop') return [{ ...step, steps: fold(step.steps, true) }];
      if (step.kind === 'note') return [step];
      if (gone.has(step)) return [];
      const answer = answers.get(step);
      return [answer === undefined ? step : withAnswer(step, answer, isRepeated)];
    });
  };
  const steps = fold(sequence.steps, false);
  if (folded === 0) return sequence;
  const line = counted(
    folded,
    'answer stands in the label of its request',
    'answers stand in the labels of their requests',
  );
  const coverage = { ...sequence.coverage, others: [...sequence.coverage.others, line] };
  const closing = closingLines(coverage);
  return {
    ...sequence,
    steps: steps.map((step) => (step.kind === 'note' && step.isClosing ? { ...step, lines: closing } : step)),
    closing,
    coverage,
  };
}

/** ` → 201, 12 ms`, after the words for a request. */
export function answerWords(request: Message, answer: Message): string {
  return `${statusWords(answer)}, ${elapsedText(latencyOf(request, answer))}`;
}

function statusWords({ status }: Message): string {
  return ` → ${status ?? 'OK'}`;
}

/** ns from a request to its answer: to its first byte, where the capture shows that. */
function latencyOf(request: Message, { latencyMs, time }: Message): bigint {
  return latencyMs === undefined ? time - request.time : BigInt(Math.round(latencyMs * 1e6));
}

/** Request → answer, both among these steps. */
function foldable(steps: readonly Step[]): ReadonlyMap<Arrow, Arrow> {
  const answers = new Map<Arrow, Arrow>();
  const open = new Map<number, { readonly arrow: Arrow; isOvertaken: boolean }>();
  steps.forEach((step, i) => {
    overtake(open, [step]);
    if (step.kind !== 'arrow') return;
    const { message, activates, deactivates } = step;
    if (activates) open.set(message.exchange, { arrow: step, isOvertaken: false });
    else if (deactivates) {
      const request = open.get(message.exchange);
      open.delete(message.exchange);
      const next = steps[i + 1];
      const hasNote = next?.kind === 'note' && next.isOnArrow === true;
      if (request !== undefined && !request.isOvertaken && !hasNote && isOrdinary(request.arrow, step))
        answers.set(request.arrow, step);
    }
  });
  return answers;
}

/** What a request caused stands before its answer. */
function overtake(
  open: ReadonlyMap<number, { readonly arrow: Arrow; isOvertaken: boolean }>,
  steps: readonly Step[],
): void {
  for (const step of steps) {
    if (step.kind === 'loop') overtake(open, step.steps);
    if (step.kind !== 'arrow' || step.message.causedBy === undefined) continue;
    for (const request of open.values())
      if (
        request.arrow.message.seq === step.message.causedBy &&
        request.arrow.message.exchange !== step.message.exchange
      )
        request.isOvertaken = true;
  }
}

function isOrdinary({ message: request }: Arrow, { message: answer }: Arrow): boolean {
  if (answer.status === undefined && answer.grpcStatus === undefined) return false;
  if ((answer.status ?? 200) >= 300 || (answer.grpcStatus ?? 0) > 0) return false;
  return answer.problems === undefined && latencyOf(request, answer) < LATE_NS;
}

/** Repeated steps took different times. */
function withAnswer(request: Arrow, { message: answer }: Arrow, isRepeated: boolean): Arrow {
  const { message } = request;
  const summary = {
    words: labelOf(request) + (isRepeated ? statusWords(answer) : answerWords(message, answer)),
    seqs: `${message.seq}, ${answer.seq}`,
    hasFailed: isFailure(request),
  };
  return { ...request, activates: false, summary };
}

/** ns: the API server's own service level is that 99 % of calls for one object end within a second (sig-scalability, api_call_latency). */
const LATE_NS = 1_000_000_000n;
