// The picture of an observation: what is drawn, in the order of the capture, with what happened before it at the top and
// what is missing from it at the end. Knows how a person tells such a story; what is drawn is decide.ts's, single arrows are
// arrows.ts's, participants are cast.ts's, repeats are repeats.ts's.

import { showLanes } from './folding/fold-groups.js';
import { foldRepeats, withoutStormBars } from './folding/repeats.js';
import { noteAt, receiversOf, split, stepsFor, watchesBefore } from './layout/arrows.js';
import { withChapters } from './layout/chapters.js';
import { hopsOf } from './layout/hops.js';
import { lifelinesOf } from './layout/lifelines.js';
import { withPauses } from './layout/pauses.js';
import { SET_UP_NOTE } from './layout/phases.js';
import { indexMessages, type Observation } from './message-index.js';
import type { Sequence, Step } from './model.js';
import { missingLines } from './notes/capture-gaps.js';
import { failedIn, failedLines, tellFailed } from './notes/failed-connections.js';
import { countFolded, deliveryLines, foldedFailures, foldedLines } from './notes/summary-note.js';
import { DEFAULT_LAYERS, decisionOf, drawnOf, type PictureOptions } from './selection/visibility.js';

/** @returns participants and steps; `closing` says what is not among them. */
export function buildSequence(observation: Observation, options: PictureOptions = {}): Sequence {
  const seen = indexMessages(observation.messages, observation.notices);
  const { fates, view, chapters, lanes, remarks } = decisionOf(seen, options);
  const drawn = drawnOf(seen, fates);
  const receivers = receiversOf(drawn, seen, fates);
  const arrows = drawn.map((message) => ({ message, from: message.from, to: receivers.get(message) ?? message.to }));
  const cast = lifelinesOf(
    arrows.flatMap(({ message, from, to }) => hopsOf(message, from, to)),
    {
      by: options.by ?? 'controller',
      order: options.order,
      groups: options.groups,
    },
  );
  const ends: readonly [string, string] | null =
    cast.lifelines.length === 0 ? null : [cast.lifelines[0].id, cast.lifelines[cast.lifelines.length - 1].id];

  const { setUp, story } = split(arrows, seen);
  const step = (arrow: (typeof arrows)[number]): Step[] => stepsFor(arrow, seen, fates, cast, remarks);
  const fold = options.all === true ? unfolded : foldRepeats;
  // The notes behind the set-up belong to no arrow of it.
  const foldedSetUp = fold(setUp.flatMap(step));
  const steps: Step[] = [...foldedSetUp.steps];
  if (ends !== null) {
    for (const note of watchesBefore(arrows, seen, cast)) steps.push(note);
    if (steps.length > 0) steps.push({ kind: 'note', over: ends, lines: [SET_UP_NOTE] });
  }
  const told = fold(story.flatMap(step));
  const { selected, follow } = options;
  const failed = failedIn(observation, selected === undefined ? null : view.messages);
  const { steps: shown, untold } = tellFailed(
    showLanes(told.steps, lanes, (arrow, line) => noteAt(arrow, line, cast)),
    failed,
    cast,
    drawn,
    selected === undefined && follow === undefined,
  );
  const timed = ends === null ? shown : withChapters(withPauses(shown, drawn, ends), chapters, ends);
  const folding = {
    steps: [...steps, ...timed],
    repeated: foldedSetUp.repeated + told.repeated,
  };
  const folded = countFolded(fates);
  if (folding.repeated > 0) folded['repeats'] = folding.repeated;
  const last = [
    ...deliveryLines(seen, fates),
    ...foldedLines(folded),
    ...foldedFailures(seen, fates),
    ...failedLines(failed, ends === null, untold),
    ...missingLines(observation, seen, {
      chosen: follow === undefined && selected === undefined ? null : drawn,
      layers: options.layers ?? DEFAULT_LAYERS,
    }),
  ];
  const closing: Step[] = ends === null || last.length === 0 ? [] : [{ kind: 'note', over: ends, lines: last }];
  return {
    participants: cast.lifelines,
    steps: [...folding.steps, ...closing],
    closing: last,
    folded,
    drawn: drawn.length - folding.repeated,
    total: observation.messages.length,
  };
}

function unfolded(steps: readonly Step[]): ReturnType<typeof foldRepeats> {
  return { steps: withoutStormBars(steps), repeated: 0 };
}
