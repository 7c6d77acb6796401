import { describe, expect, it } from 'vitest';
import { pb } from '../../../../../test/kit/protobuf-kit.js';
import type { FamilyCall, RpcFamily, RpcPayload } from '../payload.js';
import { criFamily } from './cri.js';

const SANDBOX = 'a39a2a1e1ac6a71060bb610f5b739d8d';
const CONTAINER = '6eb88ed37942e5756954aaaabbbbcccc';
const POD = pb([1, 'web-x2x1'], [2, 'uid-1'], [3, 'default'], [4, 1]);

function context(
  cri: RpcFamily,
  method: string,
  request: Uint8Array,
  response: Uint8Array,
): { asked: RpcPayload; told: RpcPayload } {
  const service = method.includes('Image') ? 'runtime.v1.ImageService' : 'runtime.v1.RuntimeService';
  const call: FamilyCall = { service, method, memory: null };
  const asked = cri.readRequest(call, request);
  return { asked, told: cri.readResponse(call, response) };
}

const create = pb(
  [1, SANDBOX],
  [2, pb([1, pb([1, 'nginx'])], [2, pb([1, 'nginx:latest'])], [6, pb([1, 'TOKEN'], [2, 'hunter2'])])],
  [3, pb([1, POD])],
);

describe('the life of a Pod', () => {
  const cri = criFamily();

  it('RunPodSandbox is about the Pod; its answer names the sandbox', () => {
    const { asked, told } = context(cri, 'RunPodSandbox', pb([1, pb([1, POD])]), pb([1, SANDBOX]));
    expect(asked).toMatchObject({
      words: 'web-x2x1',
      resource: 'pods',
      namespace: 'default',
      name: 'web-x2x1',
      object: { apiVersion: 'v1', kind: 'Pod', namespace: 'default', name: 'web-x2x1', uid: 'uid-1' },
    });
    expect(told).toMatchObject({ words: ', sandbox a39a2a1e1ac6', podSandboxId: SANDBOX, object: { uid: 'uid-1' } });
  });

  it('PullImage: the image, and the Pod for which it is pulled', () => {
    const auth = pb([1, 'robot'], [2, 'hunter2']);
    const request = pb([1, pb([1, 'nginx:latest'])], [2, auth], [3, pb([1, POD])]);
    const { asked, told } = context(cri, 'PullImage', request, pb([1, `sha256:${CONTAINER}`]));
    expect(asked).toMatchObject({ words: 'nginx:latest', image: 'nginx:latest', object: { uid: 'uid-1' } });
    expect(told.words).toBe(', image 6eb88ed37942');
    expect(JSON.stringify([asked, told])).not.toMatch(/hunter2|robot/);
  });

  it('CreateContainer: container and Pod; its environment stays where it is', () => {
    const { asked, told } = context(cri, 'CreateContainer', create, pb([1, CONTAINER]));
    expect(asked).toMatchObject({ words: 'nginx in web-x2x1', podSandboxId: SANDBOX, image: 'nginx:latest' });
    expect(told).toMatchObject({ words: ', container 6eb88ed37942', containerId: CONTAINER, podSandboxId: SANDBOX });
    expect(JSON.stringify([asked, told])).not.toMatch(/hunter2|TOKEN/);
  });

  it.each(['StartContainer', 'StopContainer', 'RemoveContainer', 'ContainerStatus', 'ExecSync'])(
    '%s: the id is joined to container and Pod',
    (method) => {
      const { asked } = context(cri, method, pb([1, CONTAINER]), pb());
      expect(asked).toMatchObject({
        words: 'nginx in web-x2x1 (6eb88ed37942)',
        containerId: CONTAINER,
        podSandboxId: SANDBOX,
        object: { kind: 'Pod', uid: 'uid-1' },
      });
    },
  );

  it.each(['StopPodSandbox', 'RemovePodSandbox', 'PodSandboxStatus'])('%s: the id is joined to the Pod', (method) => {
    expect(context(cri, method, pb([1, SANDBOX]), pb()).asked).toMatchObject({
      words: 'web-x2x1 (a39a2a1e1ac6)',
      podSandboxId: SANDBOX,
      object: { uid: 'uid-1' },
    });
  });

  it('states and exit codes', () => {
    const exited = pb([1, pb([1, CONTAINER], [3, 2], [7, 137])]);
    expect(context(cri, 'ContainerStatus', pb([1, CONTAINER]), exited).told.words).toBe(
      ', CONTAINER_EXITED, exit code 137',
    );
    const ready = pb([1, pb([1, SANDBOX])]);
    expect(context(cri, 'PodSandboxStatus', pb([1, SANDBOX]), ready).told.words).toBe(', SANDBOX_READY');
    expect(context(cri, 'ExecSync', pb([1, CONTAINER], [2, 'cat']), pb([1, 'out'], [3, 3])).told.words).toBe(
      ', exit code 3',
    );
  });

  it('an event of the runtime', () => {
    const call = { service: 'runtime.v1.RuntimeService', method: 'GetContainerEvents', memory: null };
    expect(cri.readStreamed(call, pb([1, CONTAINER], [2, 1]))).toMatchObject([
      { words: 'CONTAINER_STARTED_EVENT nginx in web-x2x1 (6eb88ed37942)', containerId: CONTAINER },
    ]);
  });
});

describe('older than the capture', () => {
  it('lists identify the ids', () => {
    const cri = criFamily();
    const sandbox = pb([1, SANDBOX], [2, POD]);
    expect(context(cri, 'ListPodSandbox', pb(), pb([1, sandbox], [1, sandbox])).told.words).toBe(' (2 sandboxes)');
    const container = pb([1, CONTAINER], [2, SANDBOX], [3, pb([1, 'nginx'])], [4, pb([1, 'nginx:latest'])]);
    expect(context(cri, 'ListContainers', pb(), pb([1, container])).told.words).toBe(' (1 container)');
    expect(context(cri, 'StopContainer', pb([1, CONTAINER]), pb()).asked).toMatchObject({
      words: 'nginx in web-x2x1 (6eb88ed37942)',
      object: { uid: 'uid-1' },
    });
  });

  it('an unknown id is an id', () => {
    const { asked } = context(criFamily(), 'StopContainer', pb([1, CONTAINER]), pb());
    expect(asked.words).toBe('6eb88ed37942');
    expect(asked.object).toBeUndefined();
  });

  it("a container of the Pod's own name is written once, another namespace is named", () => {
    const cri = criFamily();
    const pod = pb([1, 'nginx'], [2, 'u'], [3, 'kube-system']);
    expect(context(cri, 'RunPodSandbox', pb([1, pb([1, pod])]), pb([1, SANDBOX])).asked.words).toBe(
      'kube-system/nginx',
    );
    const own = pb([1, SANDBOX], [2, pb([1, pb([1, 'nginx'])])], [3, pb([1, pb([1, 'nginx'], [3, 'default'])])]);
    expect(context(cri, 'CreateContainer', own, pb([1, CONTAINER])).asked.words).toBe('nginx');
  });
});

it('cut at any byte it reads on and never throws', () => {
  let read = 0;
  for (let end = 0; end <= create.length; end++)
    read += context(criFamily(), 'CreateContainer', create.subarray(0, end), create.subarray(0, end)).asked.kind.length;
  expect(read).toBeGreaterThan(create.length);
});
