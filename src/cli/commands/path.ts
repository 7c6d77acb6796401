// `kubeseq path KIND/NAME CAPTURE...` prints where the time went until an object was ready, or gone; of several objects, statistics.

import {
  ALL_LAYERS,
  criticalPaths,
  type FollowedName,
  HistoryBuilder,
  messagesAbout,
  NearestNames,
  renderPathJson,
  renderPathMarkdown,
  renderPathText,
} from '../../index.js';
import { EXIT_DIFFERENT, printError } from '../cli-error.js';
import { GatheredMessages } from '../input/gathered-messages.js';
import { Session } from '../input/session.js';
import { otherNamespacesText } from '../message-selection.js';
import { formatOf } from '../output/format.js';
import { whyNoPath } from '../output/no-path.js';
import { openOutput, widestMode } from '../output/output.js';
import { exitStatusOf } from '../unread.js';
import { PATH_FORMATS, type PathFormat, type PathOptions, pathsOfSeveral, wantedPaths } from './path-several.js';

export type { PathOptions } from './path-several.js';

export async function path(name: string, args: readonly string[], options: PathOptions): Promise<number> {
  const format = formatOf(options, PATH_FORMATS, { '.txt': 'text', '.md': 'markdown', '.json': 'json' }, 'text');
  const { one, several, files } = wantedPaths(name, args, options);
  if (several !== undefined) return pathsOfSeveral(several, files, options, format);
  return pathOfOne(name, one as FollowedName, files, options, format);
}

async function pathOfOne(
  name: string,
  follow: FollowedName,
  files: readonly string[],
  options: PathOptions,
  format: PathFormat,
): Promise<number> {
  const session = new Session(files, { ...options, bodies: true, numbersHidden: true });
  const history = session.keep(() => new HistoryBuilder(follow));
  const names = new NearestNames(follow);
  const gathered = new GatheredMessages(
    { follow, layers: ALL_LAYERS },
    { whole: false, bodies: false, quiet: options.quiet === true },
  );
  try {
    await session.eachMessage((message) => {
      history.feed(message);
      names.observe(message);
      gathered.add(message);
    });
    const { messages } = gathered.observation(session.notices);
    const life = history.result();
    const paths = criticalPaths(messages, life, { goal: options.goal, story: messagesAbout(messages, follow) });
    const first = session.firstTime ?? 0n;
    const output = openOutput(options.write, widestMode(options));
    const text =
      format === 'json'
        ? renderPathJson(paths, (capture) => session.digits(capture))
        : format === 'markdown'
          ? renderPathMarkdown(paths, first)
          : renderPathText(paths, first);
    await output.write(text);
    await output.done();
    session.note(history.notices());
    session.printNotices();
    if (paths.length > 0 || session.messages === 0) return exitStatusOf(session, options);
    if (options.quiet !== true)
      printError(
        `${name}: ${life.incarnations.length === 0 ? otherNamespacesText(history.elsewhere, names.offered()) : whyNoPath(name, life, options.goal)}`,
      );
    return EXIT_DIFFERENT;
  } finally {
    gathered.close();
  }
}
