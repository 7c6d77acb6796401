import { expect, it } from 'vitest';
import { exchanged } from '../../test/kit/messages.js';
import { indexPaths } from './path-index.js';

const PULLED = { type: 'Normal', reason: 'Pulled', message: 'x', kind: 'Pod', namespace: 'default', name: 'web' };

it('has an Event once: as its sender sent it, not again as the API server stores it', () => {
  const k8sEvent = { ...PULLED, uid: '', component: 'kubelet' };
  const sent = exchanged({ verb: 'create', resource: 'events', k8sEvent });
  const stored = exchanged({ protocol: 'etcd', service: 'etcdserverpb.KV', rpcMethod: 'Txn', k8sEvent });
  const found = indexPaths([...sent, ...stored]).k8sEvents({ namespace: 'default', name: 'web' });
  expect(found).toEqual([{ at: sent[0], reason: 'Pulled', text: 'x' }]);
});
