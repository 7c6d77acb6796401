// Number constants of the sources with their values: `MAX_BODY_BYTES`, or `TCP_LIMITS.closed` for a field of a constant object. A limit
// has a doc comment with its unit and its reason, `Limit in bytes: …`. Reads text, runs nothing.

import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { ROOT } from './command.js';

export interface Constant {
  /** `src/http/exchange/body.ts` */
  readonly file: string;
  readonly name: string;
  readonly value: number;
  /** null: it is no limit. */
  readonly limit: { readonly unit: Unit; readonly why: string } | null;
}

/** Empty: a count. */
export type Unit = '' | 'bytes' | 'ns' | 'µs' | 'ms' | 's';

export function constantsOf(folder = 'src'): Constant[] {
  const sources = sourcesOf(join(ROOT, folder)).map((path) => ({
    file: relative(ROOT, path),
    text: readFileSync(path, 'utf8'),
  }));
  // A constant may be built from another file's.
  const everywhere = new Map<string, number>();
  for (const { file, text } of sources)
    for (const { name, value } of inFile(file, text, everywhere)) everywhere.set(name, value);
  return sources.flatMap(({ file, text }) => inFile(file, text, everywhere));
}

/** Value of `16 * 1024`, `1_000n`, `2 ** 20`, `5e5` and sums of such; undefined where it is something else. */
export function evaluate(expression: string, known: ReadonlyMap<string, number> = new Map()): number | undefined {
  let total = 0;
  for (const part of expression.split(' + ')) {
    let product = 1;
    for (const factor of part.split(' * ')) {
      const [base, exponent = '1'] = factor.split(' ** ');
      product *= numberOf(base, known) ** numberOf(exponent, known);
    }
    total += product;
  }
  return Number.isNaN(total) ? undefined : total;
}

function numberOf(text: string, known: ReadonlyMap<string, number>): number {
  if (/^[A-Z][A-Z0-9_]*$/.test(text)) return known.get(text) ?? Number.NaN;
  return /^\d[\d_]*(?:\.\d+)?(?:e\d+)?n?$/.test(text) ? Number(text.replace(/[_n]/g, '')) : Number.NaN;
}

function inFile(file: string, text: string, everywhere: ReadonlyMap<string, number>): Constant[] {
  const known = new Map(everywhere);
  const out: Constant[] = [];
  const add = (name: string, expression: string, doc: string | undefined): void => {
    const value = evaluate(expression, known);
    if (value === undefined) return;
    known.set(name, value);
    out.push({ file, name, value, limit: limitOf(doc ?? '') });
  };
  for (const [, doc, name, expression] of text.matchAll(CONSTANT)) add(name, expression, doc);
  for (const [, object, body] of text.matchAll(OBJECT))
    for (const [, doc, field, expression] of body.matchAll(FIELD)) add(`${object}.${field}`, expression, doc);
  return out;
}

/** @param doc text of a doc comment. */
function limitOf(doc: string): Constant['limit'] {
  const [, unit = '', why] = LIMIT.exec(doc.replace(/\s*\n\s*\*?\s*/g, ' ').trim()) ?? [];
  return why === undefined ? null : { unit: unit as Unit, why };
}

function sourcesOf(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return sourcesOf(path);
    return entry.name.endsWith('.ts') && !entry.name.endsWith('.test.ts') ? [path] : [];
  });
}

/** A doc comment directly above, without its marks. */
const DOC = String.raw`(?:^ *\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\n)?`;
const CONSTANT = new RegExp(String.raw`${DOC}^(?:export )?const ([A-Z][A-Z0-9_]*)(?::[^=\n]+)? = ([^;\n]+);`, 'gm');
const OBJECT = /^(?:export )?const ([A-Z][A-Z0-9_]*)(?::[^=\n]+)? = \{\n([\s\S]*?)^\};/gm;
const FIELD = new RegExp(String.raw`${DOC}^ {2}(\w+): ([^,\n]+),`, 'gm');
const LIMIT = /^Limit(?: in (bytes|ns|µs|ms|s))?: (.+)\.$/;
