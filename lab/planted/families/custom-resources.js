// Plants secrets in custom resources.

import { gzipSync } from 'node:zlib';
import { base64, pemOf } from '../secrets.js';
import { cluster, json, NS, object, of, ways } from './kit.js';

/** [group, kind, plural] of the custom resources, all without a schema. */
export const CUSTOM = [
  ['db.example', 'Database', 'databases'],
  ['helm.toolkit.fluxcd.io', 'HelmRelease', 'helmreleases'],
  ['kustomize.toolkit.fluxcd.io', 'Kustomization', 'kustomizations'],
  ['argoproj.io', 'Application', 'applications'],
  ['argoproj.io', 'Workflow', 'workflows'],
  ['tekton.dev', 'PipelineRun', 'pipelineruns'],
  ['infrastructure.example', 'MachineTemplate', 'machinetemplates'],
  ['pkg.example', 'ProviderConfig', 'providerconfigs'],
  ['external-secrets.io', 'ExternalSecret', 'externalsecrets'],
  ['bitnami.example', 'SealedSecret', 'sealedsecrets'],
  ['kafka.strimzi.io', 'KafkaUser', 'kafkausers'],
  ['keda.sh', 'ScaledObject', 'scaledobjects'],
  ['cert-manager.io', 'Issuer', 'issuers'],
  ['grafana.example', 'Datasource', 'datasources'],
  ['mongodb.example', 'MongoDB', 'mongodbs'],
  ['fleet.cattle.io', 'Bundle', 'bundles'],
  ['networking.istio.io', 'EnvoyFilter', 'envoyfilters'],
];

export function definition(group, kind, plural) {
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
  return cluster(
    'apiextensions.k8s.io/v1',
    'CustomResourceDefinition',
    `${plural}.${group}`,
    {
      spec: {
        group,
        scope: 'Namespaced',
        names: { kind, plural, singular: kind.toLowerCase() },
        versions: [{ name: 'v1', served: true, storage: true, schema, subresources: { status: {} } }],
      },
    },
    group.endsWith('.k8s.io') ? { annotations: { 'api-approved.kubernetes.io': 'unapproved' } } : {},
  );
}

