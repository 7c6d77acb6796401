// What made programs write, by what they are known to do: their sources, their own logs, what was done to them (fixtures/*/README.md).
// How often causes are true of programs that recorded themselves: score.test.ts.

import { describe, expect, it } from 'vitest';
import { explain, type Message } from '../../src/index.js';
import { auditLog } from '../kit/audit.js';
import { causesIn } from '../kit/causes.js';
import { observeWhole } from '../kit/whole-fixtures.js';

/** Who writes, what, and of each of these requests what made him do so: beginnings of `ADDED Pod web by kubectl create`. */
type Row = readonly [who: string, what: string, because: readonly string[]];

const own = 'MODIFIED NodeClaim .* by karpenter delete';
const repository = 'MODIFIED GitRepository shop by source-controller';
const application = 'MODIFIED Application shop';
const step = 'cert-manager-certificate';

const CAUSES: Readonly<Record<string, readonly Row[]>> = {
  // Its log: two automated syncs, the second after a refresh; one of what somebody changed by hand; the end. The operation that the
  // refresh of a new Application writes into it is what a sync begins with (controller/appcontroller.go: appOperationQueue).
  'argocd-tls': [
    ['argocd-application-controller', 'create configmaps', [application]],
    ['argocd-application-controller', 'create deployments', [application]],
    ['argocd-application-controller', 'patch deployments', [application, 'MODIFIED Deployment web']],
    ['argocd-application-controller', 'delete deployments', [application]],
    ['argocd-application-controller', 'delete configmaps', [application]],
  ],
  // A node that replaces another is made by the clock; a Pod is evicted because of what was done to its node.
  'autoscaled-tls': [
    ['karpenter', 'create nodeclaims', ['MODIFIED Pod .* by kube-scheduler patch status', 'none']],
    ['karpenter', 'create pods/eviction', ['MODIFIED Node .* by karpenter']],
    ['karpenter', 'delete nodes', [own, own]],
  ],
  // pkg/controller/certificates/signer: what is approved is signed, whoever approved it.
  'bootstrap-tls': [
    [
      ...(['certificate-controller', 'update certificatesigningrequests/status'] as const),
      [
        ...['csr-rthfm', 'csr-mft4d'].map((name) => `MODIFIED \\w+ ${name} by certificate-controller update approval`),
        ...['csr-4kbfw', 'jane', 'wrong'].map((name) => `MODIFIED \\w+ ${name} by kubectl update approval`),
      ],
    ],
  ],
  // trigger_controller.go:238, 03:37:53.160105: "Certificate must be re-issued", "Issuing certificate as Secret does not exist".
  'cert-manager-tls': [
    [
      ...([`${step}s-trigger`, 'update certificates/status'] as const),
      ['ADDED Certificate web by kubectl', 'DELETED Secret web-tls by kubectl'],
    ],
    [`${step}s-key-manager`, 'create secrets', Array(2).fill(`MODIFIED Certificate web by ${step}s-readiness`)],
    [
      ...([`${step}s-request-manager`, 'create certificaterequests'] as const),
      Array(2).fill(`MODIFIED Certificate web by ${step}s-key-manager`),
    ],
    [
      ...([`${step}requests-approver`, 'update certificaterequests/status'] as const),
      [1, 2].map((n) => `ADDED CertificateRequest web-${n} by ${step}s-request-manager`),
    ],
    [
      ...([`${step}requests-issuer-ca`, 'update certificaterequests/status'] as const),
      [1, 2].map((n) => `MODIFIED CertificateRequest web-${n} by ${step}requests-approver`),
    ],
    [
      ...([`${step}s-issuing`, 'patch secrets'] as const),
      [1, 1, 2, 2].map((n) => `MODIFIED CertificateRequest web-${n} by ${step}requests-issuer-ca`),
    ],
  ],
  'causes/recorded-delete': [
    ['generic-garbage-collector', 'delete replicasets', ['DELETED Deployment web by kubectl delete']],
    [
      ...(['generic-garbage-collector', 'delete pods'] as const),
      Array(5).fill('DELETED ReplicaSet .* by generic-garbage-collector delete'),
    ],
  ],
  // kustomize-controller's own log: the artifact is not there at first; then four versions of it, and the drift between.
  'gitops-tls': [
    ['kustomize-controller', 'patch configmaps', [repository]],
    [
      ...(['kustomize-controller', 'patch deployments'] as const),
      [repository, repository, 'MODIFIED Kustomization shop by kubectl', repository],
    ],
    ['kustomize-controller', 'delete configmaps', [repository]],
    ['kustomize-controller', 'delete deployments', ['MODIFIED Kustomization shop by kubectl delete']],
  ],
  // A Pod that no node would do for gets one because the node was changed; all others because of themselves.
  'not-starting-tls': [
    [
      ...(['kube-scheduler', 'create pods/binding'] as const),
      [
        ...['crash', 'oom', 'badcmd', 'noimage', 'denied', 'noconfig', 'initfail', 'unlive'].map(
          (pod) => `ADDED Pod ${pod}`,
        ),
        ...['ADDED Pod two-', 'MODIFIED Node node-1 by kubectl patch', 'ADDED Pod once-', 'ADDED Pod nonet'],
      ],
    ],
    ['container-runtime (node-1)', 'HEAD pods', Array(4).fill('request \\[RPC\\] ImageService/PullImage')],
  ],
  // An EndpointSlice changes because of a Pod that it names.
  'pod-network-tls': [
    ['endpointslice-controller', 'update endpointslices', ['MODIFIED Pod web-', 'MODIFIED Pod web-']],
  ],
  'docker-engine-api': [['docker', 'HEAD', ['request \\[REQ\\] POST /v1.41/images/create\\?fromImage=']]],
  // Each call because of the write that it judges.
  'trouble-tls': [
    [
      ...(['kube-apiserver', 'POST configmaps'] as const),
      ['POST \\S+/configmaps - good', 'POST \\S+/configmaps - forbidden-one', 'PATCH \\S+/configmaps/good'].map(
        (label) => `request \\[REQ\\] ${label}$`,
      ),
    ],
  ],
  'volumes-tls': [
    // pkg/scheduler/framework/plugins/volumebinding, dynamicresources.
    [
      ...(['kube-scheduler', 'update persistentvolumeclaims'] as const),
      [
        ...['ADDED Pod app', 'ADDED Pod full', 'ADDED Pod stuck'],
        ...Array(2).fill('MODIFIED PersistentVolumeClaim full by csi-provisioner'),
        'ADDED StorageClass nosuch by kubectl',
        ...Array(6).fill('MODIFIED PersistentVolumeClaim full by csi-provisioner'),
      ],
    ],
    ['kube-scheduler', 'update resourceclaims', ['MODIFIED Pod train', 'ADDED Pod sick']],
    // pkg/controller/volume/attachdetach: a volume comes to a node for a Pod, and goes with it; the node's status has both.
    [
      ...(['attachdetach-controller', 'create volumeattachments'] as const),
      ['app', 'stuck', 'lost'].map((pod) => `MODIFIED Pod ${pod} `),
    ],
    ['attachdetach-controller', 'delete volumeattachments', ['DELETED Pod app']],
    [
      ...(['attachdetach-controller', 'patch nodes/status'] as const),
      [...Array(3).fill('MODIFIED VolumeAttachment csi-'), 'MODIFIED Node node-1'],
    ],
    ['csi-attacher', 'patch persistentvolumes', Array(3).fill('ADDED VolumeAttachment csi-')],
    // pkg/controller/volume/pvcprotection, resourceclaim: a claim is let go when its Pod is.
    ['resource-claim-controller', 'delete resourceclaims', ['MODIFIED Pod train', 'MODIFIED Pod train']],
  ],
  'workloads-tls': [
    [
      ...(['persistent-volume-binder', 'create persistentvolumes'] as const),
      ['ADDED PersistentVolumeClaim data-db-0', 'ADDED PersistentVolumeClaim data-db-1'],
    ],
    // pkg/controller/statefulset: the second when the first Pod is ready; the same name again when it is free.
    [
      ...(['statefulset-controller', 'create persistentvolumeclaims'] as const),
      ['ADDED StatefulSet db', 'MODIFIED Pod db-0'],
    ],
    [
      ...(['statefulset-controller', 'create pods'] as const),
      ['ADDED StatefulSet db', 'MODIFIED Pod db-0', 'DELETED Pod db-1', 'DELETED Pod db-0'],
    ],
    ['manager', 'update memcacheds', ['ADDED Memcached cache by kubectl', 'MODIFIED Memcached cache by kubectl']],
    ['manager', 'create deployments', ['MODIFIED Memcached cache']],
    ['manager', 'update deployments', ['MODIFIED Memcached cache by kubectl patch']],
    // What has to go for another, and what the node monitor writes of a silent node, nobody told.
    ['kube-scheduler', 'delete pods', ['none']],
    ['node-controller', 'update pods/status', Array(4).fill('none')],
    // A Pod is evicted for the taint of its node, as the node monitor wrote it.
    ['node-controller', 'delete pods', Array(4).fill('MODIFIED Node node-2 by node-controller patch')],
  ],
};

