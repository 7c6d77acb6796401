// What kubeseq says of a fixture, as one text that a person can review: a digest of its messages, its diagram, its summary, its findings.

import { createHash, type Hash } from 'node:crypto';
import {
  buildSequence,
  DEFAULT_GROUP_KEYS,
  DEFAULT_THRESHOLDS,
  type Message,
  messageLineWithBody,
  parseFollow,
  renderMermaid,
  renderTopText,
  SummaryCollector,
  summaryText,
  TopCollector,
} from '../../src/index.js';
import type { WholeFixture } from './whole-fixtures.js';

export function goldenText(whole: WholeFixture): string {
  const { messages, notices, items, captures } = whole;
  const summary = new SummaryCollector(captures, { streams: false });
  for (const item of items) summary.add(item);
  const top = new TopCollector({ by: DEFAULT_GROUP_KEYS, thresholds: DEFAULT_THRESHOLDS, sort: 'requests', limit: 20 });
  for (const message of messages) top.add(message);
  return [
    section('messages', countsOf(messages)),
    section('fields of messages: how many have it, how many values it has, their digest', fieldsOf(messages)),
    section('diagram', renderMermaid(buildSequence({ messages, notices }), { seqs: true }).trimEnd().split('\n')),
    ...(STORIES[whole.name] ?? []).map((story) => section(`follow ${story}`, storyOf(whole, story))),
    section('summary', summaryText(summary.result(), undefined).trimEnd().split('\n')),
    section('top', renderTopText(top.result(), undefined).trimEnd().split('\n')),
  ].join('\n');
}

/** @param story `[namespace/]kind/name`, and the layers other than the API's. */
function storyOf({ messages, notices }: WholeFixture, story: string): string[] {
  const [object, layers = 'kubernetes'] = story.split(' ');
  const [name = '', kind = '', namespace = 'default'] = object.split('/').reverse();
  const options = {
    follow: parseFollow(`${kind}/${name}`, namespace)!,
    layers: new Set(layers.split(',') as Message['protocol'][]),
  };
  return renderMermaid(buildSequence({ messages, notices }, options), { seqs: true }).trimEnd().split('\n');
}

function section(title: string, lines: readonly string[]): string {
  return `== ${title}\n${lines.join('\n')}\n`;
}

/** `12 kubectl → kube-apiserver: request create pods`, in the order of the alphabet. */
function countsOf(messages: readonly Message[]): string[] {
  const counts = new Map<string, number>();
  for (const { from, to, kind, protocol, verb, resource, subresource, rpcMethod, type, object, status } of messages) {
    const what = kind === 'event' ? [type, object?.kind] : kind === 'response' ? [status] : [verb ?? rpcMethod];
    const about = [resource, subresource].filter((one) => one !== undefined).join('/');
    const words = [protocol, kind, ...what, about].filter((one) => one !== undefined && one !== '').join(' ');
    const line = `${from.name} → ${to.name}: ${words}`;
    counts.set(line, (counts.get(line) ?? 0) + 1);
  }
  return [...counts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([line, count]) => `${count} ${line}`);
}

interface FieldDigest {
  readonly hash: Hash;
  readonly values: Set<string>;
  messages: number;
}

/** Fields of the lines that `export` writes, heads and bodies among them, those of a nested object but a body each by itself: `cause.how 120 6 3f1a…`. */
function fieldsOf(messages: readonly Message[]): string[] {
  const digests = new Map<string, FieldDigest>();
  for (const message of messages) {
    for (const [name, value] of flat(
      JSON.parse(messageLineWithBody(message, { digits: () => 9 })) as Record<string, unknown>,
    )) {
      let digest = digests.get(name);
      if (digest === undefined) {
        digest = { hash: createHash('sha256'), values: new Set(), messages: 0 };
        digests.set(name, digest);
      }
      const text = JSON.stringify(value);
      // The number says which message has the value.
      digest.hash.update(`${message.seq} ${text}\n`);
      digest.values.add(text);
      digest.messages += 1;
    }
  }
  return [...digests]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, { hash, values, messages: count }]) => {
      return `${name} ${count} ${values.size} ${hash.digest('hex').slice(0, 12)}`;
    });
}

function* flat(object: Readonly<Record<string, unknown>>, prefix = ''): Generator<[name: string, value: unknown]> {
  for (const [name, value] of Object.entries(object)) {
    if (value === undefined) continue;
    if (prefix === '' && name !== 'body' && typeof value === 'object' && value !== null && !Array.isArray(value)) {
      yield* flat(value as Record<string, unknown>, `${name}.`);
    } else yield [`${prefix}${name}`, value];
  }
}

/** Objects that are followed, by fixture: `[namespace/]kind/name`, and layers other than the API's where they are to be drawn. */
const STORIES: Readonly<Record<string, readonly string[]>> = {
  'argocd-tls': ['argocd/application/shop'],
  'autoscaled-tls': ['deployment/web'],
  'bootstrap-tls': ['csr/csr-4kbfw', 'csr/jane', 'csr/mallory', 'csr/wrong', 'node/node-1'],
  'causes/recorded-delete': ['deployment/web'],
  'cert-manager-tls': ['certificate/web'],
  'connections-tls': ['configmap/untrusted', 'configmap/dropped', 'node/node-1'],
  'deployment-tls': ['deployment/web', 'deployment/web kubernetes,etcd,cri,registry'],
  'gitops-tls': ['flux-system/kustomization/shop', 'deployment/web'],
  'helm-tls': ['deployment/shop-web'],
  'lacks-tls': [
    ...['pod/files', 'pod/key', 'pod/both', 'deploy/urgent', 'later/pod/early', 'pod/gated', 'pod/gates', 'job/later'],
    ...['pod/grown', 'hpa/robot', 'namespace/old', 'pdb/kept', 'secret/creds', 'sa/robot'],
  ],
  'not-starting-tls': [
    ...['pod/crash', 'pod/denied kubernetes,cri,registry', 'pod/unlive', 'pod/selector', 'pod/nonet kubernetes,cri'],
    ...['job/once', 'team/deploy/two'],
  ],
  'operator-tls': ['cache/front'],
  'pod-network-tls': ['service/web', 'service/web http'],
  'volumes-tls': ['pod/app', 'pod/stuck', 'pod/full'],
  'workloads-tls': ['statefulset/db', 'cronjob/tick', 'hpa/web', 'memcached/cache', 'namespace/team'],
};
