// Holds the captures that the tools work on: those of the command line, until the client opens another one.

import { basename } from 'node:path';
import { escapeTerminal } from '../../index.js';
import { CliError, EXIT_FINE } from '../cli-error.js';
import { recordSession } from '../input/recording.js';
import { Session } from '../input/session.js';
import type { CommonOptions } from '../options.js';
import { CaptureFolder, LOOKED_AT_ENOUGH } from './capture-folder.js';
import { FrameNumbers } from './frame-numbers.js';
import { MessageTable } from './message-table.js';
import type { ReadCaptures } from './server.js';
import type { OpenCommand, ToolContext } from './tools.js';

export class OpenCaptures implements ReadCaptures {
  readonly #options: CommonOptions;
  readonly #folder: CaptureFolder | undefined;
  #context: ToolContext;
  #frames = new FrameNumbers();
  #table: MessageTable | undefined;

  /** @param below folder of the captures that the client may open. Throws CliError. */
  constructor(options: CommonOptions, below?: string) {
    this.#options = options;
    this.#folder = below === undefined ? undefined : new CaptureFolder(below);
    this.#context = this.#contextOf([], options);
  }

  get context(): ToolContext {
    return this.#context;
  }

  get frames(): FrameNumbers {
    return this.#frames;
  }

  /** Reads captures in place of those that were open. Throws CliError as a command would on them; none is open then. */
  async read(files: readonly string[], options = this.#options): Promise<void> {
    this.close();
    this.#context = this.#contextOf([], options);
    const frames = new FrameNumbers();
    const session = new Session(files, { ...options, bodies: true, numbersPlaceholders: true });
    const recording = await recordSession(session, (message) => frames.add(message));
    frames.name(session.captureNames);
    this.#frames = frames;
    // A key log beside a capture was not named: that it fits nothing is no failure.
    this.#context = this.#contextOf(files, recording === null ? options : { ...this.#options, recording });
  }

  close(): void {
    this.#table?.close();
  }

  #contextOf(files: readonly string[], options: CommonOptions): ToolContext {
    this.#table = new MessageTable(files, options);
    return { files, options, query: this.#table.query, open: this.#open };
  }

  /** Lists the captures of the folder, or reads one of them. */
  readonly #open: OpenCommand = {
    formats: { text: { render: (_, lines) => lines.map((line) => `${escapeTerminal(line)}\n`).join('') } },
    run: async ([name]) => {
      if (this.#folder === undefined) throw new CliError('open: the server was started without --below');
      const { lines, isCut } = await (name === undefined ? listOf(this.#folder) : this.#opened(this.#folder, name));
      return { result: lines, end: () => ({ status: EXIT_FINE, remarks: isCut ? [LOOKED_AT_ENOUGH] : [] }) };
    },
  };

  async #opened(folder: CaptureFolder, name: string): Promise<OpenAnswer> {
    const { path, keyLogs } = folder.find(name);
    const { keylog = [] } = this.#options;
    await this.read([path], { ...this.#options, keylog: [...keylog, ...keyLogs.paths] });
    const used = keyLogs.paths.map((one) => `read with the key log beside it: ${basename(one)}`);
    return { lines: [`opened ${name}`, ...used], isCut: keyLogs.isCut };
  }
}

interface OpenAnswer {
  readonly lines: readonly string[];
  /** Not all of the folder was looked at. */
  readonly isCut: boolean;
}

function listOf(folder: CaptureFolder): OpenAnswer {
  const { paths, isCut } = folder.captures();
  if (paths.length === 0) throw new CliError(`no packet capture there${isCut ? `; ${LOOKED_AT_ENOUGH}` : ''}`);
  return { lines: paths, isCut };
}
