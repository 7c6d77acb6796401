// Plants secrets beside the API server: query parameters, header fields and paths of applications, docker, a registry, etcd, the
// container runtime and the kubelet.

import { gzipSync } from 'node:zlib';
import { object } from './api-families.js';
import { base64, pemOf, secret } from './secrets.js';
import { message } from './servers.js';

const json = JSON.stringify;
const of = (family) => (carrier, form) => secret(family, carrier, form);
const OK = { status: 200, body: '{"ok":true}' };
const encoded = encodeURIComponent;

export async function queries({ api, app, docker, registry, kubelet, vault }) {
  const s = of('query parameters');
  const proxied = '/api/v1/namespaces/shop/services/web:80/proxy';
  const value = (how, form) => encoded(s(how, form));
  for (const [name, form] of [
    ['api_key', 'hex'],
    ['sig', 'base64'],
    ['pass', 'special'],
    ['code', 'token'],
    ['q', 'phrase'],
  ])
    await api({ target: `${proxied}/search?${name}=${value(`${name}= through a Service's proxy`, form)}&watch=1` });
  await api({ target: `/api/v1/namespaces/shop/pods/web-0/proxy/?jwt=${value("jwt= through a Pod's proxy", 'jwt')}` });
  await api({
    target: `/api/v1/namespaces/shop/pods/web-0/proxy/list?limit=${value("limit= through a Pod's proxy", 'hex')}`,
  });
  await api({ target: `/api/v1/nodes/node-1/proxy/logs/?query=${value("query= through a Node's proxy", 'uuid')}` });
  for (const [name, form] of [
    ['X-Amz-Signature', 'hex'],
    ['X-Amz-Security-Token', 'base64'],
    ['X-Amz-Credential', 'aws'],
    ['AWSAccessKeyId', 'aws'],
    ['Signature', 'awsSecret'],
    ['state', 'uuid'],
    ['SAMLResponse', 'base64'],
    ['access-token', 'token'],
    ['client_assertion', 'jwt'],
    ['sessionid', 'hex'],
    ['otp', 'number'],
    ['email', 'special'],
    ['labelSelector', 'token'],
    ['v', 'short'],
    ['watch', 'hex'],
    ['resourceVersion', 'number'],
  ])
    await app({ target: `/files/report?a=1&${name}=${value(`${name}= on the Pod network`, form)}`, answer: OK });
  await app({ target: `/find?${value('name of a parameter', 'token')}`, answer: OK });
  await app({ target: `/find?q=${s('q= with plus signs', 'phrase').replaceAll(' ', '+')}`, answer: OK });
  await app({ target: `/find;jsessionid=${s('path parameter', 'hex')}?a=1`, answer: OK });
  await vault({ target: `/v1/sys/unseal?key=${value('key= to Vault', 'base64')}`, answer: OK });
  await docker({
    method: 'POST',
    target: `/v1.41/images/create?fromSrc=${encoded(`https://u:${s('fromSrc= of docker', 'token')}@x/y.tar`)}&repo=x`,
    answer: OK,
  });
  await docker({
    method: 'POST',
    target: `/v1.41/build?buildargs=${encoded(json({ NPM_TOKEN: s('buildargs= of docker', 'uuid') }))}&t=app`,
    answer: OK,
  });
  await docker({
    method: 'POST',
    target: `/v1.41/build?labels=${encoded(json({ note: s('labels= of docker') }))}`,
    answer: OK,
  });
  await docker({
    method: 'POST',
    target: `/v1.41/build?remote=${encoded(`https://git:${s('remote= of docker', 'token')}@git.example/x`)}`,
    answer: OK,
  });
  await docker({
    method: 'POST',
    target: `/v1.41/commit?container=x&comment=${value('comment= of docker', 'phrase')}&changes=${encoded(`ENV A=${s('changes= of docker')}`)}`,
    answer: OK,
  });
  await docker({
    target: `/v1.41/containers/json?filters=${encoded(json({ label: [`k=${s('filters= of docker')}`] }))}`,
    answer: { body: '[]' },
  });
  await registry({
    target: `/token?service=registry.example&scope=repository:app:pull&account=${value('account= of a registry', 'special')}`,
    answer: { body: '{}' },
  });
  await registry({
    method: 'PUT',
    target: `/v2/app/blobs/uploads/u?_state=${value('_state of an upload', 'base64')}&digest=sha256:0`,
    answer: { status: 201 },
  });
  await registry({
    target: `/v2/app/blobs/sha256:1?se=2026&sp=r&sig=${value('sig= of a blob', 'base64')}`,
    answer: { type: 'application/octet-stream', body: 'x' },
  });
  await kubelet({
    target: `/logs/?query=kubelet&pattern=${value('pattern= of a kubelet', 'special')}`,
    answer: { type: 'text/plain', body: 'ok' },
  });
  await kubelet({
    target: `/containerLogs/shop/web-0/app?since=${value('unknown parameter of a kubelet', 'uuid')}`,
    answer: { type: 'text/plain', body: 'ok' },
  });
}

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
  await sent('X-Forwarded-Client-Cert', 'pem', (text) => `Hash=0;Cert="${encoded(pemOf(text, 'CERTIFICATE'))}"`);
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
      target: path.replace('*', encoded(s(`application, ${path}`, form))),
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
    body: `user=ann&word=${encoded(s('form of an application', 'special'))}`,
    answer: { body: json({ next: `/u/${s('answer of an application', 'uuid')}` }) },
  });
  await kubelet({
    target: `/hooks/${s('path of a kubelet', 'token')}`,
    answer: { status: 404, type: 'text/plain', body: '404' },
  });
}

