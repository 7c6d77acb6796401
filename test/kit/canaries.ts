// A capture full of planted secrets: every carrier that can hold one, each with a text of its own. Knows where secrets lie
// in Kubernetes, etcd, CRI, docker and HTTP; nothing of how they are redacted.

import { gzipSync } from 'node:zlib';
import { criTable, etcdTable, kubernetesTable } from '../../src/protobuf/tables.js';
import { encodeCbor, encodeMessage, encodeObject, lengthed } from './encode.js';
import { headers, literals, PREFACE, settings, settingsAck } from './http2-kit.js';
import { conversation, type Packet, packets, pcap, type Sent, START, type Turn } from './packetiser.js';

export interface Canary {
  readonly carrier: string;
  readonly text: string;
  /** Not even `--show-secrets` brings it back: bytes that nobody could decode, payloads. */
  readonly lost: boolean;
}

export const CANARIES: Canary[] = [];

/** A new secret. */
function bare(carrier: string, lost = false): string {
  const text = `cnry${String(CANARIES.length).padStart(3, '0')}wq7`;
  CANARIES.push({ carrier, text, lost });
  return text;
}

/** A new secret as itself and as others write it. */
function secret(carrier: string, lost = false): string {
  const text = bare(carrier, lost);
  return [...formsOf(text).slice(0, 3), base64(text)].join(' ');
}

/** How a text may stand somewhere: plain, hex, percent-encoded, in base64 at each place within three bytes. */
export function formsOf(text: string): string[] {
  const hex = Buffer.from(text).toString('hex');
  const percent = hex.replace(/../g, '%$&');
  // Of base64 the characters that hold nothing but the text.
  const shifted = [0, 1, 2].map((by) =>
    Buffer.from('x'.repeat(by) + text)
      .toString('base64')
      .slice(Math.ceil((by * 8) / 6), Math.floor(((by + text.length) * 8) / 6)),
  );
  return [text, hex, percent, ...shifted, hex.toUpperCase()];
}

const base64 = (text: string): string => Buffer.from(text).toString('base64');
const META = { name: 's1', namespace: 'default' };
const PROTOBUF = 'application/vnd.kubernetes.protobuf';
const kubernetes = kubernetesTable();

type Json = Readonly<Record<string, unknown>>;
/** One exchange of HTTP/1.1. */
export interface Said {
  readonly method?: string;
  readonly target: string;
  readonly fields?: readonly string[];
  readonly type?: string;
  readonly body?: string | Uint8Array;
  readonly status?: string;
  readonly answerFields?: readonly string[];
  readonly answerType?: string;
  readonly answer?: string | Uint8Array;
}

const SECRETS = '/api/v1/namespaces/default/secrets';
const json = (value: unknown): string => JSON.stringify(value);
const secretObject = (how: string): Json => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { ...META, annotations: lastApplied(`${how}, last-applied-configuration`) },
  data: { password: base64(secret(`${how}, data`)) },
  stringData: { plain: secret(`${how}, stringData`) },
});
function lastApplied(how: string): Json {
  const applied = { apiVersion: 'v1', kind: 'Secret', metadata: META, stringData: { plain: secret(how) } };
  return { 'kubectl.kubernetes.io/last-applied-configuration': `${json(applied)}\n` };
}
const podSpec = (how: string): Json => ({
  containers: [{ name: 'app', image: 'nginx', env: [{ name: 'PASSWORD', value: secret(`${how}, env`) }] }],
});
const secretProto = (how: string): Buffer =>
  encodeObject(kubernetes, 'v1', 'Secret', 'k8s.io.api.core.v1.Secret', {
    metadata: META,
    data: { password: Buffer.from(secret(`${how}, data`)) },
    stringData: { plain: secret(`${how}, stringData`) },
  });

/** A read of a custom resource. */
function thing(name: string, annotations: Json, spec?: Json): Said {
  const metadata = { ...META, annotations };
  return {
    target: `/apis/example.com/v1/things/${name}`,
    answer: json({ kind: 'Thing', apiVersion: 'example.com/v1', metadata, spec }),
  };
}

