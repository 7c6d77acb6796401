// Lists the tools of `kubeseq mcp`: each asks a command about the captures, redacted, and writes no file.

import { CliError } from '../cli-error.js';
import { type Answered, answered, type Command, type Ended } from '../command.js';
import { diagram } from '../commands/diagram.js';
import { explain } from '../commands/explain.js';
import { messages } from '../commands/messages.js';
import { object } from '../commands/object.js';
import { path } from '../commands/path.js';
import { summary } from '../commands/summary.js';
import { top } from '../commands/top.js';
import type { ResultRow } from '../message-database.js';
import { type CommonOptions, checkLayers, LAYER_NAMES } from '../options.js';
import type { ToolArguments, ToolParameters } from './parameters.js';

/** What tools work on. */
export interface ToolContext {
  readonly files: readonly string[];
  /** Nothing in them reveals what is redacted, or names a file to write. */
  readonly options: CommonOptions;
  /** A query over all messages. @param wanted rows that are needed. */
  readonly query: Command<[sql: string, wanted: number], CommonOptions, readonly ResultRow[]>;
}

export interface CaptureTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly parameters: ToolParameters;
  /** Language of the fence around the answer. */
  readonly language: 'text' | 'mermaid' | 'json';
  /** Each line is an object, which the answer has as data, too. */
  readonly isRows?: true;
  /** The command's JSON has numbers of messages: those that the text shows are named with their frames, or all of them. */
  readonly named?: 'shown' | 'all';
  /** Lines at most, where the caller sets none. */
  readonly lines?: number;
  /** Asks the command. Throws CliError. */
  run(args: ToolArguments, context: ToolContext): Promise<Answered<unknown> | Ended>;
}

const USUAL_ROWS = 30;
const USUAL_LINES = 100;
const USUAL_MESSAGES = 50;

const START: ToolParameters = {
  start: {
    type: 'integer',
    description: 'first line of the answer that is wanted, from 1; for the rest of a long one',
  },
};
const NAMESPACE: ToolParameters = {
  namespace: { type: 'string', description: 'namespace of the object; default: default' },
};
const FOLLOW: ToolParameters = {
  follow: { type: 'string', description: 'only what this object caused: KIND/NAME, e.g. pod/nginx, deployment/web' },
  ...NAMESPACE,
  all_namespaces: { type: 'boolean', description: 'follow the object in whichever namespace it is' },
};
const SELECTION: ToolParameters = {
  from: { type: 'string', description: 'only what this component or participant sent, e.g. kubelet' },
  to: { type: 'string', description: 'only what this component or participant received' },
  since: { type: 'string', description: 'only from this time on: RFC 3339, or an offset from the first frame: 2.5s' },
  until: { type: 'string', description: 'only up to this time' },
  where: {
    type: 'string',
    description: 'a CEL expression over a message, e.g. verb == "create" && resource == "pods", or status >= 400',
  },
};
/** What decides which arrows a diagram has. */
const DRAWN: ToolParameters = {
  ...FOLLOW,
  ...SELECTION,
  layers: {
    type: 'string',
    description: `layers to draw, separated by commas: ${LAYER_NAMES.join(', ')}; default: api`,
  },
  all: { type: 'boolean', description: 'fold nothing away: leases, probes, lists at the start …' },
};

