import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { allWords } from './dictionary.js';
import { isKnownTrigram, isPlainWord } from './plain-word.js';

describe('words that people write', () => {
  it.each([
    'login',
    'api',
    'v1',
    'v2beta1',
    'mutate-apps-v1-deployment',
    'kubernetes-dashboard',
    'poststarthook',
    'oauth2',
    'k8s',
    'clustertrustbundles',
    'string',
    'scripts',
    'https',
    'SYS_ADMIN',
    'IfNotPresent',
    'FieldsV1',
    'nginx.conf',
    'index.html',
    '8080',
    's3',
    'ec2.internal',
    'x86_64',
    'kube-state-metrics',
    'grafana',
    'cockroach',
    'zookeeper',
    'HTTPRoute',
    'FailedCreatePodSandBox',
    'OOMKilled',
    'python3.11',
    '2026-11-24',
    'v1beta1',
    '',
  ])('%s', (word) => expect(isPlainWord(word)).toBe(true));
});

describe('words that programs made up', () => {
  it.each([
    'hunter2',
    'kq8fz01mmQ',
    'a1b2c3d4',
    'AKIAIOSFODNN7EXAMPLE',
    '4949520636764882',
    'correcthorsebatterystaple',
    'aKdFgHjKlQ',
    'xkqzvbnmwr',
    '91b8362d-5d5f-aa6b-cb8b-ce3a76aaee16',
    'c2VjcmV0',
    'wexderpraNimfonvol7498',
    'WDJB-MJHT',
    'sggn-yxth-rkxk-ixnf',
    'ab12-cd34-ef56-gh78',
    'fkviyuhpprmala',
    'RxyjcHUdcUqlFUHujdNP',
    'GXWfGJnA',
    'Summer2026',
  ])('%s', (word) => expect(isPlainWord(word)).toBe(false));

  it('in hexadecimal and base64, of 12 characters on', () => {
    fc.assert(fc.property(fc.stringMatching(/^[0-9a-f]{16,64}$/), (word) => !isPlainWord(word) || !/\d/.test(word)));
    fc.assert(
      fc.property(fc.stringMatching(/^[A-Za-z0-9+/]{4}\d[A-Za-z]\d[A-Za-z0-9]{8}$/), (word) => !isPlainWord(word)),
    );
  });
});

it('has the trigrams of all words, and no others', () => {
  const occurring = new Set<string>();
  for (const word of allWords())
    for (const part of word.replace(/.*\d.*/, '').split(/[^a-z]+/))
      for (let at = 0; at + 3 <= part.length; at++) occurring.add(part.slice(at, at + 3));
  const letters = [...'abcdefghijklmnopqrstuvwxyz'];
  const found = letters
    .flatMap((a) => letters.flatMap((b) => letters.map((c) => a + b + c)))
    .filter((one) => isKnownTrigram(one, 0));
  expect(found.length).toBeGreaterThan(2000);
  expect(found).toEqual([...occurring].sort());
});