function apiExchanges(): Said[] {
  const jwt = (how: string): string => {
    const text = bare(how);
    return `eyJhbGciOiJub25lIn0.${text}.${text}`;
  };
  return [
    {
      method: 'POST',
      target: SECRETS,
      body: json(secretObject('JSON create')),
      answer: json(secretObject('JSON answer')),
    },
    {
      method: 'POST',
      target: SECRETS,
      type: PROTOBUF,
      body: secretProto('protobuf create'),
      answerType: PROTOBUF,
      answer: secretProto('protobuf answer'),
    },
    {
      method: 'POST',
      target: SECRETS,
      type: 'application/cbor',
      body: encodeCbor(secretObject('CBOR create')),
      answerType: 'application/cbor',
      answer: encodeCbor(secretObject('CBOR answer')),
    },
    {
      method: 'PATCH',
      target: `${SECRETS}/s1?fieldManager=kubectl&force=true`,
      type: 'application/apply-patch+yaml',
      body: `apiVersion: v1\nkind: Secret\nmetadata:\n  name: s1\nstringData:\n  plain: "${secret('YAML apply')}"\n`,
    },
    {
      method: 'POST',
      target: '/api/v1/namespaces/default/pods',
      type: 'application/yaml',
      body: `kind: Pod\napiVersion: v1\nmetadata: {name: p}\nspec:\n  containers:\n  - name: a\n    env:\n    - {name: A, value: "${secret('YAML env')}"}\n`,
    },
    {
      method: 'PATCH',
      target: `${SECRETS}/s1`,
      type: 'application/strategic-merge-patch+json',
      body: json({ data: { a: base64(secret('strategic patch')) } }),
    },
    {
      method: 'PATCH',
      target: `${SECRETS}/s1`,
      type: 'application/merge-patch+json',
      body: json({ stringData: { a: secret('merge patch') }, unheard: { of: secret('unknown member') } }),
    },
    {
      method: 'PATCH',
      target: `${SECRETS}/s1`,
      type: 'application/json-patch+json',
      body: json([
        { op: 'replace', path: '/data/password', value: base64(secret('JSON patch of data')) },
        { op: 'add', path: '', value: { stringData: { a: secret('JSON patch of all') } } },
        { op: 'add', path: '/metadata/annotations', value: lastApplied('JSON patch of annotations') },
      ]),
    },
    {
      target: SECRETS,
      answer: json({
        kind: 'SecretList',
        apiVersion: 'v1',
        metadata: {},
        items: [{ metadata: META, data: { a: base64(secret('list')) } }],
      }),
    },
    {
      target: SECRETS,
      answerFields: ['Content-Encoding', 'gzip'],
      answer: gzipSync(
        json({ kind: 'SecretList', apiVersion: 'v1', metadata: {}, items: [secretObject('gzipped list')] }),
      ),
    },
    {
      target: '/api/v1/namespaces/default/things',
      answer: json({ kind: 'List', apiVersion: 'v1', items: [secretObject('kubectl list')] }),
    },
    {
      target: `${SECRETS}?includeObject=Object`,
      answer: json({
        kind: 'Table',
        apiVersion: 'meta.k8s.io/v1',
        rows: [{ cells: ['s1', 'Opaque', 1], object: secretObject('Table') }],
      }),
    },
    { target: `${SECRETS}?watch=true`, answer: `${json({ type: 'ADDED', object: secretObject('JSON watch') })}\n` },
    {
      target: `${SECRETS}?watch=1`,
      answerType: `${PROTOBUF};stream=watch`,
      answer: watchFrame(secretProto('protobuf watch')),
    },
    {
      method: 'PUT',
      target: '/api/v1/namespaces/default/configmaps/c',
      body: json({
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: META,
        data: { a: secret('ConfigMap data') },
        binaryData: { b: base64(secret('ConfigMap binaryData')) },
      }),
    },
    {
      target: '/api/v1/namespaces/default/configmaps/c',
      answerType: PROTOBUF,
      answer: encodeObject(kubernetes, 'v1', 'ConfigMap', 'k8s.io.api.core.v1.ConfigMap', {
        metadata: META,
        data: { a: secret('protobuf ConfigMap') },
      }),
    },
    {
      method: 'POST',
      target: '/api/v1/namespaces/default/serviceaccounts/default/token',
      body: json({ kind: 'TokenRequest', apiVersion: 'authentication.k8s.io/v1', spec: {} }),
      answer: json({
        kind: 'TokenRequest',
        apiVersion: 'authentication.k8s.io/v1',
        status: { token: secret('TokenRequest') },
      }),
    },
    {
      method: 'POST',
      target: '/api/v1/namespaces/default/serviceaccounts/default/token',
      answerType: PROTOBUF,
      answer: encodeObject(
        kubernetes,
        'authentication.k8s.io/v1',
        'TokenRequest',
        'k8s.io.api.authentication.v1.TokenRequest',
        { status: { token: secret('protobuf TokenRequest') } },
      ),
    },
    {
      method: 'POST',
      target: '/apis/authentication.k8s.io/v1/tokenreviews',
      body: json({
        kind: 'TokenReview',
        apiVersion: 'authentication.k8s.io/v1',
        spec: { token: secret('TokenReview') },
      }),
    },
    {
      method: 'POST',
      target: '/api/v1/namespaces/default/pods',
      body: json({ apiVersion: 'v1', kind: 'Pod', metadata: META, spec: podSpec('Pod') }),
    },
    {
      method: 'POST',
      target: '/api/v1/namespaces/default/pods',
      type: PROTOBUF,
      body: encodeObject(kubernetes, 'v1', 'Pod', 'k8s.io.api.core.v1.Pod', {
        metadata: META,
        spec: podSpec('protobuf Pod'),
      }),
    },
    {
      method: 'PUT',
      target: '/apis/apps/v1/namespaces/default/deployments/web',
      body: json({
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: {
          ...META,
          annotations: {
            'kubectl.kubernetes.io/last-applied-configuration': json({
              kind: 'Deployment',
              spec: { template: { spec: podSpec('Deployment, last-applied') } },
            }),
          },
        },
        spec: { template: { spec: podSpec('Deployment') } },
      }),
    },
    {
      method: 'PATCH',
      target: '/apis/apps/v1/namespaces/default/deployments/web',
      type: 'application/strategic-merge-patch+json',
      body: json({ spec: { template: { spec: podSpec('strategic env') } } }),
    },
    {
      method: 'PATCH',
      target: '/apis/apps/v1/namespaces/default/deployments/web',
      type: 'application/json-patch+json',
      body: json([
        {
          op: 'replace',
          path: '/spec/template/spec/containers/0/env/0/value',
          value: secret('JSON patch of an env value'),
        },
        {
          op: 'add',
          path: '/spec/template/spec/containers/0/env/-',
          value: { name: 'B', value: secret('JSON patch of env') },
        },
      ]),
    },
    {
      target: '/apis/apps/v1/namespaces/default/controllerrevisions/r',
      answer: json({
        kind: 'ControllerRevision',
        apiVersion: 'apps/v1',
        metadata: META,
        data: { spec: { template: { spec: podSpec('ControllerRevision') } } },
      }),
    },
    {
      method: 'POST',
      target: SECRETS,
      body: `{"kind":"Secret","data":{"a":"${secret('broken JSON', true)}"`,
      status: '400 Bad Request',
      answer: json({
        kind: 'Status',
        apiVersion: 'v1',
        status: 'Failure',
        reason: 'BadRequest',
        code: 400,
        message: `bigger context ...|${secret('error of the decoder')}|...`,
      }),
    },
    {
      method: 'POST',
      target: SECRETS,
      type: 'application/octet-stream',
      body: `\u0001${secret('unknown type', true)}`,
    },
    {
      method: 'POST',
      target: '/api/v1/namespaces/default/pods',
      body: json({ kind: 'Pod', apiVersion: 'v1' }),
      status: '422 Unprocessable Entity',
      answer: json({
        kind: 'Status',
        apiVersion: 'v1',
        status: 'Failure',
        reason: 'Invalid',
        code: 422,
        message: `spec: Invalid value: "${secret('validation error')}"`,
        details: { causes: [{ message: `Invalid value: "${secret('cause of a validation error')}"` }] },
      }),
    },
    { target: '/api/v1/namespaces/default/pods/p/log', answerType: 'text/plain', answer: secret('log', true) },
    {
      target: '/api/v1/namespaces/default/pods/p/log?follow=true',
      answer: json({ message: secret('log in JSON', true) }),
    },
    {
      target: '/api/v1/namespaces/default/services/web:80/proxy/login',
      method: 'POST',
      body: json({ user: 'a', pin: secret('proxied application') }),
    },
    {
      method: 'POST',
      target: '/api/v1/namespaces/default/events',
      body: json({
        kind: 'Event',
        apiVersion: 'v1',
        metadata: META,
        involvedObject: { kind: 'Pod', name: 'p' },
        type: 'Warning',
        reason: 'Failed',
        message: `said Bearer ${bare('message of an Event')}`,
      }),
    },
    {
      target: `/api/v1/pods?token=${encodeURIComponent(secret('query token'))}&access_token=${bare('query access_token')}`,
    },
    { target: `/api/v1/pods?%74oken=${bare('encoded name of a query')}` },
    { target: `http://user:${bare('user-info')}@192.0.2.2:8080/api/v1/nodes` },
    { target: '/api/v1/namespaces', fields: ['User-Agent', `Bearer ${bare('User-Agent')} tool/1.0`] },
    { target: '/api/v1/namespaces', fields: ['User-Agent', `${bare('product of a User-Agent')}/v1.0.0`] },
    { target: '/api/v1/namespaces', fields: ['Referer', `login;${bare('relative reference')}`] },
    { target: '/version', answerFields: ['Location', bare('relative Location')] },
    { method: 'POST', target: `/api/webhooks/123456789/${bare('path that begins like the API')}` },
    { target: `/api/v1/keys/${bare('key of another program')}` },
    { target: `/api/v1/pods;jsessionid=${bare('parameter of a segment')}` },
    { target: `/api/v1/pods#${bare('fragment')}` },
    { method: 'POST', target: `/api/v1/namespaces/default/pods/p/exec?command=${bare('program')}` },
    {
      target: '/version',
      fields: ['User-Agent', `tool/1 ${jwt('JWT in a User-Agent')}`],
      answerType: 'text/plain',
      answer: `token ${jwt('JWT in a text')}`,
    },
    {
      target: '/api/v1/nodes',
      fields: [
        ...['Authorization', 'Proxy-Authorization'].flatMap((name) => [name, `Bearer ${secret(name)}`]),
        ...['Cookie', 'X-Remote-User', 'X-Remote-Group', 'X-Remote-Extra-Scopes', 'X-Auth-Token'].flatMap((name) => [
          name,
          secret(name),
        ]),
        'Sec-WebSocket-Protocol',
        `base64url.bearer.authorization.k8s.io.${bare('Sec-WebSocket-Protocol')}, v5.channel.k8s.io`,
      ],
      answerFields: ['Set-Cookie', secret('Set-Cookie'), 'Location', `/somewhere?token=${bare('Location')}`],
    },
    thing(
      't',
      {
        manifest: `apiVersion: v1\nkind: Secret\nstringData:\n  a: ${bare('manifest in an annotation')}\n`,
        url: `https://u:${bare('user-info in a text')}@example.com/`,
      },
      {
        password: secret('password member'),
        accessToken: secret('accessToken member'),
        env: { A: secret('env as a map') },
      },
    ),
  ];
}