export async function dockerEngine({ docker, run }) {
  const s = of('docker engine');
  const at = '/v1.50';
  const created = { status: 201, body: json({ Id: 'c0ffee', Warnings: [] }) };
  for (const method of ['HEAD', 'GET'])
    await docker({
      method,
      target: '/_ping',
      answer: { headers: { 'Api-Version': '1.50' }, type: 'text/plain', body: method === 'GET' ? 'OK' : '' },
    });
  const client = (...args) =>
    run('docker', ['-H', 'tcp://10.0.0.11:2375', ...args], { env: { DOCKER_CONFIG: '/nonexistent' } });
  docker.arrange('POST', `${at}/containers/create?name=db`, created);
  await client(
    ...[
      'create',
      '--name',
      'db',
      '-e',
      `MYSQL_PW=${s('docker create -e')}`,
      '--label',
      `note=${s('docker create --label', 'phrase')}`,
    ],
    ...[
      '--add-host',
      `${s('docker create --add-host', 'hex')}.example:10.0.0.1`,
      '-w',
      `/srv/${s('docker create -w', 'token')}`,
    ],
    ...[
      '--health-cmd',
      `check ${s('docker create --health-cmd')}`,
      '--log-opt',
      `splunk-token=${s('docker create --log-opt', 'uuid')}`,
    ],
    ...['mysql:8', 'mysqld', `--init=${s('docker create, command')}`],
  );
  docker.arrange('GET', `${at}/containers/db/json`, {
    body: json({ Id: 'c0ffee', Name: '/db', Config: {}, State: { Running: true } }),
  });
  docker.arrange('POST', `${at}/containers/db/exec`, created);
  docker.arrange('POST', `${at}/exec/c0ffee/start`, OK);
  await client(
    'exec',
    '-d',
    '-e',
    `TOKEN=${s('docker exec -e', 'token')}`,
    'db',
    'mysql',
    `-p${s('docker exec, command', 'short')}`,
  );
  await client('exec', '-d', 'db', 'sh', '-c', `echo ${s('docker exec, phrase', 'phrase')} > /x`);
  await docker({
    method: 'POST',
    target: `${at}/auth`,
    body: { username: 'bot', password: s('docker login'), serveraddress: 'r' },
    answer: { body: json({ Status: 'ok', IdentityToken: s('identity token', 'jwt') }) },
  });
  await docker({
    target: `${at}/containers/c0ffee/json`,
    answer: {
      body: json({
        Id: 'c0ffee',
        Path: 'app',
        Args: ['--key', s('inspect, Args')],
        Config: {
          Env: [`A=${s('inspect, Env')}`],
          Cmd: ['x', s('inspect, Cmd', 'hex')],
          Labels: { l: s('inspect, label') },
          Healthcheck: { Test: ['CMD', s('inspect, health check', 'token')] },
        },
        State: {
          Error: `login ${s('inspect, error')} failed`,
          Health: { Log: [{ ExitCode: 1, Output: `bad word ${s('inspect, output of a health check', 'short')}` }] },
        },
        HostConfig: {
          Binds: [`/srv/${s('inspect, bind', 'uuid')}:/x`],
          LogConfig: { Config: { token: s('inspect, log option') } },
        },
      }),
    },
  });
  await docker({
    target: `${at}/containers/c0ffee/top`,
    answer: { body: json({ Titles: ['PID', 'CMD'], Processes: [['1', `app --pin ${s('top', 'number')}`]] }) },
  });
  await docker({
    target: `${at}/events?since=1`,
    answer: {
      body: `${json({ Type: 'container', Action: `exec_create: sh -c login ${s('events, action')}`, Actor: { ID: 'c0ffee', Attributes: { execDuration: '1', cred: s('events, attribute') } } })}\n`,
    },
  });
  await docker({
    target: `${at}/containers/c0ffee/logs?stdout=1`,
    answer: { type: 'application/vnd.docker.raw-stream', body: `started with ${s('logs')}\n` },
  });
  await docker({
    method: 'POST',
    target: `${at}/containers/create`,
    body: { Image: 'a', Env: ['A=b'] },
    answer: { status: 400, body: json({ message: `invalid environment variable: ${s('message of an error')}` }) },
  });
  await docker({
    method: 'POST',
    target: `${at}/images/create?fromImage=a`,
    answer: {
      body: `${json({ status: 'Pulling' })}\n${json({ error: `Get "https://u:${s('progress, error', 'token')}@r/v2/": EOF`, errorDetail: { message: `token ${s('progress, error detail', 'hex')} expired` } })}\n`,
    },
  });
  await docker({
    target: `${at}/images/a/history`,
    answer: {
      body: json([
        { Id: 'x', CreatedBy: `RUN |1 TOKEN=${s('history, argument')} /bin/sh -c make` },
        { Id: 'y', CreatedBy: `/bin/sh -c curl -u a:${s('history, RUN')} x` },
      ]),
    },
  });
  await docker({
    target: `${at}/info`,
    answer: {
      body: json({ HttpProxy: `http://u:${s('info, proxy')}@p:3128`, Labels: [`k=${s('info, label', 'short')}`] }),
    },
  });
  await docker({
    method: 'POST',
    target: `${at}/secrets/create`,
    body: { Name: 's', Data: base64(s('secrets/create')) },
    answer: created,
  });
  await docker({
    method: 'POST',
    target: `${at}/volumes/create`,
    body: { Name: 'v', DriverOpts: { o: `password=${s('volume, option')}` } },
    answer: created,
  });
  await docker({
    method: 'POST',
    target: `${at}/swarm/join`,
    body: { JoinToken: s('swarm join', 'token'), RemoteAddrs: ['x'] },
    answer: OK,
  });
  await docker({ method: 'POST', target: `${at}/plugins/p/set`, body: [`KEY=${s('plugin setting')}`], answer: OK });
}

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
        Location: `https://s3.example/b?X-Amz-Credential=${s('presigned, credential', 'aws')}&X-Amz-Security-Token=${encoded(s('presigned, session', 'base64'))}&X-Amz-Signature=${s('presigned, signature', 'hex')}`,
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
        Location: `/v2/app/blobs/uploads/u1?_state=${encoded(s('upload, _state', 'base64'))}`,
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

