// Lists what a page has at its side: what went wrong, and the stories, both heaviest first.

import type { FollowedName } from '../../kubernetes/api/kinds.js';
import { indexMessages, type Observation } from '../message-index.js';
import { problemText } from '../problems.js';
import { wentWrongIn } from '../went-wrong.js';
import { storyMeasures } from './overview.js';
import { followArguments, heaviestStories, type ObjectStories, storiesOf } from './stories.js';

export interface PageOverview {
  readonly wrong: readonly ListedProblem[];
  readonly stories: readonly ListedStory[];
  /** What the stories were listed from. */
  readonly found: ObjectStories;
}

export interface ListedProblem {
  readonly text: string;
  /** `seq` of the first message that shows it. */
  readonly message?: number;
  /** Frame of a failed connection. */
  readonly frame?: number;
}

export interface ListedStory {
  readonly root: FollowedName;
  /** What `--follow` takes: `deployments/web -n shop`. */
  readonly followed: string;
  /** `84 arrows, 12 s`. */
  readonly measures: string;
  readonly problems: number;
  /** `seq` of each arrow, in the order of the diagram. */
  readonly seqs: readonly number[];
}

/** What is usual while a control plane starts is no problem, and in neither list. */
export function pageOverview(observation: Observation): PageOverview {
  const found = storiesOf(indexMessages(observation.messages, observation.remainder));
  return {
    found,
    wrong: wentWrongIn(observation)
      .filter(({ kind }) => kind !== 'start-up')
      .map(({ message, frame, ...problem }) => ({ text: problemText(problem), message, frame })),
    stories: heaviestStories(found.stories).map((story) => ({
      root: story.root,
      followed: followArguments(story.root).slice(1).join(' '),
      measures: storyMeasures(story),
      problems: story.problems.length,
      seqs: story.messages.map(({ seq }) => seq),
    })),
  };
}
