// Measures how much of what a user comes for redaction leaves: for the fixture of each story, the words of the diagram's notes
// and of `summary`'s *went wrong*, and the diagram's arrows, names, statuses and reasons, with and without `--show-secrets`.
//
//   npm run build && npm run usefulness [-- --lost] [FIXTURE...]
//
// Prints a table in Markdown. FIXTURE is the name of a folder in fixtures/, or the path of any with captures and key logs.
// --lost prints each note, line and arrow that lost something. The command fails if the total is below the bounds.
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { COLUMNS, capturesOf, isKept, measure, sum } from './usefulness/measure.js';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** What is counted in whole pieces. */
const OTHERS = COLUMNS.slice(2);

const args = process.argv.slice(2);
const chosen = args.filter((one) => !one.startsWith('--'));
const fixtures = chosen.length > 0 ? chosen : fixturesOfStories();

const rows = fixtures.map((name) => [name, measure(name)]);
if (args.includes('--lost')) for (const [name, { lost }] of rows) printLost(name, lost);
const total = Object.fromEntries(COLUMNS.map((column) => [column, sum(rows.map(([, { counts }]) => counts[column]))]));
console.log(`| fixture | words of notes | kept | words of *went wrong* | kept | ${OTHERS.join(' | ')} |`);
console.log(`|---|---:|---:|---:|---:|${OTHERS.map(() => '---:|').join('')}`);
for (const [name, { counts }] of rows) console.log(row(name, counts));
console.log(row('**all**', total));
const below = COLUMNS.filter((column) => !isKept(column, total[column]));
if (below.length > 0) {
  console.log(`\nbelow the bound: ${below.join(', ')}`);
  process.exitCode = 1;
}

function row(name, counts) {
  const words = COLUMNS.slice(0, 2).flatMap((column) => [String(counts[column][1]), share(counts[column])]);
  const others = OTHERS.map((column) => `${counts[column][0]} of ${counts[column][1]}`);
  return `| ${[name.split('/').filter(Boolean).at(-1), ...words, ...others].join(' | ')} |`;
}

function fixturesOfStories() {
  const pages = readdirSync(`${ROOT}docs/stories`).map((page) => readFileSync(`${ROOT}docs/stories/${page}`, 'utf8'));
  const names = pages.flatMap((page) => [...page.matchAll(/fixtures\/([a-z0-9-]+)/g)].map(([, name]) => name));
  return [...new Set(names)].filter((name) => capturesOf(name).length > 0).sort();
}

function printLost(name, lost) {
  for (const [line, left] of lost) console.log(`${name}\n  - ${line}\n  + ${left}`);
}

/** Never rounded up to all. */
function share([left, all]) {
  if (all === 0) return '–';
  return left === all ? '100 %' : `${(Math.floor((1000 * left) / all) / 10).toFixed(1)} %`;
}
