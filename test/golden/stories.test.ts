// Diagrams that follow one object, as committed texts beside those of whole fixtures; `UPDATE=1` rewrites them.

import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { buildSequence, type Message, parseFollow, renderMermaid } from '../../src/index.js';
import { observeWhole } from '../kit/whole-fixtures.js';

const TEXTS = fileURLToPath(new URL('stories', import.meta.url));

/** By fixture: `[namespace/]kind/name`, and layers other than the API's where they are to be drawn. */
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

async function storyOf(name: string, story: string): Promise<string> {
  const [object, layers = 'kubernetes'] = story.split(' ');
  const [kind, own, namespace = 'default'] = object.split('/').slice(-2).concat(object.split('/').slice(0, -2));
  const { messages, notices } = await observeWhole(name);
  const sequence = buildSequence(
    { messages, notices },
    {
      follow: parseFollow(`${kind}/${own}`, namespace)!,
      layers: new Set(layers.split(',') as Message['protocol'][]),
    },
  );
  return `== ${story}\n${renderMermaid(sequence, { seqs: true })}`;
}

const fileOf = (name: string): string => `${name.replace('/', '-')}.txt`;

it.each(Object.entries(STORIES))('%s', async (name, stories) => {
  const path = join(TEXTS, fileOf(name));
  const texts: string[] = [];
  for (const story of stories) texts.push(await storyOf(name, story));
  const text = texts.join('\n');
  if (process.env['UPDATE'] === '1') {
    mkdirSync(TEXTS, { recursive: true });
    writeFileSync(path, text);
  }
  expect(existsSync(path), `no stories of ${name}: UPDATE=1 npx vitest run test/golden writes them`).toBe(true);
  expect(text).toBe(readFileSync(path, 'utf8'));
});

it('has no text of stories that are gone', () => {
  expect(readdirSync(TEXTS).sort()).toEqual(Object.keys(STORIES).map(fileOf).sort());
});
