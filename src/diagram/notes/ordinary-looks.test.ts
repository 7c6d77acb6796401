import { expect, it } from 'vitest';
import { observeWhole } from '../../../test/kit/whole-fixtures.js';
import { requestOf } from '../../kubernetes/emitted/message-links.js';
import { indexMessages } from '../message-index.js';
import { ordinaryLooks } from './failed-requests.js';

/** kubectl looks at what is created later (`kubectl create` waits for the ServiceAccount) or was deleted (`kubectl delete --wait`); by the audit logs. */
it.each([
  ['workloads-tls', { 'configmaps kube-root-ca.crt': 4, 'horizontalpodautoscalers web': 1 }],
  ['deployment-tls', { 'serviceaccounts default': 5, 'deployments web': 1, 'services web': 1 }],
  // What never was, is missed.
  ['errors-http1', {}],
] as const)('of %s', async (name, expected) => {
  const { messages } = await observeWhole(name);
  const index = indexMessages(messages);
  const found: Record<string, number> = {};
  for (const seq of ordinaryLooks(index)) {
    const { resource, name: object } = requestOf(index.withSeq(seq)!)!;
    const words = `${resource} ${object}`;
    found[words] = (found[words] ?? 0) + 1;
  }
  expect(found).toEqual(expected);
});