export async function runtime({ cri }) {
  const s = of('container runtime');
  const service = '/runtime.v1.RuntimeService';
  const map = (number, name, value) => [
    number,
    [
      [1, name],
      [2, value],
    ],
  ];
  await cri(
    `${service}/RunPodSandbox`,
    message([
      1,
      [
        [
          1,
          [
            [1, 'web-0'],
            [2, 'uid-1'],
            [3, 'shop'],
          ],
        ],
        map(6, 'l', s('sandbox, label')),
        map(7, 'vault/token', s('sandbox, annotation', 'uuid')),
        [4, [[2, `${s('sandbox, DNS search', 'hex')}.example`]]],
      ],
    ]),
    { message: message([1, 'sandbox-1']) },
  );
  await cri(
    `${service}/CreateContainer`,
    message(
      [1, 'sandbox-1'],
      [
        2,
        [
          [1, [[1, 'app']]],
          [2, [[1, 'registry.example/app:1.2']]],
          [3, 'server'],
          [3, `--db=mysql://a:${s('CreateContainer, command')}@db`],
          [4, '--pin'],
          [4, s('CreateContainer, args', 'number')],
          [5, `/srv/${s('CreateContainer, working directory', 'uuid')}`],
          [
            6,
            [
              [1, 'DB_PW'],
              [2, s('CreateContainer, envs')],
            ],
          ],
          [
            6,
            [
              [1, 'JSON'],
              [2, json({ a: s('CreateContainer, envs, JSON') })],
            ],
          ],
          [
            7,
            [
              [1, '/x'],
              [2, `/var/${s('CreateContainer, mount', 'hex')}`],
            ],
          ],
          map(9, 'l', s('CreateContainer, label')),
          map(10, 'io.kubernetes.pod.note', s('CreateContainer, annotation', 'phrase')),
        ],
      ],
    ),
    { message: message([1, 'container-1']) },
  );
  await cri(
    `${service}/ExecSync`,
    message([1, 'container-1'], [2, 'pg_isready'], [2, `--dbname=password=${s('ExecSync, command')}`]),
    { message: message([1, `word ${s('ExecSync, stdout')} ok`], [2, `key ${s('ExecSync, stderr', 'hex')}`]) },
  );
  await cri(
    `${service}/Exec`,
    message([1, 'container-1'], [2, 'sh'], [2, '-c'], [2, `login ${s('Exec, command', 'phrase')}`], [5, 1]),
    { message: message([1, `http://10.0.0.11:41000/exec/${s('Exec, URL', 'short')}`]) },
  );
  await cri(
    '/runtime.v1.ImageService/PullImage',
    message(
      [1, [[1, 'registry.example/app:1.2'], map(2, 'k', s('PullImage, annotation'))]],
      [
        2,
        [
          [1, 'bot'],
          [2, s('PullImage, password')],
          [3, base64(`bot:${s('PullImage, auth', 'special')}`)],
          [5, s('PullImage, identity token', 'jwt')],
          [6, s('PullImage, registry token', 'token')],
        ],
      ],
    ),
    {
      status: '2',
      text: `failed to pull: Get "https://u:${s('PullImage, error')}@r/v2/?sig=${s('PullImage, error, signature', 'hex')}": 403`,
    },
  );
  const info = json({
    runtimeSpec: {
      process: { env: [`A=${s('ContainerStatus, info, env')}`], args: ['x', s('ContainerStatus, info, args')] },
      annotations: { n: s('ContainerStatus, info, annotation') },
    },
  });
  await cri(`${service}/ContainerStatus`, message([1, 'container-1'], [2, 1]), {
    message: message(
      [
        1,
        [
          [1, 'container-1'],
          [2, [[1, 'app']]],
          [3, 2],
          [7, 1],
          [10, 'Error'],
          [11, `cannot log in with ${s('ContainerStatus, message')}`],
          map(13, 'a', s('ContainerStatus, annotation', 'aws')),
          [15, `/var/log/${s('ContainerStatus, log path', 'token')}`],
        ],
      ],
      map(2, 'info', info),
    ),
  });
  await cri(`${service}/PodSandboxStatus`, message([1, 'sandbox-1'], [2, 1]), {
    message: message(
      [1, [[1, 'sandbox-1']]],
      map(2, 'info', json({ config: { annotations: { x: s('PodSandboxStatus, info') } } })),
    ),
  });
  await cri(`${service}/ListContainers`, message(), {
    message: message([
      1,
      [[1, 'container-1'], [2, 'sandbox-1'], [3, [[1, 'app']]], map(9, 'a', s('ListContainers, annotation'))],
    ]),
  });
  await cri(`${service}/CreateContainer`, message([1, 'sandbox-1'], [2, [[1, [[1, 'bad']]]]]), {
    status: '3',
    text: `invalid env "${s('CreateContainer, error')}"`,
  });
  await cri(`${service}/Version`, message([1, '0.1.0']), {
    message: message([1, '0.1.0'], [2, 'containerd'], [3, 'v2'], [4, 'v1']),
    metadata: { 'x-audit-key': s('metadata of an unknown name', 'hex') },
  });
  await cri(
    '/csi.v1.Node/NodePublishVolume',
    message(
      [1, 'vol'],
      [
        7,
        [
          [1, 'password'],
          [2, s('CSI, secrets of a call')],
        ],
      ],
    ),
    { message: message() },
  );
}

