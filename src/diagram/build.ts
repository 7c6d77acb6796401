// Builds the sequence diagram of an observation: the set-up, the story in the order of the capture, and a summary
// note about messages that are not drawn.

import type { Message } from '../kubernetes/messages/message.js';
import { reasonWords } from './disposition.js';
import { drawFoldGroups } from './folding/fold-groups.js';
import { foldRepeats, withoutBurstBars } from './folding/repeats.js';
import { hopsOf, noteAt, receiversOf, split, stepsFor, watchesBefore } from './layout/arrows.js';
import { withChapters } from './layout/chapters.js';
import { type LifelineLayout, lifelinesOf } from './layout/lifelines.js';
import { legWords, marksOf, undrawnSteps } from './layout/path-marks.js';
import { withPauses } from './layout/pauses.js';
import { SET_UP_NOTE } from './layout/phases.js';
import { indexMessages, type MessageIndex, type Observation } from './message-index.js';
import type { Coverage, Sequence, Step } from './model.js';
import { userNotes } from './notes/arrow-notes.js';
import { captureGaps } from './notes/capture-gaps.js';
import { closingLines, closingSteps, coverageLines, olderObjects } from './notes/closing-note.js';
import { addFailedConnections, failedIn, failedLines } from './notes/failed-connections.js';
import { ordinaryLooks } from './notes/failed-requests.js';
import { countFolded, deliveries, foldedFailures } from './notes/folded-counts.js';
import { DEFAULT_LAYERS, type Decision, type DiagramOptions, decisionOf, drawnOf } from './selection/visibility.js';

/**
 * @param index of the observation's messages, where more than one diagram is made of them.
 * @param decision which of them the options draw, where more than the diagram is made of it.
 */
export function buildSequence(
  observation: Observation,
  options: DiagramOptions = {},
  index: MessageIndex = indexMessages(observation.messages, observation.remainder),
  decision: Decision = decisionOf(index, options),
): Sequence {
  const { dispositions, view, chapters } = decision;
  const { selected, follow } = options;
  const { layout, ends, setUp, story, drawn, marks, repeated } = drawStory(options, index, decision);
  const failed = failedIn(observation, selected === undefined ? null : view.messages);
  const isAll = selected === undefined && follow === undefined;
  const { steps: shown, undrawn } = addFailedConnections(story, failed, layout, drawn, isAll);
  const timed = ends === null ? shown : withChapters(withPauses(shown, drawn, ends), chapters, ends);
  const counts = countFolded(dispositions, observation.remainder);
  if (repeated > 0) counts[reasonWords('repeats')] = repeated;
  const coverage: Coverage = {
    delivered: deliveries(index, dispositions),
    folded: counts,
    foldedFailures: foldedFailures(index, dispositions, observation.remainder),
    others: [...undrawnSteps(marks, drawn), ...olderObjects(index, follow)],
    failed: failedLines(failed, ends === null, undrawn),
    ...captureGaps(observation, index, {
      chosen: follow === undefined && selected === undefined ? null : drawn,
      layers: options.layers ?? DEFAULT_LAYERS,
    }),
  };
  // They are all that an empty diagram has.
  const closing = ends === null ? coverageLines(coverage) : closingLines(coverage);
  return {
    participants: layout.lifelines,
    steps: [...setUp, ...timed, ...closingSteps(closing, ends)],
    closing,
    coverage,
    folded: counts,
    drawn: drawn.length - repeated,
    total: observation.messages.length + (observation.remainder?.count ?? 0),
  };
}

/** What of a sequence its messages tell. */
interface DrawnStory {
  readonly layout: LifelineLayout;
  /** The first and the last lifeline; null: there are none. */
  readonly ends: readonly [string, string] | null;
  readonly setUp: readonly Step[];
  readonly story: readonly Step[];
  readonly drawn: readonly Message[];
  /** Messages of `drawn` that are folded into the one that they repeat. */
  readonly repeated: number;
  readonly marks: ReturnType<typeof marksOf>;
}

/** Draws what a decision draws, without notes on connections, pauses, chapters, and what is not drawn. */
export function drawStory(
  options: DiagramOptions,
  index: MessageIndex,
  { dispositions, groups, notes }: Decision,
): DrawnStory {
  const drawn = drawnOf(index, dispositions);
  const receivers = receiversOf(drawn, index, dispositions);
  const arrows = drawn.map((message) => ({ message, from: message.from, to: receivers.get(message) ?? message.to }));
  const layout = lifelinesOf(
    arrows.flatMap(({ message, from, to }) => hopsOf(message, from, to)),
    {
      by: options.by ?? 'controller',
      order: options.order,
      groups: options.groups,
    },
  );
  const ends: readonly [string, string] | null =
    layout.lifelines.length === 0 ? null : [layout.lifelines[0].id, layout.lifelines[layout.lifelines.length - 1].id];

  const parts = split(arrows, index);
  const marks = marksOf(options.path);
  const ordinary = index.once(ordinaryLooks);
  const users = userNotes(drawn, options.users === true);
  const step = (arrow: (typeof arrows)[number]): Step[] => {
    const { message } = arrow;
    const mark = marks.get(message.seq);
    const lines = [users.get(message), ...(notes.get(message) ?? []), mark?.leg ? legWords(mark.leg) : undefined];
    return stepsFor(arrow, index, dispositions, layout, {
      notes: lines.filter((line) => line !== undefined),
      isOnPath: mark !== undefined,
      tellsProblem: message.problems?.some(({ state }) => state === 'waiting' || notes.has(message)) === true,
      isOrdinary: ordinary.has(message.seq),
    });
  };
  const fold = options.all === true ? unfolded : foldRepeats;
  // Folded before the notes below are added, which belong to no arrow.
  const foldedSetUp = fold(parts.setUp.flatMap(step));
  const setUp: Step[] = [...foldedSetUp.steps];
  if (ends !== null) {
    for (const note of watchesBefore(arrows, layout, options.selected === undefined ? null : dispositions))
      setUp.push(note);
    if (setUp.length > 0) setUp.push({ kind: 'note', over: ends, lines: [SET_UP_NOTE] });
  }
  const folded = fold(parts.story.flatMap(step));
  return {
    ...{ layout, ends, setUp, drawn, marks },
    story: drawFoldGroups(folded.steps, groups, (arrow, line) => noteAt(arrow, line, layout)),
    repeated: foldedSetUp.repeated + folded.repeated,
  };
}

function unfolded(steps: readonly Step[]): ReturnType<typeof foldRepeats> {
  return { steps: withoutBurstBars(steps), repeated: 0 };
}
