import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LARGE, LINEAR, powerOf } from '../../test/powers.js';
import { redactTarget, redactText } from './text.js';

const JWT = 'eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJ4In0.c2lnbmF0dXJl';

describe('targets', () => {
  it.each([
    ['/api?token=abc&watch=1', '/api?token=REDACTED&watch=1'],
    ['/api?watch=1&access_token=abc', '/api?watch=1&access_token=REDACTED'],
    ['/api?%74oken=abc', '/api?%74oken=REDACTED'],
    ['/api?continue=abc&tokens=5', '/api?continue=abc&tokens=5'],
    ['http://user:pass@192.0.2.1/api', 'http://REDACTED@192.0.2.1/api'],
    ['/exec/AbCd_f12', '/exec/REDACTED'],
    ['http://Bearer @192.0.2.1/exec/AbCd_f12', 'http://REDACTED@192.0.2.1/exec/REDACTED'],
    ['/exec/default/web/app?command=ls', '/exec/default/web/app?command=ls'],
    [`/api?x=${JWT}`, '/api?x=REDACTED'],
    ['/api?token', '/api?token'],
  ])('%s', (target, expected) => expect(redactTarget(target)).toBe(expected));
});

describe('text', () => {
  it.each([
    [`a ${JWT} b`, 'a REDACTED b'],
    [`x_${JWT}`, 'x_REDACTED'],
    ['eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOi', 'REDACTED'],
    ['Authorization: Bearer abcdefgh1', 'Authorization: Bearer REDACTED'],
    ['basic dXNlcjpwYXNz', 'basic REDACTED'],
    ['see https://me:pw@example.com/x', 'see https://REDACTED@example.com/x'],
    ['GET https://example.com/?token=abc def', 'GET https://example.com/?token=REDACTED def'],
    ['kubeadm join --token abcdef.0123456789abcdef', 'kubeadm join --token REDACTED'],
    ['http://127.0.0.1:4000/attach/AbCd-f12', 'http://127.0.0.1:4000/attach/REDACTED'],
  ])('%s', (text, expected) => expect(redactText(text)).toBe(expected));

  it.each(['nginx1.187c1b2a3f4d5e6f', 'kubectl/v1.34.4 (linux/amd64)', 'a token', 'mail me@example.com', 'eyJ', ''])(
    'keeps %s',
    (text) => expect(redactText(text)).toBe(text),
  );

  it('twice changes nothing more', () => {
    const word = fc.constantFrom(
      'Bearer ',
      JWT,
      'token=',
      '?',
      '://',
      '@',
      '/exec/',
      'abcdefgh',
      '.',
      ' ',
      'eyJ',
      'REDACTED',
    );
    fc.assert(
      fc.property(
        fc.array(word, { maxLength: 12 }).map((words) => words.join('')),
        (text) => {
          const once = redactText(text);
          expect(redactText(once)).toBe(once);
          expect(redactTarget(redactTarget(text))).toBe(redactTarget(text));
        },
      ),
      { numRuns: 3000, examples: [['eyJ://Bearer @/exec/abcdefgh']] },
    );
  });

  it.each(['eyJ', 'a.', 'token ', 'http://', 'Bearer ', 'eyJaaaaaaaa.', 'x://a@', '/exec/', 'token=', '://a'])(
    'takes time with its length, not the square: %s',
    (word) => {
      const redact = (n: number) => {
        const text = `${word.repeat(n)} token`;
        for (let i = 0; i < 4; i++) redactText(text);
      };
      expect(powerOf(redact, LARGE / 3)).toBeLessThan(LINEAR);
    },
  );
});
