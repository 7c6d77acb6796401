import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { measured } from '../../test/kit/measured.js';
import { LARGE, LINEAR, powerOf } from '../../test/kit/powers.js';
import { redactAuthority, redactText } from './text.js';

const PEM = '-----BEGIN RSA PRIVATE KEY-----\nMIIE\npAIB\n-----END RSA PRIVATE KEY-----';
const JWT = 'eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJ4In0.c2lnbmF0dXJl';
/** A head of HTTP/1 may have 80 KiB. */
const LONG = 'p'.repeat(70_000);

describe('text', () => {
  it.each([
    [`a ${JWT} b`, 'a REDACTED b'],
    [`x_${JWT}`, 'x_REDACTED'],
    ['eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOi', 'REDACTED'],
    ['Authorization: Bearer abcdefgh1', 'Authorization: Bearer REDACTED'],
    ['basic dXNlcjpwYXNz', 'basic REDACTED'],
    ['see https://me:pw@example.com/x', 'see https://REDACTED@example.com/x'],
    ['see https://me@corp.example:pw@example.com/x', 'see https://REDACTED@example.com/x'],
    [`https://me:p'w@example.com`, 'https://REDACTED@example.com'],
    ['[REQ] CONNECT me:pw@192.0.2.1:6443', '[REQ] CONNECT REDACTED@192.0.2.1:6443'],
    ['[REQ] POST /exec/AbCd_f12', '[REQ] POST /exec/REDACTED'],
    ['GET https://example.com/?token=abc def', 'GET https://example.com/?token=REDACTED def'],
    ['kubeadm join --token abcdef.0123456789abcdef', 'kubeadm join --token REDACTED'],
    ['http://127.0.0.1:4000/attach/AbCd-f12', 'http://127.0.0.1:4000/attach/REDACTED'],
    [`a ${PEM} b ${PEM}\n`, 'a REDACTED b REDACTED\n'],
    [`key: "${PEM.replaceAll('\n', '\\n')}"`, 'key: "REDACTED"'],
    ['-----BEGIN PRIVATE KEY-----\nMIIE', 'REDACTED'],
    ['-----BEGIN PGP PRIVATE KEY BLOCK-----\nlQ\n-----END PGP PRIVATE KEY BLOCK-----\nx', 'REDACTED\nx'],
    [`tls.key: ${Buffer.from(PEM).toString('base64')}\nx`, 'tls.key: REDACTED\nx'],
    [Buffer.from('-----BEGIN EC PRIVATE KEY-----\nMHcC').toString('base64url'), 'REDACTED'],
  ])('%s', (text, expected) => expect(redactText(text)).toBe(expected));

  it.each([
    '-----BEGIN CERTIFICATE-----\nMIIB',
    'new private key',
    'nginx1.187c1b2a3f4d5e6f',
    'kubectl/v1.34.4 (linux/amd64)',
    'a token',
    'mail me@example.com',
    'eyJ',
    '',
  ])('keeps %s', (text) => expect(redactText(text)).toBe(text));

  it.each(['see https://', 'CONNECT '])('a password has any length: %s', (before) => {
    const at = 'example.com:1';
    expect(redactText(`${before}me:${LONG}@${at}`)).toBe(`${before}REDACTED@${at}`);
    expect(redactAuthority(`me:${LONG}@${at}`)).toBe(`REDACTED@${at}`);
  });

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
      '-----BEGIN PRIVATE KEY-----',
      '-----END PRIVATE KEY-----',
      'LS0tLS1CRUdJTiBQUklWQVRFIEtFWS0tLS0t',
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
        },
      ),
      { numRuns: 3000, examples: [['eyJ://Bearer @/exec/abcdefgh']] },
    );
  });

  for (const word of [
    'eyJ',
    'a.',
    'token ',
    'http://',
    'Bearer ',
    'eyJaaaaaaaa.',
    'x://a@',
    '/exec/',
    'token=',
    '://a',
    'CONNECT a',
    '-----BEGIN PRIVATE KEY-----',
    '-----BEGIN ',
    'LS0tLS1CRUdJTiBQUklWQVRFIEtFWS0tLS0t',
  ])
    measured(`takes time with its length, not the square: ${word}`, () => {
      const redact = (n: number) => {
        const text = `${word.repeat(n)} token`;
        for (let i = 0; i < 4; i++) redactText(text);
      };
      expect(powerOf(redact, LARGE / 3)).toBeLessThan(LINEAR);
    });
});
