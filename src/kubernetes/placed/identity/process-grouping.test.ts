import { expect, it } from 'vitest';
import { ParticipantRegistry } from './participant-registry.js';
import { ProcessGrouping } from './process-grouping.js';

const BUILD = '/v1.21.2 (linux/amd64) cert-manager/0123456';
const ELECTION = '/v0.0.0 (linux/amd64) kubernetes/$Format/leader-election';

/** @returns names of the processes that they are part of. @param agents in their order, all on one connection. */
function processesOf(agents: readonly string[], connectionOf = (_i: number): number => 1): readonly string[] {
  const known = new ParticipantRegistry();
  const parts = new ProcessGrouping();
  const spoke = agents.map((agent, i) => {
    const participant = known.client('192.0.2.7', agent, i + 1);
    parts.observe(connectionOf(i), agent, participant, i + 1);
    return participant;
  });
  return spoke.map(({ process }) => process.name);
}

const WHOLE = `cert-manager${BUILD}`;
const PART = `cert-manager-certificates-issuing${BUILD}`;

it('a name that goes on where another ends is part of that program', () => {
  expect(processesOf([WHOLE, PART])).toEqual(['cert-manager', 'cert-manager']);
  expect(processesOf([PART, WHOLE])).toEqual(['cert-manager', 'cert-manager']);
  expect(processesOf([PART, `cert-manager-certificates${BUILD}`, WHOLE])).toEqual(Array(3).fill('cert-manager'));
});

it('its leader election is part of it as well', () => {
  const program = `cert-manager-cainjector${BUILD}`;
  for (const agents of [
    [program, `cainjector${ELECTION}`],
    [`cainjector${ELECTION}`, program],
  ])
    expect(processesOf(agents)).toEqual(Array(2).fill('cert-manager-cainjector'));
});

it.each([
  ['another build', WHOLE, 'cert-manager-webhook/v0.0.0 (linux/amd64) kubernetes/$Format'],
  ['another name', WHOLE, `cert-managers${BUILD}`],
  ['no build', 'web/1.0', 'web-shop/1.0'],
  ['no version', 'web', 'web-shop'],
])('not with %s', (_why, one, other) => expect(new Set(processesOf([one, other])).size).toBe(2));

it('not on another connection', () => expect(new Set(processesOf([WHOLE, PART], (i) => i)).size).toBe(2));

it('a part of itself is none', () => {
  const election = `a${ELECTION}`;
  expect(processesOf([`a${BUILD}`, `a-a${BUILD}`, election])).toEqual(['a', 'a', 'a']);
});

it('takes turns with others where a part of it does', () => {
  const known = new ParticipantRegistry();
  const parts = new ProcessGrouping();
  const [whole, part] = [WHOLE, PART].map((agent, i) => {
    const participant = known.client('192.0.2.7', agent, i);
    parts.observe(1, agent, participant, i);
    return participant;
  });
  expect([whole.tier, part.tier]).toEqual(['people', 'people']);
  part.observeElection(9);
  expect([whole.tier, part.tier]).toEqual(['controllers', 'controllers']);
});
