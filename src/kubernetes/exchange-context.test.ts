import { expect, it } from 'vitest';
import { requestInfo } from './api/request-info.js';
import { type ExchangeContext, observeResponse } from './exchange-context.js';
import { participantRegistry } from './identity/participant-registry.js';

it.each([
  [200, 'kubelet (node-1)'],
  [404, 'kubelet (node-1)'],
  [403, 'kubelet'],
  [401, 'kubelet'],
])('a request that is answered with %i shows whose its sender is: %s', (status, name) => {
  const known = participantRegistry();
  const client = known.onConnection(
    known.client('192.0.2.22', 'kubelet/v1.34.4 (linux/amd64) kubernetes/0123456', 1),
    1,
  );
  const takeBack = known.learnNode(client, 'node-1', 'asks for nodes node-1 (frame 2)', 1);
  const info = requestInfo('GET', '/api/v1/nodes/node-1');
  observeResponse({ client, info, takeBack, late: null } as unknown as ExchangeContext, status, known, 3);
  expect(client.name).toBe(name);
});