/** What failures and warnings quote, and what escapes hide. */
function quotingExchanges(): Said[] {
  const failure = (reason: string, message: string): Said => ({
    method: 'POST',
    target: SECRETS,
    body: json({ kind: 'Secret', apiVersion: 'v1', metadata: META }),
    status: '403 Forbidden',
    answer: json({ kind: 'Status', apiVersion: 'v1', status: 'Failure', reason, message, code: 403 }),
  });
  const denied = (how: string): string =>
    `admission webhook "w.example" denied the request: "${bare(how)}" is too weak`;
  const policy = `secrets "s1" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'b' denied request:`;
  const parameters = [
    `command=Authorization%3A%20Bearer%20${bare('encoded bearer token')}`,
    `command=https%3A%2F%2Fu%3A${bare('encoded user-info')}%40host%2F`,
    `redirect=https%3A%2F%2Fx%2F%3Ftoken%3D${bare('encoded parameter')}`,
  ];
  return [
    failure('Forbidden', denied("a webhook's Forbidden")),
    failure('', denied("a webhook's words")),
    failure('Forbidden', `${policy} ${bare("a policy's Forbidden")}`),
    failure('InternalError', `Internal error occurred: parsing "${bare('internal error')}": invalid syntax`),
    failure('InternalError', `Internal error occurred: failed calling webhook "w": ("${bare('webhook that failed')}")`),
    {
      method: 'PUT',
      target: `${SECRETS}/s1`,
      answerFields: ['Warning', `299 - "the value ${secret('Warning')} is weak"`],
    },
    { method: 'POST', target: `/api/v1/namespaces/default/pods/p/exec?${parameters.join('&')}` },
    { target: '/api/v1/namespaces', fields: ['X-Forwarded-Uri', `/x?password=${bare('X-Forwarded-Uri')}`] },
    { method: 'CONNECT', target: `me:${bare('user-info of CONNECT')}@192.0.2.9:6443`, status: '403 Forbidden' },
    thing('u', {
      a: `https://me@corp.example:${bare('user-info with @')}@example.com/`,
      b: `https://me:p'${bare("user-info with '")}@example.com/`,
    }),
  ];
}

