import { expect, it } from 'vitest';
import { exchanged, message, REPLICASETS, SCHEDULER } from '../../test/kit/messages.js';
import { explain } from './explain.js';

const OWNER = { kind: 'NodePool', name: 'default', uid: 'pool' };

it('names the message that made the version of an event without a cause', () => {
  const object = { kind: 'NodePool', name: 'default', uid: 'pool', resourceVersion: '7' };
  const told = message({ kind: 'event', type: 'ADDED', object });
  const [made, answer] = exchanged({ verb: 'create', resource: 'nodepools' }, { status: 201, object });
  expect(explain([told, made, answer], told.seq)?.join('\n')).toContain(
    `cause: none found: message ${made.seq} made this version`,
  );
  expect(explain([told], told.seq)).toContain('cause: none found: no captured write made this version');
});

it('names the request whose trigger a later request of the same sender for the object has as well', () => {
  const heard = message({ kind: 'event', to: REPLICASETS, object: { kind: 'Pod', name: 'web', uid: 'pod' } });
  const later = message({
    kind: 'event',
    to: REPLICASETS,
    from: SCHEDULER,
    object: { kind: 'Pod', name: 'web', uid: 'pod' },
  });
  const [made, answer] = exchanged(
    { from: REPLICASETS, verb: 'create', resource: 'nodeclaims', causedBy: heard.seq },
    { status: 201, object: { kind: 'NodeClaim', name: 'a', uid: 'claim', owners: [OWNER] } },
  );
  const [status, done] = exchanged(
    { from: REPLICASETS, verb: 'patch', resource: 'nodepools', name: 'default', causedBy: heard.seq },
    { status: 200, object: OWNER },
  );
  expect(explain([heard, made, answer, later, status, done], status.seq)).toContain(
    `  message ${made.seq}, which replicaset-controller sent last for this object, has this cause`,
  );
});

it('says in which frames the cause is, and what else can be it, as Wireshark numbers them', () => {
  const object = { kind: 'Pod', name: 'web', uid: 'pod' };
  const [first, second] = [1, 2].map((at) =>
    message({ kind: 'event', to: REPLICASETS, object, frames: [at * 10, at * 10 + at - 1], connection: 'a:1-b:6443' }),
  );
  const cause = { seq: second.seq, how: 'notification', certain: false, others: [first.seq] } as const;
  const request = message({ from: REPLICASETS, verb: 'create', resource: 'pods', causedBy: second.seq, cause });
  const lines = explain([first, second, request], request.seq)?.join('\n');
  expect(lines).toMatch(/cause: message \d+: .*\n {2}frames 20 to 21, connection a:1-b:6443/);
  expect(lines).toContain(`not certain: the cause can also be message ${first.seq} (frame 10)`);
});
