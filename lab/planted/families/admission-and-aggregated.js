// Plants secrets in reviews, verdicts, warnings and aggregated APIs.

import { base64 } from '../secrets.js';
import { cluster, json, NS, object, of, ways } from './kit.js';

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
