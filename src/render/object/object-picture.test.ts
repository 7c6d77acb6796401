import { describe, expect, it } from 'vitest';
import { parseMermaid } from '../../../test/kit/mermaid.js';
import { KUBECTL, MANAGER, message, SCHEDULER } from '../../../test/kit/messages.js';
import { observeWhole } from '../../../test/kit/whole-fixtures.js';
import type { Message, Participant } from '../../kubernetes/messages/message.js';
import { HistoryBuilder } from '../../object-history/history.js';
import type { Tenure } from '../../object-history/model.js';
import { renderMermaid } from '../sequence/mermaid.js';
import { objectPicture } from './object-picture.js';

const renderObjectMermaid = (...of: Parameters<typeof objectPicture>): string => renderMermaid(objectPicture(...of));
const OPTIONS = { first: 0n, digits: () => 6 };

it('draws the holders of a Lease, each active while it holds it, and how it was lost', async () => {
  const shown = renderObjectMermaid(
    lease([tenure(SCHEDULER, 'a', 1, 9, [4, 6]), tenure(MANAGER, 'b', 30, null)]),
    OPTIONS,
  );
  // Taken over 21 s after the last renewal at 9 s, six beyond a lease of 15 s.
  expect(
    shown.split('\n').map((line) => line.trim().replaceAll(/,?<br>/g, (at) => (at.startsWith(',') ? ', ' : ' '))),
  ).toEqual([
    'sequenceDiagram',
    'participant P1 as kube-scheduler a',
    'participant P2 as kube-controller-manager b',
    'participant O as Lease kube-system/lock',
    'P1 ->> O: 1.000000 s: takes it, message 1',
    'activate P1',
    'Note over P1: 8 renewals, 2 without success (message 4), at most 2.0 s apart (lease 15 s)',
    'rect rgba(255, 0, 0, 0.15)',
    'P1 ->> O: 4.000000 s: no success, message 4',
    'P1 ->> O: 6.000000 s: no success, message 6',
    'end',
    'Note over P1,O: 30.000000 s: taken over, 21 s after the last renewal, 6.0 s beyond its lease, message 30',
    'deactivate P1',
    'P2 ->> O: 30.000000 s: takes it over from a, message 30',
    'activate P2',
    'Note over P2: 0 renewals',
    'Note over P2: holds it at the end of the capture',
    '',
  ]);
  expect((await parseMermaid(shown)).messages.map(({ text }) => text)).toEqual([
    '1.000000 s: takes it, message 1',
    '4.000000 s: no success, message 4',
    '6.000000 s: no success, message 6',
    '30.000000 s: takes it over from a, message 30',
  ]);
});

it('draws no arrow for a holder whose write was not captured', () => {
  const seen = {
    ...tenure(SCHEDULER, 'a', 1, null),
    participant: null,
    begin: message({ kind: 'event', seq: 1, time: 0n }),
  };
  const shown = renderObjectMermaid(lease([seen]), OPTIONS);
  expect(shown).not.toContain('>>');
  expect(shown).toContain('Note over P1: 0.000000 s: holds it, as message 1 shows');
});

describe('of other objects', () => {
  it('draws an arrow for each write that made a version, in the order of time', async () => {
    const { messages } = await observeWhole('run-nginx-http1');
    const builder = new HistoryBuilder({ resource: 'pods', group: '', namespace: 'default', name: 'nginx' });
    for (const one of messages) builder.feed(one);
    const shown = renderObjectMermaid(builder.result(), { ...OPTIONS, first: messages[0].started });
    const versions = [...shown.matchAll(/->> O: .*version (\d+), message (\d+)/g)].map(([, version, seq]) => [
      version,
      seq,
    ]);
    // As fixtures/run-nginx-http1 has them: the Pod's versions by the writes whose answers carry them.
    expect(versions).toHaveLength(9);
    const numbers = versions.map(([version]) => Number(version));
    expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
    for (const [, seq] of versions) {
      const write = messages.find((one) => one.seq === Number(seq));
      expect([write?.kind, write?.resource, write?.name]).toEqual(['request', 'pods', 'nginx']);
    }
    expect((await parseMermaid(shown)).messages).toHaveLength(versions.length);
  });
});

function lease(tenures: readonly Tenure[]) {
  const life = { uid: null, apiVersion: null, kind: 'Lease', owners: [], steps: [], tenures };
  return { resource: 'leases', namespace: 'kube-system', name: 'lock', incarnations: [life] };
}

/** Held from a time to the takeover at 30 s, in seconds. */
function tenure(
  from: Participant,
  holder: string,
  begin: number,
  last: number | null,
  failed: readonly number[] = [],
): Tenure {
  return {
    holder,
    participant: from.name,
    begin: at(begin, from),
    lastRenewal: at(last ?? begin, from),
    renewals: last === null ? 0 : 8,
    longestGap: 2_000_000_000n,
    failed: failed.map((second) => at(second, from)),
    leaseSeconds: 15,
    ended: last === null ? null : 'taken over',
    end: last === null ? null : at(30, KUBECTL),
  };
}

function at(second: number, from: Participant): Message {
  return message({ kind: 'request', from, seq: second, time: BigInt(second) * 1_000_000_000n });
}
