import { expect, it } from 'vitest';
import { ParticipantRegistry } from './participant-registry.js';

it('an API server known at the address calls the kubelet, whatever the User-Agent is', () => {
  const known = new ParticipantRegistry();
  const server = known.server('kube-apiserver', '192.0.2.10', 6443, 1);
  for (const agent of ['Go-http-client/2.0', 'kubectl/v1.34.4', 'curl/7.88.1', undefined])
    expect(known.relay('192.0.2.10', agent, 2, 'asks a kubelet')).toBe(server);
});

it('where none is known, it is concluded, and is the one that answers later', () => {
  const known = new ParticipantRegistry();
  const relay = known.relay('192.0.2.10', 'kubectl/v1.34.4', 7, 'asks a kubelet');
  expect(relay.name).toBe('kube-apiserver');
  expect(relay.evidence).toEqual(['asks a kubelet (frame 7)']);
  expect(known.server('kube-apiserver', '192.0.2.10', 6443, 9)).toBe(relay);
});

it("a user's own tool sends its own requests", () => {
  const known = new ParticipantRegistry();
  expect(known.relay('192.0.2.99', 'curl/7.88.1', 1, 'asks a kubelet').name).toBe('curl');
});

it('it may be known by its other address family, or by loopback', () => {
  const known = new ParticipantRegistry();
  const server = known.server('kube-apiserver', '2001:db8::10', 6443, 1);
  expect(known.relay('192.0.2.10', 'Go-http-client/2.0', 2, 'asks a kubelet')).toBe(server);
});
