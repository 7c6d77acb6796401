// Plants secrets in header fields.

import { base64, pemOf } from '../secrets.js';
import { json, OK, of } from './kit.js';

export async function headerFields({ api, app, docker, vault, registry }) {
  const s = of('header fields');
  const sent = async (name, form, value = (text) => text) =>
    app({ target: '/work', headers: { [name]: value(s(`request, ${name}`, form)) }, answer: OK });
  for (const [name, form] of [
    ['X-Amz-Security-Token', 'base64'],
    ['X-Custom-Auth', 'hex'],
    ['Ocp-Apim-Subscription-Key', 'hex'],
    ['DPoP', 'jwt'],
    ['CF-Access-Client-Secret', 'hex'],
    ['CF-Access-Client-Id', 'hex'],
    ['X-Goog-Iam-Authorization-Token', 'token'],
    ['X-Functions-Key', 'awsSecret'],
    ['X-Ms-Client-Principal', 'base64'],
    ['X-Shopify-Hmac-Sha256', 'base64'],
    ['Stripe-Signature', 'hex'],
    ['X-Hub-Signature-256', 'hex'],
    ['X-Csrf', 'token'],
    ['X-Tenant', 'uuid'],
    ['X-Debug', 'phrase'],
    ['X-Note', 'short'],
    ['From', 'special'],
    ['Forwarded', 'token'],
    ['X-Forwarded-For', 'hex'],
    ['X-Real-Ip', 'number'],
    ['Baggage', 'uuid'],
    ['Tracestate', 'token'],
    ['X-Request-Id', 'token'],
    ['Origin', 'hex'],
    ['Proxy-Connection', 'token'],
    ['Idempotency-Key', 'uuid'],
    ['If-None-Match', 'awsSecret'],
    ['Accept-Language', 'hex'],
    ['Content-Disposition', 'token'],
    ['Via', 'special'],
  ])
    await sent(name, form);
  await sent('Cookie', 'token', (text) => `theme=dark; sid=${text}`);
  await sent('Referer', 'hex', (text) => `https://x.example/reset?t=${text}`);
  await sent(
    'X-Forwarded-Client-Cert',
    'pem',
    (text) => `Hash=0;Cert="${encodeURIComponent(pemOf(text, 'CERTIFICATE'))}"`,
  );
  await sent('X-Forwarded-Uri', 'uuid', (text) => `/login/${text}`);
  await sent('X-Original-Url', 'token', (text) => `/cb?code=${text}`);
  await sent('Proxy-Authorization', 'special', (text) => `Basic ${base64(`u:${text}`)}`);
  await sent('Authorization', 'awsSecret', (text) => `AWS AKIAEXAMPLE:${text}`);
  const answered = async (name, form, value = (text) => text, status = 200) =>
    app({
      target: `/answer/${name.toLowerCase()}`,
      answer: { status, headers: { [name]: value(s(`response, ${name}`, form)) }, body: '{}' },
    });
  await answered('Set-Cookie', 'token', (text) => `sid=${text}; HttpOnly; Path=/`);
  await answered('Location', 'hex', (text) => `https://blobs.example/x?X-Amz-Signature=${text}`, 302);
  await answered('Content-Location', 'uuid', (text) => `/shares/${text}`);
  await answered('Link', 'token', (text) => `</next?cursor=${text}>; rel="next"`);
  await answered('Refresh', 'token', (text) => `0; url=/go/${text}`);
  await answered('Www-Authenticate', 'base64', (text) => `Negotiate ${text}`, 401);
  await answered('Authentication-Info', 'hex', (text) => `nextnonce="${text}"`);
  await answered('X-Subject-Token', 'token');
  await answered('X-Upload-Url', 'uuid', (text) => `/put/${text}`);
  await answered('Etag', 'hex', (text) => `"${text}"`);
  await answered('Server', 'special');
  await answered('Warning', 'phrase', (text) => `299 - "${text}"`);
  await answered('Retry-After', 'number');
  await answered('Report-To', 'token', (text) => json({ endpoints: [{ url: `https://r/${text}` }] }));
  await vault({
    target: '/v1/auth/token/lookup-self',
    headers: { 'X-Vault-Token': s('X-Vault-Token', 'token'), 'X-Vault-Namespace': s('X-Vault-Namespace', 'uuid') },
    answer: OK,
  });
  await api({
    target: '/api/v1/nodes?limit=1',
    headers: { 'X-Company-Key': s('unknown field to the API server', 'hex') },
  });
  await api({ target: '/api/v1/nodes?limit=1', headers: { 'Kubectl-Session': s('Kubectl-Session', 'token') } });
  await docker({
    method: 'POST',
    target: '/v1.41/images/create?fromImage=x',
    headers: { 'X-Registry-Auth': base64(json({ password: s('X-Registry-Auth') })) },
    answer: OK,
  });
  await docker({
    method: 'POST',
    target: '/v1.41/build?t=y',
    headers: { 'X-Registry-Config': base64(json({ r: { auth: s('X-Registry-Config') } })) },
    answer: OK,
  });
  await registry({
    target: '/v2/',
    headers: { 'Docker-Content-Digest': `sha256:${s('Docker-Content-Digest', 'hex')}` },
    answer: OK,
  });
}
