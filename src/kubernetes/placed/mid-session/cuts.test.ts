// Connections of real captures, cut at moments all over them: what is printed of the rest equals what the whole capture
// says, whether it was read or concluded.

import { describe, expect, it } from 'vitest';
import { cutAt, http2Connections, messagesOf } from '../../../../test/kit/cut-kit.js';
import type { Message } from '../../messages/message.js';

const FIELDS = [
  'method',
  'target',
  'userAgent',
  'verb',
  'apiGroup',
  'apiVersion',
  'resource',
  'subresource',
  'namespace',
  'name',
  'status',
  'auditId',
] as const;

interface Tally {
  requests: number;
  /** Verb, resource, namespace and name as they were. */
  recovered: number;
  concluded: number;
  auditIds: number;
  responses: number;
  named: number;
  wrong: string[];
}

function compare(got: Map<string, Message>, whole: Map<string, Message>, tally: Tally): void {
  for (const [key, message] of got) {
    const truth = whole.get(key);
    if (truth === undefined) {
      tally.wrong.push(`invented ${key} ${message.label}`);
      continue;
    }
    const inferred = message.inferred ?? [];
    for (const field of FIELDS) {
      const isSaid = message[field] !== undefined;
      if (isSaid ? message[field] !== truth[field] : inferred.includes(field))
        tally.wrong.push(`${field} ${String(message[field])} of ${truth.label}`);
      if (isSaid && inferred.includes(field)) tally.concluded += 1;
    }
    for (const side of ['from', 'to'] as const) {
      const name = message[side].name;
      // A controller that does not say its name is the manager's; a node may be told only later.
      const fits = [truth[side].name, truth[side].process.name].some(
        (one) => one === name || one.startsWith(`${name} (`),
      );
      if (!fits && !name.startsWith('client ') && !/^kubelet \(192/.test(name))
        tally.wrong.push(`${side} ${name} of ${truth.label} ${truth[side].name}`);
      if (inferred.includes(side)) tally.named += 1;
    }
    if (message.complete || truth.protocol !== 'kubernetes') continue;
    if (message.kind === 'response') {
      tally.responses += 1;
      if (message.auditId !== undefined) tally.auditIds += 1;
    }
    if (message.kind !== 'request') continue;
    tally.requests += 1;
    const same = (['verb', 'resource', 'namespace', 'name'] as const).every((field) => message[field] === truth[field]);
    if (same) tally.recovered += 1;
  }
}

function cutAll(name: string, cuts: number): Tally {
  const connections = http2Connections(`${name}/capture.pcap`, `${name}/keys.log`);
  const whole = messagesOf(connections);
  const times = connections
    .flatMap((events) => events.map((event) => event.origin.time))
    .sort((a, b) => (a < b ? -1 : 1));
  const tally: Tally = { requests: 0, recovered: 0, concluded: 0, auditIds: 0, responses: 0, named: 0, wrong: [] };
  for (let i = 1; i <= cuts; i++) {
    // By events, not by time: most happens in little of it.
    const time = times[Math.floor((times.length * i) / (cuts + 1))];
    compare(messagesOf(connections.map((events) => cutAt(events, time))), whole, tally);
  }
  return tally;
}

describe('cut connections', () => {
  it('run-nginx-tls: nothing wrong, nearly everything recovered', () => {
    const tally = cutAll('run-nginx-tls', 24);
    expect(tally.wrong).toEqual([]);
    expect(tally.requests).toBeGreaterThan(600);
    expect(tally.recovered / tally.requests).toBeGreaterThan(0.95);
    expect(tally.auditIds / tally.responses).toBeGreaterThan(0.99);
    expect(tally.concluded).toBeGreaterThan(2000);
    expect(tally.named).toBeGreaterThan(500);
  });

  it('clients-tls: curl has no habits, and nothing is made up of it', () => {
    expect(cutAll('clients-tls', 40).wrong).toEqual([]);
  });
});
