import { describe, expect, it } from 'vitest';
import { redactCommand, redactCommandText } from './commands.js';

describe('a command', () => {
  it.each([
    [['ls'], ['ls']],
    [
      ['sh', '-c', 'echo $TOKEN'],
      ['sh', '(2 arguments)'],
    ],
    [
      ['mysql', '-phunter2'],
      ['mysql', '(1 argument)'],
    ],
    [
      ['/usr/local/bin/python3.11', 'x'],
      ['/usr/local/bin/python3.11', '(1 argument)'],
    ],
    // A whole script, a variable, a number: no names of programs.
    [['TOKEN=hunter2 curl x'], ['…']],
    [
      ['$(cat /run/secrets/x)', 'y'],
      ['…', '(1 argument)'],
    ],
    [['4949520636764882'], ['…']],
    [['a1b2c3d4e5f6'], ['…']],
    [[], []],
  ])('%j', (words, shown) => {
    expect(redactCommand(words, true)).toEqual(shown);
    expect(redactCommand(redactCommand(words, true), true)).toEqual(shown);
  });

  it('of which only arguments are given is their number', () => {
    expect(redactCommand(['--token', 'hunter2'], false)).toEqual(['(2 arguments)']);
    expect(redactCommand(['(2 arguments)'], false)).toEqual(['(2 arguments)']);
  });

  it('in a query is one text', () => {
    expect(redactCommandText(['sh', '-c', 'x'])).toBe('sh (2 arguments)');
    expect(redactCommandText(['sh (2 arguments)'])).toBe('sh (2 arguments)');
    expect(redactCommandText(['sh hunter2 (2 arguments)'])).toBe('…');
  });
});
