// What makes Pods besides Deployments, and what takes them away: a StatefulSet with volumes, a CronJob, an autoscaler, somebody's
// own controller with a webhook, a Pod that must make room, a node that falls silent, a Namespace that goes. Who asked is held
// against the audit log; what was told and done in which order against what Kubernetes' controllers do, as their sources have it.

import { describe, expect, it } from 'vitest';
import { arrowsOf, notesOf } from '../../src/diagram/model.js';
import { buildSequence, explain, type Message, parseFollow, type Sequence } from '../../src/index.js';
import { type Audit, auditLog, loggedAnswers, programOf, toldOtherwise } from '../kit/audit.js';
import { causesIn } from '../kit/causes.js';
import { observedTogether } from '../kit/diagrams.js';
import { edgesOf, missingEdges } from '../kit/edges.js';

const { messages, notices } = await observedTogether(['workloads-tls/control-plane.pcap'], 'workloads-tls/keys.log');
const requests = messages.filter(({ kind, protocol }) => kind === 'request' && protocol === 'kubernetes');

const AUDIT = auditLog('workloads-tls/audit.jsonl');

/** The operator has an account of its own. */
function nameOf(entry: Audit): string {
  return entry.user.username === 'system:serviceaccount:operators:memcached-operator' ? 'manager' : programOf(entry);
}

const followed = (name: string): Sequence =>
  buildSequence({ messages, notices }, { follow: parseFollow(name, 'default') ?? undefined });

const causeOf = causesIn(messages);
const requested = (verb: string, resource: string, who?: string): Message[] =>
  requests.filter((one) => one.verb === verb && one.resource === resource && (who ?? one.from.name) === one.from.name);

it('every request of the audit log is shown once, with its client, object and success', () => {
  expect(AUDIT.size).toBeGreaterThan(1000);
  const told = loggedAnswers(messages, AUDIT).map(({ auditId }) => auditId);
  expect(told.sort()).toEqual([...AUDIT.keys()].sort());
  expect(toldOtherwise(messages, AUDIT, nameOf)).toEqual([]);
});

const CAST = `
    participant C as kubectl
    participant AS as kube-apiserver
    participant W as webhook v.cache.example.com
    participant P as manager
    participant KSC as statefulset-controller
    participant KPVB as persistent-volume-binder
    participant KCC as cronjob-controller
    participant KJC as job-controller
    participant KHPA as horizontal-pod-autoscaler
    participant KDC as deployment-controller
    participant KRC as replicaset-controller
    participant KGGC as generic-garbage-collector
    participant KNC as node-controller
    participant NSC as namespace-controller
    participant KSAC as service-account-controller
    participant ROOT as root-ca-cert-publisher
    participant S as kube-scheduler
    participant L as kubelet (node-1)
    participant L2 as kubelet (node-2)
`;

