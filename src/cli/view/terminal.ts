// Shows screens on the terminal and reads its keys, with the control sequences of ECMA-48 and xterm.

import { openSync } from 'node:fs';
import { emitKeypressEvents, type Interface } from 'node:readline';
import { ReadStream } from 'node:tty';
import { Chalk } from 'chalk';
import { paintFor } from '../output/paint.js';
import type { PressedKey } from './keys.js';
import type { Look, ScreenRow } from './list-rows.js';
import type { ViewScreen } from './viewer.js';

/** What `node:readline` says of a key. */
interface Keypress {
  readonly name?: string;
  readonly sequence?: string;
  readonly ctrl?: boolean;
  readonly meta?: boolean;
}

/** What runs on the terminal. */
export interface TerminalProgram {
  readonly isOver: boolean;
  press(key: PressedKey): void;
  screen(height: number, width: number): ViewScreen;
}

/**
 * Runs a program until it is over, the terminal is gone, or a signal ends the process. The terminal is left as it was.
 *
 * @param color whether rows may have colours; the chosen row is inverse in any case.
 */
export async function runOnTerminal(program: TerminalProgram, color: boolean): Promise<void> {
  const out = process.stdout;
  const keys = process.stdin.isTTY ? process.stdin : new ReadStream(openSync('/dev/tty', 'r'));
  const paint = painter(color);
  let shown: string[] = [];
  const draw = (): void => {
    const { rows, caret } = program.screen(out.rows, out.columns);
    const painted = rows.map(paint);
    const changes = painted.map((text, i) => (text === shown[i] ? '' : `${at(i)}${text}${CLEAR_LINE}`));
    out.write(
      `${HIDE_CURSOR}${changes.join('')}${caret === null ? '' : `${at(rows.length - 1, caret)}${SHOW_CURSOR}`}`,
    );
    shown = painted;
  };
  const enter = (): void => {
    keys.setRawMode(true);
    out.write(`${ENTER_ALTERNATE}${CLEAR_SCREEN}`);
    shown = [];
    draw();
  };
  const leave = (): void => {
    out.write(`${SHOW_CURSOR}${LEAVE_ALTERNATE}`);
    keys.setRawMode(false);
  };
  await new Promise<void>((resolve) => {
    const pressed = (text: string | undefined, key: Keypress): void => {
      const named = keyOf(text ?? '', key);
      if (named.name === 'ctrl-z') {
        leave();
        process.once('SIGCONT', enter);
        process.kill(process.pid, 'SIGTSTP');
        return;
      }
      program.press(named);
      if (program.isOver) end();
      else draw();
    };
    const resized = (): void => {
      out.write(CLEAR_SCREEN);
      shown = [];
      draw();
    };
    const end = (): void => {
      keys.off('keypress', pressed);
      keys.off('end', end);
      out.off('resize', resized);
      for (const signal of SIGNALS) process.off(signal, end);
      process.off('exit', leave);
      leave();
      keys.pause();
      if (keys !== process.stdin) keys.destroy();
      resolve();
    };
    // A lone Escape is told from the beginning of a sequence by what follows at once.
    emitKeypressEvents(keys, { escapeCodeTimeout: ESCAPE_MS } as unknown as Interface);
    keys.on('keypress', pressed);
    keys.on('end', end);
    out.on('resize', resized);
    for (const signal of SIGNALS) process.on(signal, end);
    // After an error, too, the shell needs its terminal.
    process.on('exit', leave);
    enter();
    keys.resume();
  });
}

function keyOf(text: string, { name = '', ctrl, meta, sequence = '' }: Keypress): PressedKey {
  if (ctrl === true) return { name: `ctrl-${name}`, text: '' };
  if (meta === true && name !== 'escape') return { name: `alt-${name}`, text: '' };
  if (name === 'return') return { name: 'enter', text: '' };
  const typed = /^\P{C}+$/u.test(text) ? text : '';
  if (name === 'space') return { name: 'space', text: ' ' };
  // Capital letters have the name of the small ones.
  return { name: typed !== '' ? typed : name || sequence, text: typed };
}

function painter(color: boolean): (row: ScreenRow) => string {
  const paint = paintFor(color);
  const { inverse } = new Chalk({ level: 1 });
  const looks: Readonly<Record<Look, (text: string) => string>> = {
    plain: (text) => text,
    head: paint.strong,
    dim: paint.dim,
    bad: paint.bad,
    chosen: inverse,
    'chosen-bad': (text) => inverse(paint.bad(text)),
  };
  return ({ text, look }) => looks[look](text);
}

function at(row: number, column = 0): string {
  return `\u001b[${row + 1};${column + 1}H`;
}

const SIGNALS = ['SIGTERM', 'SIGHUP', 'SIGINT'] as const;
const ESCAPE_MS = 50;
const ENTER_ALTERNATE = '\u001b[?1049h';
const LEAVE_ALTERNATE = '\u001b[?1049l';
const CLEAR_SCREEN = '\u001b[2J';
const CLEAR_LINE = '\u001b[K';
const SHOW_CURSOR = '\u001b[?25h';
const HIDE_CURSOR = '\u001b[?25l';
