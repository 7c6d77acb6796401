import { describe, expect, it } from 'vitest';
import { SIMPLE_1RTT } from '../../test/kit/rfc8448.js';
import { nextTrafficSecret, trafficKeys } from './key-schedule.js';
import { recordCipher } from './record-cipher.js';
import { suiteById } from './suites.js';

const AES = suiteById(0x1301)!;
const SECRET = Buffer.from(SIMPLE_1RTT.keyLog.split('\n')[1].split(' ')[2], 'hex');

describe('key schedule', () => {
  it('gives the server handshake keys of RFC 8448, section 3', () => {
    const { key, iv } = trafficKeys(AES, SECRET);
    expect(Buffer.from(key).toString('hex')).toBe('3fce516009c21727d0f2e4e86ee403bc');
    expect(Buffer.from(iv).toString('hex')).toBe('5d313eb2671276ee13000b30');
  });

  it('gives keys that open its first record', () => {
    const record = Buffer.from(SIMPLE_1RTT.pieces[2].hex, 'hex');
    const cipher = recordCipher(AES, trafficKeys(AES, SECRET));
    const plain = cipher.open(record, 0);
    // EncryptedExtensions first, content type handshake last.
    expect([plain?.[0], plain?.at(-1)]).toEqual([8, 22]);
    expect(cipher.open(record, 1)).toBeNull();
  });

  it('gives a next secret as long as the one before', () => {
    expect(nextTrafficSecret(AES, SECRET)).toHaveLength(32);
    expect(nextTrafficSecret(suiteById(0x1302)!, Buffer.alloc(48))).toHaveLength(48);
  });
});
