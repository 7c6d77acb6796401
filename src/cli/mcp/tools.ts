// Lists the tools of `kubeseq mcp`: each asks a command about the captures, redacted, and writes no file.

import { CliError } from '../cli-error.js';
import { type Command, type RenderableRun, type RunOutcome, runCommand } from '../command.js';
import { type DiagramCommandOptions, diagram } from '../commands/diagram.js';
import { type ExplainOptions, explain } from '../commands/explain.js';
import { messages } from '../commands/messages.js';
import { type ObjectOptions, object } from '../commands/object.js';
import { type PathOptions, path } from '../commands/path.js';
import { summary } from '../commands/summary.js';
import { top } from '../commands/top.js';
import type { TopCliOptions } from '../input/top-options.js';
import type { ResultRow } from '../message-database.js';
import type { CommonOptions, MessagesOptions } from '../options.js';
import type { OwnArguments, OwnParameters, ParameterSource } from './parameters.js';

/** What tools work on. */
export interface ToolContext {
  /** Empty: none is open. */
  readonly files: readonly string[];
  /** Nothing in them reveals what is redacted, or names a file to write. */
  readonly options: CommonOptions;
  /** A query over all messages. @param wanted rows that are needed. */
  readonly query: Command<[sql: string, wanted: number], CommonOptions, readonly ResultRow[]>;
}

/** One call of a tool. */
export interface ToolCall {
  readonly args: OwnArguments;
  /** What the client chose, the rest as the command has it by default. */
  readonly options: object;
  readonly context: ToolContext;
}

export interface CaptureTool extends ParameterSource {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** It answers also where no capture is open. */
  readonly needsNoCapture?: true;
  /** Options that the tool sets. */
  readonly fixed?: object;
  /** Language of the fence around the answer. */
  readonly language: 'text' | 'mermaid' | 'json';
  /** Each line is an object, which the answer has as data, too. */
  readonly isRows?: true;
  /** The command's JSON has numbers of messages: those that the text shows are named with their frames, or all of them. */
  readonly named?: 'shown' | 'all';
  /** Lines at most, where the caller sets none. */
  readonly lines?: number;
  /** Asks the command. Throws CliError. */
  ask(call: ToolCall): Promise<RenderableRun<unknown> | RunOutcome>;
}

const USUAL_LINES = 100;
const USUAL_MESSAGES = 50;
export const START: OwnParameters = {
  start: {
    type: 'integer',
    description: 'first line of the answer that is wanted, from 1; for the rest of a long one',
  },
};
const SELECTION = ['follow', 'namespace', 'all-namespaces', 'from', 'to', 'since', 'until', 'where'];
/** What decides which arrows a diagram has. */
const DRAWN = [...SELECTION, 'layers', 'all'];

