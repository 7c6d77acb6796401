// `kubeseq object KIND/NAME CAPTURE...` prints the history of one object: its revisions, their writers, and the
// fields that changed.

import {
  HistoryBuilder,
  NearestNames,
  type ObjectHistory,
  type ObjectRenderOptions,
  parseFollow,
  renderObjectJson,
  renderObjectMarkdown,
  renderObjectMermaid,
  renderObjectText,
} from '../../index.js';
import { CliError, EXIT_DIFFERENT, EXIT_FINE, printError } from '../cli-error.js';
import { Session } from '../input/session.js';
import { otherNamespacesText } from '../message-selection.js';
import type { CommonOptions } from '../options.js';
import { formatOf } from '../output/format.js';
import { openOutput, widestMode } from '../output/output.js';
import { paintFor } from '../output/paint.js';
import { exitStatusOf } from '../unread.js';

export interface ObjectOptions extends CommonOptions {
  readonly namespace: string;
  readonly all?: true;
}

const FORMATS = ['text', 'markdown', 'mermaid', 'json'] as const;
const ENDINGS = { '.txt': 'text', '.md': 'markdown', '.mmd': 'mermaid', '.json': 'json' } as const;

export async function object(name: string, files: readonly string[], options: ObjectOptions): Promise<number> {
  const format = formatOf(options, FORMATS, ENDINGS, 'text');
  const wanted = parseFollow(name, options.namespace);
  if (wanted === null) throw new CliError(`${name}: expected KIND/NAME, for example pod/nginx`);
  const session = new Session(files, { ...options, bodies: true, numbersHidden: true });
  const history = session.keep(() => new HistoryBuilder(wanted));
  const names = new NearestNames(wanted);
  for await (const batch of session.run())
    for (const item of batch) {
      if (item.kind !== 'message') continue;
      history.feed(item.message);
      names.observe(item.message);
    }
  const life = history.result();
  const output = openOutput(options.write, widestMode(options));
  await output.write(render(life, format, options, session));
  await output.done();
  session.note(history.notices());
  session.printNotices();
  // If nothing was decoded, that is the reason.
  const isAbsent = life.incarnations.length === 0 && session.messages > 0;
  if (isAbsent && options.quiet !== true)
    printError(`${name}: ${otherNamespacesText(history.elsewhere, names.offered())}`);
  const status = exitStatusOf(session, options);
  return status === EXIT_FINE && isAbsent ? EXIT_DIFFERENT : status;
}

function render(
  life: ObjectHistory,
  format: (typeof FORMATS)[number],
  options: ObjectOptions,
  session: Session,
): string {
  const shown: ObjectRenderOptions = {
    first: session.firstTime ?? 0n,
    digits: (capture) => session.digits(capture),
    captures: session.captureNames,
    all: options.all,
  };
  switch (format) {
    case 'text':
      return renderObjectText(
        life,
        shown,
        paintFor(options.color && options.write === undefined && process.stdout.isTTY === true),
      );
    case 'markdown':
      return renderObjectMarkdown(life, shown);
    case 'mermaid':
      return renderObjectMermaid(life, shown);
    case 'json':
      return renderObjectJson(life, shown);
  }
}
