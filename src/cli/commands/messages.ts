// `kubeseq messages` prints every decoded message in one line as soon as it is complete.

import {
  LineBuffer,
  type Message,
  type MessageJsonOptions,
  messageLineWithBody,
  renderCsvHead,
  renderCsvRow,
  SummaryCollector,
  summaryText,
  tableHead,
  tableRow,
  writeMessage,
} from '../../index.js';
import { CliError, EXIT_DIFFERENT, EXIT_FINE } from '../cli-error.js';
import { Session } from '../input/session.js';
import { MessageSelection } from '../message-selection.js';
import { capturesOf, checkSelection, isLive } from '../option-values.js';
import type { MessagesOptions } from '../options.js';
import { formatOf } from '../output/format.js';
import { openOutput, widestMode } from '../output/output.js';
import { paintFor } from '../output/paint.js';
import { isTraceFormat, TRACE_ENDINGS, type TraceFormat, type TraceWriter, traceWriter } from '../output/trace.js';
import { exitStatusOf } from '../unread.js';
import { exportMessages } from './export.js';

export const MESSAGE_FORMATS = ['ndjson', 'table', 'csv', 'parquet', 'otlp', 'perfetto'] as const;

export async function messages(files: readonly string[], options: MessagesOptions): Promise<number> {
  checkSelection(options);
  const onTerminal = process.stdout.isTTY === true && options.write === undefined;
  const format = formatOf(
    options,
    MESSAGE_FORMATS,
    {
      // Before `.jsonl`.
      ...TRACE_ENDINGS,
      '.ndjson': 'ndjson',
      '.jsonl': 'ndjson',
      '.csv': 'csv',
      '.txt': 'table',
      '.parquet': 'parquet',
    },
    onTerminal && options.bodies !== true ? 'table' : 'ndjson',
  );
  if (format === 'parquet' && options.live === true)
    throw new CliError(
      '-o parquet and --live exclude each other: a table has no end while its capture grows; use -o ndjson',
    );
  // Its file has what an export has.
  if (format === 'parquet') return exportMessages(files, { ...options, output: format }, options.bodies === true);
  if (options.bodies === true && format !== 'ndjson')
    throw new CliError(`-o ${format} has no room for bodies; leave --bodies out, or use -o ndjson`);
  const live = isLive(capturesOf(files, options), options);
  const bodies = options.bodies === true;
  const session = new Session(files, {
    ...options,
    bodies,
    live,
    keysGrow: live,
    growing: options.live,
    writesAsItReads: onTerminal,
    limitNotices: true,
  });
  const collector = live ? new SummaryCollector(session.names, { streams: false }) : null;
  const output = openOutput(options.write, widestMode(options));
  const participants = options.finalNames === true ? await participantsOf(files, options) : [];
  const chosen = new MessageSelection(options, session, bodies);
  const rows = isTraceFormat(format)
    ? new TraceRows(() => traceWriter(format, session, chosen.isAll))
    : rowsOf(format, session, onTerminal && options.color === true, bodies);
  try {
    for await (const batch of session.run()) {
      for (const item of batch) {
        collector?.add(item);
        if (item.kind !== 'message') continue;
        Object.assign(item.message, participants[item.message.seq - 1]);
        if (chosen.isAll) rows.add(item.message);
        else for (const message of chosen.feed(item.message)) rows.add(message);
        // Decoded bodies can be many times longer than their packets.
        if (rows.length >= MAX_GATHERED) await output.write(rows.take());
      }
      if (rows.length > 0) await output.write(rows.take());
    }
    for (const message of chosen.end()) {
      rows.add(message);
      if (rows.length >= MAX_GATHERED) await output.write(rows.take());
    }
    if (rows.length > 0) await output.write(rows.take());
    for (const text of rows.end?.() ?? []) await output.write(text);
    await output.done();
  } catch (error) {
    await output.abandon();
    throw error;
  } finally {
    chosen.close();
  }
  session.printNotices((one) => chosen.touches(one));
  if (session.interrupted && collector !== null && options.quiet !== true)
    process.stderr.write(summaryText(collector.result()));
  const status = exitStatusOf(session, options);
  return status === EXIT_FINE && chosen.isAbsent ? EXIT_DIFFERENT : status;
}

