// Reads which Pod, container and image the kubelet's calls of its container runtime are about. A container's environment,
// mounts, credentials and commands are not read.
// Source: k8s.io/cri-api/pkg/apis/runtime/v1/api.proto

import { dictionary } from '../../../../core/collections/dictionary.js';
import { criTable } from '../../../../protobuf/tables.js';
import { FieldReader, findField, LENGTH_DELIMITED } from '../../../../protobuf/wire.js';
import { labelName } from '../../../api/object-ref.js';
import { type FamilyCall, payload, type RpcFamily, type RpcPayload } from '../payload.js';
import {
  type ContainerIdentity,
  CriKnown,
  numberAt,
  numberIn,
  type PodIdentity,
  podAt,
  podIn,
  textAt,
  textIn,
} from './cri-fields.js';

/** For one interpreter, as it records ids. */
export function criFamily(): RpcFamily {
  return new Cri();
}

/** Paths of field numbers in a request. */
interface FieldPaths {
  readonly sandbox?: readonly number[];
  readonly container?: readonly number[];
  /** PodSandboxMetadata. */
  readonly pod?: readonly number[];
  /** ContainerMetadata. */
  readonly containerMetadata?: readonly number[];
  readonly image?: readonly number[];
}

const BY_SANDBOX: FieldPaths = { sandbox: [1] };
const BY_CONTAINER: FieldPaths = { container: [1] };
const BY_IMAGE: FieldPaths = { image: [1, 1] };

const REQUESTS: Readonly<Record<string, FieldPaths>> = dictionary({
  RunPodSandbox: { pod: [1, 1] },
  StopPodSandbox: BY_SANDBOX,
  RemovePodSandbox: BY_SANDBOX,
  PodSandboxStatus: BY_SANDBOX,
  PodSandboxStats: BY_SANDBOX,
  UpdatePodSandboxResources: BY_SANDBOX,
  PortForward: BY_SANDBOX,
  CreateContainer: { sandbox: [1], containerMetadata: [2, 1], image: [2, 2, 1], pod: [3, 1] },
  StartContainer: BY_CONTAINER,
  StopContainer: BY_CONTAINER,
  RemoveContainer: BY_CONTAINER,
  ContainerStatus: BY_CONTAINER,
  ContainerStats: BY_CONTAINER,
  UpdateContainerResources: BY_CONTAINER,
  ReopenContainerLog: BY_CONTAINER,
  CheckpointContainer: BY_CONTAINER,
  ExecSync: BY_CONTAINER,
  Exec: BY_CONTAINER,
  Attach: BY_CONTAINER,
  ListContainers: { container: [1, 1], sandbox: [1, 3] },
  ListPodSandbox: { sandbox: [1, 1] },
  PullImage: { image: [1, 1], pod: [3, 1] },
  ImageStatus: BY_IMAGE,
  RemoveImage: BY_IMAGE,
});

class Cri implements RpcFamily {
  readonly table = criTable;
  readonly repeated = IN_EVENTS;
  readonly #known = new CriKnown();

  readRequest(call: FamilyCall, bytes: Uint8Array): RpcPayload {
    const places = REQUESTS[call.method] ?? NOWHERE;
    const what = payload('');
    what.podSandboxId = textAt(bytes, places.sandbox);
    what.containerId = textAt(bytes, places.container);
    what.image = textAt(bytes, places.image);
    const known = what.containerId === undefined ? undefined : this.#known.container(what.containerId);
    what.podSandboxId ??= known?.podSandboxId || undefined;
    const sandbox = what.podSandboxId === undefined ? undefined : this.#known.sandbox(what.podSandboxId);
    const pod = podAt(bytes, places.pod) ?? known?.pod ?? sandbox;
    const container = textAt(bytes, places.containerMetadata && [...places.containerMetadata, 1]) ?? known?.name;
    aboutPod(what, pod);
    what.container = container;
    what.words = words(what, pod, container, call.method);
    call.memory = { what, pod, container } satisfies CriRequest;
    return what;
  }

