// Secrets by kind of place: keys of maps, numbers, segments of paths, passwords in URLs, selectors, keys of etcd, words of challenges. Each
// in six looks. Knows where they lie; nothing of how they are redacted.

import { secret } from '../../lab/planted/secrets.js';
import { criTable, etcdTable, kubernetesTable } from '../../src/protobuf/tables.js';
import { type Call, grpc, http1, type Said } from './canaries.js';
import { encodeCbor, encodeMessage, encodeObject } from './encode.js';
import { conversation, packets, pcap, START, type Turn } from './packetiser.js';
import type { Planted } from './planted.js';

/** How each secret looks: see lab/planted/secrets.js. */
export const LOOKS = ['letters', 'words', 'uuid', 'number', 'reserved', 'hex'] as const;
export type Look = (typeof LOOKS)[number];

/** Where the server of a carrier listens: who it is taken for. */
type Door = 'api' | 'docker' | 'registry' | 'webhook' | 'gateway' | 'kubelet' | 'application' | 'etcd' | 'cri';
const PORTS: Readonly<Record<Door, number>> = {
  api: 8080,
  docker: 2375,
  registry: 5000,
  webhook: 9443,
  gateway: 2379,
  kubelet: 10255,
  application: 8200,
  etcd: 2379,
  cri: 3500,
};

/** Makes the secret of a carrier. */
type Make = (carrier: string) => string;
type Json = Readonly<Record<string, unknown>>;

interface Family {
  readonly name: string;
  readonly said?: (make: Make, look: Look) => Partial<Record<Exclude<Door, 'etcd' | 'cri'>, readonly Said[]>>;
  readonly called?: (make: Make, look: Look) => Partial<Record<'etcd' | 'cri', readonly Call[]>>;
}

const json = (value: unknown): string => JSON.stringify(value);
const base64 = (text: string): string => Buffer.from(text).toString('base64');
const escaped = encodeURIComponent;
const META = { name: 't', namespace: 'app' };
const THINGS = '/apis/example.com/v1/namespaces/app/things';
const PODS = '/api/v1/namespaces/app/pods';
const kubernetes = kubernetesTable();
const PROTOBUF = 'application/vnd.kubernetes.protobuf';

/** Created and answered as it was. */
function created(target: string, { metadata, ...rest }: Json & { readonly metadata?: Json }): Said {
  versions += 1;
  const object = { ...rest, metadata: { uid: UID, resourceVersion: String(versions), ...metadata } };
  return { method: 'POST', target, body: json(object), status: '201 Created', answer: json(object) };
}

let versions = 0;
const UID = '3f0c6a1e-7b52-4c0e-9d55-0a6f2f1f0c11';

function thing(spec: Json, metadata: Json = {}, more: Json = {}): Said {
  return created(THINGS, {
    ...{ apiVersion: 'example.com/v1', kind: 'Thing', metadata: { ...META, ...metadata }, spec },
    ...more,
  });
}

function core(kind: string, rest: Json, metadata: Json = {}): Json {
  return { apiVersion: 'v1', kind, metadata: { ...META, ...metadata }, ...rest };
}

function pod(spec: Json, metadata: Json = {}, container: Json = {}): Said {
  return created(
    PODS,
    core('Pod', { spec: { containers: [{ name: 'app', image: 'nginx', ...container }], ...spec } }, metadata),
  );
}

function patched(target: string, type: string, body: unknown): Said {
  const text = typeof body === 'string' ? body : json(body);
  return { method: 'PATCH', target, type: `application/${type}`, body: text };
}

function failed(code: number, reason: string, message: string, details?: Json): Said {
  const status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, reason, details, code };
  return { method: 'POST', target: THINGS, body: json({}), status: `${code} ${reason}`, answer: json(status) };
}

function event(message: string): Said {
  return created(
    '/api/v1/namespaces/app/events',
    core('Event', { involvedObject: { kind: 'Pod', ...META }, type: 'Warning', reason: 'Failed', message }),
  );
}

