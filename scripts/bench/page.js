// What the benches have in common: options, what machine and programs they ran on, tables, and the place in a page where
// such a table stands.

import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { arch, availableParallelism, cpus, loadavg, totalmem } from 'node:os';
import { join } from 'node:path';
import { ROOT } from './cases.js';

/** Value of `--name VALUE`. */
export function option(/** @type {string} */ name, /** @type {string} */ otherwise) {
  const at = process.argv.indexOf(`--${name}`);
  return at < 0 ? otherwise : process.argv[at + 1];
}

export function flag(/** @type {string} */ name) {
  return process.argv.includes(`--${name}`);
}

/** The command that was given, as a reader gives it again. */
export function commandLine(/** @type {string} */ script) {
  const given = process.argv.slice(2).filter((word) => word !== '--write');
  return `npm run ${script}${given.length === 0 ? '' : ` -- ${given.join(' ')}`}`;
}

/** Line by line: command, machine, programs. `programs` beside kubeseq and node. */
export function machine(/** @type {string} */ script, /** @type {readonly string[]} */ programs = []) {
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const model = cpus()[0]?.model.trim() ?? 'unknown CPU';
  const [load] = loadavg();
  return [
    `\`${commandLine(script)}\`, ${new Date().toISOString().slice(0, 10)}: ${availableParallelism()} cores (${model}), ${(totalmem() / 1e9).toFixed(0)} GB,`,
    `${process.platform} ${arch()}, load ${load.toFixed(1)} before; kubeseq ${version}, Node.js ${process.version.slice(1)}${programs.map((program) => `, ${versionOf(program)}`).join('')}.`,
  ].join('\n');
}

/** @param {readonly string[]} head a trailing `:` aligns to the right. @param {readonly (readonly string[])[]} rows */
export function table(head, rows) {
  const line = (/** @type {readonly string[]} */ cells) => `| ${cells.join(' | ')} |`;
  return [
    line(head.map((cell) => cell.replace(/:$/, ''))),
    line(head.map((cell) => (cell.endsWith(':') ? '---:' : '---'))),
    ...rows.map(line),
  ].join('\n');
}

/** Prints; with `--write` also puts the text between `<!-- bench:name -->` and `<!-- /bench:name -->` of a page. */
export function publish(/** @type {string} */ text, /** @type {string} */ page, /** @type {string} */ name) {
  process.stdout.write(`${text}\n`);
  if (!flag('write')) return;
  put(text, option('page', join(ROOT, page)), `bench:${name}`);
}

/** Writes the text between `<!-- name -->` and `<!-- /name -->` of a page. */
export function put(/** @type {string} */ text, /** @type {string} */ path, /** @type {string} */ name) {
  const before = readFileSync(path, 'utf8');
  const [begin, end] = [`<!-- ${name} -->`, `<!-- /${name} -->`];
  const [from, to] = [before.indexOf(begin), before.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`${path} has no place for ${name}`);
  writeFileSync(path, `${before.slice(0, from + begin.length)}\n${text}\n${before.slice(to)}`);
}

/** @param {readonly number[]} values */
export function median(values) {
  return values.toSorted((a, b) => a - b)[values.length >> 1];
}

/** Power with which `cost` grows where `size` does. */
export function power(/** @type {number} */ cost, /** @type {number} */ size) {
  return Math.log(cost) / Math.log(size);
}

export function thousands(/** @type {number} */ value) {
  return Math.round(value).toLocaleString('en-US');
}

export function isInstalled(/** @type {string} */ program) {
  try {
    execFileSync('sh', ['-c', `command -v '${program}'`], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

function versionOf(/** @type {string} */ program) {
  try {
    const said = execFileSync(program, ['--version'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
    return `${program} ${/\d+(?:\.\d+)+/.exec(said)?.[0] ?? ''}`.trim();
  } catch {
    return `${program} not installed`;
  }
}