export async function kubeletApi({ kubelet, api }) {
  const s = of('kubelet');
  const text = (body) => ({ type: 'text/plain', body });
  await kubelet({
    method: 'POST',
    target: `/run/shop/web-0/app?cmd=${encoded(`mysql -p${s('run, cmd=', 'short')}`)}`,
    answer: text(`pw is ${s('run, output')}\n`),
  });
  await kubelet({
    method: 'POST',
    target: `/exec/shop/web-0/app?command=app&command=--key&command=${s('exec, command=', 'token')}&output=1`,
    answer: { status: 400, ...text(`unable to upgrade: ${s('exec, error')}`) },
  });
  await kubelet({
    target: '/containerLogs/shop/web-0/app?tailLines=1',
    answer: text(`login with ${s('containerLogs')}\n`),
  });
  await kubelet({
    target: '/pods',
    answer: {
      body: json({
        kind: 'PodList',
        apiVersion: 'v1',
        metadata: {},
        items: [
          {
            metadata: { name: 'web-0', namespace: 'shop', annotations: { a: s('pods, annotation') } },
            spec: {
              containers: [
                {
                  name: 'app',
                  image: 'x',
                  env: [{ name: 'A', value: s('pods, env') }],
                  args: [s('pods, args', 'hex')],
                },
              ],
            },
          },
        ],
      }),
    },
  });
  await kubelet({
    target: '/configz',
    answer: {
      body: json({
        kubeletconfig: {
          staticPodURLHeader: { 'X-Key': [s('configz, staticPodURLHeader')] },
          clusterDNS: ['10.96.0.10'],
        },
      }),
    },
  });
  await kubelet({ target: '/logs/app.log', answer: text(`GET /?key=${s('log of a node', 'hex')}\n`) });
  await kubelet({
    target: '/healthz',
    headers: { Authorization: `Bearer ${s('bearer token', 'jwt')}` },
    answer: text('ok'),
  });
  await kubelet({ target: '/metrics', answer: text(`up{token="${s('label of a metric', 'token')}"} 1\n`) });
  await kubelet({
    method: 'POST',
    target: '/checkpoint/shop/web-0/app',
    answer: { body: json({ items: [`/var/lib/kubelet/checkpoints/${s('checkpoint, file', 'uuid')}.tar`] }) },
  });
  await api({ target: '/api/v1/namespaces/shop/pods/web-0/log?tailLines=1' });
  await api({
    target: `/api/v1/nodes/node-1/proxy/run/shop/web-0/app?cmd=${encoded(`curl -u a:${s('run through the proxy of a Node')} x`)}`,
    method: 'POST',
  });
  await api({ target: '/api/v1/nodes/node-1/proxy/configz' });
}