/** A name of a header field (RFC 9110, section 5.6.2). */
const token = (text: string): string => text.replace(/[^\w+#.-]/g, '-');
const segment = (text: string): string => text.split('/').map(escaped).join('%2F');

const FAMILIES: readonly Family[] = [
  {
    name: 'keys',
    said: (make) => {
      const entry = (carrier: string): Json => ({ [make(`${carrier}: key`)]: make(`${carrier}: value`) });
      const pointed = (carrier: string): string => make(carrier).replaceAll('/', '~1');
      const secretObject = core('Secret', {
        data: { [make('Secret.data: key')]: base64(make('Secret.data: value')) },
        stringData: entry('Secret.stringData'),
      });
      const applied = core('Secret', { stringData: entry('last applied Secret') });
      return {
        api: [
          thing({
            auths: { [make('custom map of objects: key')]: { email: 'x' } },
            tokens: { [`Bearer ${make('custom map, bearer token: key')}`]: 'alice' },
            urls: { [`https://bot:${make('custom map, URL: key')}@registry.example.com`]: { email: 'x' } },
            assigned: { [`PASSWORD=${make('custom map, assignment: key')}`]: true },
            deep: { [make('custom map, deep: key')]: { [make('custom map, deeper: key')]: [{ a: 1 }] } },
            pem: {
              [`-----BEGIN PRIVATE KEY-----\n${make('custom map, PEM: key')}\n-----END PRIVATE KEY-----`]: 'x',
            },
            jwt: { [`eyJhbGciOiJSUzI1NiJ9.${base64(make('custom map, JWT: key'))}.c2lnbmF0dXJl`]: 'x' },
            map: entry('custom map'),
            empty: { [make('custom map of nulls: key')]: null },
            template: { data: entry('data in a template'), env: entry('env as a map') },
          }),
          thing({}, { labels: entry('labels'), annotations: entry('annotations') }),
          thing({}, { annotations: { [`example.com/${make('annotation behind a prefix: key')}`]: 'x' } }),
          thing({}, { labels: { [`${make('prefix of a label: key')}/x`]: 'x' } }),
          thing(
            {},
            {
              managedFields: [
                {
                  manager: 'kubectl',
                  operation: 'Update',
                  fieldsType: 'FieldsV1',
                  fieldsV1: {
                    'f:data': { [`f:${make('managedFields, field: key')}`]: {} },
                    'f:spec': { 'f:list': { [`k:{"name":"${make('managedFields, item: key')}"}`]: {} } },
                    'f:set': { [`v:"${make('managedFields, value: key')}"`]: {} },
                  },
                },
              ],
            },
          ),
          thing({}, { annotations: { 'kubectl.kubernetes.io/last-applied-configuration': json(applied) } }),
          created('/api/v1/namespaces/app/secrets', secretObject),
          created(
            '/api/v1/namespaces/app/configmaps',
            core('ConfigMap', {
              data: entry('ConfigMap.data'),
              binaryData: { [make('ConfigMap.binaryData: key')]: base64('x') },
            }),
          ),
          {
            method: 'POST',
            target: '/api/v1/namespaces/app/configmaps',
            type: PROTOBUF,
            body: encodeObject(kubernetes, 'v1', 'ConfigMap', 'k8s.io.api.core.v1.ConfigMap', {
              metadata: { ...META, annotations: entry('annotations in protobuf') },
              data: entry('ConfigMap.data in protobuf'),
            }),
          },
          {
            method: 'POST',
            target: THINGS,
            type: 'application/cbor',
            body: encodeCbor({
              apiVersion: 'example.com/v1',
              kind: 'Thing',
              metadata: META,
              spec: { map: entry('custom map in CBOR') },
            }),
          },
          patched(`${THINGS}/t`, 'json-patch+json', [
            { op: 'add', path: `/spec/map/${pointed('JSON patch, path of a custom resource: key')}`, value: 'x' },
            { op: 'remove', path: `/metadata/annotations/${pointed('JSON patch, path of an annotation: key')}` },
            { op: 'move', from: `/spec/map/${pointed('JSON patch, from: key')}`, path: '/spec/x' },
            { op: 'add', path: '/spec/map', value: entry('JSON patch, value') },
          ]),
          patched('/api/v1/namespaces/app/secrets/t', 'json-patch+json', [
            { op: 'add', path: `/data/${pointed('JSON patch, path of a Secret: key')}`, value: 'eA==' },
          ]),
          patched(`${THINGS}/t`, 'merge-patch+json', { spec: { map: entry('merge patch') } }),
          patched('/api/v1/namespaces/app/secrets/t', 'merge-patch+json', { stringData: entry('merge patch, Secret') }),
          patched('/api/v1/namespaces/app/configmaps/t', 'strategic-merge-patch+json', {
            data: entry('strategic patch'),
          }),
          patched(
            `${THINGS}/t?fieldManager=kubectl`,
            'apply-patch+yaml',
            `apiVersion: example.com/v1\nkind: Thing\nmetadata: {name: t, namespace: app}\nspec:\n  map: ${json(entry('YAML apply'))}\n`,
          ),
          pod({ nodeSelector: entry('nodeSelector') }),
          pod({}, {}, { env: [{ name: make('name of a variable: key'), value: 'x' }] }),
          pod(
            {},
            {},
            { env: [{ name: 'A', valueFrom: { secretKeyRef: { name: 'db', key: make('secretKeyRef.key: key') } } }] },
          ),
          pod(
            {},
            {},
            {
              livenessProbe: {
                httpGet: {
                  port: 80,
                  httpHeaders: [{ name: make('header of a probe: key'), value: make('header of a probe: value') }],
                },
              },
            },
          ),
          pod(
            { volumes: [{ name: 'v', csi: { driver: 'd', volumeAttributes: entry('attributes of a volume') } }] },
            {},
            { resources: { limits: { [`example.com/${make('name of a resource: key')}`]: '1' } } },
          ),
          {
            target: `/api/v1/pods?${escaped(make('name of a parameter: key'))}=x`,
          },
          {
            target: '/api/v1/nodes',
            fields: [`X-${token(make('name of a request header: key'))}`, make('value of a request header: value')],
            answerFields: [
              `X-${token(make('name of an answer header: key'))}`,
              make('value of an answer header: value'),
            ],
          },
          failed(422, 'Invalid', 'Thing "t" is invalid', {
            causes: [
              { reason: 'FieldValueInvalid', message: 'x', field: `data[${make('field of a cause: key')}]` },
              { reason: 'FieldValueInvalid', message: 'x', field: `spec.map.${make('path of a cause: key')}` },
            ],
          }),
          failed(422, 'Invalid', `Secret "t" is invalid: data[${make('field in a message: key')}]: Invalid value`),
        ],
        webhook: [
          {
            method: 'POST',
            target: '/mutate',
            body: json({
              kind: 'AdmissionReview',
              apiVersion: 'admission.k8s.io/v1',
              request: { uid: 'u', object: core('Secret', { data: { [make('reviewed Secret: key')]: 'eA==' } }) },
            }),
            answer: json({
              kind: 'AdmissionReview',
              apiVersion: 'admission.k8s.io/v1',
              response: {
                uid: 'u',
                allowed: true,
                patchType: 'JSONPatch',
                patch: base64(
                  json([{ op: 'add', path: `/data/${pointed('patch of a webhook: key')}`, value: 'eA==' }]),
                ),
                auditAnnotations: entry('audit annotations'),
              },
            }),
          },
        ],
        docker: [
          {
            method: 'POST',
            target: '/v1.41/containers/create',
            body: json({
              Image: 'nginx',
              Env: [`${make('docker Env: key')}=x`],
              Labels: entry('docker label'),
              HostConfig: { LogConfig: { Type: 'json', Config: entry('docker log options') } },
            }),
          },
          {
            target: '/v1.41/containers/x/json',
            answer: json({
              Id: 'x',
              Config: { Labels: entry('docker label, inspected'), [make('docker, unknown member: key')]: 'x' },
            }),
          },
        ],
        registry: [
          {
            target: '/v2/app/tags/list',
            answer: json({ name: 'app', [make('registry, unknown member: key')]: ['x'] }),
          },
        ],
        gateway: [{ method: 'POST', target: '/v3/kv/put', body: json(entry('etcd gateway')) }],
        application: [
          {
            method: 'POST',
            target: '/login',
            body: json(entry('application')),
            answer: json(entry('application, answer')),
          },
        ],
      };
    },
    called: (make) => {
      const entry = (carrier: string): Json => ({ [make(`${carrier}: key`)]: make(`${carrier}: value`) });
      return {
        cri: [
          {
            path: '/runtime.v1.RuntimeService/CreateContainer',
            request: encodeMessage(criTable(), 'runtime.v1.CreateContainerRequest', {
              config: {
                envs: [{ key: make('CRI envs: key'), value: 'x' }],
                labels: entry('CRI labels'),
                annotations: entry('CRI annotations'),
              },
            }),
            response: encodeMessage(criTable(), 'runtime.v1.CreateContainerResponse', { container_id: 'y' }),
            metadata: [`x-${token(make('metadata of gRPC: key'))}`, make('metadata of gRPC: value')],
          },
        ],
        etcd: [
          {
            path: '/etcdserverpb.KV/Put',
            request: encodeMessage(etcdTable(), 'etcdserverpb.PutRequest', {
              key: Buffer.from('/registry/configmaps/app/t'),
              value: encodeObject(kubernetes, 'v1', 'ConfigMap', 'k8s.io.api.core.v1.ConfigMap', {
                metadata: META,
                data: entry('ConfigMap in etcd'),
              }),
            }),
            response: encodeMessage(etcdTable(), 'etcdserverpb.PutResponse', {}),
          },
          {
            path: '/etcdserverpb.KV/Put',
            request: encodeMessage(etcdTable(), 'etcdserverpb.PutRequest', {
              key: Buffer.from('/registry/example.com/things/app/t'),
              value: Buffer.from(
                json({
                  apiVersion: 'example.com/v1',
                  kind: 'Thing',
                  metadata: META,
                  spec: { map: entry('custom map in etcd') },
                }),
              ),
            }),
            response: encodeMessage(etcdTable(), 'etcdserverpb.PutResponse', {}),
          },
        ],
      };
    },
  },
  {
    name: 'numbers',
    said: (make, look) => {
      if (look !== 'number') return {};
      const number = (carrier: string): number => Number(make(carrier));
      const values = Object.fromEntries(NUMBER_FIELDS.map((name) => [name, number(`HelmRelease, values.${name}`)]));
      return {
        api: [
          created('/apis/helm.toolkit.fluxcd.io/v2/namespaces/app/helmreleases', {
            apiVersion: 'helm.toolkit.fluxcd.io/v2',
            kind: 'HelmRelease',
            metadata: META,
            spec: { values },
          }),
          thing({ list: [number('item of a list')], nested: { a: { b: number('nested') } } }),
          thing(
            {},
            {},
            { status: { code: number('status.code'), conditions: [{ type: 'Ready', otp: number('condition') }] } },
          ),
          thing({}, { annotations: { x: json({ pin: number('JSON in an annotation') }) } }),
          patched(`${THINGS}/t`, 'merge-patch+json', { spec: { pw: number('merge patch') } }),
          patched(`${THINGS}/t`, 'json-patch+json', [{ op: 'add', path: '/spec/pw', value: number('JSON patch') }]),
          patched(
            `${THINGS}/t`,
            'apply-patch+yaml',
            `apiVersion: example.com/v1\nkind: Thing\nmetadata: {name: t}\nspec: {pw: ${number('YAML apply')}}\n`,
          ),
          { target: `/api/v1/pods?pin=${number('parameter')}` },
          { target: `/api/v1/pods?limit=500&code=${number('parameter, code')}` },
        ],
        docker: [
          {
            method: 'POST',
            target: '/v1.41/containers/create',
            body: json({ Image: 'nginx', HostConfig: { Pin: number('docker, unknown member') } }),
          },
        ],
        webhook: [{ method: 'POST', target: '/login', body: json({ pin: number('webhook, application') }) }],
        application: [
          {
            method: 'POST',
            target: '/login',
            body: json({ pin: number('application') }),
            answer: json({ otp: number('application, answer') }),
          },
        ],
        registry: [
          { target: '/token', answer: json({ token: number('registry, token'), pin: number('registry, member') }) },
        ],
      };
    },
  },
  {
    name: 'segments',
    said: (make) => {
      const s = (carrier: string): string => segment(make(carrier));
      const post = (target: string): Said => ({ method: 'POST', target, body: '{}' });
      return {
        api: [
          post(
            `/apis/build.openshift.io/v1/namespaces/app/buildconfigs/web/webhooks/${s('webhook of a build')}/github`,
          ),
          post(`/apis/build.openshift.io/v1/namespaces/app/buildconfigs/web/webhooks/${s('webhook of a build, last')}`),
          { target: `${THINGS}/t/${s('subresource of a custom resource')}` },
          { target: `${THINGS}/t/status/${s('behind a subresource')}` },
          { target: `${THINGS}/t/${s('first of two')}/${s('second of two')}` },
          { target: `${PODS}/web/log/${s('behind log')}` },
          { target: `${PODS}/web/${s('subresource of a Pod')}` },
          { target: `/apis/example.com/v1/clusterthings/t/keys/${s('cluster scope')}` },
          { target: `/api/v1/namespaces/app/services/web:80/proxy/${s('proxy of a Service')}` },
          { target: `${PODS}/web/proxy/reset/${s('proxy of a Pod')}` },
          { target: `/api/v1/nodes/n/proxy/logs/${s('proxy of a node')}` },
          post(`/hooks/${s('unknown path')}`),
          { target: `/apis/metrics.example/v1/x/t/t/${s('metrics of an unknown group')}` },
          { target: `/healthz/${s('healthz')}` },
          { target: `/openapi/v3/apis/${s('openapi')}` },
          { target: `/.well-known/${s('well-known')}` },
          { target: '/version', answerFields: ['Location', `${THINGS}/t/keys/${s('Location')}`] },
          { target: '/version', fields: ['Referer', `http://x/hooks/${s('Referer')}`] },
          { target: '/version', fields: ['X-Original-URI', `/hooks/${s('X-Original-URI')}`] },
          created('/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations', {
            ...{ apiVersion: 'admissionregistration.k8s.io/v1', kind: 'ValidatingWebhookConfiguration' },
            metadata: { name: 't' },
            webhooks: [
              { name: 'a.example', clientConfig: { url: `https://h.example/hook/${s('URL of a webhook')}` } },
              { name: 'b.example', clientConfig: { service: { ...META, path: `/hook/${s('path of a webhook')}` } } },
            ],
          }),
          pod({}, {}, { livenessProbe: { httpGet: { port: 80, path: `/live/${s('path of a probe')}` } } }),
          thing({}, { selfLink: `${THINGS}/t/keys/${s('selfLink')}` }),
        ],
        docker: [
          { target: `/v1.41/containers/x/${s('docker, behind a container')}` },
          { target: `/v1.41/plugins/x/keys/${s('docker, behind a plugin')}` },
          { target: `/v1.41/${s('docker, unknown')}` },
        ],
        registry: [
          { target: `/v2/app/blobs/uploads/${s('registry, upload')}` },
          { target: `/v2/app/keys/${s('registry, unknown')}` },
          { target: `/api/v2.0/robots/x/${s('registry, robot')}` },
        ],
        webhook: [post(`/mutate/${s('webhook')}`)],
        kubelet: [
          { target: `/containerLogs/app/web/app/${s('kubelet, behind a container')}` },
          { target: `/logs/${s('kubelet, logs')}` },
          { target: `/${s('kubelet, unknown')}` },
        ],
        gateway: [post(`/v3/kv/put/${s('etcd gateway')}`)],
        application: [{ target: `/reset/${s('application')}` }, { target: `/v1/secret/data/${s('vault')}` }],
      };
    },
    called: (make) => ({
      cri: [
        {
          path: `/runtime.v1.RuntimeService/${token(make('method of CRI'))}`,
          request: Buffer.alloc(0),
          response: Buffer.alloc(0),
        },
        { path: `/${token(make('unknown service'))}/Get`, request: Buffer.alloc(0), response: Buffer.alloc(0) },
      ],
    }),
  },
  {
    name: 'URLs',
    said: (make) => {
      const url = (carrier: string, rest = '/x'): string => `https://u:${make(carrier)}@h.example${rest}`;
      const get = (fields: readonly string[], answerFields: readonly string[] = []): Said => ({
        ...{ target: '/version', fields, answerFields },
      });
      return {
        api: [
          { target: `http://u:${make('target')}@10.0.0.2:8080${PODS}/x` },
          { target: `http://${make('user of a target')}@10.0.0.2:8080${PODS}/x` },
          { target: `//u:${make('target without a scheme')}@10.0.0.2:8080${PODS}/x` },
          { method: 'CONNECT', target: `u:${make('CONNECT')}@h.example:443`, status: '403 Forbidden' },
          { method: 'CONNECT', target: `${make('host of CONNECT')}:443`, status: '403 Forbidden' },
          get(['Host', `u:${make('Host')}@h.example:8080`]),
          get(['Host', make('Host, nothing else')]),
          get(['Host', `h.example:${make('port of a Host')}`]),
          get(['Referer', url('Referer')]),
          get(['X-Forwarded-Uri', url('X-Forwarded-Uri')]),
          get(['X-Forwarded-Host', `u:${make('X-Forwarded-Host')}@h.example`]),
          get(['Origin', url('Origin', '')]),
          get(['Forwarded', `host="u:${make('Forwarded')}@h.example"`]),
          get(['User-Agent', `tool/1.0 (${url('User-Agent')})`]),
          get([], ['Location', url('Location')]),
          get([], ['Content-Location', url('Content-Location')]),
          get([], ['Link', `<${url('Link')}>; rel="next"`]),
          get([], ['Warning', `299 - "cannot reach ${url('Warning')}"`]),
          get([], ['Via', `1.1 u:${make('Via')}@h.example`]),
          get([], ['WWW-Authenticate', `Bearer realm="${url('realm')}",service="registry.example"`]),
          get([], ['Location', `https://h.example/callback?next=${escaped(url('parameter of a Location'))}`]),
          { target: `/api/v1/pods?redirect=${escaped(url('parameter'))}` },
          { method: 'POST', target: `${PODS}/p/exec?command=curl&command=${escaped(url('command'))}` },
          {
            ...patched(`${THINGS}/t`, 'merge-patch+json', { spec: { url: url('merge patch') } }),
          },
          created('/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations', {
            ...{ apiVersion: 'admissionregistration.k8s.io/v1', kind: 'ValidatingWebhookConfiguration' },
            metadata: { name: 't' },
            webhooks: [{ name: 'a.example', clientConfig: { url: url('clientConfig.url') } }],
          }),
          thing({ repoURL: url('custom resource'), list: [url('list of a custom resource')] }),
          thing({}, { selfLink: url('selfLink'), annotations: { origin: url('annotation') } }),
          thing({}, {}, { status: { conditions: [{ type: 'Ready', message: `get ${url('condition')}: refused` }] } }),
          created('/apis/argoproj.io/v1alpha1/namespaces/app/applications', {
            ...{ apiVersion: 'argoproj.io/v1alpha1', kind: 'Application', metadata: META },
            spec: { source: { repoURL: url('repoURL of Argo CD'), path: 'x' } },
          }),
          created('/apis/source.toolkit.fluxcd.io/v1/namespaces/app/gitrepositories', {
            ...{ apiVersion: 'source.toolkit.fluxcd.io/v1', kind: 'GitRepository', metadata: META },
            spec: { url: url('url of Flux') },
          }),
          pod({}, {}, { image: `u:${make('image')}@h.example/app:1` }),
          pod({}, {}, { args: ['--db', url('argument')], env: [{ name: 'DB', value: url('variable') }] }),
          event(`Failed to pull image: Get "${url('Event')}": EOF`),
          event(`dial ${url('Event without quotes')}`),
          failed(500, 'InternalError', `Internal error occurred: Post "${url('failure')}": EOF`),
          failed(400, 'BadRequest', `cannot parse ${url('failure without quotes')}`),
        ],
        docker: [
          { method: 'POST', target: `/v1.41/build?remote=${escaped(url('docker build'))}` },
          {
            method: 'POST',
            target: `/v1.41/images/create?fromImage=${escaped(`u:${make('docker pull')}@h.example/app`)}`,
          },
          { method: 'POST', target: '/v1.41/containers/create', body: json({ Image: url('docker image') }) },
          {
            target: '/v1.41/info',
            answer: json({
              HttpProxy: url('docker proxy'),
              RegistryConfig: { Mirrors: [url('docker mirror')] },
            }),
          },
        ],
        registry: [
          {
            target: '/v2/',
            status: '401 Unauthorized',
            answerFields: ['WWW-Authenticate', `Bearer realm="${url('realm of a registry')}"`],
          },
          {
            method: 'POST',
            target: '/v2/app/blobs/uploads/',
            answerFields: ['Location', url('Location of an upload')],
          },
          { method: 'POST', target: `/v2/app/blobs/uploads/?from=${escaped(url('from of a mount'))}` },
        ],
        application: [
          { target: `/go?to=${escaped(url('application'))}`, answer: json({ url: url('application, answer') }) },
        ],
      };
    },
    called: (make) => ({
      cri: [
        {
          path: '/runtime.v1.ImageService/PullImage',
          request: encodeMessage(criTable(), 'runtime.v1.PullImageRequest', {
            image: { image: `u:${make('image of CRI')}@h.example/app:1` },
            auth: { server_address: `https://u:${make('server of CRI')}@h.example` },
          }),
          response: encodeMessage(criTable(), 'runtime.v1.PullImageResponse', { image_ref: 'r' }),
        },
      ],
    }),
  },
  {
    name: 'selectors',
    said: (make) => {
      const list = (parameter: string, text: string): Said => ({ target: `${THINGS}?${parameter}=${escaped(text)}` });
      const labels = (text: string): Said => list('labelSelector', text);
      return {
        api: [
          labels(`api-key=${make('label, =')}`),
          labels(`api-key==${make('label, ==')}`),
          labels(`api-key!=${make('label, !=')}`),
          labels(`api-key in (a,${make('label, in')})`),
          labels(`api-key notin (${make('label, notin')})`),
          labels(`app=web,token=${make('label, second')}`),
          labels(make('label alone')),
          labels(`!${make('label that is not')}`),
          labels(`x > ${make('label, greater')}`),
          list('fieldSelector', `spec.token=${make('field, =')}`),
          list('fieldSelector', `metadata.namespace!=a,spec.password!=${make('field, !=')}`),
          { target: `${PODS}?fieldSelector=${escaped(`spec.key=${make('field of Pods')}`)}&watch=true` },
          { method: 'DELETE', target: `${THINGS}?labelSelector=${escaped(`token=${make('label of a deletion')}`)}` },
          created('/apis/apps/v1/namespaces/app/deployments', {
            ...{ apiVersion: 'apps/v1', kind: 'Deployment', metadata: META },
            spec: {
              selector: {
                matchLabels: { 'api-key': make('matchLabels') },
                matchExpressions: [{ key: 'api-key', operator: 'In', values: [make('matchExpressions')] }],
              },
              template: { metadata: { labels: { 'api-key': make('labels of a template') } }, spec: {} },
            },
          }),
          created(
            '/api/v1/namespaces/app/services',
            core('Service', { spec: { selector: { token: make('Service') } } }),
          ),
          pod({
            nodeSelector: { token: make('nodeSelector') },
            tolerations: [{ key: 't', value: make('toleration') }],
          }),
          thing({ selector: { matchLabels: { token: make('custom resource') } } }),
          thing(
            {},
            {},
            {
              status: { selector: `token=${make('selector of a scale')}`, labelSelector: `a=${make('labelSelector')}` },
            },
          ),
        ],
        docker: [
          {
            target: `/v1.41/containers/json?filters=${escaped(json({ label: [`api-key=${make('docker filters')}`] }))}`,
          },
        ],
      };
    },
    called: (make) => ({
      cri: [
        {
          path: '/runtime.v1.RuntimeService/ListContainers',
          request: encodeMessage(criTable(), 'runtime.v1.ListContainersRequest', {
            filter: { label_selector: { token: make('label_selector of CRI') } },
          }),
          response: Buffer.alloc(0),
        },
      ],
    }),
  },
  {
    name: 'etcd keys',
    said: (make) => {
      const put = (key: string): Said => ({
        ...{ method: 'POST', target: '/v3/kv/put', body: json({ key: base64(key), value: 'eA==' }) },
        answer: json({ header: {} }),
      });
      return { gateway: [put(`/sessions/${make('gateway')}`), put(make('gateway, alone'))] };
    },
    called: (make) => {
      const message = (name: string, value: Json): Buffer => encodeMessage(etcdTable(), `etcdserverpb.${name}`, value);
      const put = (key: string): Call => ({
        path: '/etcdserverpb.KV/Put',
        request: message('PutRequest', { key: Buffer.from(key), value: Buffer.from('x') }),
        response: message('PutResponse', {}),
      });
      const range = (key: string, end: string, found: string): Call => ({
        path: '/etcdserverpb.KV/Range',
        request: message('RangeRequest', { key: Buffer.from(key), range_end: Buffer.from(end) }),
        response: message('RangeResponse', { kvs: [{ key: Buffer.from(found), value: Buffer.from('x') }] }),
      });
      return {
        etcd: [
          put(`/sessions/${make('session')}`),
          put(`/vault/sys/token/id/${make('Vault')}`),
          put(make('alone')),
          put(`/${make('alone behind a slash')}`),
          put(`sessions/${make('without a slash')}`),
          put(`/registry2/${make('beside the registry')}`),
          put(`/registry/x/app/t/${make('behind an object')}`),
          put(`/calico/resources/v3/${make('Calico')}/x`),
          put(`session:${make('behind a colon')}`),
          range(`/sessions/${make('range')}`, `/sessions/${make('range_end')}`, `/sessions/${make('found')}`),
          {
            path: '/etcdserverpb.KV/DeleteRange',
            request: message('DeleteRangeRequest', { key: Buffer.from(`/sessions/${make('deleted')}`) }),
            response: message('DeleteRangeResponse', {}),
          },
          {
            path: '/etcdserverpb.KV/Txn',
            request: message('TxnRequest', {
              compare: [{ key: Buffer.from(`/sessions/${make('compared')}`) }],
              success: [
                { request_put: { key: Buffer.from(`/sessions/${make('put in a Txn')}`), value: Buffer.from('x') } },
              ],
            }),
            response: message('TxnResponse', {}),
          },
          {
            path: '/etcdserverpb.Watch/Watch',
            request: message('WatchRequest', {
              create_request: { key: Buffer.from(`/sessions/${make('watched')}`) },
            }),
            response: message('WatchResponse', {
              events: [{ kv: { key: Buffer.from(`/sessions/${make('seen by a watch')}`), value: Buffer.from('x') } }],
            }),
          },
        ],
      };
    },
  },
  {
    name: 'variables in texts',
    said: (make) => ({
      api: [
        event(`exec: DB_PASSWORD=${make('Event')} not accepted`),
        event(`{"password":"${make('JSON in an Event')}"}`),
        event(`--token=${make('option in an Event')} --password ${make('second option in an Event')}`),
        event(`Authorization: Basic ${base64(make('basic authorization in an Event'))}`),
        failed(400, 'BadRequest', `cannot run API_TOKEN=${make('failure')}`),
        failed(403, 'Forbidden', `admission webhook "w" denied the request: PGPASSWORD='${make('denial')}' is weak`),
        thing({}, {}, { status: { conditions: [{ type: 'Ready', message: `SECRET_KEY=${make('condition')}` }] } }),
        {
          target: '/version',
          answerFields: ['Warning', `299 - "export AWS_SECRET_ACCESS_KEY=${make('Warning')}"`],
        },
        created(
          `${PODS}/t/status`,
          core('Pod', {
            status: {
              containerStatuses: [
                { name: 'a', state: { terminated: { exitCode: 1, message: `DB_PASSWORD=${make('terminated')}` } } },
              ],
            },
          }),
        ),
      ],
    }),
  },
  {
    name: 'header values',
    said: (make) => {
      const ask = (name: string): Said => ({ target: '/version', fields: [name, make(`${name} of a request`)] });
      const answer = (name: string): Said => ({
        target: '/version',
        answerFields: [name, make(`${name} of an answer`)],
      });
      const both = (name: string): Said[] => [ask(name), answer(name)];
      return {
        api: [
          ...['Via', 'Server', 'Kubectl-Command', 'Accept', 'Cache-Control', 'Upgrade', 'Connection'].flatMap(both),
          ...['Etag', 'Content-Disposition', 'X-Amz-Request-Id'].map(answer),
          ...['If-Match', 'Accept-Language', 'From', 'X-Api-Version', 'Expect', 'TE', 'Range'].map(ask),
        ],
        registry: [
          answer('Docker-Upload-UUID'),
          answer('Docker-Content-Digest'),
          answer('Docker-Distribution-Api-Version'),
          {
            target: '/v2/app/blobs/uploads/',
            answerFields: ['Location', `/v2/app/blobs/uploads/x?_state=${escaped(make('_state of an upload'))}`],
          },
        ],
      };
    },
  },
  {
    name: 'values of labels',
    said: (make) => ({
      api: LABELS.map((label) => thing({}, { labels: { [label]: make(label) } })).concat(
        pod({ nodeSelector: { 'node.kubernetes.io/x': make('nodeSelector') } }),
        thing({}, { annotations: { 'app.kubernetes.io/token': make('annotation') } }),
        { target: `${THINGS}?labelSelector=${escaped(`app.kubernetes.io/token=${make('selector')}`)}` },
      ),
      docker: [
        {
          method: 'POST',
          target: '/v1.41/containers/create',
          body: json({ Image: 'nginx', Labels: { 'io.kubernetes.token': make('docker label') } }),
        },
      ],
    }),
    called: (make) => ({
      cri: [
        {
          path: '/runtime.v1.RuntimeService/CreateContainer',
          request: encodeMessage(criTable(), 'runtime.v1.CreateContainerRequest', {
            config: { labels: { 'app.kubernetes.io/token': make('label of CRI') } },
          }),
          response: Buffer.alloc(0),
        },
      ],
    }),
  },
  {
    name: 'challenges',
    said: (make) => {
      const challenge = (word: string): Said => ({
        target: '/v2/',
        status: '401 Unauthorized',
        answerFields: ['WWW-Authenticate', `Bearer realm="https://auth.example/token",${word}="${make(`${word}=`)}"`],
      });
      const words = [
        'service',
        'scope',
        'error',
        'error_description',
        'algorithm',
        'qop',
        'charset',
        'nonce',
        'opaque',
      ];
      return {
        registry: [
          ...words.map(challenge),
          {
            target: '/v2/',
            status: '401 Unauthorized',
            answerFields: ['WWW-Authenticate', `Basic realm="${make('realm')}"`],
          },
          {
            target: '/v2/',
            status: '401 Unauthorized',
            answerFields: ['WWW-Authenticate', `Bearer scope="repository:${make('repository of a scope')}:pull"`],
          },
        ],
        api: [
          {
            target: '/version',
            answerFields: ['WWW-Authenticate', `Bearer realm="x",error="${make('error of the API server')}"`],
          },
        ],
      };
    },
  },
];

/** Fields whose numbers are secrets, by names that no list of words has all of. */
const NUMBER_FIELDS = [
  ...['adminPassword', 'adminpassword', 'dbpassword', 'rootpw', 'pw', 'smtppass', 'clientsecret', 'sharedsecret'],
  ...['accesskey', 'pinNumber', 'mfaCode', 'puk', 'pin', 'code', 'otp', 'seed', 'card', 'iban', 'ssn', 'value', 'id'],
  ...['license', 'phone', 'account', 'number', 'x', 'passcode', 'unlock', 'salt', 'totp', 'cvv', 'taxId', 'hash'],
];

const LABELS = [
  ...['app.kubernetes.io/version', 'app.kubernetes.io/instance', 'app.kubernetes.io/x', 'x.kubernetes.io/y'],
  ...['node.kubernetes.io/token', 'kubernetes.io/token', 'helm.sh/chart', 'batch.kubernetes.io/x', 'example.com/x'],
  ...['token', 'app', 'pod-template-hash', 'beta.kubernetes.io/secret', 'x.k8s.io/y'],
];

export interface KindsCapture {
  readonly planted: readonly Planted[];
  readonly capture: Uint8Array;
}

/** All families in one capture, and what was planted. */
export function kindsCapture(): KindsCapture {
  const planted: Planted[] = [];
  const turns: { readonly door: Door; readonly turns: Turn[] }[] = [];
  for (const { name, said, called } of FAMILIES)
    for (const look of LOOKS) {
      const make = (carrier: string): string => {
        const form = look;
        const family = `kinds: ${name}`;
        const full = `${carrier} | ${look}`;
        const text = secret(family, full, form);
        planted.push({ family: name, carrier: full, form, text });
        return text;
      };
      for (const [door, all] of Object.entries(said?.(make, look) ?? {}))
        if (all.length > 0) turns.push({ door: door as Door, turns: http1(all) });
      for (const [door, all] of Object.entries(called?.(make, look) ?? {}))
        turns.push({ door: door as Door, turns: grpc(all, () => 'x') });
    }
  const sent = turns.flatMap((one, i) =>
    conversation(one.turns, {
      client: { address: '192.0.2.1', port: 40_000 + i },
      server: { address: '192.0.2.2', port: PORTS[one.door] },
      start: START + BigInt(i) * 10_000_000_000n,
    }),
  );
  return { planted, capture: pcap(packets(sent)) };
}