/** By what is followed: what must be drawn, in this order. */
const STORIES: readonly (readonly [string, string])[] = [
  [
    'statefulset/db',
    `
    C ->>+ AS: [REQ] POST /apis/apps/v1/namespaces/default/statefulsets - db
    AS ->> KSC: [RESP-CHUNK] StatefulSet ADDED - db
    KSC ->>+ AS: [REQ] POST /apis/apps/v1/namespaces/default/controllerrevisions - db-{revision}
    KSC ->>+ AS: [REQ] POST /api/v1/namespaces/default/persistentvolumeclaims - data-db-0
    AS ->> KPVB: [RESP-CHUNK] PersistentVolumeClaim ADDED - data-db-0
    KSC ->>+ AS: [REQ] POST /api/v1/namespaces/default/pods - db-0
    KPVB ->>+ AS: [REQ] POST /api/v1/persistentvolumes - pvc-{u}-{u1}-{u2}-{u3}-{u4}
    KPVB ->>+ AS: [REQ] PUT /api/v1/namespaces/default/persistentvolumeclaims/data-db-0
    AS ->> S: [RESP-CHUNK] PersistentVolumeClaim MODIFIED - data-db-0
    S ->>+ AS: [REQ] POST /api/v1/namespaces/default/pods/db-0/binding
    AS ->> KSC: [RESP-CHUNK] Pod MODIFIED - db-0
    KSC ->>+ AS: [REQ] POST /api/v1/namespaces/default/persistentvolumeclaims - data-db-1
    KSC ->>+ AS: [REQ] POST /api/v1/namespaces/default/pods - db-1
    C ->>+ AS: [REQ] PATCH /apis/apps/v1/namespaces/default/statefulsets/db
    KSC ->>+ AS: [REQ] DELETE /api/v1/namespaces/default/pods/db-1
    AS ->> KSC: [RESP-CHUNK] Pod DELETED - db-1
    KSC ->>+ AS: [REQ] POST /api/v1/namespaces/default/pods - db-1
    AS ->> S: [RESP-CHUNK] Pod ADDED - db-1
`,
  ],
  [
    'pod/db-0',
    `
    AS ->> S: [RESP-CHUNK] Pod ADDED - db-0
    S ->>+ AS: [REQ] PATCH /api/v1/namespaces/default/pods/db-0/status
    AS ->> S: [RESP-CHUNK] PersistentVolumeClaim MODIFIED - data-db-0
    S ->>+ AS: [REQ] POST /api/v1/namespaces/default/pods/db-0/binding
`,
  ],
  [
    'cronjob/tick',
    `
    C ->>+ AS: [REQ] POST /apis/batch/v1/namespaces/default/cronjobs - tick
    AS ->> KCC: [RESP-CHUNK] CronJob ADDED - tick
    KCC ->>+ AS: [REQ] POST /apis/batch/v1/namespaces/default/jobs - tick-{time}
    AS ->> KJC: [RESP-CHUNK] Job ADDED - tick-{time}
    KJC ->>+ AS: [REQ] POST /api/v1/namespaces/default/pods
    AS ->> S: [RESP-CHUNK] Pod ADDED - tick-{time}-{first}
    KNC ->>+ AS: [REQ] DELETE /api/v1/namespaces/default/pods/tick-{time}-{first}
    AS ->> KJC: [RESP-CHUNK] Pod MODIFIED - tick-{time}-{first}
    KJC ->>+ AS: [REQ] POST /api/v1/namespaces/default/pods
    AS ->> S: [RESP-CHUNK] Pod ADDED - tick-{time}-{second}
`,
  ],
  [
    'hpa/web',
    `
    AS ->> KHPA: [RESP-CHUNK] HorizontalPodAutoscaler ADDED - web
    KHPA ->>+ AS: [REQ] PUT /apis/apps/v1/namespaces/default/deployments/web/scale
    KHPA ->>+ AS: [REQ] PUT /apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers/web/status
`,
  ],
  [
    'deployment/web',
    `
    KHPA ->>+ AS: [REQ] PUT /apis/apps/v1/namespaces/default/deployments/web/scale
    AS ->> KDC: [RESP-CHUNK] Deployment MODIFIED - web
    KDC ->>+ AS: [REQ] PUT /apis/apps/v1/namespaces/default/replicasets/web-{hash}
    AS ->> KRC: [RESP-CHUNK] ReplicaSet MODIFIED - web-{hash}
    KRC ->>+ AS: [REQ] POST /api/v1/namespaces/default/pods
    AS ->> S: [RESP-CHUNK] Pod ADDED - web-{hash}-{evicted}
    C ->>+ AS: [REQ] DELETE /api/v1/namespaces/default/pods/web-{hash}-{deleted}
    AS ->> KRC: [RESP-CHUNK] Pod MODIFIED - web-{hash}-{deleted}
    KRC ->>+ AS: [REQ] POST /api/v1/namespaces/default/pods
    KNC ->>+ AS: [REQ] PUT /api/v1/namespaces/default/pods/web-{hash}-{evicted}/status
    KNC ->>+ AS: [REQ] DELETE /api/v1/namespaces/default/pods/web-{hash}-{evicted}
    AS ->> KRC: [RESP-CHUNK] Pod MODIFIED - web-{hash}-{evicted}
    KRC ->>+ AS: [REQ] POST /api/v1/namespaces/default/pods
    AS ->> S: [RESP-CHUNK] Pod ADDED - web-{hash}-{instead}
    AS ->> L: [RESP-CHUNK] Pod ADDED - web-{hash}-{instead}
`,
  ],
  [
    'memcached/cache',
    `
    C ->>+ AS: [REQ] POST /apis/cache.example.com/v1/namespaces/default/memcacheds - cache
    AS ->>+ W: [REQ] POST /validate-cache-example-com-v1-memcached - CREATE memcacheds cache
    AS ->> P: [RESP-CHUNK] Memcached ADDED - cache
    P ->>+ AS: [REQ] PUT /apis/cache.example.com/v1/namespaces/default/memcacheds/cache
    P ->>+ AS: [REQ] POST /apis/apps/v1/namespaces/default/deployments - cache
    AS ->> KDC: [RESP-CHUNK] Deployment ADDED - cache
    KDC ->>+ AS: [REQ] POST /apis/apps/v1/namespaces/default/replicasets - cache-{hash}
    AS ->> P: [RESP-CHUNK] Deployment MODIFIED - cache
    P ->>+ AS: [REQ] PUT /apis/cache.example.com/v1/namespaces/default/memcacheds/cache/status
    C ->>+ AS: [REQ] PATCH /apis/cache.example.com/v1/namespaces/default/memcacheds/cache
    AS ->> P: [RESP-CHUNK] Memcached MODIFIED - cache
    P ->>+ AS: [REQ] PUT /apis/apps/v1/namespaces/default/deployments/cache
    C ->>+ AS: [REQ] DELETE /apis/cache.example.com/v1/namespaces/default/memcacheds/cache
    AS ->> P: [RESP-CHUNK] Memcached MODIFIED - cache
    P ->>+ AS: [REQ] PUT /apis/cache.example.com/v1/namespaces/default/memcacheds/cache
    AS ->> KGGC: [RESP-CHUNK] PartialObjectMetadata DELETED - cache
    KGGC ->>+ AS: [REQ] DELETE /apis/apps/v1/namespaces/default/deployments/cache
`,
  ],
  [
    'namespace/team',
    `
    C ->>+ AS: [REQ] POST /api/v1/namespaces - team
    AS ->> KSAC: [RESP-CHUNK] Namespace ADDED - team
    KSAC ->>+ AS: [REQ] POST /api/v1/namespaces/team/serviceaccounts - default
    ROOT ->>+ AS: [REQ] POST /api/v1/namespaces/team/configmaps - kube-root-ca.crt
    C ->>+ AS: [REQ] DELETE /api/v1/namespaces/team
    AS ->> NSC: [RESP-CHUNK] Namespace MODIFIED - team
    NSC ->>+ AS: [REQ] DELETE /api/v1/namespaces/team/configmaps
    NSC ->>+ AS: [REQ] DELETE /api/v1/namespaces/team/serviceaccounts
    NSC ->>+ AS: [REQ] PUT /api/v1/namespaces/team/finalize
`,
  ],
];

