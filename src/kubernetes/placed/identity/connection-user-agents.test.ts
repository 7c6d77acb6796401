import { expect, it } from 'vitest';
import { ConnectionUserAgents } from './process-grouping.js';

const FLUX = 'kustomize-controller/v1 (linux/amd64) kubernetes/$Format';
const GO = 'Go-http-client/2.0';

it("a language's User-Agent belongs to the only program on its connection", () => {
  const agents = new ConnectionUserAgents();
  expect(agents.of(1, GO)).toBe(GO);
  expect(agents.of(1, FLUX)).toBe(FLUX);
  expect(agents.of(1, GO)).toBe(FLUX);
  expect(agents.of(2, GO)).toBe(GO);
});

it('and to none where there are several', () => {
  const agents = new ConnectionUserAgents();
  for (const agent of [FLUX, 'helm/v4', FLUX]) expect(agents.of(1, agent)).toBe(agent);
  expect(agents.of(1, GO)).toBe(GO);
});

it.each(['Mozilla/5.0', 'python-requests/2.32', ''])('%j stays as it is', (agent) => {
  const agents = new ConnectionUserAgents();
  agents.of(1, FLUX);
  expect(agents.of(1, agent)).toBe(agent);
  expect(agents.of(1, undefined)).toBeUndefined();
});