/** `MODIFIED Pod web by kube-scheduler patch status`. */
function words(cause: Message | undefined, write: Message | undefined): string {
  if (cause === undefined) return 'none';
  if (cause.kind !== 'event') return `${cause.kind} ${cause.label}`;
  const by = [write?.from.name, write?.verb, write?.subresource].filter((one) => one !== undefined).join(' ');
  return `${cause.type} ${cause.object?.kind} ${cause.object?.name} by ${by}`;
}

function whatOf({ verb, rpcMethod, method, resource, subresource }: Message): string {
  const about = [resource, subresource].filter((one) => one !== undefined).join('/');
  return [verb ?? rpcMethod ?? method, about].filter((one) => one !== '').join(' ');
}

describe.each(Object.entries(CAUSES))('%s', (name, rows) => {
  it.each(rows)('%s: %s', async (who, what, because) => {
    const { messages } = await observeWhole(name);
    const causeOf = causesIn(messages);
    const written = messages.filter(
      (one) => one.kind === 'request' && one.from.name === who && whatOf(one) === what && one.dryRun !== true,
    );
    expect(written.map((one) => words(causeOf(one), causeOf(causeOf(one))))).toEqual(
      because.map((beginning) => expect.stringMatching(new RegExp(`^${beginning}`))),
    );
  });
});

