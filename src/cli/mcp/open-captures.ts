// Holds the captures that the tools work on: those of the command line, until the client opens another one.

import { basename } from 'node:path';
import { escapeTerminal } from '../../index.js';
import { EXIT_FINE } from '../cli-error.js';
import { type Command, type RunOutcome, runCommand } from '../command.js';
import { Session } from '../input/session.js';
import type { CommonOptions } from '../options.js';
import { recordSession } from '../recording.js';
import type { CaptureFolder } from './capture-folder.js';
import { FrameNumbers } from './frame-numbers.js';
import { MessageTable } from './message-table.js';
import type { ReadCaptures } from './server.js';
import { type CaptureTool, START, type ToolContext } from './tools.js';

export class OpenCaptures implements ReadCaptures {
  readonly #options: CommonOptions;
  #table: MessageTable | undefined;
  frames = new FrameNumbers();
  context: ToolContext;

  constructor(options: CommonOptions) {
    this.#options = options;
    this.context = this.#contextOf([], options);
  }

  /** Reads captures in place of those that were open. Throws CliError as a command would on them; none is open then. */
  async read(files: readonly string[], options = this.#options): Promise<void> {
    this.close();
    this.context = this.#contextOf([], options);
    const frames = new FrameNumbers();
    const session = new Session(files, { ...options, bodies: true, numbersPlaceholders: true });
    const recording = await recordSession(session, (message) => frames.add(message));
    frames.name(session.captureNames);
    this.frames = frames;
    // A key log beside a capture was not named: that it fits nothing is no failure.
    this.context = this.#contextOf(files, recording === null ? options : { ...this.#options, recording });
  }

  close(): void {
    this.#table?.close();
  }

  #contextOf(files: readonly string[], options: CommonOptions): ToolContext {
    this.#table = new MessageTable(files, options);
    return { files, options, query: this.#table.query };
  }

  /** The tool that lists the captures of a folder, and opens one of them with the key logs beside it. */
  opening(folder: CaptureFolder): CaptureTool {
    const command: Command<[string | undefined], CommonOptions, readonly string[]> = {
      formats: { text: { render: (_, lines) => lines.map((line) => `${escapeTerminal(line)}\n`).join('') } },
      run: async ([name]) => {
        const end = (): RunOutcome => ({ status: EXIT_FINE });
        if (name === undefined) return { result: folder.captures(), end };
        const { path, keyLogs } = folder.find(name);
        await this.read([path], { ...this.#options, keylog: [...(this.#options.keylog ?? []), ...keyLogs] });
        const used = keyLogs.map((one) => `read with the key log beside it: ${basename(one)}`);
        return { result: [`opened ${name}`, ...used], end };
      },
    };
    return {
      name: 'open',
      title: 'Which captures there are, and which one is read',
      description:
        'Without capture: lists the captures in the folder. With it: opens this one in place of the one before, with the key logs beside it; all tools answer from it then.',
      command: 'mcp',
      own: {
        capture: { type: 'string', description: 'path of a capture in the folder, as the list has it' },
        ...START,
      },
      needsNoCapture: true,
      language: 'text',
      ask: ({ args: { capture }, options }) => runCommand(command, [capture], options),
    };
  }
}
