// Compares two folders of outputs line by line, modulo a table of renamed words.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { structuredPatch } from 'diff';

/** Differing lines of one file that are printed. */
const MAX_LINES = 40;

/**
 * @param {{old: string, new: string, in?: string}[]} rows `old` is a regular expression; `in` one for names of files.
 * @returns for a file's name and text from before, the text that it has to be now.
 */
export function renaming(rows) {
  const made = rows.map((row) => ({
    from: new RegExp(row.old, 'gmu'),
    to: row.new,
    files: new RegExp(row.in ?? '', 'u'),
  }));
  return (name, text) =>
    made.reduce((renamed, { from, to, files }) => (files.test(name) ? renamed.replace(from, to) : renamed), text);
}

/**
 * @param rename of `renaming`.
 * @returns {{name: string, lines: string[]}[]} files that differ, or that one folder alone has, with the lines that do.
 */
export function differences(before, after, rename) {
  const names = [...new Set([...filesIn(before), ...filesIn(after)])].sort();
  return names.flatMap((name) => {
    const [old, now] = [before, after].map((folder) => unwrapped(textOf(`${folder}/${name}`)));
    if (old === null || now === null) return [{ name, lines: [old === null ? 'is new' : 'is gone'] }];
    const expected = rename(name, old);
    return expected === now ? [] : [{ name, lines: changedLines(expected, now) }];
  });
}

/** Lines with - and +; long outputs are compared in order alone, for a diff of a hundred thousand lines has no end. */
function changedLines(old, now) {
  const [a, b] = [old.split('\n'), now.split('\n')];
  const first = a.findIndex((line, i) => line !== b[i]);
  let last = 0;
  while (last < Math.min(a.length, b.length) - first && a.at(-1 - last) === b.at(-1 - last)) last += 1;
  const window = [a.slice(first, a.length - last), b.slice(first, b.length - last)];
  const patch = structuredPatch('', '', `${window[0].join('\n')}\n`, `${window[1].join('\n')}\n`, '', '', {
    context: 0,
    maxEditLength: 2000,
  });
  const lines =
    patch === undefined
      ? [...window[0].map((line) => `-${line}`), ...window[1].map((line) => `+${line}`)]
      : patch.hunks.flatMap((hunk) => hunk.lines);
  return lines.length > MAX_LINES ? [...lines.slice(0, MAX_LINES), `… ${lines.length - MAX_LINES} more`] : lines;
}

function filesIn(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => `${entry.parentPath ?? entry.path}/${entry.name}`.slice(folder.length + 1));
}

/** Where a note or a title of a diagram wraps follows from its words. */
function unwrapped(text) {
  return text?.replace(/^ *(?:Note|loop) .*$/gmu, (line) => line.replaceAll('<br>', ' ')) ?? null;
}

function textOf(path) {
  return existsSync(path) ? readFileSync(path, 'utf8') : null;
}
