// Makes the tables of docs/limits.md: a section has the limits of a folder, in the order of files and lines.

import { relative } from 'node:path/posix';
import type { Constant, Unit } from './constants.js';

/** A section for each row of the page's own table, which names folders. */
export function limitTables(page: string, constants: readonly Constant[]): string {
  const sections = [...page.matchAll(/^\| (.+) \| `(src\/[\w-]+)` \|$/gm)].map(([, title, folder]) => {
    const rows = constants.filter(({ file, limit }) => limit !== null && file.startsWith(`${folder}/`));
    return [`## ${title} (\`${folder}\`)`, '', ...HEAD, ...rows.map((one) => rowOf(folder, one))].join('\n');
  });
  return sections.join('\n\n');
}

const HEAD = ['| limit | value | file | why |', '| --- | --- | --- | --- |'];

function rowOf(folder: string, { file, name, value, limit }: Constant): string {
  return `| \`${name}\` | ${valueText(value, limit!.unit)} | ${relative(folder, file)} | ${limit!.why} |`;
}

/** `16 MiB`, `18,437 bytes`, `900 ms`, `4,096`. */
export function valueText(value: number, unit: Unit): string {
  if (unit === '') return grouped(value);
  const larger = LARGER[unit].find(([, size]) => value % size === 0);
  return larger === undefined ? `${grouped(value)} ${unit}` : `${grouped(value / larger[1])} ${larger[0]}`;
}

/** Units of which a value is a multiple, largest first. */
const LARGER: Readonly<Record<Exclude<Unit, ''>, readonly (readonly [string, number])[]>> = {
  bytes: [
    ['GiB', 1024 ** 3],
    ['MiB', 1024 ** 2],
    ['KiB', 1024],
  ],
  ns: [
    ['s', 1e9],
    ['ms', 1e6],
  ],
  µs: [
    ['s', 1e6],
    ['ms', 1e3],
  ],
  ms: [['s', 1e3]],
  s: [],
};

function grouped(value: number): string {
  return value.toLocaleString('en-US');
}