export const TOOLS: readonly CaptureTool[] = [
  {
    name: 'summary',
    title: 'What is in the captures',
    description:
      'Start here. Participants with evidence, what went wrong (with message numbers), objects with who created and deleted them, requests by participant, slowest calls, webhooks, latencies, and what could not be read.',
    command: 'summary',
    own: START,
    fixed: { output: 'text' },
    language: 'text',
    named: 'shown',
    ask: ({ options, context: { files } }) => runCommand(summary, [files], options),
  },
  {
    name: 'stories',
    title: 'The stories in the captures',
    description:
      'Who spoke to whom, and one arrow for each object that people wrote, with its outcome and problems. The comments name what to follow in diagram.',
    command: 'diagram',
    own: START,
    fixed: { output: 'mermaid', frames: true, overview: true },
    language: 'mermaid',
    ask: ({ options, context: { files } }) => runCommand(diagram, [files], options as DiagramCommandOptions),
  },
  {
    name: 'diagram',
    title: 'A sequence diagram',
    description:
      'A mermaid sequence diagram of one story (follow) or of a selection. The comment above each arrow has its message number and frames. Arrows that answer each other share an exchange.',
    command: 'diagram',
    options: [...DRAWN, 'labels'],
    own: START,
    fixed: { output: 'mermaid', frames: true, overview: false },
    language: 'mermaid',
    ask: ({ options, context: { files } }) => runCommand(diagram, [files], options as DiagramCommandOptions),
  },
  {
    name: 'path',
    title: 'Where the time went',
    description:
      'Why an object took so long, or why it does not start: the steps between the request for it and the moment when it was ready (or gone), each with its share, with warnings. Of a whole kind (pods): p50, p99 and the slowest.',
    command: 'path',
    options: ['namespace', 'all-namespaces', 'selector', 'pods', 'goal'],
    own: { object: { type: 'string', description: 'KIND/NAME, e.g. pod/nginx, or a kind: pods' }, ...START },
    required: ['object'],
    fixed: { output: 'text' },
    language: 'text',
    ask: ({ args, options, context: { files } }) => runCommand(path, [nameOf(args), files], options as PathOptions),
  },
  {
    name: 'top',
    title: 'Who asks how much',
    description:
      'Who hammers the API server: requests by client, verb and resource, with errors, sizes and latencies, and findings: hot loops, fights, retries, relists, unpaged lists.',
    command: 'top',
    options: ['by', 'sort', 'limit', ...SELECTION],
    own: START,
    fixed: { output: 'text' },
    language: 'text',
    named: 'all',
    ask: ({ options, context: { files } }) => runCommand(top, [files], options as TopCliOptions),
  },
  {
    name: 'object',
    title: "An object's history",
    description:
      'The versions of one object in order: who changed which fields, with message and frame numbers, and what Events said about it. Answers who deleted it, who changed the field.',
    command: 'object',
    options: ['namespace', 'all'],
    own: { object: { type: 'string', description: 'KIND/NAME, e.g. pod/nginx' }, ...START },
    required: ['object'],
    fixed: { output: 'text' },
    language: 'text',
    ask: ({ args, options, context: { files } }) => runCommand(object, [nameOf(args), files], options as ObjectOptions),
  },
  {
    name: 'explain',
    title: 'Why a message is what it is',
    description:
      'The evidence for one message: its frames, why its participants have their names, its object, and what caused it (a watch event that triggered it, the request that it answers).',
    command: 'explain',
    options: [...DRAWN, 'chain'],
    own: {
      message: { type: 'integer', description: 'number of the message' },
      frame: { type: 'integer', description: 'or the number of a frame, as in Wireshark' },
      arrow: { type: 'integer', description: 'or of an arrow that diagram draws with the same parameters as here' },
      ...START,
    },
    language: 'text',
    ask: ({ args, options, context: { files } }) => {
      const which = (['message', 'frame', 'arrow'] as const).flatMap((kind) => {
        const number = args[kind];
        return number === undefined ? [] : [`${kind}:${number}`];
      });
      if (which.length !== 1) throw new CliError('give message, frame, or arrow');
      return runCommand(explain, [which[0], files], options as ExplainOptions);
    },
  },
  {
    name: 'messages',
    title: 'Messages, one by one',
    description:
      'Decoded messages of every layer as JSON lines: seq, time, from, to, label, verb, resource, namespace, name, status, latencyMs, object, frames, cause and so on. Choose with where, from, to, since, until or follow.',
    command: 'messages',
    options: SELECTION,
    own: {
      limit: { type: 'integer', description: 'messages at most', default: USUAL_MESSAGES },
      start: { type: 'integer', description: 'first of the chosen messages that is wanted, from 1' },
    },
    fixed: { output: 'ndjson' },
    language: 'json',
    isRows: true,
    lines: USUAL_MESSAGES,
    ask: ({ options, context: { files } }) => runCommand(messages, [files], options as MessagesOptions),
  },
  {
    name: 'query',
    title: 'SQL over messages',
    description:
      'One SELECT, by DuckDB, over the table messages: columns seq, time, started, kind, protocol, from, to, label, exchange, connection, firstFrame, lastFrame, verb, resource, namespace, name, status, latencyMs, object, causedBy and more: DESCRIBE messages lists them. Select seq as evidence.',
    command: 'query',
    own: {
      sql: {
        type: 'string',
        description: 'e.g. SELECT "from", count(*) AS n, min(seq) AS seq FROM messages GROUP BY 1',
      },
      limit: { type: 'integer', description: 'rows at most', default: USUAL_LINES },
      start: { type: 'integer', description: 'first row that is wanted, from 1' },
    },
    required: ['sql'],
    fixed: { output: 'ndjson' },
    language: 'json',
    isRows: true,
    lines: USUAL_LINES,
    ask: ({ args: { sql = '', start = 1, limit = USUAL_LINES }, options, context: { query } }) =>
      runCommand(query, [sql, start + limit], options),
  },
];

/** No path: the command would look whether there is such a file. */
function nameOf({ object: name = '' }: OwnArguments): string {
  if (!/^[a-z0-9][a-z0-9.-]*(?:\/[^/\s]+)?$/i.test(name))
    throw new CliError(`${name}: expected KIND/NAME, for example pod/nginx`);
  return name;
}
