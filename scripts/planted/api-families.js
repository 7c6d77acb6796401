// Plants secrets through the API server with kubectl and curl: commands, Secrets and ConfigMaps, custom resources, specs of Pods,
// Events and statuses, tokens, admission, encodings inside of encodings. Each function is a family or two; what it does is real
// traffic of a real client.

import { gzipSync } from 'node:zlib';
import { NODE } from './cluster.js';
import { base64, pemOf, secret } from './secrets.js';

const json = JSON.stringify;
const NS = 'shop';
const packed = (value) => gzipSync(json(value)).toString('base64');

/** Of a family: makes secrets by their carriers alone. */
const of = (family) => (carrier, form) => secret(family, carrier, form);

export const object = (apiVersion, kind, name, rest = {}, metadata = {}) => ({
  apiVersion,
  kind,
  metadata: { name, namespace: NS, ...metadata },
  ...rest,
});
const cluster = (apiVersion, kind, name, rest = {}, metadata = {}) => ({
  apiVersion,
  kind,
  metadata: { name, ...metadata },
  ...rest,
});
export const pod = (name, container, spec = {}, metadata = {}) =>
  object(
    'v1',
    'Pod',
    name,
    {
      spec: {
        nodeName: 'node-1',
        containers: [{ name: 'app', image: 'registry.example/app:1.2', ...container }],
        ...spec,
      },
    },
    metadata,
  );

/** Ways to ask the API server. */
function ways({ kubectl, api }) {
  const create = (...objects) =>
    kubectl(['create', '--validate=false', '-f', '-'], json({ apiVersion: 'v1', kind: 'List', items: objects }));
  const post = (target, body, headers = {}) => api({ method: 'POST', target, body, headers });
  const patch = (target, type, body) => api({ method: 'PATCH', target, body, type: `application/${type}` });
  return { kubectl, api, create, post, patch };
}

/** Nodes, namespaces, Pods that later families use; and kubectl keeps the schemas that it asks for. Nothing is planted here. */
export async function prepare(tools) {
  const { create, kubectl } = ways(tools);
  await create(
    cluster('v1', 'Namespace', NS),
    cluster('v1', 'Node', 'node-1'),
    object('v1', 'ServiceAccount', 'robot'),
  );
  for (const a of ['1', '2'])
    await kubectl(
      ['apply', '--validate=false', '-f', '-'],
      json(object('v1', 'ConfigMap', 'schemas', { data: { a } })),
    );
  const status = {
    addresses: [{ type: 'InternalIP', address: NODE }],
    daemonEndpoints: { kubeletEndpoint: { Port: 10250 } },
    conditions: [{ type: 'Ready', status: 'True', reason: 'KubeletReady', message: 'kubelet is posting ready status' }],
    capacity: { pods: '110', cpu: '4', memory: '8Gi' },
    allocatable: { pods: '110', cpu: '4', memory: '8Gi' },
  };
  await kubectl(['patch', 'node', 'node-1', '--subresource=status', '-p', json({ status })]);
  await create(...CUSTOM.map(([group, kind, plural]) => definition(group, kind, plural)));
  await create(pod('web-0', {}, {}, { labels: { app: 'web' } }));
  const running = {
    phase: 'Running',
    podIP: '10.0.0.21',
    podIPs: [{ ip: '10.0.0.21' }],
    conditions: [{ type: 'Ready', status: 'True' }],
    containerStatuses: [
      {
        name: 'app',
        image: 'registry.example/app:1.2',
        imageID: '',
        ready: true,
        restartCount: 0,
        state: { running: { startedAt: '2026-01-01T00:00:00Z' } },
      },
    ],
  };
  await kubectl(['patch', 'pod', 'web-0', '-n', NS, '--subresource=status', '-p', json({ status: running })]);
  await create(
    object('v1', 'Service', 'web', {
      spec: { selector: { app: 'web' }, ports: [{ name: 'http', port: 80, targetPort: 8080 }] },
    }),
    object(
      'discovery.k8s.io/v1',
      'EndpointSlice',
      'web-1',
      {
        addressType: 'IPv4',
        endpoints: [{ addresses: ['10.0.0.21'], conditions: { ready: true } }],
        ports: [{ name: 'http', port: 8080 }],
      },
      { labels: { 'kubernetes.io/service-name': 'web' } },
    ),
    object('v1', 'Endpoints', 'web', {
      subsets: [{ addresses: [{ ip: '10.0.0.21' }], ports: [{ name: 'http', port: 8080 }] }],
    }),
  );
}