function registryExchanges(): Said[] {
  const layers = [
    { created_by: `ENV PASSWORD=${secret('ENV of an image')}` },
    { created_by: `RUN |1 TOKEN=${bare('ARG of an image')} /bin/sh -c make # buildkit` },
    { created_by: `|2 A=b ${bare('ARG with a blank')} TOKEN=${bare('second ARG')} /bin/sh -c make` },
  ];
  return [
    { target: '/v2/', answer: '{}' },
    { target: '/v2/app/blobs/sha256:0', answer: json({ architecture: 'amd64', history: layers }) },
    { target: '/token?service=x', answer: json({ token: secret('token of a registry') }) },
    {
      method: 'POST',
      target: '/api/v2.0/robots',
      answer: json({ name: 'r', secret: secret('robot of a registry') }),
    },
  ];
}

/** On the port of its calls (etcd, api/etcdserverpb/gw). */
function gatewayExchanges(): Said[] {
  const key = base64('/registry/secrets/default/s1');
  return [
    {
      method: 'POST',
      target: '/v3/kv/put',
      body: json({ key, value: base64(secret('etcd gateway, put')) }),
      answer: json({ header: {} }),
    },
    {
      method: 'POST',
      target: '/v3/kv/range',
      body: json({ key }),
      answer: json({ kvs: [{ key, value: base64(secret('etcd gateway, range')) }] }),
    },
  ];
}

