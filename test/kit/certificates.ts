// A self-signed certificate with its key, made anew: nothing of a key is committed.

import { generateKeyPairSync, sign } from 'node:crypto';

export function selfSigned(kind: 'rsa' | 'ec', commonName = 'localhost'): { key: string; cert: string } {
  const pair =
    kind === 'rsa'
      ? generateKeyPairSync('rsa', { modulusLength: 2048 })
      : generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  const algorithm = der(
    0x30,
    kind === 'rsa' ? Buffer.from('06092a864886f70d01010b0500', 'hex') : Buffer.from('06082a8648ce3d040302', 'hex'),
  );
  const name = der(0x30, der(0x31, der(0x30, Buffer.from('0603550403', 'hex'), der(0x0c, Buffer.from(commonName)))));
  const validity = der(0x30, der(0x17, Buffer.from('200101000000Z')), der(0x17, Buffer.from('491231235959Z')));
  const spki = pair.publicKey.export({ type: 'spki', format: 'der' });
  const body = der(
    0x30,
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([1])),
    algorithm,
    name,
    validity,
    name,
    spki,
  );
  const signature = sign('sha256', body, pair.privateKey);
  const certificate = der(0x30, body, algorithm, der(0x03, Buffer.from([0]), signature));
  return {
    key: pair.privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
    cert: `-----BEGIN CERTIFICATE-----\n${certificate.toString('base64')}\n-----END CERTIFICATE-----\n`,
  };
}

function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  const n = body.length;
  const length = n < 128 ? [n] : n < 256 ? [0x81, n] : [0x82, n >>> 8, n & 0xff];
  return Buffer.concat([Buffer.from([tag, ...length]), body]);
}