it('a write for what an annotation or labels name is of that, in whichever namespace', async () => {
  const said = async (name: string) =>
    (await observeWhole(name)).messages.flatMap(({ appliedFor, verb, resource, from }) =>
      appliedFor === undefined || from.name === 'deployment-controller'
        ? []
        : [`${verb} ${resource} for ${Object.values(appliedFor).join(' ')}`],
    );
  const shop = 'applications argoproj.io argocd shop';
  expect(await said('argocd-tls')).toEqual([`create configmaps for ${shop}`, `create deployments for ${shop}`]);
  // As many as the audit log has patches of kustomize-controller's in that namespace.
  const log = [...auditLog('gitops-tls/audit.jsonl').values()].filter(
    (entry) =>
      entry.verb === 'patch' &&
      entry.objectRef?.namespace === 'default' &&
      (entry as typeof entry & { requestURI: string }).requestURI.includes('fieldManager=kustomize-controller'),
  );
  expect(log.length).toBeGreaterThan(10);
  expect(await said('gitops-tls')).toEqual(
    log.map(() =>
      expect.stringMatching(/^patch \w+ for kustomizations kustomize\.toolkit\.fluxcd\.io flux-system shop$/),
    ),
  );
  // Its annotation cert-manager.io/certificate-name is on both.
  expect(new Set(await said('cert-manager-tls'))).toEqual(
    new Set(
      ['create certificaterequests', 'patch secrets'].map(
        (what) => `${what} for certificates cert-manager.io default web`,
      ),
    ),
  );
});

it('karpenter goes on from what it made itself, never from what was before that', async () => {
  const { messages } = await observeWhole('autoscaled-tls');
  const born = new Map(
    messages
      .filter(({ kind, type, object }) => kind === 'event' && type === 'ADDED' && object?.kind === 'NodeClaim')
      .map(({ seq, object }) => [object!.name, seq]),
  );
  const changes = messages.filter(
    ({ kind, resource, verb, from }) =>
      kind === 'request' && resource === 'nodeclaims' && /^(?:patch|delete)$/.test(verb!) && from.name === 'karpenter',
  );
  expect(changes.length).toBeGreaterThan(20);
  expect(changes.filter((one) => !(one.causedBy! >= born.get(one.name!)!))).toEqual([]);
});

/** Pods that lack something (fixtures/lacks-tls/README.md): what, and by which event their kubelet hears that it is there. */
const LACKS = [
  ['files', ['configmaps/settings'], 'ConfigMap ADDED - settings'],
  ['env', ['secrets/creds'], 'Secret ADDED - creds'],
  ['key', ['configmaps/half'], 'ConfigMap MODIFIED - half'],
  ['both', ['secrets/pa', 'configmaps/pb'], 'ConfigMap ADDED - pb'],
  ['pull', ['secrets/regcred'], 'Secret ADDED - regcred'],
] as const;

