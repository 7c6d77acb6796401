// Plants secrets in Secrets and ConfigMaps: verbs, encodings, patches, annotations.

import { base64, pemOf } from '../secrets.js';
import { json, NS, object, of, packed, ways } from './kit.js';

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
