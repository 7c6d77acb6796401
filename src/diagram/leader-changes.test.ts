import { describe, expect, it } from 'vitest';
import { exchanged, type Given, SCHEDULER } from '../../test/kit/messages.js';
import type { Message } from '../kubernetes/messages/message.js';
import { LeaderChanges } from './leader-changes.js';

const UUID = '60c490b2-0d2f-4b50-9069-3d88928a4714';
const LEASE: Given = { resource: 'leases', namespace: 'kube-system', name: 'kube-scheduler', from: SCHEDULER };
const held = (by: string, seconds = 15): Pick<Given, 'lease'> => ({ lease: { holder: by, seconds, transitions: 1 } });
const version = (resourceVersion: string): Given => ({
  object: { kind: 'Lease', resourceVersion } as Message['object'],
});

/** A write, or a look, at a time in seconds. */
function at(seconds: number, ...[request, response]: [Given, Given]): Message[] {
  const time = BigInt(Math.round(seconds * 1000)) * 1_000_000n;
  return exchanged({ ...LEASE, ...request, time }, { status: 200, ...response, time });
}
const written = (seconds: number, by: string, status = 200): Message[] =>
  at(seconds, { verb: 'update', ...held(by) }, { status, ...version(String(seconds)) });
const seen = (seconds: number, by: string, resourceVersion: string): Message[] =>
  at(seconds, { verb: 'get' }, { ...held(by), ...version(resourceVersion) });

function changes(...messages: readonly Message[]): string[] {
  const found = new LeaderChanges();
  for (const one of messages) found.add(one);
  return found.result().map(({ what }) => what);
}

describe('a leader', () => {
  it('changes when another one writes the Lease, so long after it had ended', () => {
    expect(changes(...written(1, `cp-1_${UUID}`), ...written(4.4, `cp-1_${UUID}`), ...written(21.3, 'cp-2'))).toEqual([
      'leader of kube-scheduler: cp-1 → cp-2, 1.9 s after its lease had ended',
    ]);
    expect(changes(...written(1, 'cp-1'), ...written(9, 'cp-2'))).toEqual([
      'leader of kube-scheduler: cp-1 → cp-2, before its lease had ended',
    ]);
    const other = UUID.replace('60', '61');
    expect(changes(...written(1, `cp-1_${UUID}`), ...written(18, `cp-1_${other}`))).toEqual([
      'leader of kube-scheduler: cp-1 → another process on cp-1, 2.0 s after its lease had ended',
    ]);
  });

  it('does not when it renews, or somebody is refused', () => {
    expect(changes(...written(1, 'cp-1'), ...written(3, 'cp-1'), ...written(4, 'cp-2', 409))).toEqual([]);
    expect(changes(...seen(1, 'cp-1', '7'), ...seen(3, 'cp-1', '7'))).toEqual([]);
  });

  it('is also known by the looks of those who wait: a new version is a renewal, the first may be old', () => {
    expect(changes(...seen(1, 'cp-1', '7'), ...written(3, 'cp-2'))).toEqual(['leader of kube-scheduler: cp-1 → cp-2']);
    expect(
      changes(...seen(1, 'cp-1', '7'), ...seen(3, 'cp-1', '8'), ...seen(5, 'cp-1', '8'), ...written(20, 'cp-2')),
    ).toEqual(['leader of kube-scheduler: cp-1 → cp-2, 2.0 s after its lease had ended']);
  });

  it('that was gone before the capture is followed as usual, and API servers do not lead', () => {
    const found = new LeaderChanges();
    for (const one of [...seen(1, 'cp-1', '7'), ...seen(3, 'cp-1', '7'), ...written(9, 'cp-2')]) found.add(one);
    expect(found.result()).toMatchObject([{ kind: 'start-up', what: 'leader of kube-scheduler: cp-1 → cp-2' }]);
    expect(
      changes(...written(1, `kube-scheduler_${UUID}`), ...written(2, `kube-scheduler_${UUID.replace('60', '61')}`)),
    ).toEqual([]);
  });

  it('may give its Lease up, and another one takes it, or nobody', () => {
    const given = [...written(1, 'cp-1'), ...written(5, '')];
    expect(changes(...given)).toEqual(['leader of kube-scheduler: cp-1 gave up its lease, nobody has it since']);
    expect(changes(...given, ...written(7, 'cp-2'))).toEqual([
      'leader of kube-scheduler: cp-1 → cp-2, 2.0 s after it was given up',
    ]);
  });

  it('may be gone before: who had closed the connection of its last renewal', () => {
    const [asked, answered] = written(1, 'cp-1');
    const end = (by: 'client' | 'server', seconds: number, connection = asked.connection) =>
      ({
        kind: 'connection-end',
        connection,
        by,
        how: by === 'client' ? 'FIN' : 'RST',
        origin: { capture: 0, frame: 9, time: BigInt(seconds) * 1_000_000_000n },
      }) as const;
    const told = (...ends: ReturnType<typeof end>[]): string[] => {
      const found = new LeaderChanges();
      for (const one of [asked, answered]) found.add(one);
      for (const one of ends) found.ended(one);
      for (const one of written(18, 'cp-2')) found.add(one);
      return found.result().map(({ what }) => what);
    };
    const change = 'leader of kube-scheduler: cp-1 → cp-2, 2.0 s after its lease had ended';
    expect(told(end('client', 3))).toEqual([
      `${change}; the earlier holder had closed its connection 15 s before (FIN)`,
    ]);
    expect(told(end('server', 3), end('client', 4))).toEqual([
      `${change}; the connection of the earlier holder had been closed by its server 15 s before (RST)`,
    ]);
    // Of another connection, before its renewal (the port was used again), afterwards.
    expect(told(end('client', 3, '192.0.2.9:1-192.0.2.10:8080'))).toEqual([change]);
    expect(told(end('client', 0))).toEqual([change]);
    expect(told(end('client', 19))).toEqual([change]);
  });
});