describe.each(STORIES)('the diagram of %s', (name, required) => {
  const sequence = followed(name);

  it('has every required arrow, in order', () => {
    expect(missingEdges(edgesOf(CAST + required), sequence)).toEqual([]);
  });

  it('shows no change without an author', () => {
    // What a watch begins with is state, and no change.
    const roots = arrowsOf(sequence.steps).filter(({ message }) => message.causedBy === undefined && !message.initial);
    // A node's silence and a lack of room are no events.
    const known = new Set(['kubectl', 'node-controller', 'kube-scheduler']);
    const others = roots.filter(({ message: { from, verb } }) => !known.has(from.name) && verb !== 'watch');
    expect(others.map(({ message: { from, label } }) => `${from.name}: ${label}`)).toEqual([]);
  });
});

describe('patches', () => {
  it('tell how each is meant', () => {
    const types = new Map<string, number>();
    for (const { kind, verb, patchType } of messages)
      if (kind === 'request' && verb === 'patch')
        types.set(patchType ?? 'none', (types.get(patchType ?? 'none') ?? 0) + 1);
    // tshark -Y 'http2.headers.method == "PATCH"' -T fields -e http2.headers.content_type | sort | uniq -c
    expect(types).toEqual(
      new Map([
        ['strategic', 121],
        ['apply', 8],
        ['merge', 1],
      ]),
    );
  });

  it('alone have a type', () => {
    expect(
      messages.filter(
        ({ kind, verb, patchType }) => patchType !== undefined && (kind !== 'request' || verb !== 'patch'),
      ),
    ).toEqual([]);
  });
});

