import { execFileSync } from 'node:child_process';
import { getCiphers } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { allSuites, suiteById } from './suites.js';

function openssl(): Map<number, string> | null {
  try {
    const args = ['ciphers', '-V', '-stdname', 'ALL:COMPLEMENTOFALL:@SECLEVEL=0'];
    const names = new Map<number, string>();
    for (const line of execFileSync('openssl', args, { encoding: 'utf8' }).split('\n')) {
      const match = /0x(..),0x(..) - (\S+)/.exec(line);
      if (match !== null) names.set(Number.parseInt(match[1] + match[2], 16), match[3]);
    }
    return names;
  } catch {
    return null;
  }
}

describe('suites', () => {
  const known = openssl();

  it.skipIf(known === null)('have the numbers and names that OpenSSL gives them', () => {
    const common = [...allSuites()].filter(({ id }) => known!.has(id));
    expect(common.length).toBeGreaterThan(60);
    expect(common.map(({ id, name }) => [id, name])).toEqual(common.map(({ id }) => [id, known!.get(id)]));
  });

  it('have ciphers of node:crypto, with the lengths in their names', () => {
    const ciphers = new Set(getCiphers());
    for (const { name, cipher, hash, version } of allSuites()) {
      expect(ciphers.has(cipher.name)).toBe(true);
      expect(cipher.keyLength).toBe(name.includes('AES_128') ? 16 : 32);
      expect(hash).toBe(name.endsWith('SHA384') ? 'sha384' : 'sha256');
      expect(cipher.mode === 'cbc').toBe(name.includes('CBC'));
      expect(cipher.tagLength === 8).toBe(/CCM_8/.test(name));
      expect(version).toBe(name.includes('WITH') ? '1.2' : '1.3');
    }
  });

  it('has no other', () => {
    expect(suiteById(0x0005)).toBeUndefined();
    expect(suiteById(0x1301)?.name).toBe('TLS_AES_128_GCM_SHA256');
  });
});
