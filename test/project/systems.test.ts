// Each system that docs/systems.md claims to read has a row there, a page that the row links to, and on that page a diagram which
// `kubeseq docs` draws from a fixture and in which the system is to be seen. documented-*.test.ts hold diagrams to be current.

import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT } from '../kit/command.js';

interface System {
  /** First cell of its row. */
  readonly row: string;
  readonly page: string;
  /** What only a diagram of that system has. */
  readonly shows: readonly RegExp[];
}

const SYSTEMS: readonly System[] = [
  { row: 'etcd', page: 'docs/etcd.md', shows: [/as etcd$/m, /\[RPC\] KV\/Txn create /, /\[RPC-RESP\] .*revision \d+/] },
  {
    row: 'container runtime (CRI)',
    page: 'docs/cri.md',
    shows: [/RuntimeService\/RunPodSandbox/, /ImageService\/PullImage/, /RuntimeService\/StartContainer/],
  },
  {
    row: 'kubelet',
    page: 'docs/exec.md',
    shows: [/POST \/exec\/default\/nginx/, /error: exit code 3/, /POST \/portForward\//, /\[DATA\] log 85 bytes/],
  },
  {
    row: 'WebSocket, SPDY/3.1',
    page: 'docs/exec.md',
    shows: [/101 Switching Protocols/, /\[DATA\] stderr 5 bytes/, /\[DATA\] data 79 bytes/],
  },
  {
    row: 'registry',
    page: 'docs/registry.md',
    shows: [/GET \/v2\/$/m, /HEAD \/v2\/\S+\/manifests\/latest/, /GET \/v2\/\S+\/blobs\//, /a blob of 5092757 bytes/],
  },
  {
    row: 'docker engine API',
    page: 'docs/registry.md',
    shows: [/images\/create\?fromImage/, /containers\/create/, /exec\/\w+…\/start/, /\[DATA\] stdout 51 bytes/],
  },
  {
    row: 'aggregated API servers',
    page: 'docs/webhooks.md',
    shows: [/as aggregated-apiserver wardle\.example\.com$/m, /AS ->>\+ AA: \[REQ\] POST \S+\/flunders/],
  },
  { row: 'admission webhooks', page: 'docs/webhooks.md', shows: [/as webhook guard/, /, allowed$/m, /, denied: /] },
  {
    row: 'Services, EndpointSlices, kube-proxy',
    page: 'docs/services.md',
    shows: [/EndpointSlice ADDED/, /as endpointslice-controller/, /as kube-proxy \(node-2\)/],
  },
  {
    row: 'Events, Leases',
    page: 'docs/events-leases.md',
    shows: [/Scheduled: Successfully assigned/, /became leader/, /kube-node-lease/],
  },
  { row: 'the Pod network', page: 'docs/pod-network.md', shows: [/as Service web$/m, /as Pod web-/] },
];

const UNDERSTOOD = readFileSync(join(ROOT, 'docs/systems.md'), 'utf8').split(/^## /m)[0];

/** Diagrams below comments for `kubeseq docs`, with the captures that they are drawn from. */
function diagramsOf(page: string): { readonly captures: readonly string[]; readonly diagram: string }[] {
  const text = readFileSync(join(ROOT, page), 'utf8');
  return [...text.matchAll(/^<!-- kubeseq ([^>]*?) ?-->\s*```mermaid\n(.*?)^```/gms)].map(([, comment, diagram]) => ({
    captures: [...comment.matchAll(/capture=(\S+)/g)].map(([, name]) => join(dirname(page), name)),
    diagram,
  }));
}

describe.each(SYSTEMS)('$row', ({ row, page, shows }) => {
  it('has a row that links to its page', () => {
    const line = UNDERSTOOD.split('\n').find((one) => one.startsWith(`| ${row} |`));
    expect(line).toContain(`](${relative('docs', page)}`);
  });

  it('is seen on its page, in diagrams from fixtures', () => {
    const diagrams = diagramsOf(page);
    const captures = diagrams.flatMap((one) => one.captures);
    expect(captures.length).toBeGreaterThan(0);
    expect(captures.filter((name) => !name.startsWith('fixtures/') || !existsSync(join(ROOT, name)))).toEqual([]);
    const drawn = diagrams.map((one) => one.diagram).join('\n');
    expect(shows.filter((one) => !one.test(drawn))).toEqual([]);
  });
});