export const TOOLS: readonly CaptureTool[] = [
  {
    name: 'summary',
    title: 'What is in the captures',
    description:
      'Start here. Participants with evidence, what went wrong (with message numbers), objects with who created and deleted them, requests by participant, slowest calls, webhooks, latencies, and what could not be read.',
    parameters: START,
    language: 'text',
    named: 'shown',
    run: (_, { files, options }) => answered(summary, [files], { ...options, output: 'text' }),
  },
  {
    name: 'stories',
    title: 'The stories in the captures',
    description:
      'Who spoke to whom, and one arrow for each object that people wrote, with its outcome and problems. The comments name what to follow in diagram.',
    parameters: START,
    language: 'mermaid',
    run: (_, { files, options }) =>
      answered(diagram, [files], { ...DIAGRAM, ...options, output: 'mermaid', frames: true, overview: true }),
  },
  {
    name: 'diagram',
    title: 'A sequence diagram',
    description:
      'A mermaid sequence diagram of one story (follow) or of a selection. The comment above each arrow has its message number and frames. Arrows that answer each other share an exchange.',
    parameters: {
      ...DRAWN,
      labels: {
        type: 'string',
        values: ['full', 'short', 'changes'],
        description: 'methods and paths (default), a few words, or also what writes changed',
      },
      ...START,
    },
    language: 'mermaid',
    run: (args, { files, options }) =>
      answered(diagram, [files], {
        ...DIAGRAM,
        ...options,
        ...drawnBy(args),
        output: 'mermaid',
        frames: true,
        labels: args.text('labels') as 'full' | 'short' | 'changes' | undefined,
      }),
  },
  {
    name: 'path',
    title: 'Where the time went',
    description:
      'Why an object took so long, or why it does not start: the steps between the request for it and the moment when it was ready (or gone), each with its share, with warnings. Of a whole kind (pods): p50, p99 and the slowest.',
    parameters: {
      object: { type: 'string', required: true, description: 'KIND/NAME, e.g. pod/nginx, or a kind: pods' },
      ...NAMESPACE,
      all_namespaces: { type: 'boolean', description: 'in all namespaces' },
      pods: { type: 'boolean', description: 'the Pods that the object owns, e.g. of deployment/web' },
      goal: { type: 'string', values: ['ready', 'gone'], description: 'default: ready' },
      ...START,
    },
    language: 'text',
    run: (args, { files, options }) =>
      answered(path, [nameOf(args), files], {
        ...options,
        ...namespaceOf(args),
        output: 'text',
        pods: args.flag('pods'),
        goal: args.text('goal') as 'ready' | 'gone' | undefined,
      }),
  },
  {
    name: 'top',
    title: 'Who asks how much',
    description:
      'Who hammers the API server: requests by client, verb and resource, with errors, sizes and latencies, and findings: hot loops, fights, retries, relists, unpaged lists.',
    parameters: {
      by: {
        type: 'string',
        description:
          'group by these, separated by commas: client, agent, user, verb, resource, namespace, name, flowschema; default: client,verb,resource',
      },
      rows: { type: 'integer', description: 'rows at most; default: 30' },
      ...FOLLOW,
      ...SELECTION,
      ...START,
    },
    language: 'text',
    named: 'all',
    run: (args, { files, options }) =>
      answered(top, [files], {
        ...options,
        ...selectionOf(args),
        output: 'text',
        by: args.text('by'),
        limit: args.number('rows') ?? USUAL_ROWS,
      }),
  },
  {
    name: 'object',
    title: "An object's history",
    description:
      'The versions of one object in order: who changed which fields, with message and frame numbers, and what Events said about it. Answers who deleted it, who changed the field.',
    parameters: {
      object: { type: 'string', required: true, description: 'KIND/NAME, e.g. pod/nginx' },
      ...NAMESPACE,
      all: { type: 'boolean', description: 'every field of every version' },
      ...START,
    },
    language: 'text',
    run: (args, { files, options }) =>
      answered(object, [nameOf(args), files], {
        ...options,
        namespace: args.text('namespace') ?? 'default',
        output: 'text',
        all: args.flag('all'),
      }),
  },
  {
    name: 'explain',
    title: 'Why a message is what it is',
    description:
      'The evidence for one message: its frames, why its participants have their names, its object, and what caused it (a watch event that triggered it, the request that it answers).',
    parameters: {
      message: { type: 'integer', description: 'number of the message' },
      frame: { type: 'integer', description: 'or the number of a frame, as in Wireshark' },
      arrow: { type: 'integer', description: 'or of an arrow that diagram draws with the same parameters as here' },
      ...DRAWN,
      chain: { type: 'boolean', description: 'only the way from the first cause to the message, a line for each' },
      ...START,
    },
    language: 'text',
    run: (args, { files, options }) => {
      const which = ['message', 'frame', 'arrow'].flatMap((kind) => {
        const number = args.number(kind);
        return number === undefined ? [] : [`${kind}:${number}`];
      });
      if (which.length !== 1) throw new CliError('give message, frame, or arrow');
      const chain = args.flag('chain');
      return answered(explain, [which[0], files], { ...DIAGRAM, ...options, ...drawnBy(args), chain });
    },
  },
  {
    name: 'messages',
    title: 'Messages, one by one',
    description:
      'Decoded messages of every layer as JSON lines: seq, time, from, to, label, verb, resource, namespace, name, status, latencyMs, object, frames, cause and so on. Choose with where, from, to, since, until or follow.',
    parameters: {
      ...FOLLOW,
      ...SELECTION,
      limit: { type: 'integer', description: 'messages at most; default: 50' },
      start: { type: 'integer', description: 'first of the chosen messages that is wanted, from 1' },
    },
    language: 'json',
    isRows: true,
    lines: USUAL_MESSAGES,
    run: (args, { files, options }) =>
      answered(messages, [files], { ...options, ...selectionOf(args), output: 'ndjson' }),
  },
  {
    name: 'query',
    title: 'SQL over messages',
    description:
      'One SELECT, by DuckDB, over the table messages: columns seq, time, started, kind, protocol, from, to, label, exchange, connection, firstFrame, lastFrame, verb, resource, namespace, name, status, latencyMs, object, causedBy and more: DESCRIBE messages lists them. Select seq as evidence.',
    parameters: {
      sql: {
        type: 'string',
        required: true,
        description: 'e.g. SELECT "from", count(*) AS n, min(seq) AS seq FROM messages GROUP BY 1',
      },
      limit: { type: 'integer', description: 'rows at most; default: 100' },
      start: { type: 'integer', description: 'first row that is wanted, from 1' },
    },
    language: 'json',
    isRows: true,
    lines: USUAL_LINES,
    run: (args, { query, options }) => {
      const wanted = (args.number('start') ?? 1) + (args.number('limit') ?? USUAL_LINES);
      return answered(query, [args.text('sql') ?? '', wanted], { ...options, output: 'ndjson' });
    },
  },
];

