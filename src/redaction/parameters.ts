// Lists the query parameters whose values may be shown: those of known APIs that hold no secret, if the value has the shape that the API
// defines. Of every other parameter only the name is shown, as a list of secret ones could never be complete.

import { textSections } from '../core/text-table.js';
import TABLE from './parameters.txt?raw';
import { shapesOf } from './shapes.js';
import { isPlainWord } from './words/plain-word.js';

/** The API of a request, by its server role. */
export type Api = (typeof APIS)[number];

/** How the value of a parameter is shown. `length`: only its length. `command`: as a command, with others of the same name. `selector`: like labels. */
export type Showing = 'value' | 'length' | 'command' | 'selector' | 'nothing';

/**
 * @param api of the request.
 * @param path of the request, without scheme, host and query.
 * @param name of the parameter and `value`, decoded.
 */
export function showingOf(api: Api, path: string, name: string, value: string): Showing {
  const shape = shapeOf(api, path, name);
  if (shape === undefined) return 'nothing';
  if (shape === 'length' || shape === 'command' || shape === 'selector') return shape;
  if (shape === 'word' && !isPlainWord(value)) return 'nothing';
  return SHAPES[shape].pattern.test(value) ? 'value' : 'nothing';
}

/** The shape of a parameter; undefined if no row lists it. */
export function shapeOf(api: Api, path: string, name: string): ParameterShape | undefined {
  if (PROXIED.test(path)) return undefined;
  for (const rows of PARAMETERS[api])
    if (rows.path === undefined || rows.path.test(path)) {
      const shape = rows.names.get(name);
      if (shape !== undefined) return shape;
    }
  return undefined;
}

/** The required form of a parameter's value: a shape of shapes.txt, or `length`, `command`, `selector`. */
type ParameterShape = string;

interface ParameterRows {
  /** undefined for all paths. */
  readonly path?: RegExp;
  readonly names: ReadonlyMap<string, ParameterShape>;
}

const SHAPES = shapesOf('parameters');

/** Requests that an API server forwards to programs that it does not know. */
const PROXIED = /^\/api\/v1\/(?:namespaces\/[^/]+\/)?(?:nodes|pods|services)\/[^/]+\/proxy(?:\/|$)|^\/api\/v1\/proxy\//;

const APIS = ['kubernetes', 'kubelet', 'etcd', 'cri', 'registry', 'docker', 'http', 'grpc'] as const;
/** A section of the table for each API that its heading names. */
const SECTIONS = textSections(TABLE).flatMap(({ heading, lines }) =>
  heading.split(' & ').map((one) => {
    const [api, path] = one.split(' ');
    return { api, path: path === undefined ? undefined : new RegExp(path), names: shapeRows(lines) };
  }),
);

export const PARAMETERS = Object.fromEntries(
  APIS.map((api) => [api, SECTIONS.filter((one) => one.api === api)]),
) as unknown as Readonly<Record<Api, readonly ParameterRows[]>>;

/** @param lines a shape and its names: `number: limit timeoutSeconds`. @returns the shape of each name. */
export function shapeRows(lines: readonly string[]): ReadonlyMap<string, string> {
  return new Map(
    lines.flatMap((line) => {
      const [shape, ...names] = line.split(/:? +/);
      return names.map((name): [string, string] => [name, shape]);
    }),
  );
}
