// Plants secrets in requests to a kubelet.

import { json, of } from './kit.js';

export async function kubeletApi({ kubelet, api }) {
  const s = of('kubelet');
  const text = (body) => ({ type: 'text/plain', body });
  await kubelet({
    method: 'POST',
    target: `/run/shop/web-0/app?cmd=${encodeURIComponent(`mysql -p${s('run, cmd=', 'short')}`)}`,
    answer: text(`pw is ${s('run, output')}\n`),
  });
  await kubelet({
    method: 'POST',
    target: `/exec/shop/web-0/app?command=app&command=--key&command=${s('exec, command=', 'token')}&output=1`,
    answer: { status: 400, ...text(`unable to upgrade: ${s('exec, error')}`) },
  });
  await kubelet({
    target: '/containerLogs/shop/web-0/app?tailLines=1',
    answer: text(`login with ${s('containerLogs')}\n`),
  });
  await kubelet({
    target: '/pods',
    answer: {
      body: json({
        kind: 'PodList',
        apiVersion: 'v1',
        metadata: {},
        items: [
          {
            metadata: { name: 'web-0', namespace: 'shop', annotations: { a: s('pods, annotation') } },
            spec: {
              containers: [
                {
                  name: 'app',
                  image: 'x',
                  env: [{ name: 'A', value: s('pods, env') }],
                  args: [s('pods, args', 'hex')],
                },
              ],
            },
          },
        ],
      }),
    },
  });
  await kubelet({
    target: '/configz',
    answer: {
      body: json({
        kubeletconfig: {
          staticPodURLHeader: { 'X-Key': [s('configz, staticPodURLHeader')] },
          clusterDNS: ['10.96.0.10'],
        },
      }),
    },
  });
  await kubelet({ target: '/logs/app.log', answer: text(`GET /?key=${s('log of a node', 'hex')}\n`) });
  await kubelet({
    target: '/healthz',
    headers: { Authorization: `Bearer ${s('bearer token', 'jwt')}` },
    answer: text('ok'),
  });
  await kubelet({ target: '/metrics', answer: text(`up{token="${s('label of a metric', 'token')}"} 1\n`) });
  await kubelet({
    method: 'POST',
    target: '/checkpoint/shop/web-0/app',
    answer: { body: json({ items: [`/var/lib/kubelet/checkpoints/${s('checkpoint, file', 'uuid')}.tar`] }) },
  });
  await api({ target: '/api/v1/namespaces/shop/pods/web-0/log?tailLines=1' });
  await api({
    target: `/api/v1/nodes/node-1/proxy/run/shop/web-0/app?cmd=${encodeURIComponent(`curl -u a:${s('run through the proxy of a Node')} x`)}`,
    method: 'POST',
  });
  await api({ target: '/api/v1/nodes/node-1/proxy/configz' });
}