/** What `diagram` and `explain` need beside the options of all. */
const DIAGRAM = { namespace: 'default', by: 'controller' } as const;

function namespaceOf(args: ToolArguments): { readonly namespace: string; readonly allNamespaces?: true } {
  return { namespace: args.text('namespace') ?? 'default', allNamespaces: args.flag('all_namespaces') };
}

function selectionOf(args: ToolArguments): Pick<CommonOptions, 'from' | 'to' | 'since' | 'until' | 'where'> & {
  readonly follow?: string;
  readonly namespace: string;
  readonly allNamespaces?: true;
} {
  const [from, to, since, until, where, follow] = ['from', 'to', 'since', 'until', 'where', 'follow'].map((name) =>
    args.text(name),
  );
  return { from, to, since, until, where, follow, ...namespaceOf(args) };
}

/** Throws CliError. */
function drawnBy(args: ToolArguments) {
  return { ...selectionOf(args), overview: false, all: args.flag('all'), layers: layersOf(args) };
}

/** Throws CliError. */
function layersOf(args: ToolArguments): string[] | undefined {
  const list = args.text('layers');
  if (list === undefined) return undefined;
  try {
    return checkLayers(list);
  } catch (error) {
    throw new CliError(`layers: ${(error as Error).message}`);
  }
}

/** No path: the command would look whether there is such a file. */
function nameOf(args: ToolArguments): string {
  const name = args.text('object') ?? '';
  if (!/^[a-z0-9][a-z0-9.-]*(?:\/[^/\s]+)?$/i.test(name))
    throw new CliError(`${name}: expected KIND/NAME, for example pod/nginx`);
  return name;
}
