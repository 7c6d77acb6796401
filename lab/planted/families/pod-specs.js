// Plants secrets in specs of Pods and Jobs.

import { pemOf } from '../secrets.js';
import { json, NS, object, of, pod, ways } from './kit.js';

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