  /** The first field of most requests is an id, which identifies the Pod. */
  readUnknownRequest(bytes: Uint8Array): RpcPayload | null {
    const id = textAt(bytes, [1]) ?? '';
    const container = this.#known.container(id);
    const sandbox = this.#known.sandbox(id);
    const pod = container?.pod ?? sandbox;
    if (pod === undefined) return null;
    const what = payload('');
    if (container !== undefined) what.containerId = id;
    what.podSandboxId = container === undefined ? id : container.podSandboxId || undefined;
    aboutPod(what, pod);
    what.words = words(what, pod, container?.name, '');
    return what;
  }

  readResponse(call: FamilyCall, bytes: Uint8Array): RpcPayload {
    const request = call.memory as CriRequest | null;
    const what = payload('');
    aboutPod(what, request?.pod);
    what.podSandboxId = request?.what.podSandboxId;
    what.containerId = request?.what.containerId;
    what.image = request?.what.image;
    switch (call.method) {
      case 'RunPodSandbox':
        what.podSandboxId = textAt(bytes, [1]);
        what.words = idWords('sandbox', what.podSandboxId);
        if (request?.pod !== undefined) this.#known.learnSandbox(what.podSandboxId ?? '', request.pod);
        break;
      case 'CreateContainer':
        what.containerId = textAt(bytes, [1]);
        what.words = idWords('container', what.containerId);
        if (request !== null) this.#known.learnContainer(what.containerId ?? '', containerOf(request));
        break;
      case 'PullImage':
        what.words = idWords('image', textAt(bytes, [1]));
        break;
      case 'Exec':
      case 'Attach':
      case 'PortForward':
        what.url = textAt(bytes, [1]);
        break;
      case 'ContainerStatus':
        what.words = this.#containerStatus(bytes);
        break;
      case 'PodSandboxStatus':
        what.words = this.#sandboxStatus(bytes);
        break;
      case 'ListPodSandbox':
        what.words = ` (${count(
          this.#list(bytes, (start, end) => this.#listedSandbox(bytes, start, end)),
          'sandbox',
        )})`;
        break;
      case 'ListContainers':
        what.words = ` (${count(
          this.#list(bytes, (start, end) => this.#listedContainer(bytes, start, end)),
          'container',
        )})`;
        break;
      case 'ExecSync':
        what.words = `, exit code ${numberAt(bytes, 3)}`;
        break;
    }
    return what;
  }

  /** GetContainerEvents: `CONTAINER_STARTED_EVENT nginx (3f2a…)`. */
  readStreamed(_call: FamilyCall, bytes: Uint8Array): readonly RpcPayload[] {
    const what = payload('');
    what.containerId = textAt(bytes, [1]);
    what.podSandboxId = textAt(bytes, [4, 1]);
    const known = this.#known.container(what.containerId ?? '');
    const pod = podAt(bytes, [4, 2]) ?? known?.pod ?? this.#known.sandbox(what.podSandboxId ?? '');
    aboutPod(what, pod);
    const type = criTable().enumValue('runtime.v1.ContainerEventType', numberAt(bytes, 2)) ?? 'event';
    what.words = `${type} ${words(what, pod, known?.name, '')}`.trimEnd();
    return [what];
  }

