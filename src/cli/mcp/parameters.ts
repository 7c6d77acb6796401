// Makes the parameters of a tool from the options of its command: their JSON Schema, and the check of what a client sends.

import type { Command, Option } from 'commander';
import { CliError } from '../cli-error.js';
import { wholeNumber } from '../options.js';

/** What a client may send under one name. */
export interface ToolParameter {
  readonly type: 'string' | 'integer' | 'boolean';
  readonly description: string;
  /** The values that are allowed; absent: any. */
  readonly enum?: readonly string[];
  readonly default?: unknown;
}

/** Arguments of one call that passed the check. */
export interface ToolArguments {
  /** Options of the command as its definition parses them, with their defaults. */
  readonly options: Readonly<Record<string, unknown>>;
  /** Parameters of the tool alone. */
  readonly own: OwnArguments;
}

/** Arguments that are no options of a command. */
export interface OwnArguments {
  readonly capture?: string;
  readonly object?: string;
  readonly message?: number;
  readonly frame?: number;
  readonly arrow?: number;
  readonly sql?: string;
  readonly limit?: number;
  readonly start?: number;
}

/** Parameters that are no options of a command. */
export type OwnParameters = { readonly [Name in keyof OwnArguments]?: ToolParameter };

/** How a tool says what its parameters are. */
export interface ParameterSource {
  /** Name of the command whose options, and their defaults, the tool has. */
  readonly command: string;
  /** Options of the command that are parameters: `all-namespaces`, which clients call `all_namespaces`. */
  readonly options?: readonly string[];
  readonly own: OwnParameters;
  /** Those without which there is no answer. */
  readonly required?: readonly (keyof OwnArguments)[];
}

export class ToolParameters {
  readonly #defaults: Readonly<Record<string, unknown>>;
  readonly #options: ReadonlyMap<string, Option>;
  readonly #all: ReadonlyMap<string, ToolParameter>;
  readonly #required: readonly string[];

  /** @param definitions of all commands. */
  constructor({ command, options = [], own, required = [] }: ParameterSource, definitions: readonly Command[]) {
    const definition = definitions.find((one) => one.name() === command);
    const found = options.flatMap((name) => definition?.options.filter(({ long }) => long === `--${name}`) ?? []);
    this.#defaults = definition?.opts() ?? {};
    this.#options = new Map(found.map((option) => [option.name().replaceAll('-', '_'), option]));
    this.#all = new Map([
      ...Object.entries(own),
      ...[...this.#options].map(([name, option]) => [name, parameterOf(option)] as const),
    ]);
    this.#required = required;
  }

  /** The parameters as MCP describes them. */
  schema(): object {
    const properties = [...this.#all].map(([name, one]) => [name, { ...one, ...RANGES[one.type] }]);
    return {
      type: 'object',
      properties: Object.fromEntries(properties),
      required: this.#required,
      additionalProperties: false,
    };
  }

  /** Throws CliError for arguments that the tool does not have, or whose values it cannot take. */
  check(given: Readonly<Record<string, unknown>>): ToolArguments {
    const [options, own] = [new Map(Object.entries(this.#defaults)), new Map<string, unknown>()];
    for (const [name, value] of Object.entries(given)) {
      const parameter = this.#all.get(name);
      if (parameter === undefined)
        throw new CliError(`${name}: no such argument; expected some of ${[...this.#all.keys()].join(', ')}`);
      // Flags of commands are absent or true.
      if (value === null || value === undefined || value === false) continue;
      checkValue(name, parameter, value);
      const option = this.#options.get(name);
      if (option === undefined) own.set(name, value);
      else options.set(option.attributeName(), parsed(name, option, value));
    }
    for (const name of this.#required) if (!own.has(name)) throw new CliError(`${name} is missing`);
    return { options: Object.fromEntries(options), own: Object.fromEntries(own) };
  }
}

function parameterOf({ required, parseArg, description, argChoices, defaultValue }: Option): ToolParameter {
  return {
    type: required ? (parseArg === wholeNumber ? 'integer' : 'string') : 'boolean',
    // What a shell needs in quotes is no part of a value.
    description: description.replaceAll(/'([^']*)'/g, '$1'),
    ...(argChoices === undefined ? {} : { enum: argChoices }),
    ...(defaultValue === undefined ? {} : { default: defaultValue }),
  };
}

/** Throws CliError. */
function parsed(name: string, { parseArg }: Option, value: unknown): unknown {
  try {
    return typeof value === 'boolean' || parseArg === undefined ? value : parseArg(String(value), undefined);
  } catch (error) {
    throw new CliError(`${name}: ${(error as Error).message.replace(/\.$/, '')}`);
  }
}

function checkValue(name: string, { type, enum: values }: ToolParameter, value: unknown): void {
  if (type === 'boolean') {
    if (typeof value !== 'boolean') throw new CliError(`${name}: expected true or false`);
  } else if (type === 'integer') {
    if (!Number.isSafeInteger(value) || (value as number) < 1)
      throw new CliError(`${name}: expected a whole number from 1`);
  } else {
    if (typeof value !== 'string') throw new CliError(`${name}: expected a text`);
    if (value.length > MAX_ARGUMENT) throw new CliError(`${name}: longer than ${MAX_ARGUMENT} characters`);
    if (values !== undefined && !values.includes(value))
      throw new CliError(`${name}: expected one of ${values.join(', ')}`);
  }
}

/** Limit: characters of one argument of a tool of `mcp`: the longest that is of use is a query. */
const MAX_ARGUMENT = 10_000;
const RANGES = { integer: { minimum: 1 }, string: { maxLength: MAX_ARGUMENT }, boolean: {} };
