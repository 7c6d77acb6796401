// Plants tokens and keys of certificates.

import { base64, pemOf } from '../secrets.js';
import { cluster, json, NS, object, of, ways } from './kit.js';

export async function tokensAndCertificates(tools) {
  const { create, post, api, kubectl } = ways(tools);
  const s = of('tokens and certificates');
  const review = (group, kind, spec) => ({ apiVersion: `${group}/v1`, kind, spec });
  await kubectl(['create', 'token', 'robot', '-n', NS, `--audience=${s('audience of a token', 'uuid')}`]);
  await post(
    '/apis/authentication.k8s.io/v1/tokenreviews',
    review('authentication.k8s.io', 'TokenReview', { token: s('TokenReview', 'jwt') }),
  );
  await post(
    '/apis/authentication.k8s.io/v1/tokenreviews',
    review('authentication.k8s.io', 'TokenReview', {
      token: s('TokenReview of an opaque token', 'hex'),
      audiences: [s('audience of a TokenReview', 'token')],
    }),
  );
  await post(
    '/apis/authorization.k8s.io/v1/subjectaccessreviews',
    review('authorization.k8s.io', 'SubjectAccessReview', {
      user: 'ann',
      groups: ['dev'],
      extra: { 'example.com/session': [s('extra of a SubjectAccessReview', 'uuid')] },
      nonResourceAttributes: { path: `/hooks/${s('path of a SubjectAccessReview', 'token')}`, verb: 'get' },
    }),
  );
  const bearer = (how, form, target = '/api/v1/namespaces') =>
    api({ target, headers: { Authorization: `Bearer ${s(how, form)}` } });
  await bearer('bearer token', 'jwt');
  await bearer('opaque bearer token', 'token');
  await api({ target: '/api/v1/nodes', headers: { Authorization: `Negotiate ${s('Negotiate', 'base64')}` } });
  await api({
    target: '/api/v1/nodes',
    headers: { 'Impersonate-User': 'ann', 'Impersonate-Extra-Session': s('extra of an impersonation', 'uuid') },
  });
  const upgrade = (how, form) =>
    api({
      target: `/api/v1/namespaces/${NS}/pods/web-0/exec?command=ls&stdout=true`,
      headers: {
        Connection: 'Upgrade',
        Upgrade: 'websocket',
        'Sec-WebSocket-Version': '13',
        'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==',
        'Sec-WebSocket-Protocol': `base64url.bearer.authorization.k8s.io.${Buffer.from(s(how, form)).toString('base64url')}, v4.channel.k8s.io`,
      },
    });
  await upgrade('websocket subprotocol', 'jwt');
  await api({
    target: '/api/v1/nodes',
    headers: { 'Sec-WebSocket-Protocol': `app.${s('another subprotocol', 'token')}` },
  });
  await create(
    cluster('certificates.k8s.io/v1', 'CertificateSigningRequest', 'csr', {
      spec: {
        request: base64(pemOf(s('CSR', 'pem'), 'CERTIFICATE REQUEST')),
        signerName: 'example.com/x',
        usages: ['client auth'],
        extra: { a: [s('extra of a CSR')] },
      },
    }),
    object('v1', 'Secret', 'bootstrap-token-abcdef', {
      type: 'bootstrap.kubernetes.io/token',
      stringData: { 'token-id': 'abcdef', 'token-secret': s('bootstrap token', 'short') },
    }),
    object('v1', 'ConfigMap', 'cluster-info', {
      data: {
        kubeconfig: `apiVersion: v1\nkind: Config\nusers:\n- name: u\n  user:\n    token: ${s('kubeconfig, token', 'token')}\n    client-key-data: ${base64(pemOf(s('kubeconfig, client key', 'pem')))}\n`,
      },
    }),
    object('v1', 'ConfigMap', 'oidc', {
      data: {
        issuer: json({
          client_secret: s('OIDC, client secret', 'token'),
          code_verifier: s('OIDC, code verifier', 'hex'),
        }),
      },
    }),
  );
  await post('/apis/authentication.k8s.io/v1/selfsubjectreviews', {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'SelfSubjectReview',
    metadata: { annotations: { a: s('annotation of a SelfSubjectReview') } },
  });
}