  #list(bytes: Uint8Array, each: (start: number, end: number) => void): number {
    const reader = LIST.open(bytes, 0, bytes.length);
    let found = 0;
    while (reader.next()) {
      if (reader.field !== 1 || reader.type !== LENGTH_DELIMITED) continue;
      found += 1;
      each(reader.start, reader.end);
    }
    return found;
  }

  /** PodSandbox { id = 1, metadata = 2 } */
  #listedSandbox(bytes: Uint8Array, start: number, end: number): void {
    const id = textIn(bytes, start, end, [1]);
    if (id === undefined || this.#known.sandbox(id) !== undefined) return;
    const pod = podIn(bytes, start, end, [2]);
    if (pod !== undefined) this.#known.learnSandbox(id, pod);
  }

  /** Container { id = 1, pod_sandbox_id = 2, metadata = 3, image = 4 } */
  #listedContainer(bytes: Uint8Array, start: number, end: number): void {
    const id = textIn(bytes, start, end, [1]);
    if (id === undefined || this.#known.container(id)?.pod !== undefined) return;
    const podSandboxId = textIn(bytes, start, end, [2]) ?? '';
    this.#known.learnContainer(id, {
      name: textIn(bytes, start, end, [3, 1]) ?? '',
      podSandboxId,
      pod: this.#known.sandbox(podSandboxId),
      image: textIn(bytes, start, end, [4, 1]) ?? '',
    });
  }

  /** ContainerStatus { state = 3, exit_code = 7 } */
  #containerStatus(bytes: Uint8Array): string {
    if (!findField(FOUND, bytes, 0, bytes.length, [1])) return '';
    const { start, end } = FOUND;
    const state = criTable().enumValue('runtime.v1.ContainerState', numberIn(bytes, start, end, 3)) ?? '';
    const exit = state === 'CONTAINER_EXITED' ? `, exit code ${numberIn(bytes, start, end, 7)}` : '';
    return `, ${state}${exit}`;
  }

  /** PodSandboxStatus { state = 3 } */
  #sandboxStatus(bytes: Uint8Array): string {
    if (!findField(FOUND, bytes, 0, bytes.length, [1])) return '';
    const { start, end } = FOUND;
    return `, ${criTable().enumValue('runtime.v1.PodSandboxState', numberIn(bytes, start, end, 3)) ?? ''}`;
  }
}

interface CriRequest {
  readonly what: RpcPayload;
  readonly pod: PodIdentity | undefined;
  readonly container: string | undefined;
}

function containerOf({ what, pod, container }: CriRequest): ContainerIdentity {
  return { name: container ?? '', podSandboxId: what.podSandboxId ?? '', pod, image: what.image ?? '' };
}

function aboutPod(what: RpcPayload, pod: PodIdentity | undefined): void {
  if (pod === undefined) return;
  const { namespace, name, uid } = pod;
  what.apiGroup = '';
  what.resource = 'pods';
  what.namespace = namespace;
  what.name = name;
  what.object = { apiVersion: 'v1', kind: 'Pod', namespace, name, uid: uid || null, resourceVersion: null };
}

/** `nginx`, `nginx in web-5d8c-x2x1 (3f2a9c01d2e4)`: container, Pod, and the runtime's id. */
function words(what: RpcPayload, pod: PodIdentity | undefined, container: string | undefined, method: string): string {
  if (IMAGE_CALLS.has(method)) return what.image ?? '';
  const podName = pod === undefined ? undefined : labelName(pod.namespace, pod.name);
  const names = container === undefined || container === podName ? [podName ?? container] : [container, podName];
  const about = names.filter((name) => name !== undefined).join(' in ');
  const id = what.containerId ?? (method === 'CreateContainer' ? undefined : what.podSandboxId);
  if (id === undefined) return about;
  return about === '' ? shortId(id) : `${about} (${shortId(id)})`;
}

function idWords(what: string, id: string | undefined): string {
  return id === undefined ? '' : `, ${what} ${shortId(id)}`;
}

/** As crictl shows them: 12 characters, without the name of the hash. */
function shortId(id: string): string {
  const digest = id.lastIndexOf('sha256:');
  const bare = digest < 0 ? id : id.slice(digest + 7);
  return bare.length > 12 ? bare.slice(0, 12) : bare;
}

function count(found: number, what: string): string {
  if (found === 1) return `1 ${what}`;
  return `${found} ${what}${what.endsWith('x') ? 'es' : 's'}`;
}

const NOWHERE: FieldPaths = {};
/** The kubelet reports in an Event of the Pod why these fail (pkg/kubelet: FailedCreatePodSandBox, FailedKillPod, Failed). */
const IN_EVENTS = new Set([
  'RunPodSandbox',
  'StopPodSandbox',
  'PullImage',
  'CreateContainer',
  'StartContainer',
  'StopContainer',
]);
const IMAGE_CALLS = new Set(['PullImage', 'ImageStatus', 'RemoveImage']);

const LIST = new FieldReader();
const FOUND = new FieldReader();
