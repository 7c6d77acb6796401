// Measures how much of what a user comes for redaction leaves: for the fixture of each story, the words of the diagram's notes
// and of `summary`'s *went wrong*, and the diagram's arrows, names, statuses and reasons, with and without `--show-secrets`.
//
//   npm run build && npm run usefulness [-- --lost] [FIXTURE...]
//
// --lost prints each note and line that lost a word. The command fails if the total is below the bounds.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
/** Share of the words of notes and of *went wrong* that have to be left. */
const MIN_WORDS = 0.95;

const args = process.argv.slice(2);
const printsLost = args.includes('--lost');
const chosen = args.filter((one) => !one.startsWith('--'));
const fixtures = chosen.length > 0 ? chosen : fixturesOfStories();

const COLUMNS = ['notes', 'went wrong', 'arrows', 'names', 'statuses', 'reasons'];
const rows = fixtures.map((name) => [name, measure(name)]);
const total = Object.fromEntries(COLUMNS.map((column) => [column, sum(rows.map(([, counts]) => counts[column]))]));
const width = Math.max(...fixtures.map((name) => name.length), 5);
console.log(['fixture'.padEnd(width), ...COLUMNS.map((column) => column.padStart(12))].join(''));
for (const [name, counts] of [...rows, ['total', total]]) {
  console.log([name.padEnd(width), ...COLUMNS.map((column) => share(counts[column]).padStart(12))].join(''));
}
const isBelow = COLUMNS.filter((column) => {
  const [kept, all] = total[column];
  return column === 'notes' || column === 'went wrong' ? kept < MIN_WORDS * all : kept < all;
});
if (isBelow.length > 0) {
  console.log(`below the bound: ${isBelow.join(', ')}`);
  process.exitCode = 1;
}

function fixturesOfStories() {
  const pages = readdirSync(`${ROOT}docs/stories`).map((page) => readFileSync(`${ROOT}docs/stories/${page}`, 'utf8'));
  const names = pages.flatMap((page) => [...page.matchAll(/fixtures\/([a-z0-9-]+)/g)].map(([, name]) => name));
  return [...new Set(names)].filter((name) => capturesOf(name).length > 0).sort();
}

function capturesOf(name) {
  const folder = `${ROOT}fixtures/${name}`;
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((file) => /\.pcap(?:ng)?\.gz$/.test(file) && !file.includes('with-secrets'))
    .map((file) => `${folder}/${file}`);
}

/** @returns for each column how much is left, and of how much. */
function measure(name) {
  const [whole, left] = [['--show-secrets'], []].map((options) => ({
    diagram: partsOfDiagram(printed('diagram', name, options)),
    wrong: wentWrong(printed('summary', name, options)),
  }));
  if (printsLost) {
    printLost(name, whole.diagram.notes, left.diagram.notes);
    printLost(name, whole.wrong, left.wrong);
  }
  return {
    notes: kept(wordsOf(whole.diagram.notes), wordsOf(left.diagram.notes)),
    'went wrong': kept(wordsOf(whole.wrong), wordsOf(left.wrong)),
    arrows: kept(whole.diagram.arrows, left.diagram.arrows),
    names: kept(whole.diagram.names, left.diagram.names),
    statuses: kept(whole.diagram.statuses, left.diagram.statuses),
    reasons: kept(whole.diagram.reasons, left.diagram.reasons),
  };
}

function printed(command, name, options) {
  const keys = ['keys.log.gz', 'true-keys.log.gz']
    .map((file) => `${ROOT}fixtures/${name}/${file}`)
    .filter((path) => existsSync(path))
    .flatMap((path) => ['--keylog', path]);
  const { stdout, stderr, status } = spawnSync(
    process.execPath,
    [`${ROOT}bin/kubeseq.js`, command, '-q', '--no-progress', ...keys, ...options, ...capturesOf(name)],
    { encoding: 'utf8', maxBuffer: 256 * 1024 * 1024 },
  );
  if (status !== 0) throw new Error(`${command} of ${name}: ${stderr}`);
  return stdout;
}

/** Of a mermaid diagram: its notes, and of each arrow between whom and, if it is a response, with which status. */
function partsOfDiagram(text) {
  const lines = text.split('\n').map((line) => line.trim().replaceAll('<br>', ' ').replaceAll('#34;', '"'));
  const notes = lines.filter((line) => line.startsWith('Note ')).map((line) => line.slice(line.indexOf(': ') + 2));
  const arrows = lines.filter((line) => /->>/.test(line));
  return {
    notes,
    arrows: arrows.map((line) => line.slice(0, line.indexOf(':'))),
    names: lines.filter((line) => /^(?:participant|actor|box) /.test(line)),
    statuses: arrows.flatMap((line) => /\[(?:RPC-)?RESP\] (?:\d{3}[^,]*|[A-Z][A-Za-z]+)/.exec(line) ?? []),
    reasons: notes.flatMap((note) => /^(?:\d+ × )?([A-Z][A-Za-z]+): /.exec(note)?.[1] ?? []),
  };
}

function wentWrong(text) {
  const lines = text.split('\n');
  const start = lines.indexOf('went wrong');
  if (start < 0) return [];
  const end = lines.findIndex((line, i) => i > start && !line.startsWith(' '));
  return lines.slice(start + 1, end < 0 ? lines.length : end);
}

function wordsOf(lines) {
  return lines.flatMap((line) => line.match(/[\p{L}\p{N}][^\s"'`()[\]{},;=]*/gu) ?? []);
}

/** How many of the first are among the second, each as often as it is there. */
function kept(whole, left) {
  const counts = new Map();
  for (const one of left) counts.set(one, (counts.get(one) ?? 0) + 1);
  let found = 0;
  for (const one of whole) {
    const count = counts.get(one) ?? 0;
    if (count === 0) continue;
    counts.set(one, count - 1);
    found += 1;
  }
  return [found, whole.length];
}

function printLost(name, whole, left) {
  const lines = new Set(left);
  const others = left.filter((line) => !whole.includes(line));
  for (const [i, line] of whole.filter((one) => !lines.has(one)).entries())
    console.log(`${name}\n  - ${line}\n  + ${others[i] ?? ''}`);
}

function sum(pairs) {
  return pairs.reduce(([kept, all], [more, others]) => [kept + more, all + others], [0, 0]);
}

function share([left, all]) {
  return all === 0 ? '–' : `${((100 * left) / all).toFixed(left === all ? 0 : 1)} %`;
}
