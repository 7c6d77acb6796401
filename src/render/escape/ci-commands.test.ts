import { describe, expect, it } from 'vitest';
import { wrapParts, wrapToCells } from './cells.js';
import { escapeCommands } from './ci-commands.js';

describe('escapeCommands', () => {
  it.each([
    ['::error::x', '\\u003a:error::x'],
    ['  ::add-mask x', '  \\u003a:add-mask x'],
    ['a ::SET-OUTPUT', 'a \\u003a:SET-OUTPUT'],
    ['/::debug::', '/\\u003a:debug::'],
    ['a ##[group]', 'a \\u0023#[group]'],
    ['###[group]', '#\\u0023#[group]'],
    ['##vso[task.complete]', '\\u0023#vso[task.complete]'],
    ["##teamcity[x 'y']", "\\u0023#teamcity[x 'y']"],
  ])('escapes the first character of %s', (text, escaped) => {
    expect(escapeCommands(text)).toBe(escaped);
  });

  it.each([
    ...['::', '::1', '::1 ::2', '::ffff:192.0.2.1', '::/0', '::dead', '::beef::', 'fe80::1', 'fd00::add', '[::1]:8080'],
    ...['std::vector::push', 'tonic::transport::Error', 'a: b', '# [x]', '## x', '##vso', '#[x]'],
  ])('leaves %s', (text) => {
    expect(escapeCommands(text)).toBe(text);
  });
});

describe('lines of a terminal', () => {
  it('begin with no command, wherever they are cut', () => {
    for (let most = 3; most < 20; most++) {
      const lines = [...wrapToCells('aaa::error::bbb::debug::c', most), ...wrapParts(['a::error::b', 'c'], ', ', most)];
      expect(lines.filter((line) => line.trimStart().startsWith('::'))).toEqual([]);
    }
  });
});
