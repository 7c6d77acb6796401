// What a diagram and a summary tell with `--show-secrets`, and how much of it they tell without. Knows the words of both
// outputs; what a row of a table allows it does not ask.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** Share of the words of notes and of *went wrong* that have to be left. */
const MIN_WORDS = 0.95;

/** The first two are counted by words. */
export const COLUMNS = ['notes', 'went wrong', 'arrows', 'names', 'statuses', 'reasons'];

/** @returns whether so much of a column is enough. */
export function isKept(column, [left, all]) {
  return COLUMNS.indexOf(column) < 2 ? left >= MIN_WORDS * all : left === all;
}

/**
 * @param name a fixture, or the path of a folder.
 * @returns `counts`: for each column how much is left, and of how much; `lost`: lines with what they are now.
 */
export function measure(name) {
  const [whole, left] = [['--show-secrets'], []].map((options) => ({
    ...partsOfDiagram(printed('diagram', name, ['--no-overview', ...options])),
    'went wrong': wentWrong(printed('summary', name, options)),
  }));
  const counted = (column, of) => kept(of(whole[column]), of(left[column]));
  const pieces = (lines) => lines;
  return {
    counts: Object.fromEntries(COLUMNS.map((column, at) => [column, counted(column, at < 2 ? wordsOf : pieces)])),
    lost: COLUMNS.slice(0, 4).flatMap((column) => lostOf(whole[column], left[column])),
  };
}

/** Captures of a fixture or a folder, once each: a second one has the secrets of the first inside. */
export function capturesOf(name) {
  return filesOf(name, /\.pcap(?:ng)?(?:\.gz)?$/).filter((path) => !path.includes('with-secrets'));
}

function filesOf(name, pattern) {
  const folder = name.includes('/') ? name : `${ROOT}fixtures/${name}`;
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((file) => pattern.test(file))
    .map((file) => `${folder}/${file}`);
}

function printed(command, name, options) {
  const keys = filesOf(name, /^(?:true-)?keys\.log(?:\.gz)?$/).flatMap((path) => ['--keylog', path]);
  const { stdout, stderr, status } = spawnSync(
    process.execPath,
    [`${ROOT}bin/kubeseq.js`, command, '-q', '--no-progress', ...keys, ...options, ...capturesOf(name)],
    { encoding: 'utf8', maxBuffer: 256 * 1024 * 1024 },
  );
  if (status !== 0) throw new Error(`${command} of ${name}: ${stderr}`);
  return stdout;
}

/**
 * Of a mermaid diagram. An arrow is who tells whom what; queries and commands are cut out of it, which are left out by design:
 * the path, the program and everything behind them stay.
 */
export function partsOfDiagram(text) {
  const lines = text.split('\n').map((line) => line.trim());
  // What the last note leaves out stands in comments below it; other comments are numbers of messages.
  const notes = lines.flatMap((line) => {
    if (line.startsWith('Note ')) return [unescaped(line.slice(line.indexOf(': ') + 2), ' ')];
    return /^%% (?!\d)/.test(line) ? [unescaped(line.slice(3), ' ')] : [];
  });
  const arrows = lines.filter((line) => /->>/.test(line)).map((line) => arrowOf(unescaped(line, '')));
  return {
    notes,
    arrows,
    names: lines.filter((line) => /^(?:participant|actor|box) /.test(line)),
    statuses: arrows.flatMap((line) => /\[(?:RPC-)?RESP\] (?:\d{3}[^,]*|[A-Z][A-Za-z]+)/.exec(line) ?? []),
    reasons: notes.flatMap((note) => /^(?:\d+ × )?([A-Z][A-Za-z]+)(?:: |$)/.exec(note)?.[1] ?? []),
  };
}

/** The lines below `went wrong` in a summary. */
export function wentWrong(text) {
  const lines = text.split('\n');
  const start = lines.findIndex((line) => line.startsWith('problems, '));
  if (start < 0) return [];
  const end = lines.findIndex((line, i) => i > start && !line.startsWith(' '));
  return lines.slice(start + 1, end < 0 ? lines.length : end);
}

/** Without what is hidden by design: words of a command, values of queries that no API of Kubernetes has, addresses of streams. */
function arrowOf(line) {
  const query = line.indexOf('?');
  const path = (query < 0 ? line : line.slice(0, query)).replace(STREAM, '/$1/…');
  if (query < 0) return path;
  if (COMMAND.test(path)) return `${path}?…`;
  return `${path}?${line.slice(query + 1).replace(PARAMETER, (whole, name) => (OWN.has(name) ? whole : `${name}=…`))}`;
}

/** @param br what stands for the end of a line: in a label none was there. */
function unescaped(line, br) {
  return line.replaceAll('<br>', br).replace(/#(\d+);/g, (_, code) => String.fromCharCode(Number(code)));
}

export function wordsOf(lines) {
  return lines.flatMap((line) => line.match(/[\p{L}\p{N}][^\s"'`()[\]{},;=]*/gu) ?? []);
}

/** How many of the first are among the second, each as often as it is there. */
export function kept(whole, left) {
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

function lostOf(whole, left) {
  const [before, after] = [new Set(whole), new Set(left)];
  const others = left.filter((line) => !before.has(line));
  return whole.filter((line) => !after.has(line)).map((line, i) => [line, others[i] ?? '']);
}

export function sum(pairs) {
  return pairs.reduce(([kept, all], [more, others]) => [kept + more, all + others], [0, 0]);
}

const COMMAND = /\/(?:exec|attach|run)(?:\/|$)/;
const STREAM = /\/(exec|attach|portforward)\/(?:[A-Za-z0-9_-]{8}|REDACTED)(?= |$)/g;
const PARAMETER = /([^=&]+)=([^&]*)/g;
/** k8s.io/apimachinery/pkg/apis/meta/v1 and k8s.io/api/core/v1, types.go: options of requests. */
const OWN = new Set(
  (
    'labelSelector fieldSelector watch resourceVersion resourceVersionMatch limit timeoutSeconds sendInitialEvents ' +
    'allowWatchBookmarks dryRun fieldManager fieldValidation force gracePeriodSeconds propagationPolicy pretty timeout ' +
    'container follow previous tailLines sinceSeconds sinceTime timestamps limitBytes'
  ).split(' '),
);
