// Plants secrets in encodings inside of encodings.

import { gzipSync } from 'node:zlib';
import { base64 } from '../secrets.js';
import { json, NS, object, of, packed, ways } from './kit.js';

export async function nestedEncodings(tools) {
  const { create, api } = ways(tools);
  const s = of('nested encodings');
  const hex = (text) => Buffer.from(text).toString('hex');
  await create(
    object(
      'db.example/v1',
      'Database',
      'nested',
      {
        spec: {
          jsonInJson: json({ a: json({ b: json({ c: s('JSON in JSON in JSON', 'special') }) }) }),
          yamlOfJson: `config: '${json({ a: s('JSON in YAML') })}'\n`,
          base64OfJson: base64(json({ word: s('base64 of JSON') })),
          base64OfGzip: packed({ word: s('base64 of gzip') }),
          base64Twice: base64(base64(s('base64 of base64', 'short'))),
          urlSafe: Buffer.from(`?>${s('base64url', 'special')}`).toString('base64url'),
          hex: hex(s('hex')),
          upperHex: hex(s('upper hex')).toUpperCase(),
          percent: encodeURIComponent(s('URL-encoded', 'special')),
          shifted1: base64(`x${s('base64, shifted by one')}`),
          shifted2: base64(`xy${s('base64, shifted by two')}`),
          dataUrl: `data:text/plain;base64,${base64(s('data URL', 'phrase'))}`,
          gzipTwice: gzipSync(gzipSync(s('gzip of gzip'))).toString('base64'),
        },
      },
      {
        annotations: {
          'a/yaml': `users:\n- name: x\n  pw: "${s('YAML in an annotation')}"\n`,
          'a/json': json([{ env: [{ name: 'A', value: s('JSON in an annotation') }] }]),
          'a/b64': base64(json({ data: { pw: base64(s('base64 in base64 in an annotation')) } })),
          'a/toml': `[db]\npw = '${s('TOML in an annotation', 'short')}'`,
        },
      },
    ),
  );
  await api({
    target: `/api/v1/namespaces/${NS}/services/web:80/proxy/go?next=${encodeURIComponent(`https://x.example/cb?state=${s('URL in a query', 'hex')}`)}`,
  });
  await api({
    target: `/api/v1/namespaces/${NS}/services/web:80/proxy/go?q=${base64(json({ k: s('base64 in a query') })).replaceAll('=', '%3D')}`,
  });
  await api({
    target: `/api/v1/namespaces/${NS}/services/web:80/proxy/go`,
    headers: { 'X-State': base64(json({ k: s('base64 in a header field') })) },
  });
  await api({
    target: `/api/v1/namespaces/${NS}/services/web:80/proxy/${base64(`u:${s('base64 in a path', 'hex')}`).replaceAll('=', '')}/go`,
  });
}