/** Who is named in a message. */
type MessageNames = Pick<Message, 'from' | 'to' | 'via' | 'fromName' | 'toName' | 'viaNames'>;

/** The participants of all messages, in the order of `seq`: at the end of the captures they have their last names. */
async function participantsOf(files: readonly string[], options: MessagesOptions): Promise<readonly MessageNames[]> {
  const found: MessageNames[] = [];
  const late = { fromName: undefined, toName: undefined, viaNames: undefined };
  for await (const batch of new Session(files, { ...options, quiet: true }).run())
    for (const item of batch)
      if (item.kind === 'message') {
        const { seq, from, to, via } = item.message;
        found[seq - 1] = { from, to, via, ...late };
      }
  return found;
}

/** Buffers rows to write them together. */
interface MessageRows {
  /** Characters or bytes. */
  readonly length: number;
  add(message: Message): void;
  take(): string | Uint8Array;
  /** Output that is complete only at the end. */
  end?(): Iterable<string>;
}

function rowsOf(
  format: Exclude<(typeof MESSAGE_FORMATS)[number], 'parquet' | TraceFormat>,
  session: Session,
  color: boolean,
  bodies: boolean,
): MessageRows {
  const json = {
    get captures() {
      return session.captureNames;
    },
    digits: (capture: number) => session.digits(capture),
  };
  const paint = paintFor(color);
  switch (format) {
    case 'csv':
      return new TextRows(renderCsvHead(), (message) => renderCsvRow(message, json));
    case 'table':
      return new TextRows(tableHead(paint), (message) => tableRow(message, session.firstTime ?? message.time, paint));
    case 'ndjson':
      return bodies ? new TextRows('', (message) => `${messageLineWithBody(message, json)}\n`) : new JsonRows(json);
  }
}

class TextRows implements MessageRows {
  #text: string;
  readonly #row: (message: Message) => string;

  constructor(head: string, row: (message: Message) => string) {
    this.#text = head;
    this.#row = row;
  }

  get length(): number {
    return this.#text.length;
  }

  add(message: Message): void {
    this.#text += this.#row(message);
  }

  take(): string {
    const text = this.#text;
    this.#text = '';
    return text;
  }
}

/** Spans are written when their exchange is over. */
class TraceRows implements MessageRows {
  readonly #create: () => TraceWriter;
  #writer: TraceWriter | null = null;

  /** @param create makes the writer, once the time of the first frame is known. */
  constructor(create: () => TraceWriter) {
    this.#create = create;
  }

  get length(): number {
    return this.#writer?.length ?? 0;
  }

  add(message: Message): void {
    this.#writer ??= this.#create();
    this.#writer.add(message);
  }

  take(): string {
    return this.#writer?.take() ?? '';
  }

  end(): Iterable<string> {
    this.#writer ??= this.#create();
    return [this.#writer.end()];
  }
}

class JsonRows implements MessageRows {
  readonly #out = new LineBuffer(MAX_GATHERED + LONGEST_USUAL);
  readonly #options: MessageJsonOptions;

  constructor(options: MessageJsonOptions) {
    this.#options = options;
  }

  get length(): number {
    return this.#out.length;
  }

  add(message: Message): void {
    writeMessage(this.#out, message, this.#options);
    this.#out.ascii('\n');
  }

  take(): Uint8Array {
    return this.#out.take();
  }
}

/** Limit: characters or bytes that are buffered before a write: the capacity of a pipe. */
const MAX_GATHERED = 64 * 1024;
/** Initial bytes for a line; the buffer grows for longer ones. */
const LONGEST_USUAL = 4096;
