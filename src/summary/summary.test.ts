import { describe, expect, it } from 'vitest';
import type { Message } from '../kubernetes/messages/message.js';
import type { Connection } from '../tcp/stream-event.js';
import { SummaryCollector } from './summary.js';
import { summaryText } from './summary-text.js';

function connection(id: number): Connection {
  const client = { address: '192.0.2.7', port: 1024 + id };
  const server = { address: '192.0.2.10', port: 8080 };
  return { id, client, server, name: `192.0.2.7:${1024 + id}-192.0.2.10:8080`, roles: 'handshake' };
}

describe('counts of a capture without end', () => {
  it.each([true, false])('are those of all connections; streams listed: %s', (streams) => {
    const collector = new SummaryCollector(['-'], { streams });
    const total = 20_000;
    for (let id = 1; id <= total; id++) {
      const one = connection(id);
      // Every tenth waits for its keys long after its end, every fifth is given up after it was understood.
      if (id % 10 !== 0) collector.add({ kind: 'protocol', connection: one, protocol: 'http/1' });
      collector.add({ kind: 'stream-bytes', connection: one, bytes: { client: 1, server: 2 }, md5: null });
      if (id % 5 === 0 && id % 10 !== 0)
        collector.add({ kind: 'protocol', connection: one, protocol: 'http/1', why: 'bytes missing' });
      const late = id - 5_000;
      if (late > 0 && late % 10 === 0)
        collector.add({ kind: 'protocol', connection: connection(late), protocol: 'encrypted', why: 'no secrets' });
    }
    const { connections, unread, streams: listed } = collector.result();
    expect(connections).toEqual({ total, decoded: 18_000, encrypted: 1_500, other: 500 });
    expect(unread).toEqual({ 'bytes missing': 2_000, 'no secrets': 1_500 });
    expect(listed?.length).toBe(streams ? total : undefined);
  });

  it('awaits a limited number of responses, reports it, and counts all', () => {
    const collector = new SummaryCollector(['-'], { streams: false });
    const kubectl = { name: 'kubectl', component: 'kubectl', evidence: [] };
    const kubectlParticipant = { ...kubectl, process: kubectl };
    for (let exchange = 1; exchange <= 100_003; exchange++)
      collector.add({
        kind: 'message',
        message: {
          kind: 'request',
          exchange,
          complete: true,
          protocol: 'http',
          connection: '192.0.2.7:40000-192.0.2.10:6443',
          from: kubectlParticipant,
          to: kubectlParticipant,
        } as unknown as Message,
      });
    const { exchanges, notices } = collector.result();
    expect(exchanges).toEqual({
      total: 100_003,
      complete: 0,
      withoutRequest: 0,
      withoutResponse: 100_003,
      brokenOff: 0,
    });
    expect(notices).toEqual({ 'limit.correlation': 1 });
  });
});

it.each([
  ['a websocket was closed', 'pods default/web: '],
  ['web-1 was closed', 'pods default/web: '],
  ['my-web was closed', 'pods default/web: '],
  ['web.example.com was closed', 'pods default/web: '],
  ['default/web was closed', ''],
  ['"web" was closed', ''],
  ['nobody closed web.', ''],
])('a problem names its object, where the words do not: %s', (what, about) => {
  const summary = new SummaryCollector(['-'], { streams: false }).result();
  const problem = { kind: 'failed', what, count: 1, object: 'pods default/web', message: 5, at: 1 } as const;
  expect(summaryText({ ...summary, problems: [problem] })).toContain(`  message 5      ${about}${what}\n`);
});