export async function customResources(tools) {
  const { create, kubectl } = ways(tools);
  const s = of('custom resources');
  const made = (group, kind, name, spec, metadata) => object(`${group}/v1`, kind, name, { spec }, metadata);
  const cloudInit = (word) => `#cloud-config\nchpasswd:\n  list: |\n    root:${word}\nruncmd: [reboot]\n`;
  const { kind, ...members } = { kind: 'Database' };
  await create(
    made('db.example', kind, 'orders', {
      ...members,
      adminPassword: s('spec.adminPassword'),
      connectionString: `Server=db;User Id=sa;Password=${s('connection string', 'special')};Encrypt=true`,
      uri: `amqp://svc:${s('URI with a user-info')}@mq:5672/`,
      masterKey: s('spec.masterKey', 'base64'),
      engine: s('spec.engine: an innocent name', 'short'),
      notes: s('spec.notes: a phrase', 'phrase'),
      licence: { code: s('licence code', 'uuid') },
      pin: s('spec.pin as text', 'number'),
      users: [{ name: 'ann', hash: s('hash of a user', 'hex') }],
      map: { [`key`]: s('value of a map', 'token') },
      list: [s('item of a list', 'awsSecret')],
      bootstrap: { script: `#!/bin/sh\nexport A=${s('script')}\n` },
      tls: { key: pemOf(s('PEM', 'pem'), 'PRIVATE KEY') },
    }),
    made('helm.toolkit.fluxcd.io', 'HelmRelease', 'web', {
      values: {
        auth: { rootPassword: s('HelmRelease, values') },
        extraEnv: [{ name: 'X', value: s('HelmRelease, extraEnv') }],
      },
      valuesFrom: [{ kind: 'Secret', name: 'db' }],
      postRenderers: [
        { kustomize: { patches: [{ patch: `- op: add\n  path: /x\n  value: ${s('HelmRelease, patch in YAML')}\n` }] } },
      ],
    }),
    made('kustomize.toolkit.fluxcd.io', 'Kustomization', 'web', {
      postBuild: { substitute: { dbpw: s('postBuild.substitute') } },
    }),
    made('argoproj.io', 'Application', 'web', {
      source: {
        repoURL: `https://bot:${s('Application, repoURL', 'token')}@git.example/x`,
        helm: {
          parameters: [{ name: 'db.pw', value: s('Application, parameter') }],
          values: `db:\n  pw: ${s('Application, values')}\n`,
        },
      },
    }),
    made('argoproj.io', 'Workflow', 'etl', {
      arguments: { parameters: [{ name: 'cred', value: s('Workflow, argument', 'aws') }] },
      templates: [{ name: 'a', script: { source: `login("${s('Workflow, script')}")` } }],
    }),
    made('tekton.dev', 'PipelineRun', 'build', {
      params: [
        { name: 'registry-pass', value: s('PipelineRun, param') },
        { name: 'flags', value: ['-k', s('PipelineRun, list param', 'hex')] },
      ],
    }),
    made('infrastructure.example', 'MachineTemplate', 'workers', {
      userData: base64(cloudInit(s('userData, base64 of cloud-init'))),
      cloudInit: cloudInit(s('cloud-init')),
      files: [{ path: '/etc/x', content: s('file of cloud-init', 'phrase') }],
      joinToken: s('bootstrap token', 'bootstrap'),
    }),
    made('pkg.example', 'ProviderConfig', 'aws', {
      credentials: {
        inline: `[default]\naws_access_key_id = ${s('Crossplane, key id', 'aws')}\naws_secret_access_key = ${s('Crossplane, key', 'awsSecret')}\n`,
      },
      forProvider: { masterUserPassword: s('Crossplane, forProvider') },
    }),
    made('external-secrets.io', 'ExternalSecret', 'x', {
      target: { template: { data: { conf: `pw={{ .p }} salt=${s('ExternalSecret, template')}` } } },
      fake: { data: [{ key: '/a', value: s('ExternalSecret, fake provider') }] },
    }),
    made('bitnami.example', 'SealedSecret', 'x', {
      template: {
        stringData: { plain: s('SealedSecret, template') },
        metadata: { annotations: { old: s('SealedSecret, annotation of the template') } },
      },
    }),
    made('kafka.strimzi.io', 'KafkaUser', 'svc', {
      authentication: { type: 'scram', password: { value: s('KafkaUser, password.value') } },
      jaas: `org.apache.kafka.ScramLoginModule required username="x" password="${s('KafkaUser, jaas')}";`,
    }),
    made('keda.sh', 'ScaledObject', 'web', {
      triggers: [{ type: 'rabbitmq', metadata: { host: `amqp://g:${s('KEDA, metadata')}@mq/` } }],
    }),
    made('cert-manager.io', 'Issuer', 'acme', {
      acme: {
        externalAccountBinding: { keyID: s('Issuer, keyID', 'token') },
        solvers: [{ dns01: { digitalocean: { inlineToken: s('Issuer, inline token', 'hex') } } }],
      },
    }),
    made('grafana.example', 'Datasource', 'prom', {
      json: json({
        secureJsonData: { basicAuthPw: s('Grafana, JSON in a text') },
        url: `https://prom/?apikey=${s('Grafana, URL', 'hex')}`,
      }),
    }),
    made('mongodb.example', 'MongoDB', 'm', {
      uri: `mongodb+srv://app:${s('MongoDB, URI')}@cluster0.example/?authSource=admin`,
    }),
    made('fleet.cattle.io', 'Bundle', 'b', {
      resources: [
        {
          name: 's.yaml',
          encoding: 'base64+gz',
          content: gzipSync(`kind: Secret\nstringData:\n  a: ${s('Bundle of Fleet, resource')}\n`).toString('base64'),
        },
      ],
      helm: { values: { adminPw: s('Bundle of Fleet, values') } },
    }),
    made('networking.istio.io', 'EnvoyFilter', 'lua', {
      configPatches: [
        {
          patch: { value: { inlineCode: `request:headers():add("x-k", "${s('EnvoyFilter, inline code', 'uuid')}")` } },
        },
      ],
    }),
  );
  const status = {
    conditions: [
      {
        type: 'Ready',
        status: 'False',
        reason: 'AuthFailed',
        message: `login with "${s('message of a condition')}" failed`,
      },
    ],
    endpoint: `redis://:${s('status.endpoint')}@r:6379`,
    generatedPassword: s('status.generatedPassword', 'short'),
  };
  await kubectl([
    'patch',
    'databases.db.example',
    'orders',
    '-n',
    NS,
    '--type=merge',
    '--subresource=status',
    '-p',
    json({ status }),
  ]);
  await kubectl([
    'patch',
    'databases.db.example',
    'orders',
    '-n',
    NS,
    '--type=merge',
    '-p',
    json({ spec: { adminPassword: s('merge patch') } }),
  ]);
  await kubectl([
    'patch',
    'databases.db.example',
    'orders',
    '-n',
    NS,
    '--type=json',
    '-p',
    json([{ op: 'replace', path: '/spec/uri', value: `nats://${s('JSON patch')}@n` }]),
  ]);
  await kubectl(
    ['apply', '--server-side', '--validate=false', '-f', '-'],
    json(
      made('db.example', kind, 'stock', {
        secretAccess: s('server-side apply'),
        label: s('server-side apply, label of a spec', 'phrase'),
      }),
    ),
  );
  await kubectl(['get', 'databases.db.example', '-n', NS, '-o', 'yaml']);
}
