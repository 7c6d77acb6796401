// Examples in Markdown that run: a `console` fence holds commands and what they print. Knows fences, not what the commands
// mean. Diagrams are the business of `kubeseq docs`.

import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { isOfProcess, ROOT, ranInThread, shownBy } from './command.js';

export interface Fence {
  readonly language: string;
  /** Index of the line with the opening fence. */
  readonly at: number;
  readonly lines: readonly string[];
  /** The line before the fence that is not empty. */
  readonly before: string;
}

export function fencesOf(page: string): Fence[] {
  const lines = page.split('\n');
  const fences: Fence[] = [];
  for (let at = 0; at < lines.length; at++) {
    const open = /^(`{3,})(\w*)$/.exec(lines[at]);
    if (open === null) continue;
    const end = lines.indexOf(open[1], at + 1);
    if (end < 0) throw new Error(`line ${at + 1}: a fence that is not closed`);
    const before = lines.slice(0, at).findLast((line) => line !== '') ?? '';
    fences.push({ language: open[2], at, lines: lines.slice(at + 1, end), before });
    at = end;
  }
  return fences;
}

export interface Command {
  /** As it stands behind `$ `, with its continuation lines. */
  readonly typed: readonly string[];
  /** What follows it; a line `…` stands for any number of lines that were left out. */
  readonly shown: readonly string[];
}

/** ```console fences: `$ ` begins a command, `\` at its end goes on in the next line, everything else is output. */
export function commandsOf(fence: Fence): Command[] {
  const commands: { typed: string[]; shown: string[] }[] = [];
  let goesOn = false;
  for (const line of fence.lines) {
    const last = commands[commands.length - 1];
    if (goesOn) last.typed.push(line);
    else if (line.startsWith('$ ')) commands.push({ typed: [line.slice(2)], shown: [] });
    else if (last === undefined) throw new Error(`line ${fence.at + 2}: output without a command`);
    else last.shown.push(line);
    const typed = commands[commands.length - 1].typed;
    goesOn = (goesOn || line.startsWith('$ ')) && typed[typed.length - 1].endsWith('\\');
  }
  return commands;
}

/**
 * Runs the commands of one fence at the repository's root, in one shell unless each is a call of kubeseq, alone or into a pipe; both outputs
 * as a terminal would show them.
 */
export function outputsOf(commands: readonly Command[]): string[][] {
  const { SSLKEYLOGFILE: _, ...own } = process.env;
  const env = { ...own, NO_COLOR: '1' };
  const calls = commands.map(({ typed }) => callOf(typed));
  if (calls.every((call) => call !== null)) return calls.map((call) => linesOf(shownOf(call, env)));
  const script = ['kubeseq() { node bin/kubeseq.js "$@"; }'];
  for (const { typed } of commands) {
    script.push(typed.join('\n'), 'status=$?', `printf '%b' '${MARK}'`, '(exit $status)');
  }
  const shown = inShell(script.join('\n'), env);
  return shown.split('\u001e').slice(0, commands.length).map(linesOf);
}

function shownOf({ args, rest }: Call, env: NodeJS.ProcessEnv): string {
  if (rest === null) return shownBy(args, env);
  const { stdout, stderr } = ranInThread(args, env);
  return stderr + inShell(rest, env, stdout);
}

function inShell(script: string, env: NodeJS.ProcessEnv, input = ''): string {
  const { stdout, error } = spawnSync('bash', ['-c', `exec 2>&1\n${script}`], {
    cwd: ROOT,
    env,
    input,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  // `head` ends before it has read everything.
  if (error !== undefined && (error as NodeJS.ErrnoException).code !== 'EPIPE') throw error;
  return stdout;
}

function linesOf(text: string): string[] {
  return text === '' ? [] : text.replace(/\n$/, '').split('\n');
}

interface Call {
  readonly args: readonly string[];
  /** What its standard output goes into; null: it is shown. */
  readonly rest: string | null;
}

/** A call of kubeseq with words, patterns of files and text in single quotes, alone or into a pipe; null: it takes a shell, or a process. */
function callOf(typed: readonly string[]): Call | null {
  const line = typed.map((one) => one.replace(/\\$/, ' ')).join('');
  const [, words, rest = null] = CALL.exec(line) ?? [];
  if (words === undefined || rest?.includes('kubeseq')) return null;
  const args = [...words.matchAll(WORD)].flatMap(([, quoted, word]) =>
    quoted === undefined ? filesOf(word) : [quoted],
  );
  return isOfProcess(args) ? null : { args, rest };
}

/** As a shell expands the last part of a path. */
function filesOf(word: string): string[] {
  if (!word.includes('*')) return [word];
  const [folder, pattern] = [dirname(word), basename(word)];
  const names = new RegExp(`^${pattern.replaceAll('.', '\\.').replaceAll('*', '.*')}$`);
  return readdirSync(join(ROOT, folder))
    .filter((name) => names.test(name))
    .sort()
    .map((name) => `${folder}/${name}`);
}

/** What a fence should show of an output: as much of its beginning and its end as it shows now. */
export function excerpt(output: readonly string[], shown: readonly string[]): string[] {
  const cut = shown.indexOf('…');
  if (cut < 0) return [...output];
  const tail = shown.length - cut - 1;
  if (output.length <= cut + tail) return [...output];
  return [...output.slice(0, cut), '…', ...output.slice(output.length - tail)];
}

/** The page with every `console` fence as the commands print it now. */
export function refreshed(page: string): string {
  const lines = page.split('\n');
  for (const fence of fencesOf(page).reverse()) {
    const fresh = freshLines(fence);
    if (fresh !== null) lines.splice(fence.at + 1, fence.lines.length, ...fresh);
  }
  return lines.join('\n');
}

function freshLines(fence: Fence): string[] | null {
  if (fence.language === 'console') {
    const commands = commandsOf(fence);
    const outputs = outputsOf(commands);
    return commands.flatMap(({ typed, shown }, i) => [
      `$ ${typed[0]}`,
      ...typed.slice(1),
      ...excerpt(outputs[i], shown),
    ]);
  }
  return null;
}

const CALL = /^kubeseq((?: +(?:'[^']*'|[\w.,:/@%+=*-]+))*) *(?:\|(?!\|)(.*))?$/;
const WORD = /'([^']*)'|([\w.,:/@%+=*-]+)/g;
const MARK = '\\036';
