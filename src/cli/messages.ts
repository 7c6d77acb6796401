// `kubeseq messages`: every decoded message, one a line, as soon as it is known.

import { type Message, messageLine, renderCsvHead, renderCsvRow, Selector, tableHead, tableRow } from '../index.js';
import { formatOf } from './format.js';
import { type CommonOptions, checkSelection, isSelecting, selectionOf } from './options.js';
import { openOutput } from './output.js';
import { paintFor } from './paint.js';
import { Session } from './session.js';
import { EXIT_FINE, EXIT_INTERRUPTED } from './trouble.js';

const FORMATS = ['ndjson', 'table', 'csv'] as const;

export async function messages(files: readonly string[], options: CommonOptions): Promise<number> {
  checkSelection(options);
  const onTerminal = process.stdout.isTTY === true && options.write === undefined;
  const format = formatOf(
    options,
    FORMATS,
    { '.ndjson': 'ndjson', '.jsonl': 'ndjson', '.csv': 'csv', '.txt': 'table' },
    onTerminal ? 'table' : 'ndjson',
  );
  const session = new Session(files, { ...options, live: files.includes('-') });
  const output = openOutput(options.write);
  const row = rowWriter(format, session, onTerminal && options.color);
  let selector: Selector | null = null;
  try {
    await output.write(row.head);
    for await (const batch of session.run()) {
      selector ??=
        isSelecting(options) && session.pipeline.firstTime !== null
          ? new Selector(selectionOf(options, session.pipeline.firstTime))
          : null;
      let text = '';
      for (const item of batch) {
        if (item.kind !== 'message') continue;
        if (selector === null) text += row.line(item.message);
        else for (const message of selector.feed(item.message)) text += row.line(message);
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
): { head: string; line(message: Message): string } {
  const json = {
    captures: session.files.length > 1 ? session.files : undefined,
    digits: (capture: number) => session.digits(capture),
  };
  const paint = paintFor(color);
  switch (format) {
    case 'csv':
      return { head: renderCsvHead(), line: (message) => renderCsvRow(message, json) };
    case 'table':
      return {
        head: tableHead(paint),
        line: (message) => tableRow(message, session.pipeline.firstTime ?? message.time, paint),
      };
    case 'ndjson':
      return { head: '', line: (message) => `${messageLine(message, json)}\n` };
  }
}
