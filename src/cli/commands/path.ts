// `kubeseq path KIND/NAME CAPTURE...` prints where the time went until an object was ready, or gone; of several objects, statistics.

import {
  ALL_LAYERS,
  criticalPaths,
  type FollowedName,
  HistoryBuilder,
  messagesAbout,
  NearestNames,
} from '../../index.js';
import { EXIT_DIFFERENT } from '../cli-error.js';
import type { Command, CommandRun } from '../command.js';
import { FORMATS } from '../formats.js';
import { GatheredMessages } from '../input/gathered-messages.js';
import { otherNamespacesText } from '../input/message-choice.js';
import { Session } from '../input/session.js';
import { whyNoPath } from '../output/no-path.js';
import type { MeasuredPaths } from '../output/results.js';
import { endOf } from '../unread.js';
import { type PathOptions, pathsOfSeveral, wantedPaths } from './path-several.js';

export type { PathOptions } from './path-several.js';

export const path: Command<[name: string, args: readonly string[]], PathOptions, MeasuredPaths> = {
  formats: FORMATS.path,
  async run([name, args], options) {
    const { one, several, files } = wantedPaths(name, args, options);
    if (several !== undefined) return pathsOfSeveral(several, files, options);
    return pathOfOne(name, one as FollowedName, files, options);
  },
};

async function pathOfOne(
  name: string,
  follow: FollowedName,
  files: readonly string[],
  options: PathOptions,
): Promise<CommandRun<MeasuredPaths>> {
  const session = new Session(files, { ...options, bodies: true, numbersPlaceholders: true });
  const history = session.withDropNotices(() => new HistoryBuilder(follow));
  const names = new NearestNames(follow);
  const gathered = new GatheredMessages({ follow, layers: ALL_LAYERS }, { quiet: options.quiet });
  try {
    await session.eachMessage((message) => {
      history.feed(message);
      names.observe(message);
      gathered.add(message);
    });
    const { messages } = gathered.observation(session.notices);
    const life = history.result();
    const paths = criticalPaths(messages, life, { goal: options.goal, story: messagesAbout(messages, follow) });
    return {
      result: { paths },
      captures: session,
      end() {
        session.note(history.notices());
        const remarks = session.remarks();
        if (paths.length > 0 || session.messages === 0) return endOf(session, options, remarks);
        const why =
          life.incarnations.length === 0
            ? otherNamespacesText(history.elsewhere, names.offered())
            : whyNoPath(name, life, options.goal);
        return { remarks: [...remarks, `${name}: ${why}`], status: EXIT_DIFFERENT };
      },
    };
  } finally {
    gathered.close();
  }
}