/** Gzipped answers and others that the framing has a part in. */
export async function applications({ app }) {
  const s = of('applications');
  const gzipped = (body) => ({ headers: { 'Content-Encoding': 'gzip' }, body: gzipSync(body) });
  await app({ target: '/feed', answer: gzipped(json({ items: [{ word: s('gzipped answer') }] })) });
  await app({
    target: '/report',
    answer: { type: 'text/html', body: `<input name=csrf value="${s('HTML', 'hex')}">` },
  });
  await app({
    method: 'POST',
    target: '/graphql',
    body: { query: `mutation{login(word:"${s('GraphQL')}"){t}}` },
    answer: { body: json({ data: { t: s('GraphQL, answer', 'jwt') } }) },
  });
  await app({
    method: 'POST',
    target: '/rpc',
    body: { jsonrpc: '2.0', params: [s('JSON-RPC, parameter', 'special')] },
    answer: { status: 500, body: json({ error: `no ${s('JSON-RPC, error', 'phrase')}` }) },
  });
  await app({
    target: '/kind',
    answer: { body: json({ apiVersion: 'v1', kind: 'Config', word: s('object that calls itself one of Kubernetes') }) },
  });
  await app({
    target: '/status',
    answer: {
      status: 500,
      body: json({
        apiVersion: 'v1',
        kind: 'Status',
        status: 'Failure',
        reason: 'Forbidden',
        code: 403,
        message: `pods "${s('Status of an application')}" is forbidden`,
      }),
    },
  });
  await app({
    target: '/lines',
    answer: { type: 'application/x-ndjson', body: `${json({ a: s('line of NDJSON') })}\n` },
  });
}
