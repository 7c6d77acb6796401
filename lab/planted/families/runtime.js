// Plants secrets in calls of the container runtime interface.

import { base64 } from '../secrets.js';
import { message } from '../servers.js';
import { json, of } from './kit.js';

export async function runtime({ cri }) {
  const s = of('container runtime');
  const service = '/runtime.v1.RuntimeService';
  const map = (number, name, value) => [
    number,
    [
      [1, name],
      [2, value],
    ],
  ];
  await cri(
    `${service}/RunPodSandbox`,
    message([
      1,
      [
        [
          1,
          [
            [1, 'web-0'],
            [2, 'uid-1'],
            [3, 'shop'],
          ],
        ],
        map(6, 'l', s('sandbox, label')),
        map(7, 'vault/token', s('sandbox, annotation', 'uuid')),
        [4, [[2, `${s('sandbox, DNS search', 'hex')}.example`]]],
      ],
    ]),
    { message: message([1, 'sandbox-1']) },
  );
  await cri(
    `${service}/CreateContainer`,
    message(
      [1, 'sandbox-1'],
      [
        2,
        [
          [1, [[1, 'app']]],
          [2, [[1, 'registry.example/app:1.2']]],
          [3, 'server'],
          [3, `--db=mysql://a:${s('CreateContainer, command')}@db`],
          [4, '--pin'],
          [4, s('CreateContainer, args', 'number')],
          [5, `/srv/${s('CreateContainer, working directory', 'uuid')}`],
          [
            6,
            [
              [1, 'DB_PW'],
              [2, s('CreateContainer, envs')],
            ],
          ],
          [
            6,
            [
              [1, 'JSON'],
              [2, json({ a: s('CreateContainer, envs, JSON') })],
            ],
          ],
          [
            7,
            [
              [1, '/x'],
              [2, `/var/${s('CreateContainer, mount', 'hex')}`],
            ],
          ],
          map(9, 'l', s('CreateContainer, label')),
          map(10, 'io.kubernetes.pod.note', s('CreateContainer, annotation', 'phrase')),
        ],
      ],
    ),
    { message: message([1, 'container-1']) },
  );
  await cri(
    `${service}/ExecSync`,
    message([1, 'container-1'], [2, 'pg_isready'], [2, `--dbname=password=${s('ExecSync, command')}`]),
    { message: message([1, `word ${s('ExecSync, stdout')} ok`], [2, `key ${s('ExecSync, stderr', 'hex')}`]) },
  );
  await cri(
    `${service}/Exec`,
    message([1, 'container-1'], [2, 'sh'], [2, '-c'], [2, `login ${s('Exec, command', 'phrase')}`], [5, 1]),
    { message: message([1, `http://10.0.0.11:41000/exec/${s('Exec, URL', 'short')}`]) },
  );
  await cri(
    '/runtime.v1.ImageService/PullImage',
    message(
      [1, [[1, 'registry.example/app:1.2'], map(2, 'k', s('PullImage, annotation'))]],
      [
        2,
        [
          [1, 'bot'],
          [2, s('PullImage, password')],
          [3, base64(`bot:${s('PullImage, auth', 'special')}`)],
          [5, s('PullImage, identity token', 'jwt')],
          [6, s('PullImage, registry token', 'token')],
        ],
      ],
    ),
    {
      status: '2',
      text: `failed to pull: Get "https://u:${s('PullImage, error')}@r/v2/?sig=${s('PullImage, error, signature', 'hex')}": 403`,
    },
  );
  const info = json({
    runtimeSpec: {
      process: { env: [`A=${s('ContainerStatus, info, env')}`], args: ['x', s('ContainerStatus, info, args')] },
      annotations: { n: s('ContainerStatus, info, annotation') },
    },
  });
  await cri(`${service}/ContainerStatus`, message([1, 'container-1'], [2, 1]), {
    message: message(
      [
        1,
        [
          [1, 'container-1'],
          [2, [[1, 'app']]],
          [3, 2],
          [7, 1],
          [10, 'Error'],
          [11, `cannot log in with ${s('ContainerStatus, message')}`],
          map(13, 'a', s('ContainerStatus, annotation', 'aws')),
          [15, `/var/log/${s('ContainerStatus, log path', 'token')}`],
        ],
      ],
      map(2, 'info', info),
    ),
  });
  await cri(`${service}/PodSandboxStatus`, message([1, 'sandbox-1'], [2, 1]), {
    message: message(
      [1, [[1, 'sandbox-1']]],
      map(2, 'info', json({ config: { annotations: { x: s('PodSandboxStatus, info') } } })),
    ),
  });
  await cri(`${service}/ListContainers`, message(), {
    message: message([
      1,
      [[1, 'container-1'], [2, 'sandbox-1'], [3, [[1, 'app']]], map(9, 'a', s('ListContainers, annotation'))],
    ]),
  });
  await cri(`${service}/CreateContainer`, message([1, 'sandbox-1'], [2, [[1, [[1, 'bad']]]]]), {
    status: '3',
    text: `invalid env "${s('CreateContainer, error')}"`,
  });
  await cri(`${service}/Version`, message([1, '0.1.0']), {
    message: message([1, '0.1.0'], [2, 'containerd'], [3, 'v2'], [4, 'v1']),
    metadata: { 'x-audit-key': s('metadata of an unknown name', 'hex') },
  });
  await cri(
    '/csi.v1.Node/NodePublishVolume',
    message(
      [1, 'vol'],
      [
        7,
        [
          [1, 'password'],
          [2, s('CSI, secrets of a call')],
        ],
      ],
    ),
    { message: message() },
  );
}