export async function commands(tools) {
  const { kubectl, api, post, create } = ways(tools);
  const s = of('commands');
  const exec = (...command) => kubectl(['exec', '-n', NS, 'web-0', '--', ...command]);
  await exec('app', `--password=${s('exec, --password=…')}`);
  await exec('mysql', '-uroot', `-p${s('exec, mysql -p…', 'short')}`, '-e', 'select 1');
  await exec('curl', '-u', `me:${s('exec, curl -u user:…', 'special')}`, 'https://internal.example/');
  await exec('sh', '-c', `TOKEN=${s('exec, sh -c with a variable', 'token')} ./run --all`);
  await exec('psql', `postgres://app:${s('exec, connection string', 'password')}@db.shop:5432/orders`);
  await exec('curl', '-H', `X-Api-Key: ${s('exec, curl -H', 'hex')}`, 'http://db/');
  await exec('env', `SECRET=${s('exec, env NAME=value')}`, 'app');
  await exec('redis-cli', '-a', s('exec, redis-cli -a', 'short'), 'ping');
  await exec('sh', '-c', `echo '${s('exec, pass phrase to passwd', 'phrase')}' | passwd --stdin root`);
  await exec('aws', 'configure', 'set', 'aws_secret_access_key', s('exec, aws configure', 'awsSecret'));
  await exec('vault', 'login', s('exec, vault login', 'uuid'));
  await exec('openssl', 'enc', '-aes-256-cbc', '-k', s('exec, openssl -k', 'phrase'), '-in', 'f');
  await exec('sh', '-c', `echo ${base64(s('exec, base64 in a script'))} | base64 -d > /run/key`);
  await exec('sh', '-c', `cat > /etc/app.ini <<E\n[db]\npassword = ${s('exec, here document')}\nE`);
  await exec('htpasswd', '-b', '/etc/users', 'ann', s('exec, htpasswd', 'short'));
  await exec('login', s('exec, bare argument', 'number'));
  await kubectl(['attach', '-n', NS, 'web-0', '-c', 'app']);
  const at = `/api/v1/namespaces/${NS}/pods/web-0`;
  await api({
    method: 'POST',
    target: `${at}/exec?command=env&env=TOKEN%3D${s('exec, env= of the query', 'hex')}&stdout=true`,
  });
  await post(
    `${at}/exec?command=sh&command=-c&command=${encodeURIComponent(`P='${s('exec, twice encoded', 'special')}'; run`).replaceAll('%', '%25')}`,
  );
  await kubectl([
    ...[
      'run',
      'once',
      '-n',
      NS,
      '--image=registry.example/job:1',
      `--env=DB_PASS=${s('run --env')}`,
      '--restart=Never',
    ],
    ...['--command', '--', 'migrate', '--api-token', s('run, argument', 'token')],
  ]);
  await kubectl([
    ...['debug', 'web-0', '-n', NS, '--image=registry.example/tools:1', '--target=app', '-i=false', '-q'],
    ...['--', 'sh', '-c', `export K=${s('ephemeral container, command', 'awsSecret')}; exec probe`],
  ]);
  const probe = (command) => ({ exec: { command } });
  await create(
    pod(
      'commands',
      {
        command: ['server', '--db', `mysql://app:${s('container command')}@db/shop`],
        args: ['--admin-password', s('container args', 'short'), `--seed=${s('container args, phrase', 'phrase')}`],
        lifecycle: {
          postStart: probe(['sh', '-c', `curl -d key=${s('postStart', 'uuid')} http://registrar/`]),
          preStop: { httpGet: { port: 80, path: `/stop?key=${s('preStop, path of httpGet', 'hex')}` } },
        },
        livenessProbe: probe(['pg_isready', '-d', `password=${s('liveness probe')} user=app`]),
        readinessProbe: {
          httpGet: { port: 80, httpHeaders: [{ name: 'X-Probe', value: s('httpHeaders of a probe', 'uuid') }] },
        },
        startupProbe: probe(['check', s('startup probe', 'number')]),
      },
      {
        initContainers: [
          {
            name: 'init',
            image: 'registry.example/init:1',
            command: ['sh', '-c', `git clone https://bot:${s('init container, git clone')}@git.example/x`],
          },
        ],
      },
    ),
  );
}

