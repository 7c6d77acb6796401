// Plants secrets in query parameters.

import { json, OK, of } from './kit.js';

export async function queries({ api, app, docker, registry, kubelet, vault }) {
  const s = of('query parameters');
  const proxied = '/api/v1/namespaces/shop/services/web:80/proxy';
  const value = (how, form) => encodeURIComponent(s(how, form));
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
    target: `/v1.41/images/create?fromSrc=${encodeURIComponent(`https://u:${s('fromSrc= of docker', 'token')}@x/y.tar`)}&repo=x`,
    answer: OK,
  });
  await docker({
    method: 'POST',
    target: `/v1.41/build?buildargs=${encodeURIComponent(json({ NPM_TOKEN: s('buildargs= of docker', 'uuid') }))}&t=app`,
    answer: OK,
  });
  await docker({
    method: 'POST',
    target: `/v1.41/build?labels=${encodeURIComponent(json({ note: s('labels= of docker') }))}`,
    answer: OK,
  });
  await docker({
    method: 'POST',
    target: `/v1.41/build?remote=${encodeURIComponent(`https://git:${s('remote= of docker', 'token')}@git.example/x`)}`,
    answer: OK,
  });
  await docker({
    method: 'POST',
    target: `/v1.41/commit?container=x&comment=${value('comment= of docker', 'phrase')}&changes=${encodeURIComponent(`ENV A=${s('changes= of docker')}`)}`,
    answer: OK,
  });
  await docker({
    target: `/v1.41/containers/json?filters=${encodeURIComponent(json({ label: [`k=${s('filters= of docker')}`] }))}`,
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
