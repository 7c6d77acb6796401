import { expect, it } from 'vitest';
import type { PeerCertificate } from '../../../tcp/stream-event.js';
import { requestInfo } from '../../api/request-info.js';
import type { ExchangeContext } from '../../messages/exchange-context.js';
import { ClientAuthentication } from './authentication.js';
import { NodeEvidence } from './node-evidence.js';
import { ParticipantRegistry } from './participant-registry.js';

it.each([
  [200, 'kubelet (node-1)'],
  [404, 'kubelet (node-1)'],
  [403, 'kubelet'],
  [401, 'kubelet'],
])('a request that is answered with %i shows whose its sender is: %s', (status, name) => {
  const known = new ParticipantRegistry();
  const client = known.onConnection(
    known.client('192.0.2.22', 'kubelet/v1.34.4 (linux/amd64) kubernetes/0123456', 1),
    1,
  );
  const evidence = new NodeEvidence(known, new ClientAuthentication());
  const info = requestInfo('GET', '/api/v1/nodes/node-1');
  const context = { client, info, connection: { id: 1 }, isMidSession: false } as unknown as ExchangeContext;
  evidence.observeRequest(context, 2);
  expect(client.name).toBe('kubelet (node-1)');
  evidence.observeResponse(context, status, 3);
  expect(client.name).toBe(name);
});

it.each([
  ['system:node:node-1', 'kubelet (node-1)'],
  ['kubernetes-admin', 'kubelet'],
])('a kubelet that shows the certificate of %s is %s, though it is refused', (commonName, name) => {
  const known = new ParticipantRegistry();
  const client = known.onConnection(
    known.client('192.0.2.22', 'kubelet/v1.37.2 (linux/amd64) kubernetes/0123456', 1),
    1,
  );
  const authentication = new ClientAuthentication();
  authentication.onCertificate({ connection: { id: 1 }, of: 'client', commonName } as PeerCertificate);
  const evidence = new NodeEvidence(known, authentication);
  const info = requestInfo('GET', '/api/v1/namespaces/shop/pods');
  const context = { client, info, connection: { id: 1 }, isMidSession: false } as unknown as ExchangeContext;
  evidence.observeRequest(context, 2);
  evidence.observeResponse(context, 401, 3);
  expect(client.name).toBe(name);
});