it.each(LACKS)('lacks-tls: pod/%s lacks %j until its kubelet hears of it', async (pod, lacked, heard) => {
  const { messages } = await observeWhole('lacks-tls');
  const said = messages.filter(({ k8sEvent, missing }) => k8sEvent?.name === pod && missing !== undefined);
  expect(said.length).toBeGreaterThan(0);
  for (const { missing } of said) expect(missing).toEqual(lacked);
  const asked = messages.filter(
    ({ kind, from, resource, name }) =>
      kind === 'request' && from.component === 'kubelet' && resource === 'pods' && name === pod,
  );
  const causeOf = causesIn(messages);
  const event = messages.find(
    ({ seq, kind, label, to }) =>
      kind === 'event' && seq > said[0].seq && to.name === 'kubelet (node-1)' && label.endsWith(heard),
  )!;
  expect(causeOf(event)?.from.name).toBe('kubectl');
  expect(asked.filter(({ seq }) => seq > event.seq).length).toBeGreaterThan(1);
  for (const one of asked) expect(causeOf(one) === event, one.label).toBe(one.seq > event.seq);
});

it.each([
  ['robot', 'serviceaccounts/robot'],
  ['urgent', 'priorityclasses/high'],
  ['boxed', 'runtimeclasses/sandboxed'],
])('lacks-tls: refusals and Events of %s name %s', async (name, lacked) => {
  const { messages } = await observeWhole('lacks-tls');
  const about = new RegExp(`^${name}-`);
  const told = messages.filter(
    ({ k8sEvent, kind, status, statusMessage }) =>
      (kind === 'request' && k8sEvent?.kind === 'ReplicaSet' && about.test(k8sEvent.name ?? '')) ||
      (status === 403 && statusMessage?.includes(`"${name}-`) === true),
  );
  expect(told.filter(({ status }) => status === 403).length).toBeGreaterThan(1);
  expect(told.filter(({ missing }) => missing?.join() !== lacked && missing !== undefined)).toEqual([]);
  expect(told.filter(({ missing }) => missing !== undefined).length).toBeGreaterThan(2);
});

it('lacks-tls: a request for what is not there lacks nothing, one into a Namespace that is not there lacks that', async () => {
  const { messages } = await observeWhole('lacks-tls');
  const asked = messages.filter(({ status, reason }) => status === 404 && reason === 'NotFound');
  expect(asked.length).toBeGreaterThan(10);
  expect(asked.flatMap(({ missing = [] }) => missing)).toEqual(['namespaces/later']);
});

describe('an eviction', async () => {
  const { messages } = await observeWhole('lacks-tls');
  const [refused, done] = messages.filter(({ kind, subresource }) => kind === 'request' && subresource === 'eviction');

  it('that a budget forbids names it', () => {
    const { status, missing, statusMessage } = messages.find(
      ({ kind, exchange }) => kind === 'response' && exchange === refused.exchange,
    )!;
    expect([status, missing]).toEqual([429, ['poddisruptionbudgets/kept']]);
    expect(statusMessage).toMatch(/budget\. The disruption budget kept needs 1 healthy pods and has 1 currently$/);
  });

  it('that is allowed first writes its reason into the Pod, then deletes it', () => {
    const told = messages.filter(
      ({ kind, seq, object }) => kind === 'event' && object?.name === done.name && seq > done.seq,
    );
    const [why, goes] = [...new Set(told.map(({ object }) => object!.resourceVersion))].map((version) =>
      told.filter(({ object }) => object!.resourceVersion === version),
    );
    expect(why.map(({ object, causedBy }) => [object!.deletionTimestamp, causedBy])).toEqual(
      why.map(() => [undefined, done.seq]),
    );
    expect(goes.map(({ object, causedBy }) => [object!.deletionTimestamp, causedBy])).toEqual(
      Array(3).fill([expect.stringMatching(/^2026-11-23T/), done.seq]),
    );
  });
});

it('causes are explained by what the object of the one is to that of the other', async () => {
  const because = async (name: string, who: string, what: string, n = 0): Promise<string | undefined> => {
    const { messages } = await observeWhole(name);
    const written = messages.filter((one) => one.kind === 'request' && one.from.name === who && whatOf(one) === what);
    const lines = explain(messages, written[n].seq)!.filter((line) => line.includes('had received this watch event'));
    return / about (.*?)(?:, which .*)?$/.exec(lines[0])?.[1];
  };
  const workload = because.bind(null, 'workloads-tls');
  expect(await workload('persistent-volume-binder', 'create persistentvolumes')).toBe('its claim');
  expect(await workload('statefulset-controller', 'create pods')).toBe('its owner');
  expect(await workload('statefulset-controller', 'create pods', 1)).toBe('another object of its owner');
  expect(await workload('statefulset-controller', 'create pods', 2)).toBe('what had its name before');
  expect(await because('not-starting-tls', 'kube-scheduler', 'create pods/binding', 9)).toBe('the node that it gets');
});
