// `kubeseq object KIND/NAME CAPTURE...` prints the history of one object: its revisions, their writers, and the
// fields that changed.

import { HistoryBuilder, NearestNames, parseFollow } from '../../index.js';
import { CliError } from '../cli-error.js';
import type { Command } from '../command.js';
import { FORMATS } from '../formats.js';
import { otherNamespacesText } from '../input/message-choice.js';
import { Session } from '../input/session.js';
import type { CommonOptions } from '../options.js';
import type { HistoryOfObject } from '../output/results.js';
import { endOf } from '../unread.js';

export interface ObjectOptions extends CommonOptions {
  readonly namespace: string;
  readonly all?: true;
}

export const object: Command<[name: string, files: readonly string[]], ObjectOptions, HistoryOfObject> = {
  formats: FORMATS.object,
  async run([name, files], options) {
    const wanted = parseFollow(name, options.namespace);
    if (wanted === null) throw new CliError(`${name}: expected KIND/NAME, for example pod/nginx`);
    const session = new Session(files, { ...options, bodies: true, numbersPlaceholders: true });
    const history = session.withDropNotices(() => new HistoryBuilder(wanted));
    const names = new NearestNames(wanted);
    await session.eachMessage((message) => {
      history.feed(message);
      names.observe(message);
    });
    const life = history.result();
    return {
      result: { life, all: options.all },
      captures: session,
      end() {
        session.note(history.notices());
        // If nothing was decoded, that is the reason.
        const isAbsent = life.incarnations.length === 0 && session.messages > 0;
        const absent = isAbsent ? [`${name}: ${otherNamespacesText(history.elsewhere, names.offered())}`] : [];
        return endOf(session, options, [...session.remarks(), ...absent], isAbsent);
      },
    };
  },
};
