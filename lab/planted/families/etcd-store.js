// Plants secrets in etcd, by calls and through its gateway.

import { base64 } from '../secrets.js';
import { message } from '../servers.js';
import { json, object, of } from './kit.js';

/** A Secret as etcd holds it: protobuf behind `k8s\0`. */
const stored = (text) =>
  Buffer.concat([
    Buffer.from('k8s\0'),
    message(
      [
        1,
        [
          [1, 'v1'],
          [2, 'Secret'],
        ],
      ],
      [
        2,
        [
          [
            1,
            [
              [1, 's'],
              [3, 'shop'],
            ],
          ],
          [
            2,
            [
              [1, 'a'],
              [2, text],
            ],
          ],
        ],
      ],
    ),
  ]);

export async function etcdStore({ etcd, gateway }) {
  const s = of('etcd');
  const key = '/registry/secrets/shop/direct';
  await etcd('/etcdserverpb.KV/Put', message([1, key], [2, stored(s('Put'))]));
  await etcd('/etcdserverpb.KV/Range', message([1, key]));
  await etcd(
    '/etcdserverpb.KV/Txn',
    message([
      2,
      [
        [
          2,
          [
            [1, '/registry/db.example/databases/shop/x'],
            [2, json(object('db.example/v1', 'Database', 'x', { spec: { w: s('Txn, JSON of a custom resource') } }))],
          ],
        ],
      ],
    ]),
  );
  await etcd(
    '/etcdserverpb.KV/Put',
    message([1, '/vault/core/master'], [2, s('Put of another application', 'base64')]),
  );
  await etcd('/etcdserverpb.KV/Range', message([1, '/vault/'], [2, '/vault0']));
  await etcd(
    '/etcdserverpb.KV/Put',
    message([1, '/registry/secrets/shop/enc'], [2, `k8s:enc:aescbc:v1:${s('encrypted by the API server', 'token')}`]),
  );
  await etcd('/etcdserverpb.Auth/Authenticate', message([1, 'root'], [2, s('Authenticate', 'special')]));
  await etcd('/etcdserverpb.Auth/UserAdd', message([1, 'ann'], [2, s('UserAdd')]));
  await etcd('/etcdserverpb.KV/Range', message([1, 'a']), {
    token: s('metadata, token', 'token'),
    authorization: `Bearer ${s('metadata, authorization', 'jwt')}`,
  });
  await etcd('/etcdserverpb.KV/Range', message([1, 'a']), { 'x-tenant-key': s('metadata of an unknown name', 'hex') });
  const watching = etcd(
    '/etcdserverpb.Watch/Watch',
    message([
      1,
      [
        [1, '/calico/'],
        [2, '/calico0'],
        [6, 1],
      ],
    ]),
  );
  await etcd('/etcdserverpb.KV/Put', message([1, '/calico/ipam'], [2, json({ psk: s('Watch, another application') })]));
  await watching;
  const post = (target, body) => gateway({ method: 'POST', target, body });
  await post('/v3/kv/put', { key: base64('/apps/x'), value: base64(s('gateway, put')) });
  await post('/v3/kv/put', {
    key: base64('/registry/configmaps/shop/g'),
    value: base64(json({ data: { a: s('gateway, put of a ConfigMap') } })),
  });
  await post('/v3/kv/range', { key: base64('/apps/x') });
  await post('/v3/auth/authenticate', { name: 'root', password: s('gateway, authenticate') });
  await post('/v3/kv/txn', {
    compare: [{ key: base64('/apps/y'), target: 'VALUE', value: base64(s('gateway, compare', 'hex')) }],
    success: [],
  });
}