describe('causes', () => {
  it('a volume is made for the claim that its name has', () => {
    const made = requested('create', 'persistentvolumes');
    expect(made.length).toBe(2);
    expect(made.map((one) => `pvc-${causeOf(one)?.object?.uid}`)).toEqual(made.map(({ name }) => name));
  });

  it('a claim is made for the set, the first because of it, the second when the first Pod is ready', () => {
    const causes = requested('create', 'persistentvolumeclaims').map(causeOf);
    expect(causes.map((one) => one?.label)).toEqual([
      '[RESP-CHUNK] StatefulSet ADDED - db',
      '[RESP-CHUNK] Pod MODIFIED - db-0',
    ]);
  });

  it("a client that is no person's has one for each change of another's object", () => {
    const made = requests.filter(
      ({ from, verb, resource }) => from.name === 'manager' && isWrite(verb) && !isBook(resource),
    );
    expect(made.length).toBeGreaterThan(8);
    const about = made.map((one) => causeOf(one)?.object?.name);
    expect(new Set(about)).toEqual(new Set(['cache']));
  });

  it('what has to go for another has none of its own', () => {
    const victims = requested('delete', 'pods', 'kube-scheduler');
    expect(victims.length).toBe(1);
    const { name } = victims[0];
    const last = requested('patch', 'pods', 'kube-scheduler').filter((one) => one.name === name);
    expect([...victims, ...last].map(({ causedBy }) => causedBy)).toEqual([undefined, undefined]);
  });

  it('a Pod is evicted for the taint of its node, as the node monitor wrote it', () => {
    const evicted = requested('delete', 'pods', 'node-controller');
    expect(evicted.length).toBeGreaterThan(1);
    for (const { causedBy } of evicted) {
      const tainted = messages.find(({ seq }) => seq === causedBy);
      expect([tainted?.kind, tainted?.type, tainted?.object?.kind]).toEqual(['event', 'MODIFIED', 'Node']);
      const write = messages.find(({ seq }) => seq === tainted?.causedBy);
      expect([write?.verb, write?.resource, write?.from.name]).toEqual(['patch', 'nodes', 'node-controller']);
    }
  });

  it('nor has what the node monitor writes of Pods on a node that fell silent', () => {
    const written = requested('update', 'pods', 'node-controller');
    expect(written.length).toBeGreaterThan(0);
    expect(written.filter(({ causedBy }) => causedBy !== undefined)).toEqual([]);
  });

  it('are explained by what the object of the one is to that of the other', () => {
    const because = (verb: string, resource: string, who: string, n = 0): string => {
      const lines = explain(messages, requested(verb, resource, who)[n].seq)!;
      return lines[lines.findIndex((line) => line.startsWith('cause: ')) + 2].replace(/, which .*/, '');
    };
    const about = (what: string): string =>
      `  it is the trigger: kube-controller-manager had received this watch event about ${what}`;
    expect(because('create', 'persistentvolumes', 'persistent-volume-binder')).toBe(about('its claim'));
    expect(because('create', 'pods', 'statefulset-controller')).toBe(about('its owner'));
    expect(because('create', 'pods', 'statefulset-controller', 1)).toBe(about('another object of its owner'));
    expect(because('create', 'pods', 'statefulset-controller', 2)).toBe(about('what had its name before'));
    expect(because('update', 'replicasets', 'deployment-controller')).toBe(about('its owner'));
    const gone = messages.find(
      ({ type, to, object }) => type === 'DELETED' && to.name === 'manager' && object?.kind === 'Memcached',
    );
    expect(explain(messages, gone!.seq)).toContain(
      '  its answer has the object as it was: it took what the deletion waited for',
    );
  });

  it('no event was made after what it triggered, and none is of another kind than its receiver watches', () => {
    for (const one of requests) {
      const cause = causeOf(one);
      if (cause === undefined) continue;
      expect(cause.time <= one.time, one.label).toBe(true);
      expect([one.from.process.id, one.from.id]).toContain(cause.to.id);
    }
  });
});

describe('the diagram of all that people did', () => {
  const whole = buildSequence({ messages, notices }, {});
  const lines = notesOf(whole.steps).flatMap((note) => note.lines);

  it('begins chapters with what people did, not with what a controller did', () => {
    const chapters = lines.filter((line) => /^(?:create|update|patch|delete) /.test(line));
    expect(chapters).toContain('create memcacheds/cache');
    expect(chapters.filter((line) => line.startsWith('update '))).toEqual([]);
    expect(messages.find(({ from }) => from.name === 'manager')?.from.tier).toBe('controllers');
  });

  it('shows why Pods were evicted', () => {
    const text = lines.join('\n');
    expect(text).toMatch(/^Preempted: Preempted by pod /m);
    expect(text).toMatch(/^TaintManagerEviction: Marking for deletion Pod default\/db-1/m);
    expect(text).toMatch(/^Forbidden: .*v\.cache\.example\.com.*size must be at most 5/m);
  });

  it('draws of a Namespace that is emptied what was in it', () => {
    const swept = arrowsOf(followed('namespace/team').steps).filter(
      ({ message }) => message.verb === 'deletecollection',
    );
    expect(swept.map(({ message }) => message.resource).sort()).toEqual(['configmaps', 'serviceaccounts']);
    expect(requested('deletecollection', 'pods', 'namespace-controller').length).toBe(1);
  });
});

function isWrite(verb: string | undefined): boolean {
  return ['create', 'update', 'patch', 'delete'].includes(verb ?? '');
}

function isBook(resource: string | undefined): boolean {
  return resource === 'leases' || resource === 'events';
}
