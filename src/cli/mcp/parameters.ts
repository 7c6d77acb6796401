// Defines the parameters of tools: their JSON Schema, and the check of what a client sends.

import { CliError } from '../cli-error.js';

export interface ToolParameter {
  readonly type: 'string' | 'integer' | 'boolean';
  readonly description: string;
  /** The values that are allowed; absent: any. */
  readonly values?: readonly string[];
  readonly required?: true;
}

export type ToolParameters = Readonly<Record<string, ToolParameter>>;

/** Arguments of one call that passed the check. */
export class ToolArguments {
  readonly #values: ReadonlyMap<string, unknown>;

  constructor(values: ReadonlyMap<string, unknown>) {
    this.#values = values;
  }

  text(name: string): string | undefined {
    return this.#values.get(name) as string | undefined;
  }

  number(name: string): number | undefined {
    return this.#values.get(name) as number | undefined;
  }

  /** Options of commands are absent or true. */
  flag(name: string): true | undefined {
    return this.#values.get(name) === true ? true : undefined;
  }
}

/** The parameters as MCP describes them. */
export function inputSchema(parameters: ToolParameters): {
  readonly type: 'object';
  readonly properties: Record<string, object>;
  readonly required: string[];
  readonly additionalProperties: false;
} {
  const entries = Object.entries(parameters);
  const properties = entries.map(([name, { type, description, values }]) => [
    name,
    {
      type,
      description,
      ...(values === undefined ? {} : { enum: values }),
      ...(type === 'integer' ? WHOLE : BRIEF[type]),
    },
  ]);
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    required: entries.filter(([, { required }]) => required === true).map(([name]) => name),
    additionalProperties: false,
  };
}

/** Throws CliError for arguments that the tool does not have, or whose values it cannot take. */
export function checkArguments(parameters: ToolParameters, given: Readonly<Record<string, unknown>>): ToolArguments {
  const values = new Map<string, unknown>();
  for (const [name, value] of Object.entries(given)) {
    if (!Object.hasOwn(parameters, name))
      throw new CliError(`${name}: no such argument; expected some of ${Object.keys(parameters).join(', ')}`);
    if (value === null || value === undefined) continue;
    values.set(name, checked(name, parameters[name], value));
  }
  for (const [name, { required }] of Object.entries(parameters))
    if (required === true && !values.has(name)) throw new CliError(`${name} is missing`);
  return new ToolArguments(values);
}

function checked(name: string, { type, values }: ToolParameter, value: unknown): unknown {
  if (type === 'boolean') {
    if (typeof value !== 'boolean') throw new CliError(`${name}: expected true or false`);
    return value;
  }
  if (type === 'integer') {
    if (!Number.isSafeInteger(value) || (value as number) < 1)
      throw new CliError(`${name}: expected a whole number from 1`);
    return value;
  }
  if (typeof value !== 'string') throw new CliError(`${name}: expected a text`);
  if (value.length > MAX_ARGUMENT) throw new CliError(`${name}: longer than ${MAX_ARGUMENT} characters`);
  if (values !== undefined && !values.includes(value))
    throw new CliError(`${name}: expected one of ${values.join(', ')}`);
  return value;
}

/** Limit: characters of one argument of a tool of `mcp`: the longest that is of use is a query. */
const MAX_ARGUMENT = 10_000;
const WHOLE = { minimum: 1 };
const BRIEF = { string: { maxLength: MAX_ARGUMENT }, boolean: {} };
