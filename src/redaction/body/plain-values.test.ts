import { describe, expect, it } from 'vitest';
import { isShownNumber } from './plain-values.js';

describe('a number', () => {
  it.each([
    ['rootPassword', 83749201],
    ['adminpassword', 48213975],
    ['pw', 48213975],
    ['accesskey', 48213975],
    ['pinNumber', 4821],
    ['mfaCode', 482139],
    ['puk', -48213975],
    ['key', 1000],
    ['pinned', 48.21],
    ['portSecret', 48213975],
  ])('of four digits is hidden at %s', (field, value) => expect(isShownNumber(value, field)).toBe(false));

  it.each([
    ['key', 999],
    ['weightedPin', 0.5],
    ['replicas', 1000],
    ['tokenTtl', 86400],
    ['passwordMinLength', 1024],
    ['targetPort', 8080],
    ['observedGeneration', 123456],
    ['rx_bytes', 8374920],
    ['timeout-seconds', 3600],
  ])('is shown at %s', (field, value) => expect(isShownNumber(value, field)).toBe(true));
});
