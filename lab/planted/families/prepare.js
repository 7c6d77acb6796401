// Makes nodes, namespaces and Pods that later families use. Nothing is planted here.

import { NODE } from '../cluster.js';
import { CUSTOM, definition } from './custom-resources.js';
import { cluster, json, NS, object, pod, ways } from './kit.js';

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