/** Secrets and ConfigMaps in each verb and encoding. */
export async function secretsAndConfigMaps(tools) {
  const { kubectl, api, create, post, patch } = ways(tools);
  const s = of('secrets and config maps');
  const at = `/api/v1/namespaces/${NS}`;
  await kubectl([
    'create',
    'secret',
    'generic',
    'db',
    '-n',
    NS,
    `--from-literal=password=${s('kubectl create secret')}`,
  ]);
  await kubectl([
    ...[
      'create',
      'secret',
      'docker-registry',
      'pull',
      '-n',
      NS,
      '--docker-server=registry.example',
      '--docker-username=bot',
    ],
    `--docker-password=${s('kubectl create secret docker-registry', 'special')}`,
  ]);
  await kubectl([
    'create',
    'configmap',
    'settings',
    '-n',
    NS,
    `--from-literal=app.ini=key = ${s('kubectl create configmap')}`,
  ]);
  await create(
    object('v1', 'Secret', 'plain', {
      stringData: { text: s('stringData', 'phrase'), pin: s('stringData, number', 'number') },
    }),
    object('v1', 'Secret', 'tls', {
      data: { id_rsa: base64(pemOf(s('data, PEM', 'pem'))), known: base64(s('data, base64 of base64', 'base64')) },
    }),
    object('v1', 'ConfigMap', 'files', {
      data: {
        'app.yaml': `db:\n  host: x\n  pass: ${s('ConfigMap, YAML')}\n`,
        'app.json': json({ nested: { deep: [{ word: s('ConfigMap, JSON', 'special') }] } }),
        'app.properties': `jdbc.url=jdbc:oracle:thin:scott/${s('ConfigMap, properties', 'short')}@//db:1521/x\n`,
        id: s('ConfigMap, bare value', 'uuid'),
        'key.pem': pemOf(s('ConfigMap, PEM', 'pem'), 'EC PRIVATE KEY'),
      },
      binaryData: {
        blob: base64(s('ConfigMap, binaryData', 'token')),
        packed: packed({ p: s('ConfigMap, gzip in binaryData') }),
      },
    }),
  );
  const applied = (name, how) => json(object('v1', 'Secret', name, { stringData: { a: s(how) } }));
  await kubectl(['apply', '--validate=false', '-f', '-'], applied('applied', 'kubectl apply, created'));
  await kubectl(['apply', '--validate=false', '-f', '-'], applied('applied', 'kubectl apply, changed'));
  await kubectl(['apply', '--server-side', '--validate=false', '-f', '-'], applied('server-side', 'server-side apply'));
  await kubectl(['patch', 'secret', 'db', '-n', NS, '-p', json({ stringData: { more: s('strategic patch') } })]);
  await kubectl([
    'patch',
    'secret',
    'db',
    '-n',
    NS,
    '--type=merge',
    '-p',
    json({ data: { b: base64(s('merge patch', 'token')) } }),
  ]);
  const operations = (path, value) => json([{ op: 'add', path, value }]);
  await kubectl([
    'patch',
    'secret',
    'db',
    '-n',
    NS,
    '--type=json',
    '-p',
    operations('/data/c', base64(s('JSON patch of data'))),
  ]);
  await kubectl([
    'patch',
    'configmap',
    'files',
    '-n',
    NS,
    '--type=json',
    '-p',
    operations('/data/d', s('JSON patch of a ConfigMap')),
  ]);
  await kubectl([
    'patch',
    'secret',
    'db',
    '-n',
    NS,
    '--type=json',
    '-p',
    operations('/metadata/annotations', { note: s('JSON patch of annotations', 'phrase') }),
  ]);
  await kubectl(
    ['replace', '--validate=false', '-f', '-'],
    json(object('v1', 'Secret', 'plain', { stringData: { text: s('replace') } })),
  );
  await patch(
    `${at}/secrets/yaml?fieldManager=flux&force=true`,
    'apply-patch+yaml',
    `apiVersion: v1\nkind: Secret\nmetadata:\n  name: yaml\nstringData:\n  a: |\n    user = x\n    pass = ${s('YAML of server-side apply')}\n`,
  );
  await api({
    method: 'POST',
    target: `${at}/configmaps`,
    type: 'application/yaml',
    body: `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: from-yaml}\ndata: {a: "${s('YAML of a create', 'uuid')}"}\n`,
  });
  await api({
    method: 'POST',
    target: `${at}/secrets?dryRun=All`,
    body: json(object('v1', 'Secret', 'dry', { stringData: { a: s('dry run', 'aws') } })),
  });
  await post(
    `${at}/secrets`,
    `{"apiVersion":"v1","kind":"Secret","metadata":{"name":"broken"},"stringData":{"a":"${s('broken JSON', 'hex')}"`,
  );
  await post(
    `${at}/secrets`,
    json(object('v1', 'Secret', 'Bad_Name', { stringData: { a: s('refused as invalid', 'token') } })),
  );
  await post(
    `${at}/secrets?fieldValidation=Strict`,
    json(object('v1', 'Secret', 'strict', { stringdata: { a: s('misspelt member') } })),
  );
  const labels = { note: s('label of a Secret', 'short') };
  await create(
    object('v1', 'Secret', 'labelled', {}, { labels, annotations: { hint: s('annotation of a Secret', 'phrase') } }),
  );
  await kubectl(['annotate', 'secret', 'labelled', '-n', NS, `rotated-from=${s('kubectl annotate')}`]);
  await kubectl(['label', 'configmap', 'files', '-n', NS, `build=${s('kubectl label', 'hex')}`]);
  const other = (how) => object('v1', 'Secret', 'other', { data: { password: base64(s(how)) } });
  // kubectl would write an annotation of its own over one of these.
  await post(
    `${at}/secrets`,
    object(
      'v1',
      'Secret',
      'fleet',
      {},
      {
        annotations: {
          'objectset.rio.cattle.io/applied': packed(other('objectset.rio.cattle.io/applied')),
          'kubectl.kubernetes.io/last-applied-configuration': json(other('last-applied-configuration')),
          'banzaicloud.com/last-applied': packed(other('banzaicloud.com/last-applied')),
          'kapp.k14s.io/original': json(other('kapp.k14s.io/original')),
          'field.cattle.io/projectCreds': s('annotation of Rancher', 'aws'),
        },
      },
    ),
  );
  await create(
    object(
      'v1',
      'ConfigMap',
      'copies',
      {},
      {
        annotations: {
          'meta.helm.sh/values': `auth:\n  password: ${s('Helm values in an annotation')}\n`,
          'fleet.cattle.io/bundle': base64(packed(other('bundle of Fleet, base64 twice'))),
          'kustomize.toolkit.fluxcd.io/substitute': `cluster_secret=${s('substitution of flux', 'uuid')}`,
        },
      },
    ),
    object('v1', 'Secret', 'sh.helm.release.v1.web.v1', {
      type: 'helm.sh/release.v1',
      data: {
        release: base64(
          packed({
            name: 'web',
            config: { db: { word: s('Helm release, values') } },
            manifest: `kind: Secret\nstringData:\n  a: ${s('Helm release, manifest')}\n`,
          }),
        ),
      },
    }),
  );
  for (const accept of [
    'application/json',
    'application/vnd.kubernetes.protobuf',
    'application/json;as=Table;v=v1;g=meta.k8s.io',
    'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io',
    'application/yaml',
  ])
    await api({ target: `${at}/secrets`, headers: { Accept: accept } });
  await api({
    target: `${at}/secrets?includeObject=Object`,
    headers: { Accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' },
  });
  await api({ target: `${at}/configmaps`, headers: { 'Accept-Encoding': 'gzip' } });
  const watch = api({
    target: `${at}/secrets?watch=true&timeoutSeconds=2`,
    headers: { Accept: 'application/vnd.kubernetes.protobuf;stream=watch' },
  });
  await kubectl(['patch', 'secret', 'tls', '-n', NS, '-p', json({ stringData: { late: s('protobuf watch') } })]);
  await watch;
  await kubectl(['get', 'secret', 'plain', '-n', NS, '-o', 'yaml']);
  await kubectl(['delete', 'secret', 'tls', '-n', NS, '--wait=false']);
}

/** [group, kind, plural] of the custom resources, all without a schema. */
const CUSTOM = [
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

function definition(group, kind, plural) {
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

export async function podSpecs(tools) {
  const { create, kubectl } = ways(tools);
  const s = of('specs of pods');
  const env = (...pairs) => pairs.map(([name, value]) => ({ name, value }));
  const template = (container, metadata = {}) => ({
    metadata: { labels: { app: 'w' }, ...metadata },
    spec: { containers: [{ name: 'app', image: 'registry.example/app:1.2', ...container }], restartPolicy: 'Always' },
  });
  const job = (container) => ({
    ...template(container),
    spec: { ...template(container).spec, restartPolicy: 'Never' },
  });
  const selector = { matchLabels: { app: 'w' } };
  await create(
    pod(
      'spec',
      {
        env: env(
          ['DB_PASSWORD', s('env value')],
          ['LOG_LEVEL', s('env value of an innocent name', 'short')],
          ['JAVA_OPTS', `-Dkey=${s('env, option of a JVM', 'uuid')} -Xmx1g`],
          ['CONFIG', json({ a: { b: s('env, JSON') } })],
          ['KEY', pemOf(s('env, PEM', 'pem'))],
        ),
        workingDir: `/srv/${s('workingDir', 'hex')}`,
        volumeMounts: [{ name: 'csi', mountPath: `/mnt/${s('mountPath', 'token')}`, subPath: s('subPath', 'uuid') }],
        terminationMessagePath: `/tmp/${s('terminationMessagePath', 'hex')}`,
      },
      {
        hostname: 'h',
        hostAliases: [{ ip: '10.1.1.1', hostnames: [`${s('hostAliases', 'hex')}.example`] }],
        volumes: [
          {
            name: 'csi',
            csi: {
              driver: 'csi.example',
              volumeAttributes: { token: s('csi, volumeAttributes'), share: s('csi, share', 'token') },
            },
          },
          {
            name: 'flex',
            flexVolume: { driver: 'x/cifs', options: { opts: `username=a,password=${s('flexVolume, options')}` } },
          },
          {
            name: 'iscsi',
            iscsi: { targetPortal: '10.1.1.2:3260', iqn: `iqn.2026-01.example:${s('iscsi, iqn', 'hex')}`, lun: 0 },
          },
          { name: 'host', hostPath: { path: `/var/lib/${s('hostPath', 'uuid')}` } },
          { name: 'nfs', nfs: { server: 'nfs.example', path: `/export/${s('nfs, path', 'hex')}` } },
          { name: 'git', gitRepo: { repository: `https://x:${s('gitRepo', 'token')}@git.example/r` } },
          {
            name: 'ceph',
            rbd: { monitors: ['m:6789'], image: 'img', pool: 'p', keyring: `/etc/${s('rbd, keyring', 'hex')}` },
          },
        ],
        securityContext: { sysctls: [{ name: 'kernel.x', value: s('sysctl', 'number') }] },
        dnsConfig: { options: [{ name: 'note', value: s('dnsConfig, option', 'short') }] },
        readinessGates: [],
      },
      {
        annotations: {
          'vault.hashicorp.com/agent-inject-token': s('annotation of a sidecar injector', 'uuid'),
          'sidecar.istio.io/bootstrapOverride': json({ key: s('annotation, JSON') }),
          'example.com/contact': s('annotation, phrase', 'phrase'),
          'prometheus.io/path': `/metrics?token=${s('annotation, path', 'hex')}`,
          'kubernetes.io/config.note': s('annotation of a kubernetes.io name', 'number'),
        },
      },
    ),
    object('apps/v1', 'Deployment', 'w', {
      spec: {
        replicas: 1,
        selector,
        template: template(
          { env: env(['A', s('Deployment, env')]), args: ['-k', s('Deployment, args', 'aws')] },
          { annotations: { salt: s('Deployment, annotation of the template') } },
        ),
      },
    }),
    object('apps/v1', 'StatefulSet', 'ss', {
      spec: { serviceName: 'ss', selector, template: template({ env: env(['A', s('StatefulSet, env')]) }) },
    }),
    object('apps/v1', 'DaemonSet', 'ds', {
      spec: { selector, template: template({ command: ['agent', `--join=${s('DaemonSet, command', 'bootstrap')}`] }) },
    }),
    object('batch/v1', 'Job', 'j', { spec: { template: job({ command: ['dump', s('Job, command')] }) } }),
    object('batch/v1', 'CronJob', 'cj', {
      spec: { schedule: '0 0 1 1 *', jobTemplate: { spec: { template: job({ env: env(['A', s('CronJob, env')]) }) } } },
    }),
    object('v1', 'PodTemplate', 'pt', { template: template({ env: env(['A', s('PodTemplate, env')]) }) }),
    object('v1', 'ReplicationController', 'rc', {
      spec: {
        replicas: 0,
        selector: { app: 'w' },
        template: template({ args: [s('ReplicationController, args', 'number')] }),
      },
    }),
  );
  await kubectl(['set', 'env', 'deployment/w', '-n', NS, `B=${s('kubectl set env')}`]);
  await kubectl([
    'patch',
    'deployment',
    'w',
    '-n',
    NS,
    '-p',
    json({
      spec: { template: { spec: { containers: [{ name: 'app', env: env(['C', s('strategic patch of env')]) }] } } },
    }),
  ]);
  await kubectl([
    'patch',
    'deployment',
    'w',
    '-n',
    NS,
    '--type=json',
    '-p',
    json([{ op: 'add', path: '/spec/template/spec/containers/0/args/-', value: `--pw=${s('JSON patch of args')}` }]),
  ]);
  await kubectl(['get', 'pods', '-n', NS]);
  await kubectl(['describe', 'pod', 'spec', '-n', NS]);
}

export async function eventsAndStatuses(tools) {
  const { create, kubectl, post, api } = ways(tools);
  const s = of('events and statuses');
  const event = (name, reason, message, rest = {}) => ({
    ...object('v1', 'Event', `web-0.${name}`, {
      involvedObject: {
        apiVersion: 'v1',
        kind: 'Pod',
        name: 'web-0',
        namespace: NS,
        fieldPath: 'spec.containers{app}',
      },
      reason,
      message,
      type: 'Warning',
      source: { component: 'kubelet', host: 'node-1' },
      firstTimestamp: '2026-01-01T00:00:00Z',
      lastTimestamp: '2026-01-01T00:00:00Z',
      count: 1,
      ...rest,
    }),
  });
  await create(
    event(
      'a1',
      'Unhealthy',
      `Liveness probe failed: HTTP probe failed: Get "http://10.0.0.21:8080/health?key=${s('Unhealthy, URL', 'hex')}": EOF`,
    ),
    event(
      'a2',
      'Unhealthy',
      `Readiness probe failed: psql: FATAL: password "${s('Unhealthy, output of a probe')}" is wrong`,
    ),
    event(
      'a3',
      'Failed',
      `Failed to pull image "registry.example/app:1.2": failed to do request: Head "https://bot:${s('Failed, user-info', 'token')}@registry.example/v2/": EOF`,
    ),
    event(
      'a4',
      'Failed',
      `Failed to pull image "registry.example/app:1.2": Get "https://blobs.example/x?X-Amz-Signature=${s('Failed, signature', 'hex')}&X-Amz-Credential=${s('Failed, credential', 'aws')}": 403`,
    ),
    event(
      'a5',
      'FailedPostStartHook',
      `Exec lifecycle hook ([sh -c register --key ${s('FailedPostStartHook')}]) for Container "app" failed - error: exit 1`,
    ),
    event(
      'a6',
      'FailedMount',
      `MountVolume.SetUp failed for volume "v": mount failed: exit status 32 Mounting arguments: -t cifs -o username=a,password=${s('FailedMount', 'special')} //s/x`,
    ),
    event(
      'a7',
      'ProvisioningFailed',
      `failed to provision: rpc error: code = Unauthenticated desc = key ${s('ProvisioningFailed', 'awsSecret')} rejected`,
    ),
    event('a8', 'SyncError', s('a bare secret', 'uuid')),
    event('a9', 'Reconciled', `the pass phrase is ${s('phrase', 'phrase')} now`),
    event(
      'a10',
      'BackOff',
      `Back-off restarting failed container app --pin ${s('BackOff, more words', 'number')} in pod web-0`,
    ),
    event('a11', 'Note', 'ok', {
      action: s('action of an Event', 'short'),
      reportingComponent: 'x',
      reportingInstance: s('reportingInstance', 'hex'),
    }),
    event('a12', 'Scheduled', `Successfully assigned shop/web-0 to ${s('Scheduled, in place of a node', 'token')}`),
    event('a13', 'Annotated', 'ok', {
      metadata: { name: 'web-0.a13', namespace: NS, annotations: { cause: s('annotation of an Event') } },
    }),
    event(
      'a14',
      'Pulled',
      `Container image "https://u:${s('Pulled, in place of an image')}@registry.example/x" already present on machine`,
    ),
  );
  await post(
    `/apis/events.k8s.io/v1/namespaces/${NS}/events`,
    object('events.k8s.io/v1', 'Event', 'web-0.b1', {
      eventTime: '2026-01-01T00:00:00.000000Z',
      reportingController: 'example.com/ctl',
      reportingInstance: 'ctl-0',
      action: 'Login',
      reason: 'LoginFailed',
      type: 'Warning',
      regarding: { apiVersion: 'v1', kind: 'Pod', name: 'web-0', namespace: NS },
      note: `bind with '${s('note of an Event')}' refused`,
    }),
  );
  const container = (state) => ({
    name: 'app',
    image: 'registry.example/app:1.2',
    imageID: '',
    ready: false,
    restartCount: 3,
    state,
  });
  const status = {
    message: `The node said: ${s('Pod, status.message')}`,
    reason: 'Evicted',
    conditions: [
      {
        type: 'Ready',
        status: 'False',
        reason: 'X',
        message: `containers with unready status: [${s('Pod, condition')}]`,
      },
    ],
    containerStatuses: [
      container({
        waiting: {
          reason: 'ImagePullBackOff',
          message: `Back-off pulling image: GET https://r.example/token?account=${s('waiting, message', 'uuid')}`,
        },
      }),
    ],
  };
  await kubectl(['patch', 'pod', 'web-0', '-n', NS, '--subresource=status', '-p', json({ status })]);
  await kubectl([
    'patch',
    'pod',
    'web-0',
    '-n',
    NS,
    '--subresource=status',
    '-p',
    json({
      status: {
        containerStatuses: [
          {
            ...container({
              terminated: {
                exitCode: 1,
                reason: 'Error',
                message: `panic: cannot log in as ${s('termination message')}\n`,
              },
            }),
            lastState: {
              terminated: { exitCode: 2, reason: 'Error', message: s('termination message, lastState', 'short') },
            },
          },
        ],
      },
    }),
  ]);
  await kubectl([
    'patch',
    'job',
    'j',
    '-n',
    NS,
    '--subresource=status',
    '-p',
    json({
      status: {
        conditions: [{ type: 'SuccessCriteriaMet', status: 'True', reason: 'X', message: s('Job, condition', 'aws') }],
      },
    }),
  ]);
  await kubectl([
    'patch',
    'node',
    'node-1',
    '--subresource=status',
    '-p',
    json({
      status: {
        conditions: [{ type: 'Disk', status: 'True', reason: 'X', message: `smartctl --auth ${s('Node, condition')}` }],
      },
    }),
  ]);
  // Validation quotes what was sent.
  const invalid = (rest) => post(`/api/v1/namespaces/${NS}/pods`, pod('invalid', {}, rest));
  await invalid({ restartPolicy: s('validation of an enum') });
  await invalid({ hostname: s('validation of a hostname', 'special') });
  await invalid({ tolerations: [{ key: 'a', operator: s('validation of an operator', 'short') }] });
  await post(`/api/v1/namespaces/${NS}/pods`, {
    ...pod('typed', {}),
    spec: { containers: { wrong: s('decoder error', 'hex') } },
  });
  await post(
    `/api/v1/namespaces/${NS}/services`,
    object('v1', 'Service', 'bad', {
      spec: {
        ports: [{ port: 80 }],
        externalName: s('validation of an external name', 'special'),
        type: 'ExternalName',
      },
    }),
  );
  await api({ target: `/api/v1/namespaces/${NS}/pods?limit=1&continue=${s('error of a continue token', 'hex')}` });
  await api({ target: `/api/v1/namespaces/${NS}/pods?resourceVersion=${s('error of a resource version', 'token')}` });
  await api({
    method: 'PUT',
    target: `/api/v1/namespaces/${NS}/pods/web-0`,
    body: json(pod('web-0', { env: [{ name: 'X', value: s('diff of a forbidden update') }] })),
  });
}

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

export async function admissionAndOthers(tools) {
  const { create, post, api, kubectl } = ways(tools);
  const { hook } = tools;
  const s = of('admission and aggregated');
  const webhook = (kind, path, resources) =>
    cluster(
      'admissionregistration.k8s.io/v1',
      `${kind}WebhookConfiguration`,
      `${kind.toLowerCase()}.example`,
      {
        webhooks: [
          {
            name: 'hook.example.com',
            sideEffects: 'None',
            admissionReviewVersions: ['v1'],
            failurePolicy: 'Ignore',
            timeoutSeconds: 3,
            clientConfig: { url: `https://10.0.0.20:9443${path}`, caBundle: base64(tools.ca) },
            rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE', 'UPDATE'], resources }],
            objectSelector: { matchLabels: { hooked: 'yes' } },
          },
        ],
      },
      { annotations: { note: s(`annotation of a ${kind} webhook`) } },
    );
  const patches = [
    { op: 'add', path: '/metadata/annotations', value: { injected: s('patch of a webhook, annotation') } },
    { op: 'add', path: '/data/added', value: s('patch of a webhook, data') },
  ];
  const mutated = {
    patchType: 'JSONPatch',
    patch: base64(json(patches)),
    auditAnnotations: { why: s('audit annotation') },
    warnings: [`the key ${s('warning of a webhook', 'uuid')} is old`],
  };
  const denied = {
    code: 403,
    reason: 'Forbidden',
    message: `value "${s('verdict')}" is on the list of leaked passwords`,
    details: { causes: [{ reason: 'X', message: s('verdict, cause', 'phrase'), field: 'data' }] },
  };
  hook.answer = ({ uid, object: judged }, path) => {
    if (path.startsWith('/mutate')) return { uid, allowed: true, ...mutated };
    return judged.metadata.name === 'denied' ? { uid, allowed: false, status: denied } : { uid, allowed: true };
  };
  await create(
    webhook('Mutating', `/mutate/${s('URL of a mutating webhook', 'hex')}`, ['configmaps']),
    webhook('Validating', `/validate/${s('URL of a validating webhook', 'token')}`, ['configmaps', 'secrets']),
  );
  await new Promise((done) => setTimeout(done, 1500));
  const labels = { hooked: 'yes' };
  await create(object('v1', 'ConfigMap', 'hooked', { data: { a: s('AdmissionReview, object'), b: 'x' } }, { labels }));
  await kubectl([
    'patch',
    'configmap',
    'hooked',
    '-n',
    NS,
    '-p',
    json({ data: { a: s('AdmissionReview, changed object') } }),
  ]);
  await create(
    object('v1', 'Secret', 'denied', { stringData: { a: s('AdmissionReview, denied Secret') } }, { labels }),
  );
  await create(
    cluster('admissionregistration.k8s.io/v1', 'ValidatingAdmissionPolicy', 'weak', {
      spec: {
        matchConstraints: {
          resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }],
        },
        matchConditions: [{ name: 'x', expression: `object.metadata.name != "${s('expression of a policy', 'hex')}"` }],
        validations: [
          { expression: '!("weak" in object.data)', messageExpression: '"value " + object.data.weak + " is weak"' },
        ],
      },
    }),
    cluster('admissionregistration.k8s.io/v1', 'ValidatingAdmissionPolicyBinding', 'weak', {
      spec: { policyName: 'weak', validationActions: ['Deny'] },
    }),
  );
  await new Promise((done) => setTimeout(done, 2500));
  await create(object('v1', 'ConfigMap', 'weak', { data: { weak: s('verdict of a policy', 'short') } }));
  await kubectl(['delete', 'validatingadmissionpolicybinding', 'weak']);
  await create(
    cluster('storage.k8s.io/v1', 'StorageClass', 'gluster', {
      provisioner: 'csi.example',
      parameters: { resturl: 'http://h', restuserkey: s('StorageClass, parameter') },
      mountOptions: [`password=${s('StorageClass, mount option')}`],
    }),
    cluster('v1', 'PersistentVolume', 'pv', {
      spec: {
        capacity: { storage: '1Gi' },
        accessModes: ['ReadWriteOnce'],
        csi: {
          driver: 'csi.example',
          volumeHandle: `smb#${s('PersistentVolume, volumeHandle', 'token')}`,
          volumeAttributes: { auth: s('PersistentVolume, attribute') },
        },
        mountOptions: [`pass=${s('PersistentVolume, mount option')}`],
      },
    }),
    object(
      'networking.k8s.io/v1',
      'Ingress',
      'web',
      {
        spec: {
          rules: [
            {
              host: 'web.example',
              http: {
                paths: [
                  {
                    path: `/hooks/${s('Ingress, path', 'token')}`,
                    pathType: 'Prefix',
                    backend: { service: { name: 'web', port: { number: 80 } } },
                  },
                ],
              },
            },
          ],
        },
      },
      {
        annotations: {
          'nginx.ingress.kubernetes.io/configuration-snippet': `proxy_set_header X-Key "${s('Ingress, snippet')}";`,
        },
      },
    ),
    object(
      'v1',
      'Service',
      'lb',
      { spec: { ports: [{ port: 80 }], type: 'ClusterIP' } },
      { annotations: { 'service.beta.kubernetes.io/lb-key': s('annotation of a Service', 'aws') } },
    ),
    cluster('rbac.authorization.k8s.io/v1', 'ClusterRole', 'r', {
      rules: [{ nonResourceURLs: [`/hooks/${s('ClusterRole, URL', 'hex')}`], verbs: ['get'] }],
    }),
    cluster(
      'apiregistration.k8s.io/v1',
      'APIService',
      'v1.metrics.example',
      {
        spec: {
          group: 'metrics.example',
          version: 'v1',
          groupPriorityMinimum: 1,
          versionPriority: 1,
          insecureSkipTLSVerify: true,
          service: { name: 'web', namespace: NS },
        },
      },
      { annotations: { key: s('annotation of an APIService') } },
    ),
    cluster('scheduling.k8s.io/v1', 'PriorityClass', 'p', {
      value: 1,
      description: `deploy key ${s('description of a PriorityClass')}`,
    }),
  );
  await post('/apis/metrics.example/v1/things', {
    apiVersion: 'metrics.example/v1',
    kind: 'Thing',
    spec: { word: s('body to an aggregated API') },
  });
  await api({ target: `/apis/metrics.example/v1/things?api_key=${s('query to an aggregated API', 'hex')}` });
  const agents = of('user agents and user-infos');
  await api({
    target: '/api/v1/nodes?limit=1',
    headers: { 'User-Agent': `tool/1.0 (key=${agents('user agent, key=…', 'hex')})` },
  });
  await api({
    target: '/api/v1/nodes?limit=1',
    headers: { 'User-Agent': `backup/2 ${agents('user agent, bare', 'uuid')}` },
  });
  await api({
    target: '/api/v1/nodes?limit=1',
    headers: { 'User-Agent': `agent/1.0 (linux/amd64) ${agents('user agent, phrase', 'phrase')}` },
  });
  await api({ target: '/api/v1/nodes', user: `ann:${agents('basic authentication', 'special')}` });
}

export async function nestedEncodings(tools) {
  const { create, api } = ways(tools);
  const s = of('nested encodings');
  const hex = (text) => Buffer.from(text).toString('hex');
  await create(
    object(
      'db.example/v1',
      'Database',
      'nested',
      {
        spec: {
          jsonInJson: json({ a: json({ b: json({ c: s('JSON in JSON in JSON', 'special') }) }) }),
          yamlOfJson: `config: '${json({ a: s('JSON in YAML') })}'\n`,
          base64OfJson: base64(json({ word: s('base64 of JSON') })),
          base64OfGzip: packed({ word: s('base64 of gzip') }),
          base64Twice: base64(base64(s('base64 of base64', 'short'))),
          urlSafe: Buffer.from(`?>${s('base64url', 'special')}`).toString('base64url'),
          hex: hex(s('hex')),
          upperHex: hex(s('upper hex')).toUpperCase(),
          percent: encodeURIComponent(s('URL-encoded', 'special')),
          shifted1: base64(`x${s('base64, shifted by one')}`),
          shifted2: base64(`xy${s('base64, shifted by two')}`),
          dataUrl: `data:text/plain;base64,${base64(s('data URL', 'phrase'))}`,
          gzipTwice: gzipSync(gzipSync(s('gzip of gzip'))).toString('base64'),
        },
      },
      {
        annotations: {
          'a/yaml': `users:\n- name: x\n  pw: "${s('YAML in an annotation')}"\n`,
          'a/json': json([{ env: [{ name: 'A', value: s('JSON in an annotation') }] }]),
          'a/b64': base64(json({ data: { pw: base64(s('base64 in base64 in an annotation')) } })),
          'a/toml': `[db]\npw = '${s('TOML in an annotation', 'short')}'`,
        },
      },
    ),
  );
  await api({
    target: `/api/v1/namespaces/${NS}/services/web:80/proxy/go?next=${encodeURIComponent(`https://x.example/cb?state=${s('URL in a query', 'hex')}`)}`,
  });
  await api({
    target: `/api/v1/namespaces/${NS}/services/web:80/proxy/go?q=${base64(json({ k: s('base64 in a query') })).replaceAll('=', '%3D')}`,
  });
  await api({
    target: `/api/v1/namespaces/${NS}/services/web:80/proxy/go`,
    headers: { 'X-State': base64(json({ k: s('base64 in a header field') })) },
  });
  await api({
    target: `/api/v1/namespaces/${NS}/services/web:80/proxy/${base64(`u:${s('base64 in a path', 'hex')}`).replaceAll('=', '')}/go`,
  });
}