function watchFrame(object: Uint8Array): Buffer {
  const event = Buffer.concat([lengthed(1, Buffer.from('ADDED')), lengthed(2, lengthed(1, object))]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(event.length);
  return Buffer.concat([length, event]);
}

/** What a Pod answers through a proxy, where nobody saw what was asked. */
function lateExchanges(): Said[] {
  return [{ target: '/', answer: json({ user: 'a', pin: secret('answer to what was not captured') }) }];
}

function webhookExchanges(): Said[] {
  const patch = json([
    { op: 'add', path: '/data/extra', value: secret('webhook patch of data') },
    { op: 'add', path: '/spec/containers/0/env', value: [{ name: 'A', value: secret('webhook patch of env') }] },
  ]);
  const review = { kind: 'AdmissionReview', apiVersion: 'admission.k8s.io/v1' };
  const conversion = { kind: 'ConversionReview', apiVersion: 'apiextensions.k8s.io/v1' };
  const resource = (version: string): Json => ({
    apiVersion: `a.example/${version}`,
    kind: 'Database',
    metadata: META,
    spec: {
      password: secret(`conversion, ${version}`),
      env: [{ name: 'A', value: secret(`conversion, env of ${version}`) }],
    },
  });
  return [
    {
      method: 'POST',
      target: '/mutate',
      body: json({
        ...review,
        request: { uid: 'u', object: secretObject('webhook'), oldObject: secretObject('webhook, old') },
      }),
      answer: json({ ...review, response: { uid: 'u', allowed: true, patchType: 'JSONPatch', patch: base64(patch) } }),
    },
    {
      method: 'POST',
      target: '/validate',
      body: json({
        ...review,
        request: {
          uid: 'u',
          resource: { group: '', version: 'v1', resource: 'secrets' },
          object: secretObject('judged'),
        },
      }),
      answer: json({
        ...review,
        response: {
          uid: 'u',
          allowed: false,
          status: { code: 403, reason: 'Forbidden', message: `"${secret('verdict')}" is too weak` },
          warnings: [`"${secret('warning of a webhook')}"`],
          auditAnnotations: { why: secret('audit annotation') },
        },
      }),
    },
    {
      method: 'POST',
      target: '/audit',
      body: json({
        kind: 'EventList',
        apiVersion: 'audit.k8s.io/v1',
        items: [
          {
            objectRef: { resource: 'secrets', name: 's1' },
            requestObject: { data: { a: base64(secret('audit, patch')) } },
            responseStatus: { code: 422, reason: 'Invalid', message: secret('audit, status') },
          },
        ],
      }),
    },
    {
      method: 'POST',
      target: '/convert',
      body: json({
        ...conversion,
        request: { uid: 'u', desiredAPIVersion: 'a.example/v2', objects: [resource('v1')] },
      }),
      answer: json({
        ...conversion,
        response: { uid: 'u', result: { status: 'Success' }, convertedObjects: [resource('v2')] },
      }),
    },
    {
      method: 'POST',
      target: '/login',
      body: json({ pin: secret('an application') }),
      answer: json({ pin: secret('answer of an application') }),
    },
  ];
}

function dockerExchanges(): Said[] {
  return [
    {
      method: 'POST',
      target: '/v1.41/images/create?fromImage=nginx',
      fields: ['X-Registry-Auth', base64(json({ password: secret('X-Registry-Auth') }))],
    },
    {
      method: 'POST',
      target: '/v1.41/auth',
      body: json({ username: 'me', password: secret('docker login') }),
      answer: json({ IdentityToken: secret('docker identity token') }),
    },
    {
      method: 'POST',
      target: '/v1.41/containers/create',
      body: json({ Image: 'nginx', Env: [`PASSWORD=${secret('docker Env')}`] }),
    },
    {
      method: 'POST',
      target: '/v1.41/containers/create',
      body: json({
        Image: 'nginx',
        Entrypoint: ['/app'],
        Cmd: [bare('Cmd beside Entrypoint')],
        Env: [bare('Env alone')],
      }),
    },
    {
      target: '/v1.41/containers/x/json',
      answer: json({ Id: 'x', Config: { Env: [`PASSWORD=${secret('docker inspect')}`] } }),
    },
    { method: 'POST', target: `/v1.41/build?buildargs=${encodeURIComponent(json({ A: bare('buildargs') }))}` },
    { target: '/v1.41/swarm', answer: json({ JoinTokens: { Worker: secret('swarm') } }) },
    {
      method: 'POST',
      target: '/v1.41/secrets/create',
      body: json({ Name: 's', Data: base64(secret('docker secret')) }),
    },
  ];
}

/** One call of gRPC. */
export interface Call {
  readonly path: string;
  /** Names and values beside those that every call has. */
  readonly metadata?: readonly string[];
  readonly request: Uint8Array;
  readonly response: Uint8Array;
}

function criCalls(): Call[] {
  const cri = (name: string, value: Json): Buffer => encodeMessage(criTable(), `runtime.v1.${name}`, value);
  const service = '/runtime.v1.RuntimeService';
  return [
    {
      path: `${service}/CreateContainer`,
      request: cri('CreateContainerRequest', {
        pod_sandbox_id: 'x',
        config: { envs: [{ key: 'A', value: secret('CRI envs') }] },
      }),
      response: cri('CreateContainerResponse', { container_id: 'y' }),
    },
    {
      path: `${service}/ContainerStatus`,
      request: cri('ContainerStatusRequest', { container_id: 'y' }),
      response: cri('ContainerStatusResponse', {
        info: { info: json({ runtimeSpec: { process: { env: [`A=${secret('CRI info')}`] } } }) },
      }),
    },
    {
      path: `${service}/ExecSync`,
      request: cri('ExecSyncRequest', { container_id: 'y', cmd: ['env'] }),
      response: cri('ExecSyncResponse', { stdout: Buffer.from(secret('CRI ExecSync', true)) }),
    },
    {
      path: '/runtime.v1.ImageService/PullImage',
      request: cri('PullImageRequest', {
        image: { image: 'nginx' },
        auth: {
          username: 'me',
          password: secret('CRI auth password'),
          auth: secret('CRI auth'),
          identity_token: secret('CRI identity_token'),
          registry_token: secret('CRI registry_token'),
        },
      }),
      response: cri('PullImageResponse', { image_ref: 'r' }),
    },
    { path: '/runtime.v1.Unheard/Of', request: Buffer.from(secret('unknown RPC', true)), response: Buffer.from('') },
  ];
}

function etcdCalls(): Call[] {
  const etcd = (name: string, value: Json): Buffer => encodeMessage(etcdTable(), `etcdserverpb.${name}`, value);
  const key = Buffer.from('/registry/secrets/default/s1');
  return [
    {
      path: '/etcdserverpb.KV/Put',
      request: etcd('PutRequest', { key, value: secretProto('etcd Put') }),
      response: etcd('PutResponse', {}),
    },
    {
      path: '/etcdserverpb.KV/Txn',
      request: etcd('TxnRequest', {
        success: [
          { request_put: { key, value: Buffer.from(json({ data: { a: secret('etcd JSON without kind') } })) } },
        ],
      }),
      response: etcd('TxnResponse', { succeeded: true }),
    },
    {
      path: '/etcdserverpb.KV/Range',
      request: etcd('RangeRequest', { key }),
      response: etcd('RangeResponse', {
        kvs: [
          { key, value: secretProto('etcd Range') },
          { key: Buffer.from('other'), value: Buffer.from(secret('another application in etcd', true)) },
        ],
      }),
    },
    {
      path: '/etcdserverpb.Watch/Watch',
      request: etcd('WatchRequest', { create_request: { key } }),
      response: etcd('WatchResponse', {
        events: [
          { kv: { key, value: secretProto('etcd watch') }, prev_kv: { key, value: secretProto('etcd watch, before') } },
        ],
      }),
    },
    {
      path: '/etcdserverpb.Auth/Authenticate',
      request: etcd('AuthenticateRequest', { name: 'root', password: secret('etcd password') }),
      response: etcd('AuthenticateResponse', { token: secret('etcd token') }),
    },
  ];
}

export function http1(said: readonly Said[]): Turn[] {
  return said.flatMap(
    ({
      method = 'GET',
      target,
      fields = [],
      type,
      body,
      status = '200 OK',
      answerFields = [],
      answerType,
      answer = '{}',
    }): Turn[] => {
      const asked = Buffer.from(body ?? '');
      const answered = Buffer.from(answer);
      const named = fields.includes('User-Agent') ? [] : ['User-Agent', 'kubectl/v1.34.4'];
      const hosted = fields.includes('Host') ? [] : ['Host', 'x'];
      const typed = ['Content-Type', type ?? 'application/json', 'Content-Length', String(asked.length)];
      const sized = ['Content-Type', answerType ?? 'application/json', 'Content-Length', String(answered.length)];
      return [
        {
          from: 'client',
          bytes: Buffer.concat([
            head(`${method} ${target} HTTP/1.1`, [...hosted, ...named, ...fields, ...typed]),
            asked,
          ]),
        },
        { from: 'server', bytes: Buffer.concat([head(`HTTP/1.1 ${status}`, [...answerFields, ...sized]), answered]) },
      ];
    },
  );
}

function head(first: string, fields: readonly string[]): Buffer {
  let text = `${first}\r\n`;
  for (let i = 0; i < fields.length; i += 2) text += `${fields[i]}: ${fields[i + 1]}\r\n`;
  return Buffer.from(`${text}\r\n`, 'latin1');
}

export function grpc(calls: readonly Call[], bearer = bare): Turn[] {
  const message = (stream: number, bytes: Uint8Array, end: boolean): Buffer => {
    const prefix = Buffer.alloc(5);
    prefix.writeUInt32BE(bytes.length, 1);
    const body = Buffer.concat([prefix, bytes]);
    const header = Buffer.alloc(9);
    header.writeUIntBE(body.length, 0, 3);
    header[4] = end ? 1 : 0;
    header.writeUInt32BE(stream, 5);
    return Buffer.concat([header, body]);
  };
  const turns: Turn[] = [
    { from: 'client', bytes: Buffer.concat([PREFACE, settings]) },
    { from: 'server', bytes: Buffer.concat([settings, settingsAck]) },
  ];
  calls.forEach(({ path, request, response, metadata = [] }, i) => {
    const stream = 2 * i + 1;
    const asked = literals(
      ':method',
      'POST',
      ':scheme',
      'http',
      ':path',
      path,
      ':authority',
      'x',
      'content-type',
      'application/grpc',
      'authorization',
      `Bearer ${bearer(`metadata of ${path}`)}`,
      ...metadata,
    );
    const answered = literals(':status', '200', 'content-type', 'application/grpc');
    turns.push({ from: 'client', bytes: Buffer.concat([headers(stream, asked), message(stream, request, true)]) });
    turns.push({
      from: 'server',
      bytes: Buffer.concat([
        headers(stream, answered),
        message(stream, response, false),
        headers(stream, literals('grpc-status', '0'), true),
      ]),
    });
  });
  return turns;
}

/** All of it as one capture file. */
export function canaryCapture(): Uint8Array {
  CANARIES.length = 0;
  const context = (turns: Turn[], clientPort: number, serverPort: number): Sent[] =>
    conversation(turns, {
      client: { address: '192.0.2.1', port: clientPort },
      server: { address: '192.0.2.2', port: serverPort },
      start: START + BigInt(clientPort - 40_000) * 10_000_000_000n,
    });
  const all: Packet[] = [
    ...packets(context(http1(apiExchanges()), 40_000, 8080)),
    ...packets(context(http1(webhookExchanges()), 40_001, 9443)),
    ...packets(context(http1(dockerExchanges()), 40_002, 2375)),
    ...packets(context(grpc(criCalls()), 40_003, 3500)),
    ...packets(context(grpc(etcdCalls()), 40_004, 2379)),
    ...packets(context(http1(gatewayExchanges()), 40_005, 2379)),
    ...packets(context(http1(registryExchanges()), 40_006, 5000)),
    ...packets(context(http1(quotingExchanges()), 40_007, 8080)),
    // Its first half is not captured.
    ...packets(context(http1(lateExchanges()), 40_008, 6443).slice(4)),
  ];
  return pcap(all);
}
