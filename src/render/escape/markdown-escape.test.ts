import { describe, expect, it } from 'vitest';
import { codeSpan, escapeMarkdown, fenced } from './markdown-escape.js';

describe('text', () => {
  it.each([
    ['kubelet (node-1)', 'kubelet (node-1)'],
    ['a: b', 'a: b'],
    [
      '*a* _b_ `c` [d](e) <f> & #1 | ~g~',
      '&#42;a&#42; &#95;b&#95; &#96;c&#96; &#91;d&#93;(e) &#60;f&#62; &#38; &#35;1 &#124; &#126;g&#126;',
    ],
    ['https://evil.example', 'https&#58;//evil.example'],
    ['www.evil.example', 'www&#46;evil.example'],
    ['a@b.example', 'a&#64;b.example'],
    ['{{ x }}', '&#123;&#123; x &#125;&#125;'],
    ['a\nb\u202ec', 'a&#65533;b&#65533;c'],
    ['übung 日本', 'übung 日本'],
  ])('%j', (text, expected) => expect(escapeMarkdown(text)).toBe(expected));
});

describe('a code span', () => {
  it.each([
    ['pods/nginx', '`pods/nginx`'],
    ['a`b', '``a`b``'],
    ['`a``', '``` `a`` ```'],
    [' a ', '`  a  `'],
    ['a|b', '<code>a&#124;b</code>'],
    ['{{a}}', '<code>&#123;&#123;a&#125;&#125;</code>'],
    ['<b>', '`<b>`'],
    ['a\nb', '`a\ufffdb`'],
    ['', ''],
  ])('%j', (text, expected) => expect(codeSpan(text)).toBe(expected));
});

describe('a fence', () => {
  it('is longer than any in it', () => {
    expect(fenced('http', ['a', '```', '`````x'])).toBe('``````http\na\n```\n`````x\n``````\n');
  });

  it('has one line for each', () => {
    expect(fenced('', ['a\n```\n<b>', '\u001b[2J'])).toBe('````\na\ufffd```\ufffd<b>\n\ufffd[2J\n````\n');
  });
});
