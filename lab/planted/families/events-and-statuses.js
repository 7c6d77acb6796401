// Plants secrets in Events, failures, conditions and termination messages.

import { json, NS, object, of, pod, ways } from './kit.js';

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
