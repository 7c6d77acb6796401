// Plants secrets in requests to a registry.

import { json, of } from './kit.js';

export async function registries({ registry }) {
  const s = of('registry');
  await registry({
    target: '/token?service=r&scope=repository:app:pull',
    user: `bot:${s('basic authentication', 'special')}`,
    answer: {
      body: json({
        token: s('token', 'jwt'),
        access_token: s('access token', 'token'),
        refresh_token: s('refresh token', 'token'),
      }),
    },
  });
  await registry({
    method: 'POST',
    target: '/oauth2/token',
    type: 'application/x-www-form-urlencoded',
    body: `grant_type=password&username=a&password=${s('OAuth2, password')}`,
    answer: { body: json({ id_token: s('OAuth2, id token', 'jwt') }) },
  });
  await registry({
    target: '/v2/app/manifests/1',
    headers: { Authorization: `Bearer ${s('bearer token', 'token')}` },
    answer: {
      type: 'application/vnd.oci.image.manifest.v1+json',
      body: json({
        schemaVersion: 2,
        mediaType: 'application/vnd.oci.image.manifest.v1+json',
        config: { digest: 'sha256:2', size: 1 },
        layers: [],
        annotations: {
          'org.example.key': s('manifest, annotation'),
          'org.opencontainers.image.source': `https://u:${s('manifest, source', 'token')}@git/x`,
        },
      }),
    },
  });
  await registry({
    target: '/v2/app/blobs/sha256:2',
    answer: {
      status: 307,
      headers: {
        Location: `https://s3.example/b?X-Amz-Credential=${s('presigned, credential', 'aws')}&X-Amz-Security-Token=${encodeURIComponent(s('presigned, session', 'base64'))}&X-Amz-Signature=${s('presigned, signature', 'hex')}`,
      },
    },
  });
  await registry({
    target: '/v2/app/blobs/sha256:3',
    answer: {
      type: 'application/vnd.oci.image.config.v1+json',
      body: json({
        architecture: 'amd64',
        os: 'linux',
        config: {
          Env: [`A=${s('config, Env')}`],
          Cmd: ['app', s('config, Cmd')],
          Entrypoint: ['sh', '-c', `run ${s('config, Entrypoint', 'phrase')}`],
          Labels: { l: s('config, label') },
        },
        history: [
          { created_by: `ENV P=${s('history, ENV')}` },
          { created_by: `RUN /bin/sh -c echo ${s('history, RUN')} # buildkit` },
          { created_by: 'x', comment: s('history, comment', 'phrase'), author: s('history, author') },
        ],
      }),
    },
  });
  await registry({
    method: 'POST',
    target: '/v2/app/blobs/uploads/',
    answer: {
      status: 202,
      headers: {
        Location: `/v2/app/blobs/uploads/u1?_state=${encodeURIComponent(s('upload, _state', 'base64'))}`,
      },
    },
  });
  await registry({
    target: '/v2/_catalog?n=1',
    answer: {
      headers: { Link: `</v2/_catalog?last=${s('Link, cursor', 'token')}&n=1>; rel="next"` },
      body: json({ repositories: ['app'] }),
    },
  });
  await registry({
    target: '/v2/app/manifests/2',
    answer: {
      status: 401,
      headers: {
        'Www-Authenticate': `Bearer realm="https://auth.example/token?key=${s('realm of a challenge', 'hex')}",service="r"`,
      },
      body: json({
        errors: [
          {
            code: 'DENIED',
            message: `user with key ${s('error, message')} is blocked`,
            detail: s('error, detail', 'uuid'),
          },
        ],
      }),
    },
  });
}
