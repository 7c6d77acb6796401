// `kubeseq messages`: every decoded message, one a line, as soon as it is known.

import {
  type Message,
  messageLine,
  messageLineWithBody,
  renderCsvHead,
  renderCsvRow,
  Selector,
  tableHead,
  tableRow,
} from '../index.js';
import { formatOf } from './format.js';
import { checkSelection, isSelecting, type MessagesOptions, selectionOf } from './options.js';
import { openOutput } from './output.js';
import { paintFor } from './paint.js';
import { Session } from './session.js';
import { EXIT_FINE, EXIT_INTERRUPTED, Trouble } from './trouble.js';

const FORMATS = ['ndjson', 'table', 'csv'] as const;

export async function messages(files: readonly string[], options: MessagesOptions): Promise<number> {
  checkSelection(options);
  const onTerminal = process.stdout.isTTY === true && options.write === undefined;
  const format = formatOf(
    options,
    FORMATS,
    { '.ndjson': 'ndjson', '.jsonl': 'ndjson', '.csv': 'csv', '.txt': 'table' },
    onTerminal && options.bodies !== true ? 'table' : 'ndjson',
  );
  if (options.bodies === true && format !== 'ndjson')
    throw new Trouble(`-o ${format} has no room for bodies; leave --bodies out, or ask for -o ndjson`);
  const session = new Session(files, { ...options, live: files.includes('-') });
  const output = openOutput(options.write);
  const row = rowWriter(format, session, onTerminal && options.color, options.bodies === true);
  let selector: Selector | null = null;
  try {
    await output.write(row.head);
    for await (const batch of session.run()) {
      selector ??=
        isSelecting(options) && session.firstTime !== null
          ? new Selector(selectionOf(options, session.firstTime))
          : null;
      let text = '';
      for (const item of batch) {
        if (item.kind !== 'message') continue;
        if (selector === null) text += row.line(item.message);
        else for (const message of selector.feed(item.message)) text += row.line(message);
        // Bodies can be many times as long as the packets that they came in.
        if (text.length < MAX_TEXT) continue;
        await output.write(text);
        text = '';
      }
      await output.write(text);
    }
    for (const message of selector?.end() ?? []) await output.write(row.line(message));
    await output.done();
  } catch (error) {
    await output.abandon();
    throw error;
  }
  session.sayNotices();
  return session.interrupted ? EXIT_INTERRUPTED : EXIT_FINE;
}

function rowWriter(
  format: (typeof FORMATS)[number],
  session: Session,
  color: boolean,
  bodies: boolean,
): { head: string; line(message: Message): string } {
  const json = {
    get captures() {
      return session.captureNames;
    },
    digits: (capture: number) => session.digits(capture),
  };
  const paint = paintFor(color);
  switch (format) {
    case 'csv':
      return { head: renderCsvHead(), line: (message) => renderCsvRow(message, json) };
    case 'table':
      return {
        head: tableHead(paint),
        line: (message) => tableRow(message, session.firstTime ?? message.time, paint),
      };
    case 'ndjson':
      return bodies
        ? { head: '', line: (message) => `${messageLineWithBody(message, json)}\n` }
        : { head: '', line: (message) => `${messageLine(message, json)}\n` };
  }
}

/** Characters that are gathered before they are written. */
const MAX_TEXT = 1024 * 1024;
