import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LARGE, LINEAR, powerOf } from '../../test/powers.js';
import { redactAuthority, redactTarget, redactText } from './text.js';

const PEM = '-----BEGIN RSA PRIVATE KEY-----\nMIIE\npAIB\n-----END RSA PRIVATE KEY-----';
const JWT = 'eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJ4In0.c2lnbmF0dXJl';
/** A head of HTTP/1 may have 80 KiB. */
const LONG = 'p'.repeat(70_000);

describe('targets', () => {
  it.each([
    ['/api?token=abc&watch=1', '/api?token=REDACTED&watch=1'],
    ['/api?watch=1&access_token=abc', '/api?watch=1&access_token=REDACTED'],
    ['/api?%74oken=abc', '/api?%74oken=REDACTED'],
    ['/api?%74oken=100%', '/api?%74oken=REDACTED'],
    ['/api?to%6ben%=abc', '/api?to%6ben%=REDACTED'],
    ['/exec?command=Bearer%20abcdefghij%zz', '/exec?command=Bearer%20REDACTED%25zz'],
    ['/exec?command=Bearer%20%FFabc&command=%C3%A9%', '/exec?command=Bearer%20%FFabc&command=%C3%A9%'],
    ['/exec?command=%FFBearer%20abcdefghij', '/exec?command=%C3%BFBearer%20REDACTED'],
    ['/api?continue=abc&tokens=5', '/api?continue=(3 characters)&tokens=REDACTED'],
    ['http://user:pass@192.0.2.1/api', 'http://REDACTED@192.0.2.1/api'],
    ['/exec/AbCd_f12', '/exec/REDACTED'],
    ['http://Bearer @192.0.2.1/exec/AbCd_f12', 'http://REDACTED@192.0.2.1/exec/REDACTED'],
    ['/exec/default/web/app?command=ls', '/exec/default/web/app?command=ls'],
    [`/api?x=${JWT}`, '/api?x=REDACTED'],
    ['/api?token', '/api?token'],
    // As the client wrote it, or as who shows it decoded would.
    ['/exec?command=Authorization%3A%20Bearer%20abcdefgh1', '/exec?command=Authorization%3A%20Bearer%20REDACTED'],
    ['/exec?command=https%3A%2F%2Fu%3Apw%40host%2F', '/exec?command=https%3A%2F%2FREDACTED%40host%2F'],
    ['/exec?command=--token+abcdef.0123456789abcdef', '/exec?command=--token%20REDACTED'],
    ['/exec?command=--token&command=abcdef.0123456789abcdef', '/exec?command=--token&command=REDACTED'],
    ['/x?redirect=https%3A%2F%2Fx%2F%3Ftoken%3Dabc', '/x?redirect=REDACTED'],
    [
      '/api/v1/pods?labelSelector=app%3Dweb%2Ctier+in+%28a%29',
      '/api/v1/pods?labelSelector=app%3Dweb%2Ctier+in+%28a%29',
    ],
    ['/v1.41/build?buildargs=%7B%22A%22%3A%22b%22%7D&t=x', '/v1.41/build?buildargs=REDACTED&t=x'],
    ['/exec?command=%E0%A4', '/exec?command=%E0%A4'],
    // As JSON can say it, in saved messages.
    ['/exec?command=\ud800%20Bearer%20abcdefgh1', '/exec?command=%EF%BF%BD%20Bearer%20REDACTED'],
    ['user:pw@192.0.2.1:6443', 'REDACTED@192.0.2.1:6443'],
    ['/v2/library/nginx@sha256:0123', '/v2/library/nginx@sha256:0123'],
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
          expect(redactTarget(redactTarget(text))).toBe(redactTarget(text));
        },
      ),
      { numRuns: 3000, examples: [['eyJ://Bearer @/exec/abcdefgh']] },
    );
  });

  it.each([
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
  ])('takes time with its length, not the square: %s', (word) => {
    const redact = (n: number) => {
      const text = `${word.repeat(n)} token`;
      for (let i = 0; i < 4; i++) redactText(text);
    };
    expect(powerOf(redact, LARGE / 3)).toBeLessThan(LINEAR);
  });
});
