// Which names are generated is told by what made them.

import { describe, expect, it } from 'vitest';
import { message, REPLICASETS } from '../../test/kit/messages.js';
import { indexMessages } from '../diagram/message-index.js';
import { GeneratedNames } from './generated.js';

const STAND = { name: (stem: string) => `{${stem}}`, any: () => '*' };
const owner = (kind: string, name: string) => [{ kind, name, uid: `uid-${name}` }];
const object = (kind: string, name: string, by?: { kind: string; name: string; uid: string }[]) =>
  message({ kind: 'event', label: '', object: { kind, namespace: 'default', name, uid: `uid-${name}`, owners: by } });

describe('generated names', () => {
  const created = message({ from: REPLICASETS, verb: 'create', resource: 'pods', exchange: 9000 });
  const names = new GeneratedNames(
    indexMessages([
      object('ReplicaSet', 'web-6f8d9c7b54', owner('Deployment', 'web')),
      object('Pod', 'web-6f8d9c7b54-x7k2p', owner('ReplicaSet', 'web-6f8d9c7b54')),
      object('Pod', 'web-6f8d9c7b54-zzvt4', owner('ReplicaSet', 'web-6f8d9c7b54')),
      object('Pod', 'db-0', owner('StatefulSet', 'db')),
      object('Pod', 'web-https'),
      created,
      message({
        kind: 'response',
        exchange: 9000,
        object: { kind: 'Pod', namespace: 'default', name: 'job-k8zt9', uid: 'u' },
      }),
    ]),
    STAND,
  );
  const cases: [string, string][] = [
    ['[RESP-CHUNK] Pod ADDED - web-6f8d9c7b54-x7k2p', '[RESP-CHUNK] Pod ADDED - web-{hash}-{suffix}'],
    ['[REQ] GET /pods/web-6f8d9c7b54-zzvt4/log', '[REQ] GET /pods/web-{hash}-{suffix2}/log'],
    ['[REQ] GET /replicasets/web-6f8d9c7b54', '[REQ] GET /replicasets/web-{hash}'],
    ['[REQ] GET /deployments/web', '[REQ] GET /deployments/web'],
    ['[REQ] GET /pods/db-0', '[REQ] GET /pods/db-0'],
    ['[REQ] GET /pods/web-https', '[REQ] GET /pods/web-https'],
    ['[REQ] GET /pods/job-k8zt9', '[REQ] GET /pods/job-{suffix3}'],
    ['[REQ] POST /events - web-6f8d9c7b54-x7k2p.18e9f4305bf968fa', '[REQ] POST /events - web-{hash}-{suffix}.*'],
    ['[RPC-RESP] OK, revision 712', '[RPC-RESP] OK, revision *'],
    ['uid 17193b6f-3e6d-4025-bbb4-6c0a8ba1d8d8', 'uid {uid}'],
    ['192.0.2.7:54321 to 192.0.2.10:6443', '192.0.2.7:* to 192.0.2.10:6443'],
  ];
  it.each(cases)('%s', (text, open) => expect(names.in(text)).toBe(open));

  it.each([
    ['[END] cut after 150 B of 5.0 kB: RST, 2.0 s without a byte', '[END] cut after … of …: RST, … without a byte'],
    ['[END] gave up after 4 min 10 s: RST_STREAM CANCEL', '[END] gave up after …: RST_STREAM CANCEL'],
    ['[END] not processed: GOAWAY NO_ERROR', '[END] not processed: GOAWAY NO_ERROR'],
  ])('what is measured of a cut: %s', (label, open) => {
    expect(names.in(label, message({ kind: 'end', label }))).toBe(open);
  });

  it('short ids of containers and sandboxes', () => {
    const podSandboxId = 'a39a2a1e1ac6a71060bb610f5b739d8d2d4417fc8f27cabd2f886b602f8d7f5c';
    const said = message({ podSandboxId, label: '[RPC-RESP] OK, sandbox a39a2a1e1ac6' });
    expect(names.in(said.label, said)).toBe('[RPC-RESP] OK, sandbox {id}');
  });
});
