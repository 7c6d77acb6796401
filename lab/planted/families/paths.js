// Plants secrets in paths.

import { json, OK, of } from './kit.js';

export async function paths({ api, app, vault, kubelet }) {
  const s = of('paths');
  for (const [path, form] of [
    ['/reset/*', 'token'],
    ['/webhook/42/*', 'hex'],
    ['/verify/*/confirm', 'uuid'],
    ['/bot123456:*/sendMessage', 'token'],
    ['/services/T00/B00/*', 'token'],
    ['/s/*', 'short'],
    ['/calls/(*)', 'phrase'],
    ['/login/ann/*', 'special'],
    ['/invite/*.html', 'number'],
  ])
    await app({
      method: 'POST',
      target: path.replace('*', encodeURIComponent(s(`application, ${path}`, form))),
      body: { a: 1 },
      answer: OK,
    });
  for (const [path, form] of [
    ['/reset/*', 'token'],
    ['/share/*/file', 'uuid'],
    ['/api/v1/namespaces/*/pods', 'password'],
  ])
    await api({
      target: `/api/v1/namespaces/shop/services/web:80/proxy${path.replace('*', s(`proxy of a Service, ${path}`, form))}`,
    });
  await api({ target: `/api/v1/nodes/node-1/proxy/run/${s('proxy of a Node', 'hex')}` });
  await api({ target: `/hooks/${s('unknown path of the API server', 'token')}` });
  await vault({
    target: `/v1/secret/data/${s('Vault, path', 'token')}`,
    answer: { body: json({ data: { data: { word: s('Vault, answer') } } }) },
  });
  await vault({
    method: 'POST',
    target: '/v1/auth/userpass/login/ann',
    body: { password: s('Vault, login') },
    answer: { body: json({ auth: { client_token: s('Vault, client token', 'token') } }) },
  });
  await app({
    method: 'POST',
    target: '/login',
    type: 'application/x-www-form-urlencoded',
    body: `user=ann&word=${encodeURIComponent(s('form of an application', 'special'))}`,
    answer: { body: json({ next: `/u/${s('answer of an application', 'uuid')}` }) },
  });
  await kubelet({
    target: `/hooks/${s('path of a kubelet', 'token')}`,
    answer: { status: 404, type: 'text/plain', body: '404' },
  });
}
